//! Serialisation of events, for events that leave the process.
//!
//! No other module knows the format: bincode 2 in its standard configuration (little-endian, variable-length
//! integers). Nothing else depends on bincode, since it is no longer maintained.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Vote {
//!     ballot: u64,
//!     yes: bool,
//! }
//!
//! let vote = Vote { ballot: 7, yes: true };
//! let bytes = actor_core::codec::encode(&vote)?;
//! assert_eq!(actor_core::codec::decode::<Vote>(&bytes)?, vote);
//! # Ok::<(), actor_core::codec::CodecError>(())
//! ```

use std::cell::Cell;
use std::fmt;

use bincode::config::{self, Configuration, Fixint, Limit, LittleEndian, Varint};
use bincode::de::read::SliceReader;
use bincode::enc::write::Writer;
use bincode::error::EncodeError;
use bincode::serde::OwnedSerdeDecoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The largest size of an encoded event in bytes. A longer one is refused before memory is allocated.
pub const EVENT_BYTES_MAX: usize = 16 << 20;

/// The memory limit of decoding. bincode only estimates memory, so the number of bytes is checked too.
const MEMORY_MAX: usize = 2 * EVENT_BYTES_MAX;

const FORMAT: Configuration<LittleEndian, Varint, Limit<MEMORY_MAX>> = config::standard()
    .with_little_endian()
    .with_variable_int_encoding()
    .with_limit::<MEMORY_MAX>();

/// As [`FORMAT`], for values that are decoded at once in this process: integers of fixed length are faster.
const IN_PROCESS: Configuration<LittleEndian, Fixint, Limit<MEMORY_MAX>> =
    FORMAT.with_fixed_int_encoding();

fn check_length(length: usize) -> Result<(), CodecError> {
    if length <= EVENT_BYTES_MAX {
        return Ok(());
    }
    Err(CodecError(format!(
        "{length} bytes are more than the {EVENT_BYTES_MAX} allowed"
    )))
}

/// Encodes a value.
///
/// # Errors
///
/// If the value's `Serialize` fails, or uses something that the format can't express, such as a sequence of
/// unknown length. Also if the encoded value is longer than [`EVENT_BYTES_MAX`].
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, CodecError> {
    let bytes = bincode::serde::encode_to_vec(value, FORMAT);
    let bytes = bytes.map_err(|error| CodecError(error.to_string()))?;
    check_length(bytes.len())?;
    Ok(bytes)
}

/// Decodes a value, which must take up all of `bytes`.
///
/// # Errors
///
/// If the bytes are truncated, too many, or of another type, or if bytes are left over. No input causes a
/// panic or an allocation larger than its bytes account for.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    check_length(bytes.len())?;
    let decoded = bincode::serde::decode_from_slice(bytes, FORMAT);
    let (value, read) = decoded.map_err(|error| CodecError(error.to_string()))?;
    if read == bytes.len() {
        Ok(value)
    } else {
        let left = bytes.len() - read;
        Err(CodecError(format!(
            "{left} bytes are left over behind the value"
        )))
    }
}

/// Encodes a value and decodes it again, in a reused buffer; returns the copy that a receiver would get.
///
/// The bound is not [`DeserializeOwned`]: method lookup cannot test that bound, so `&'static str`, which
/// lacks it, would be rejected too late. Nothing is borrowed from the buffer nevertheless.
pub(crate) fn carried<T: Serialize + Deserialize<'static>>(value: &T) -> Result<T, CodecError> {
    let mut written = Written {
        bytes: BUFFER.take(),
        length: 0,
    };
    let encoded = bincode::serde::encode_into_writer(value, &mut written, IN_PROCESS);
    let carried = encoded
        .map_err(|error| CodecError(error.to_string()))
        .and_then(|()| read(&written.bytes[..written.length]));
    if written.bytes.len() <= KEPT_MAX {
        BUFFER.set(written.bytes);
    }
    carried
}

struct Written {
    bytes: Vec<u8>,
    length: usize,
}

impl Written {
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let least = (self.length + more).max(ROOM);
        self.bytes.resize(least.next_power_of_two(), 0);
    }
}

impl Writer for Written {
    // Most writes are numbers: inlined, each is a copy of known length.
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        if self.bytes.len() - self.length < bytes.len() {
            self.grow(bytes.len());
        }
        let end = self.length + bytes.len();
        self.bytes[self.length..end].copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }
}

fn read<T: Deserialize<'static>>(bytes: &[u8]) -> Result<T, CodecError> {
    check_length(bytes.len())?;
    let mut decoder = OwnedSerdeDecoder::from_reader(SliceReader::new(bytes), IN_PROCESS);
    let value = T::deserialize(decoder.as_deserializer());
    value.map_err(|error| CodecError(error.to_string()))
}

const ROOM: usize = 256;

/// The size above which a buffer is freed instead of reused.
const KEPT_MAX: usize = 64 << 10;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The reason why a value could not be encoded or decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodecError(String);

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to code an event: {}", self.0)
    }
}

impl std::error::Error for CodecError {}
