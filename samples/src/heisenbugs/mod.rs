//! Three bugs of "Finding and Reproducing Heisenbugs in Concurrent Programs" (Musuvathi
//! and others, OSDI 2008) in their original form: threads that share memory.
//!
//! [`port_cancellation`](crate::port_cancellation), [`lite_event`](crate::lite_event) and
//! [`boot_spin`](crate::boot_spin) have the same bugs among actors. Here each operation on a
//! lock, an atomic or a condition variable is a step, and the programs resemble the originals.
//!
//! **The bugs they teach.** A port forgets that it is being cancelled, so a receiver that registered
//! earlier gets only a part of its tasks. An event designed for one waiter is disposed of by the first
//! of two. A processor spins while it boots, since its halt returns while any interrupt is pending.

use actor_core::sync::blocking as sync;
use actor_core::thread;

mod programs;
#[cfg(test)]
mod tests;

pub use programs::{boot, cancel_port, wait_for_event};
