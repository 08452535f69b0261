//! Programs with known behaviour, for the tests of this package.

pub mod automata;
pub mod closures;
pub mod crew;
pub mod debt;
pub mod end_recorder;
pub mod harness;
pub mod node;
pub mod noted_explorer;
pub mod players;
pub mod programs;
pub mod skew;
pub mod talkers;
