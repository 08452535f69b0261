//! What a user declares: a test with its options, the values of its parameters, and their
//! combinations.
//!
//! `#[actor_test]` expands to these types. `settings` reads the options, `hosting` finds and runs the
//! tests; what a test does when it runs is none of this room's business.

pub(crate) mod attribute;
mod covering;
pub mod parameters;
