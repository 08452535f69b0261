//! Synchronisation primitives for code that blocks: the standard library's, and steps under test.
//!
//! The types have the interface of those in [`std::sync`], or most of it. They are for
//! [threads](crate::thread), for tasks and for a test body. A handler can use them as long as it never has to
//! wait: a handler has no stack that could be suspended, and under test a blocking handler is a bug.
//!
//! ```
//! use std::sync::Arc;
//!
//! use actor_core::sync::blocking::Mutex;
//! use actor_core::thread;
//!
//! let sum = Arc::new(Mutex::new(0));
//! let add = |n| {
//!     let sum = sum.clone();
//!     thread::spawn(move || *sum.lock().unwrap() += n)
//! };
//! let (one, other) = (add(1), add(2));
//! assert!(one.join().is_ok() && other.join().is_ok());
//! assert_eq!(*sum.lock().unwrap(), 3);
//! ```
//!
//! # Memory order
//!
//! Under test every load sees the last store: executions are sequentially consistent, whatever
//! [`Ordering`](std::sync::atomic::Ordering) a program requests. An ordering that is too weak is detected at
//! a [`RaceCell`](super::RaceCell) that the atomic should guard; [fences](atomic::fence) count.

#[macro_use]
mod lock;

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod once;
mod rwlock;

pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

pub use super::BarrierWaitResult;
pub use barrier::Barrier;
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{LazyLock, Once, OnceLock};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
