//! Async lazily initialised cells: [`OnceCell`].

use std::fmt;
use std::future::Future;

use tokio::sync::SetError;

use super::observed::Observed;
use crate::object::ObjectOperation;
use crate::seam::{AccessEffect, Wait};

const KIND: &str = "OnceCell";

/// A cell that is initialised on first use, as tokio's.
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
pub struct OnceCell<T>(Observed<tokio::sync::OnceCell<T>>);

impl<T> OnceCell<T> {
    /// Creates an empty cell.
    #[track_caller]
    pub fn new() -> Self {
        Self(Observed::new(tokio::sync::OnceCell::new()))
    }

    /// As [`new`](Self::new), in a `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self(Observed::new(tokio::sync::OnceCell::const_new()))
    }

    /// Returns the value, initialised by `init` if there is none; concurrent callers wait.
    #[track_caller]
    pub fn get_or_init<F, Fut>(&self, init: F) -> impl Future<Output = &T>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let operation = ObjectOperation::new(KIND, "asks");
        let get = self.0.inner.get_or_init(init);
        self.0
            .object
            .wait(operation, Wait::Alone, get, |_| AccessEffect::CHANGES)
    }

    /// Returns the value, initialised by `init` if there is none, unless `init` fails.
    ///
    /// # Errors
    ///
    /// The future returns the error of `init`.
    #[track_caller]
    pub fn get_or_try_init<E, F, Fut>(&self, init: F) -> impl Future<Output = Result<&T, E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let operation = ObjectOperation::new(KIND, "asks");
        let get = self.0.inner.get_or_try_init(init);
        self.0
            .object
            .wait(operation, Wait::Alone, get, |_| AccessEffect::CHANGES)
    }

    /// Returns the value if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.0.read(KIND, "looks into", |inner| inner.get())
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// Returns the value if the cell is initialised, or being initialised.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        self.0.change(KIND, "sets", |inner| inner.set(value))
    }

    /// True if there is a value.
    #[track_caller]
    pub fn initialized(&self) -> bool {
        self.0.read(KIND, "looks into", |inner| inner.initialized())
    }

    /// Creates a cell with a value, or an empty one.
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self(Observed::new(tokio::sync::OnceCell::new_with(value)))
    }

    /// Returns the value if there is one, without synchronisation, since the borrow is exclusive.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.inner.get_mut()
    }

    /// Takes the value out if there is one, without synchronisation, since the borrow is exclusive.
    pub fn take(&mut self) -> Option<T> {
        self.0.inner.take()
    }

    /// Returns the value if there is one.
    pub fn into_inner(self) -> Option<T> {
        self.0.inner.into_inner()
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
        self.0.inner.fmt(f)
    }
}
