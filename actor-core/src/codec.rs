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

use std::fmt;

use bincode::config::{self, Configuration, Limit, LittleEndian, Varint};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest event in bytes; a longer one is refused before memory is taken for it.
pub const EVENT_BYTES_MAX: usize = 16 << 20;

/// What decoding may take in memory: bincode counts by estimates of its own, so the limit on bytes is
/// checked beside it.
const MEMORY_MAX: usize = 2 * EVENT_BYTES_MAX;

const FORMAT: Configuration<LittleEndian, Varint, Limit<MEMORY_MAX>> = config::standard()
    .with_little_endian()
    .with_variable_int_encoding()
    .with_limit::<MEMORY_MAX>();

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

/// Why a value could not be encoded or decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodecError(String);

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to code an event: {}", self.0)
    }
}

impl std::error::Error for CodecError {}
