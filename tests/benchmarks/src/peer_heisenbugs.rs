//! The samples' heisenbugs under shuttle: the same source, on its threads and locks.

use shuttle::{sync, thread};

#[path = "../../../samples/src/heisenbugs/programs.rs"]
pub mod programs;
