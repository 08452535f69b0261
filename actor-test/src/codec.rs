//! The binary format of checkpoints: encodes the state of a search as bytes for another process.
//!
//! The format is bincode 2, little-endian, with integers of variable length. Only this module of the crate
//! knows it. The same executable writes and reads the bytes, so the format needs no compatibility.

use bincode::config::{self, Config};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The error for bytes that don't decode to the expected type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct DecodeError(pub(crate) String);

fn format() -> impl Config {
    config::standard()
        .with_little_endian()
        .with_variable_int_encoding()
        .with_no_limit()
}

/// Encodes `value`. The format must be able to express all parts of the value.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, format())
        .expect("numbers, sequences, maps and enums can be expressed")
}

/// Decodes a value; bytes left over after the value are an error.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    let decoded = bincode::serde::decode_from_slice(bytes, format());
    let (value, read) = decoded.map_err(|error| DecodeError(error.to_string()))?;
    match bytes.len() - read {
        0 => Ok(value),
        left => Err(DecodeError(format!("{left} bytes are left over"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_or_longer_is_refused() {
        let value = (7u64, vec![Some(1.5), None], "a".to_owned());
        let mut bytes = encode(&value);
        assert_eq!(decode(&bytes), Ok(value));
        type Value = (u64, Vec<Option<f64>>, String);
        assert!(decode::<Value>(&bytes[..bytes.len() - 1]).is_err());
        bytes.push(0);
        let error = decode::<Value>(&bytes).unwrap_err();
        assert_eq!(error.to_string(), "1 bytes are left over");
    }
}
