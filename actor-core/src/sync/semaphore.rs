//! Async semaphores: [`Semaphore`].

use std::future::Future;
use std::sync::Arc;

use tokio::sync::{AcquireError, TryAcquireError};

use crate::object::{Object, ObjectOperation};
use crate::runtime::{self, AccessEffect, Wait};

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
pub struct Semaphore {
    object: Object,
    inner: tokio::sync::Semaphore,
}

impl Semaphore {
    /// The largest number of permits of a semaphore.
    pub const MAX_PERMITS: usize = tokio::sync::Semaphore::MAX_PERMITS;

    /// Creates a semaphore with that many permits.
    #[track_caller]
    pub fn new(permits: usize) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Semaphore::new(permits),
        }
    }

    /// As [`new`](Self::new), in a `static`.
    #[track_caller]
    pub const fn const_new(permits: usize) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Semaphore::const_new(permits),
        }
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
        let deed = ObjectOperation::new(KIND, "acquires");
        async move {
            let acquire = self.inner.acquire_many(permits);
            let acquire = self.object.wait(deed, Wait::Alone, acquire, |acquired| {
                AccessEffect::SHARES.if_ok(acquired)
            });
            acquire.await?.forget();
            Ok(SemaphorePermit(Permits {
                of: self,
                count: permits,
                deed,
            }))
        }
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
        let deed = ObjectOperation::new(KIND, "acquires");
        async move {
            {
                let acquire = self.inner.acquire_many(permits);
                let acquire = self.object.wait(deed, Wait::Alone, acquire, |acquired| {
                    AccessEffect::SHARES.if_ok(acquired)
                });
                acquire.await?.forget();
            }
            Ok(OwnedSemaphorePermit(Permits {
                of: self,
                count: permits,
                deed,
            }))
        }
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
        let deed = self.try_take(permits)?;
        Ok(SemaphorePermit(Permits {
            of: self,
            count: permits,
            deed,
        }))
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
        let deed = self.try_take(permits)?;
        Ok(OwnedSemaphorePermit(Permits {
            of: self,
            count: permits,
            deed,
        }))
    }

    #[track_caller]
    fn try_take(&self, permits: u32) -> Result<ObjectOperation, TryAcquireError> {
        let deed = ObjectOperation::new(KIND, "tries to acquire");
        let tried = self.object.step(
            deed,
            || self.inner.try_acquire_many(permits),
            |acquired| AccessEffect::SHARES.if_ok(acquired),
        );
        tried?.forget();
        Ok(deed)
    }

    /// Removes up to `permits` available permits; returns the number removed.
    #[track_caller]
    pub fn forget_permits(&self, permits: usize) -> usize {
        let deed = ObjectOperation::new(KIND, "takes permits from");
        let forget = || self.inner.forget_permits(permits);
        self.object.step(deed, forget, |_| AccessEffect::CHANGES)
    }

    /// True if the semaphore is closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let deed = ObjectOperation::new(KIND, "looks at");
        let look = || self.inner.is_closed();
        self.object.step(deed, look, |_| AccessEffect::LOOKS)
    }

    /// Adds permits.
    #[track_caller]
    pub fn add_permits(&self, permits: usize) {
        let deed = ObjectOperation::new(KIND, "adds permits to");
        let add = || self.inner.add_permits(permits);
        self.object.step(deed, add, |()| AccessEffect::CHANGES);
    }

    /// The number of available permits.
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        let deed = ObjectOperation::new(KIND, "counts");
        let count = || self.inner.available_permits();
        self.object.step(deed, count, |_| AccessEffect::LOOKS)
    }

    /// Closes the semaphore: no more permits are given out, and waiters get an error.
    #[track_caller]
    pub fn close(&self) {
        let deed = ObjectOperation::new(KIND, "closes");
        let close = || self.inner.close();
        self.object.step(deed, close, |()| AccessEffect::CHANGES);
    }
}

/// Permits that are released on drop.
#[derive(Debug)]
struct Permits<S: AsRef<Semaphore>> {
    of: S,
    count: u32,
    deed: ObjectOperation,
}

impl<S: AsRef<Semaphore>> Permits<S> {
    fn forget(&mut self) {
        self.count = 0;
    }
}

impl<S: AsRef<Semaphore>> Drop for Permits<S> {
    fn drop(&mut self) {
        let semaphore = self.of.as_ref();
        if runtime::is_controlled() {
            let ObjectOperation { kind, place, .. } = self.deed;
            semaphore.object.let_go(kind, place, true);
        }
        semaphore.inner.add_permits(self.count as usize);
    }
}

impl AsRef<Self> for Semaphore {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// One or more permits of a [`Semaphore`], which are released on drop.
#[derive(Debug)]
pub struct SemaphorePermit<'a>(Permits<&'a Semaphore>);

impl SemaphorePermit<'_> {
    /// Drops the guard without releasing its permits.
    pub fn forget(mut self) {
        self.0.forget();
    }

    /// The number of permits in the guard.
    pub fn num_permits(&self) -> usize {
        self.0.count as usize
    }
}

/// One or more permits of a [`Semaphore`] that own its `Arc`; they are released on drop.
#[derive(Debug)]
pub struct OwnedSemaphorePermit(Permits<Arc<Semaphore>>);

impl OwnedSemaphorePermit {
    /// Drops the guard without releasing its permits.
    pub fn forget(mut self) {
        self.0.forget();
    }

    /// The number of permits in the guard.
    pub fn num_permits(&self) -> usize {
        self.0.count as usize
    }
}
