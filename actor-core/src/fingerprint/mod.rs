//! State fingerprints: [`Fingerprint`], and the lookup of the fingerprint that a type [offers](autoref).
//!
//! Generated code computes them; only the tester reads them.

pub(crate) mod autoref;
mod values;

pub use values::{Fingerprint, Fingerprinter};
