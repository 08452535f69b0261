//! Synchronisation primitives for tasks, threads and actors: locks, channels, atomics and the like.
//!
//! The types here are for async code, those of [`blocking`] for code that blocks. In production they are
//! tokio's and the standard library's, after a check of a thread-local flag. Under test each operation is a
//! step of its own: before it, the strategy decides which operation continues.
//!
//! ```
//! use std::sync::Arc;
//!
//! use actor_core::sync::Mutex;
//! use actor_core::task;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let sum = Arc::new(Mutex::new(0));
//! let add = |n| {
//!     let sum = sum.clone();
//!     task::spawn(async move { *sum.lock().await += n })
//! };
//! let (one, other) = (add(1), add(2));
//! assert!(one.await.is_ok() && other.await.is_ok());
//! assert_eq!(*sum.lock().await, 3);
//! # }
//! ```
//!
//! # Under test
//!
//! - An operation of a task, a thread or the test body is a step, whether it is async or not: each of those
//!   is suspended on its own stack until the strategy picks it again. An async operation in a handler is a
//!   step as well. A synchronous one there (`try_lock`, `notify_one`, the drop of a guard) is part of its
//!   step.
//! - The report of a deadlock names each waiting operation, the object for which it waits, the place where
//!   that was created, and the operation that holds it.
//! - tokio's own types, and those of the standard library, continue to work, without being steps. Code that
//!   blocks on one blocks the tester.
//!
//! # Errors
//!
//! The error types here are tokio's own, and in [`blocking`] the standard library's. So ported code changes
//! its paths alone, and its `From<AcquireError>` continues to work:
//!
//! ```
//! use actor_core::sync::Semaphore;
//!
//! #[derive(Debug)]
//! struct Closed;
//!
//! impl From<tokio::sync::AcquireError> for Closed {
//!     fn from(_: tokio::sync::AcquireError) -> Self {
//!         Closed
//!     }
//! }
//!
//! async fn enter(door: &Semaphore) -> Result<(), Closed> {
//!     door.acquire().await?.forget();
//!     Ok(())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let door = Semaphore::new(1);
//! assert!(enter(&door).await.is_ok());
//! door.close();
//! assert!(enter(&door).await.is_err());
//! # }
//! ```
//!
//! So tokio 1 is part of this crate's public interface; tokio 2 will need a new major version of this crate.
//!
//! # Spinning
//!
//! A thread or a task that spins until others have acted must call `yield_now` or
//! [`hint::spin_loop`](crate::hint::spin_loop); otherwise it may keep those others from running. The tester
//! reports a spin loop without them: a thousand reads in a row, of objects that nobody has changed.

#[macro_use]
mod lock;
#[macro_use]
mod observed;

mod barrier;
pub mod blocking;
pub mod broadcast;
pub mod mpsc;
mod mutex;
mod notify;
mod once_cell;
pub mod oneshot;
mod race_cell;
mod rwlock;
mod semaphore;
pub mod watch;

pub use barrier::{Barrier, BarrierWaitResult};
pub use mutex::{Mutex, MutexGuard, OwnedMutexGuard};
pub use notify::{Notified, Notify};
pub use once_cell::OnceCell;
pub use race_cell::RaceCell;
pub use rwlock::{
    OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
pub use semaphore::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
pub use tokio::sync::{AcquireError, SetError, TryAcquireError, TryLockError};
