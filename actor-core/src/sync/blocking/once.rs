//! One-time initialisation in blocking code: [`Once`], [`OnceLock`], [`LazyLock`].

use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use crate::object::{Accessed, Object, ObjectOperation};
use crate::seam::{self, AccessEffect, Wait};

/// The progress of an initialisation under test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OnceProgress {
    New,
    Running,
    Done,
}

/// The part that [`Once`] and [`OnceLock`] share: under test, decides which caller initialises.
#[derive(Debug)]
struct OnceState {
    object: Object,
    progress: Mutex<OnceProgress>,
}

impl OnceState {
    #[track_caller]
    const fn new() -> Self {
        Self {
            object: Object::new(),
            progress: Mutex::new(OnceProgress::New),
        }
    }

    fn set(&self, progress: OnceProgress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    fn get(&self) -> OnceProgress {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `f` if nobody has yet, or waits until another caller has.
    fn call(&self, operation: ObjectOperation, f: impl FnOnce()) {
        let begin = || match self.get() {
            OnceProgress::New => {
                self.set(OnceProgress::Running);
                Some(true)
            }
            OnceProgress::Running => None,
            OnceProgress::Done => Some(false),
        };
        let is_first = self
            .object
            .block(operation, Wait::Alone, AccessEffect::CHANGES, begin);
        if is_first {
            let fails = ResetOnPanic(self, operation.kind);
            f();
            std::mem::forget(fails);
            self.set(OnceProgress::Done);
            let called = operation.with_verb("has called");
            self.object.record(called, AccessEffect::CHANGES);
            self.object.unblock(operation.kind);
        }
    }
}

/// Resets the state on drop, when the call has panicked, so that the next caller tries.
struct ResetOnPanic<'a>(&'a OnceState, &'static str);

impl Drop for ResetOnPanic<'_> {
    fn drop(&mut self) {
        self.0.set(OnceProgress::New);
        self.0.object.unblock(self.1);
    }
}

/// One-time execution, as in the standard library, except that a call that panicked is repeated by the next
/// caller, as with [`call_once_force`](std::sync::Once::call_once_force).
///
/// Under test a static `Once` starts afresh in each execution.
///
/// ```
/// use actor_core::sync::blocking::Once;
///
/// static START: Once = Once::new();
///
/// let mut calls = 0;
/// START.call_once(|| calls += 1);
/// START.call_once(|| calls += 1);
/// assert!(START.is_completed());
/// assert_eq!(calls, 1);
/// ```
#[derive(Debug)]
pub struct Once {
    state: OnceState,
    inner: std::sync::Once,
}

impl Once {
    /// Creates a `Once` that has not run.
    #[expect(clippy::new_without_default, reason = "as in the standard library")]
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            state: OnceState::new(),
            inner: std::sync::Once::new(),
        }
    }

    /// Calls `f` if no call has completed yet; waits while another call runs.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        if !seam::is_controlled() {
            return self.inner.call_once_force(|_| f());
        }
        self.begin();
        self.state.call(ObjectOperation::new("Once", "comes to"), f);
    }

    /// True if a call has completed.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !seam::is_controlled() {
            return self.inner.is_completed();
        }
        self.begin();
        let read = || self.state.get() == OnceProgress::Done;
        self.state.object.read("Once", "looks at", read)
    }

    /// Resets the state at the first access of an execution.
    fn begin(&self) {
        let is_new = seam::try_with(|rt| self.state.object.is_new(rt));
        if is_new == Some(true) {
            self.state.set(OnceProgress::New);
        }
    }
}

/// A value that is initialised once, as in the standard library.
///
/// A static value that is set under test stays set in later executions, which makes these differ from the
/// first. Use a `static` only for values that don't depend on the schedule.
///
/// ```
/// use actor_core::sync::blocking::OnceLock;
///
/// let answer = OnceLock::new();
/// assert_eq!(*answer.get_or_init(|| 42), 42);
/// assert_eq!(answer.set(43), Err(43));
/// assert_eq!(answer.get(), Some(&42));
/// ```
pub struct OnceLock<T> {
    state: OnceState,
    inner: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// Creates an empty cell.
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            state: OnceState::new(),
            inner: std::sync::OnceLock::new(),
        }
    }

    /// Returns the value if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        let read = || self.inner.get();
        self.state.object.read("OnceLock", "looks into", read)
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// Returns the value if the cell is already set.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| {
            let Some(value) = value.take() else {
                unreachable!("it is called once");
            };
            value
        });
        value.map_or(Ok(()), Err)
    }

    /// Returns the value, initialised by `f` if there is none; concurrent callers wait.
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        if !seam::is_controlled() {
            return self.inner.get_or_init(f);
        }
        let operation = ObjectOperation::new("OnceLock", "asks");
        if self.inner.get().is_some() {
            self.state.set(OnceProgress::Done);
        }
        self.state.call(operation, || {
            let value = f();
            self.inner.get_or_init(|| value);
        });
        match self.inner.get() {
            Some(value) => value,
            None => unreachable!("it was made"),
        }
    }

    /// Returns the value if there is one, without synchronisation, since the borrow is exclusive.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Takes the value out if there is one, without synchronisation, since the borrow is exclusive.
    pub fn take(&mut self) -> Option<T> {
        self.state.set(OnceProgress::New);
        self.inner.take()
    }

    /// Returns the value if there is one.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// A value that is initialised on first use, usually in a `static`, as in the standard library.
///
/// A static value that is initialised under test stays so in later executions, as with a [`OnceLock`].
///
/// ```
/// use actor_core::sync::blocking::LazyLock;
///
/// static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| "made when needed".split(' ').collect());
///
/// assert_eq!(WORDS.len(), 3);
/// ```
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    /// `None` once the value is initialised.
    make: Mutex<Option<F>>,
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// Creates a lazy value, which `make` will compute.
    #[track_caller]
    pub const fn new(make: F) -> Self {
        Self {
            value: OnceLock::new(),
            make: Mutex::new(Some(make)),
        }
    }

    /// Returns the value, initialised if necessary; concurrent callers wait.
    ///
    /// # Panics
    ///
    /// If the initialisation has panicked before.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.value.get_or_init(|| {
            let make = this.make.lock();
            let make = make.unwrap_or_else(PoisonError::into_inner).take();
            match make {
                Some(make) => make(),
                None => panic!("the initialisation of a `LazyLock` has panicked before"),
            }
        })
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazyLock").field(&self.value).finish()
    }
}
