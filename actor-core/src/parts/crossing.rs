//! Why something can't go from one node to another.

use std::fmt;

/// Why something can't go to another node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotCross {
    /// Its type lacks what it takes.
    Missing {
        /// The type.
        of: &'static str,
        /// What is to be derived for it.
        derive: &'static str,
    },
    /// Encoding or decoding failed.
    Failed {
        /// The type.
        of: &'static str,
        /// Why.
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

/// Makes what arrives out of what was sent.
pub(crate) type Carry<T> = fn(&T) -> Result<T, CannotCross>;
