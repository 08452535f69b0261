//! Declarations of tests: a test with its options, and the combinations of its parameters' values.
//!
//! `#[actor_test]` expands to these types. `settings` reads the options; `hosting` finds and runs the tests.
//! The execution of a test is outside this folder.

pub(crate) mod attribute;
mod covering;
pub(crate) mod parameters;
