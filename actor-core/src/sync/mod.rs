//! What tasks, threads and actors may share, apart from messages: locks, channels and the like.
//!
//! The types here are for async code, those of [`blocking`] for code that blocks. In production they are
//! tokio's and the standard library's, behind one look at a flag of the thread. Under test each operation on
//! one is a step of its own: before it, the strategy decides who goes next.
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
//! - An operation of a task, a thread or the test body is a step, whether it is async or not: those have
//!   stacks of their own, and are left there until they are picked again. So is an async operation in a
//!   handler. What is not async (`try_lock`, `notify_one`, the drop of a guard) happens at once there, in the
//!   step of the handler.
//! - Who waits in vain is named, with what it waits for, where that was made, and who holds it.
//! - tokio's own types, and those of the standard library, go on working, without being steps. Code that
//!   blocks on one blocks the tester.
//!
//! # Errors
//!
//! What an operation fails with is of tokio's own types here, and of the standard library's in [`blocking`].
//! So code that comes from there changes its paths alone, and its `From<AcquireError>` goes on working:
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
//! It is a promise as well: tokio 1 is part of what this crate's signatures say, and a tokio 2 comes with a
//! new major version of this crate.
//!
//! # Spinning
//!
//! A thread or a task that waits for others by looking again and again has to say so, by `yield_now` or
//! [`hint::spin_loop`](crate::hint::spin_loop): else it may keep those from running that it waits for. The
//! tester reports who has looked a thousand times at what nobody has changed, in a row and without either.

#[macro_use]
mod ends;

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
