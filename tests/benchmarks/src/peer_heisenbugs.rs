//! The heisenbugs of the samples under shuttle: the same source, on shuttle's threads and locks.

use shuttle::{sync, thread};

#[path = "../../../samples/src/heisenbugs/programs.rs"]
pub mod programs;
