//! Async semaphores: [`Semaphore`].

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::{AcquireError, TryAcquireError};

use super::observed::Observed;
use crate::object::{Accessed, ObjectOperation};
use crate::seam::{self, AccessEffect, Wait};

const KIND: &str = "Semaphore";

/// A counting semaphore, as tokio's; waiters get their permits in order.
///
/// ```
/// use actor_core::sync::Semaphore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let permits = Semaphore::new(1);
/// let one = permits.acquire().await;
/// assert!(permits.try_acquire().is_err());
/// drop(one);
/// assert!(permits.try_acquire().is_ok());
/// # }
/// ```
#[derive(Debug)]
pub struct Semaphore(Observed<tokio::sync::Semaphore>);

impl Semaphore {
    /// The largest number of permits of a semaphore.
    pub const MAX_PERMITS: usize = tokio::sync::Semaphore::MAX_PERMITS;

    /// Creates a semaphore with that many permits.
    #[track_caller]
    pub fn new(permits: usize) -> Self {
        Self(Observed::new(tokio::sync::Semaphore::new(permits)))
    }

    /// As [`new`](Self::new), in a `static`.
    #[track_caller]
    pub const fn const_new(permits: usize) -> Self {
        Self(Observed::new(tokio::sync::Semaphore::const_new(permits)))
    }

    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// The future fails if the semaphore is [closed](Self::close).
    #[track_caller]
    pub fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        self.acquire_many(1)
    }

    /// Waits for several permits at once.
    ///
    /// # Errors
    ///
    /// The future fails if the semaphore is [closed](Self::close).
    #[track_caller]
    pub fn acquire_many(
        &self,
        permits: u32,
    ) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        Permits::acquire(self, permits, SemaphorePermit)
    }

    /// Waits for a permit that owns the `Arc`.
    ///
    /// # Errors
    ///
    /// The future fails if the semaphore is [closed](Self::close).
    #[track_caller]
    pub fn acquire_owned(
        self: Arc<Self>,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        self.acquire_many_owned(1)
    }

    /// Waits for several permits at once; the guard owns the `Arc`.
    ///
    /// # Errors
    ///
    /// The future fails if the semaphore is [closed](Self::close).
    #[track_caller]
    pub fn acquire_many_owned(
        self: Arc<Self>,
        permits: u32,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        Permits::acquire(self, permits, OwnedSemaphorePermit)
    }

    /// Takes a permit if there is one.
    ///
    /// # Errors
    ///
    /// If there is no permit, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// Takes several permits if there are as many.
    ///
    /// # Errors
    ///
    /// If there are too few permits, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_many(&self, permits: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        Permits::try_acquire(self, permits).map(SemaphorePermit)
    }

    /// Takes a permit that owns the `Arc`, if there is one.
    ///
    /// # Errors
    ///
    /// If there is no permit, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// Takes several permits if there are as many; the guard owns the `Arc`.
    ///
    /// # Errors
    ///
    /// If there are too few permits, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_many_owned(
        self: Arc<Self>,
        permits: u32,
    ) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        Permits::try_acquire(self, permits).map(OwnedSemaphorePermit)
    }

    /// Removes up to `permits` available permits; returns the number removed.
    #[track_caller]
    pub fn forget_permits(&self, permits: usize) -> usize {
        let verb = "takes permits from";
        self.0
            .change(KIND, verb, |inner| inner.forget_permits(permits))
    }

    /// True if the semaphore is closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.0.read(KIND, "looks at", |inner| inner.is_closed())
    }

    /// Adds permits.
    #[track_caller]
    pub fn add_permits(&self, permits: usize) {
        self.0
            .change(KIND, "adds permits to", |inner| inner.add_permits(permits));
    }

    /// The number of available permits.
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        self.0
            .read(KIND, "counts", |inner| inner.available_permits())
    }

    /// Closes the semaphore: no more permits are given out, and waiters get an error.
    #[track_caller]
    pub fn close(&self) {
        self.0.change(KIND, "closes", |inner| inner.close());
    }
}

/// Permits of a semaphore that is borrowed or owned, which are released on drop.
#[derive(Debug)]
struct Permits<S: Deref<Target = Semaphore>> {
    of: S,
    count: u32,
    operation: ObjectOperation,
}

impl<S: Deref<Target = Semaphore>> Permits<S> {
    #[track_caller]
    fn acquire<P>(
        of: S,
        count: u32,
        wrap: impl FnOnce(Self) -> P,
    ) -> impl Future<Output = Result<P, AcquireError>> {
        let operation = ObjectOperation::new(KIND, "acquires");
        async move {
            {
                let Observed { inner, object } = &of.0;
                let acquire = inner.acquire_many(count);
                let acquire = object.wait(operation, Wait::Alone, acquire, |acquired| {
                    AccessEffect::SHARES.if_ok(acquired)
                });
                acquire.await?.forget();
            }
            Ok(wrap(Self {
                of,
                count,
                operation,
            }))
        }
    }

    #[track_caller]
    fn try_acquire(of: S, count: u32) -> Result<Self, TryAcquireError> {
        let operation = ObjectOperation::new(KIND, "tries to acquire");
        let acquire = || of.0.inner.try_acquire_many(count);
        let tried = of.0.object.step(operation, acquire, |acquired| {
            AccessEffect::SHARES.if_ok(acquired)
        });
        tried?.forget();
        Ok(Self {
            of,
            count,
            operation,
        })
    }
}

impl<S: Deref<Target = Semaphore>> Drop for Permits<S> {
    fn drop(&mut self) {
        if seam::is_controlled() {
            let ObjectOperation { kind, place, .. } = self.operation;
            self.of.0.object.release(kind, place, true);
        }
        self.of.0.inner.add_permits(self.count as usize);
    }
}

/// One or more permits of a [`Semaphore`], which are released on drop.
#[derive(Debug)]
pub struct SemaphorePermit<'a>(Permits<&'a Semaphore>);

/// One or more permits of a [`Semaphore`] that own its `Arc`; they are released on drop.
#[derive(Debug)]
pub struct OwnedSemaphorePermit(Permits<Arc<Semaphore>>);

macro_rules! permit {
    ($permit:ident $(<$of:lifetime>)?) => {
        impl $permit $(<$of>)? {
            /// Drops the guard without releasing its permits.
            pub fn forget(mut self) {
                self.0.count = 0;
            }

            /// The number of permits in the guard.
            pub fn num_permits(&self) -> usize {
                self.0.count as usize
            }
        }
    };
}

permit!(SemaphorePermit<'_>);
permit!(OwnedSemaphorePermit);
