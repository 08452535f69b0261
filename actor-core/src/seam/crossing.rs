//! Errors of serialisation between nodes: [`CannotCross`].

use std::fmt;

/// The reason why a value can't be carried to another node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotCross {
    /// The type lacks a trait that it needs.
    Missing {
        /// The type.
        of: &'static str,
        /// The traits to derive.
        derive: &'static str,
    },
    /// Encoding or decoding failed.
    Failed {
        /// The type.
        of: &'static str,
        /// The error message.
        error: String,
    },
}

impl fmt::Display for CannotCross {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { of, derive: "" } => write!(
                f,
                "`{of}` is not encoded: build actor-core with its feature `codec`"
            ),
            Self::Missing { of, derive } => write!(
                f,
                "`{of}` does not implement serde's {derive}: put `#[derive({derive})]` on it"
            ),
            Self::Failed { of, error } => write!(f, "`{of}`: {error}"),
        }
    }
}

impl std::error::Error for CannotCross {}

/// Encodes and decodes a value.
pub(crate) type Carry<T> = fn(&T) -> Result<T, CannotCross>;
