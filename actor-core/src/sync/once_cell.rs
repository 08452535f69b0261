//! A value that is made once, for async code: [`OnceCell`].

use std::fmt;
use std::future::Future;

use tokio::sync::SetError;

use crate::object::{Deed, Object};
use crate::runtime::{Touch, Wait};

const KIND: &str = "OnceCell";

/// A value that is made when it is first asked for: tokio's.
///
/// ```
/// use actor_core::sync::OnceCell;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let answer = OnceCell::new();
/// assert_eq!(*answer.get_or_init(|| async { 42 }).await, 42);
/// assert_eq!(answer.get(), Some(&42));
/// # }
/// ```
pub struct OnceCell<T> {
    object: Object,
    inner: tokio::sync::OnceCell<T>,
}

impl<T> OnceCell<T> {
    /// Without a value.
    #[track_caller]
    pub fn new() -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::OnceCell::new(),
        }
    }

    /// As [`new`](Self::new), for a `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::OnceCell::const_new(),
        }
    }

    /// The value, which `init` makes where there is none; who comes meanwhile waits.
    #[track_caller]
    pub fn get_or_init<F, Fut>(&self, init: F) -> impl Future<Output = &T>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let deed = Deed::new(KIND, "asks");
        let asks = self.inner.get_or_init(init);
        self.object
            .wait(deed, Wait::Alone, asks, |_| Touch::CHANGES)
    }

    /// The value, which `init` makes where there is none, unless it fails.
    ///
    /// # Errors
    ///
    /// The future's: what `init` has failed with.
    #[track_caller]
    pub fn get_or_try_init<E, F, Fut>(&self, init: F) -> impl Future<Output = Result<&T, E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let deed = Deed::new(KIND, "asks");
        let asks = self.inner.get_or_try_init(init);
        self.object
            .wait(deed, Wait::Alone, asks, |_| Touch::CHANGES)
    }

    /// The value, where there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.object.look(KIND, || self.inner.get())
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// Gives it back where there is one, or one is being made.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        let deed = Deed::new(KIND, "sets");
        self.object
            .step(deed, || self.inner.set(value), |_| Touch::CHANGES)
    }

    /// There is a value.
    #[track_caller]
    pub fn initialized(&self) -> bool {
        self.object.look(KIND, || self.inner.initialized())
    }

    /// With that value, or without one.
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::OnceCell::new_with(value),
        }
    }

    /// The value, which nobody else can have, if there is one.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Takes the value out, which nobody else can have, if there is one.
    pub fn take(&mut self) -> Option<T> {
        self.inner.take()
    }

    /// The value, if there is one.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }
}

impl<T> Default for OnceCell<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
