//! Simulation of the operating system for tests: random bytes and time per thread, by interposition.
//!
//! A program under test may request random bytes (a `HashMap`, a UUID, `rand::rng()`) or the time
//! (`Instant::now()`) from the system. Two executions with the same decisions would get different answers and
//! diverge. A thread that [begins simulated simulates](simulate) gets bytes that follow from a seed, and the time
//! of a virtual clock.
//!
//! The standard library and most crates call functions of the C library: `getrandom`, `getentropy`,
//! `syscall`, `clock_gettime`, `gettimeofday` and `time`. The module `symbols` defines these functions; an
//! executable that links this package calls them instead of those of the C library. Calls from a thread
//! without simulation are forwarded to the system.
//!
//! Interposition works on Linux with glibc, on x86-64 and AArch64. [`takes_effect`] checks it in this
//! process.
//!
//! # Last words
//!
//! A program under test that aborts, overflows its stack or exits ends its process, and nothing would report
//! which test did so. Each thread [prepares](with_exit_message) a message beforehand, and a signal handler
//! prints it.
//!
//! # Standard input
//!
//! The tool sends a process its questions by [standard input](take_stdin), which the program under test can't
//! read.
//!
//! # Limits
//!
//! Some requests bypass these functions: system calls by inline assembly (as in rustix), the processor's time
//! stamp counter or random number generator, and `/dev/urandom`. A value that was requested once and is kept
//! for all threads doesn't change with the seed of a later execution.

mod last_words;
mod simulation;
mod stdin;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
))]
mod symbols;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
)))]
#[path = "no_symbols.rs"]
mod symbols;

pub use last_words::{enable_exit_messages, on_own_thread, with_exit_message};
pub use simulation::{
    RequestCounts, Simulation, before_clock, is_fresh, request_counts, reset_simulation, set_clock,
    set_date_back, simulate, takes_effect,
};
pub use stdin::take_stdin;
