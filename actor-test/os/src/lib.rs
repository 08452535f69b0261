//! What the tester needs of the operating system: answers in its place while an execution runs.
//!
//! A program under test may ask the system for random bytes (a `HashMap`, a UUID, `rand::rng()`) or for
//! the time (`Instant::now()`). Two executions with the same decisions would be answered otherwise, and
//! go on otherwise. Here a thread that [begins to be answered](answer) gets bytes that follow from a
//! seed, and the time of a virtual clock.
//!
//! The standard library and the crates that everything else stands on ask through functions of the C
//! library: `getrandom`, `getentropy`, `syscall`, `clock_gettime`, `gettimeofday` and `time`. The module
//! `symbols` defines these; an executable that links this package calls them in the place of
//! those of the C library. A thread that is not being answered is handed on to the system.
//!
//! This is done on Linux with glibc, on x86-64 and AArch64. [`takes_effect`] tells whether it works in
//! this process.
//!
//! # Last words
//!
//! A program under test that aborts, overflows its stack or exits takes its process down, and nobody is
//! left to say of which test. What a thread is to say then is [prepared](with_last_words) beforehand, and
//! a signal handler writes it.
//!
//! # Standard input
//!
//! Where the tool asks a process one question after the other, it does so by [standard input](take_stdin),
//! of which the program under test sees nothing.
//!
//! # What is not answered
//!
//! What does not ask by these functions: system calls by instructions of one's own (as rustix does),
//! the processor's own counter or generator, `/dev/urandom`. And what was asked once and is kept for all
//! threads: no seed of a later execution reaches it.

mod answers;
mod last_words;
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

pub use answers::{
    Answering, Asked, answer, answer_again, asked, before_clock, is_fresh, set_clock,
    set_date_back, takes_effect,
};
pub use last_words::{on_own_thread, speak_at_the_end, with_last_words};
pub use stdin::take_stdin;
