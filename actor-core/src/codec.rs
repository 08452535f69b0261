//! Events as bytes, for where they leave the process.
//!
//! The one module that knows the format: bincode 2 in its standard configuration (little-endian,
//! variable-length integers). Its authors have ended its maintenance, so nothing else depends on it.
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

/// The largest event in bytes; a longer one is refused before memory is taken for it.
pub const EVENT_BYTES_MAX: usize = 16 << 20;

/// What decoding may take in memory: bincode counts by estimates of its own, so the limit on bytes is
/// checked beside it.
const MEMORY_MAX: usize = 2 * EVENT_BYTES_MAX;

const FORMAT: Configuration<LittleEndian, Varint, Limit<MEMORY_MAX>> = config::standard()
    .with_little_endian()
    .with_variable_int_encoding()
    .with_limit::<MEMORY_MAX>();

/// As [`FORMAT`], for what is decoded at once: integers of fixed length are faster.
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
/// Where the value's `Serialize` fails, or asks for what the format can't express, such as a
/// sequence of unknown length.
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
/// Where the bytes are truncated, left over, too many, or of another type. Nothing panics and no
/// memory is taken that the bytes don't account for, whatever they are.
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

/// What arrives where a value is encoded and decoded, in a buffer that is used again.
///
/// The bound is not [`DeserializeOwned`]: where a type has it is not known while methods are looked up,
/// and `&'static str`, which lacks it, is found to do so too late. Nothing is borrowed nevertheless.
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

/// What was encoded so far, at the beginning of a buffer.
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
    // Most of what is written is a number: a copy of a length that is known.
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

/// The room of a buffer at first.
const ROOM: usize = 256;

/// A larger buffer is given back.
const KEPT_MAX: usize = 64 << 10;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Why a value could not be encoded or decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodecError(String);

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to code an event: {}", self.0)
    }
}

impl std::error::Error for CodecError {}
