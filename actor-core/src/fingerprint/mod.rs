//! When two states are the same: [`Fingerprint`], and what a type [offers](offer) for it.
//!
//! Generated code feeds it; only the tester reads it.

pub(crate) mod offer;
mod values;

pub use values::{Fingerprint, Fingerprinter};
