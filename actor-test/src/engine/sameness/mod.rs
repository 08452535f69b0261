//! Whether two states are the same, by fingerprints.
//!
//! The run loop's search for lassos calls in here: [`fingerprint`] looks at one operation or at the
//! rest, [`prints`] keeps what it saw up to date, [`region`] learns what steps do
//! around an execution, [`tag`] numbers kinds of effects, [`walk`] searches the states that can be reached so, each with a [`table`] of what
//! it knows, [`lookout`] tells the states of many executions apart for a search, by [`symmetry`] up to who
//! is who, and [`opaque`] names the types that offer nothing to compare. All of it looks and changes nothing;
//! the users' fingerprints are called with nothing borrowed.

pub(crate) mod fingerprint;
pub(crate) mod opaque;
pub(crate) mod prints;
pub(crate) mod region;
pub(crate) mod state_search;
pub(crate) mod symmetry;
pub(crate) mod table;
mod tag;
mod walk;
