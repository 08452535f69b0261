//! Comparison of states by fingerprints, for lasso detection and for searches.
//!
//! - [`fingerprint`] computes the fingerprint of one operation or of the rest, and [`prints`] keeps
//!   the fingerprints up to date.
//! - [`region`] learns the transitions around an execution, and [`walk`] searches the reachable states.
//! - [`state_search`] distinguishes the states of many executions for a search, up to [`symmetry`].
//! - [`opaque`] names the types without a fingerprint.
//!
//! All of it reads and changes nothing. The users' fingerprints are called with nothing borrowed.

pub(crate) mod fingerprint;
pub(crate) mod opaque;
pub(crate) mod prints;
pub(crate) mod region;
pub(crate) mod state_search;
pub(crate) mod symmetry;
mod walk;
