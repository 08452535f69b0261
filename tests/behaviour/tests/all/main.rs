//! The behaviour of all crates together, in one test executable, since each executable links
//! all crates. The tests that count allocations, and those that only read the sources, have
//! executables of their own. Modules with states that nothing enters are public.

mod constructs;
mod liveness;
mod macros;
mod nodes;
pub mod report;
mod search;
pub mod semantics;
mod sharing;
mod strategies;
