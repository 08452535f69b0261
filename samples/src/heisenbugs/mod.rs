//! Three bugs of "Finding and Reproducing Heisenbugs in Concurrent Programs" (Musuvathi and others, OSDI
//! 2008) as they were: threads that share memory.
//!
//! [`port_cancellation`](crate::port_cancellation), [`lite_event`](crate::lite_event) and
//! [`boot_spin`](crate::boot_spin) have the same bugs among actors. Here each operation on a lock, an
//! atomic or a condition is a step, and the program is what its authors may have written.
//!
//! **The bugs they teach.** A port forgets that it is being cancelled, so that who has registered before
//! receives a part of its tasks. An event that was written for one waiter is disposed of by the first of
//! two. A processor that boots spins, since its halt returns where any interrupt is pending.

use actor_core::sync::blocking as sync;
use actor_core::thread;

mod programs;
#[cfg(test)]
mod tests;

pub use programs::{boot, cancel_port, wait_for_event};
