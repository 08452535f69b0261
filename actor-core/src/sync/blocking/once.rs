//! What is done once, in code that blocks: [`Once`], [`OnceLock`], [`LazyLock`].

use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use crate::object::{Deed, Object};
use crate::runtime::{self, Touch, Wait};

/// How far it has come, under test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    New,
    Running,
    Done,
}

/// The part of both that decides who does it, under test.
#[derive(Debug)]
struct Turn {
    object: Object,
    state: Mutex<State>,
}

impl Turn {
    #[track_caller]
    const fn new() -> Self {
        Self {
            object: Object::new(),
            state: Mutex::new(State::New),
        }
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn get(&self) -> State {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `f` where nobody has yet, or waits until somebody else has.
    fn take(&self, deed: Deed, f: impl FnOnce()) {
        let is_first = self
            .object
            .block(deed, Wait::Alone, Touch::CHANGES, || match self.get() {
                State::New => {
                    self.set(State::Running);
                    Some(true)
                }
                State::Running => None,
                State::Done => Some(false),
            });
        if is_first {
            let fails = Fails(self, deed.kind);
            f();
            std::mem::forget(fails);
            self.set(State::Done);
            if let Some(runtime) = runtime::current() {
                let what = "has called";
                let access = self.object.access(&*runtime, Deed { what, ..deed });
                runtime.touch(access, Touch::CHANGES);
                runtime.unblock(access.object);
            }
        }
    }
}

/// What is called has panicked: it is another's turn.
struct Fails<'a>(&'a Turn, &'static str);

impl Drop for Fails<'_> {
    fn drop(&mut self) {
        self.0.set(State::New);
        self.0.object.unblock(self.1);
    }
}

/// Has something done once: as the standard library's, but that a call which has panicked is made again by
/// the next, as with [`call_once_force`](std::sync::Once::call_once_force).
///
/// Under test a static one is new in each execution.
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
    turn: Turn,
    inner: std::sync::Once,
}

impl Once {
    /// Nothing was done yet.
    #[expect(clippy::new_without_default, reason = "as in the standard library")]
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            turn: Turn::new(),
            inner: std::sync::Once::new(),
        }
    }

    /// Calls `f` where nobody has called anything yet; waits where somebody is at it.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        if !runtime::is_controlled() {
            return self.inner.call_once_force(|_| f());
        }
        self.begin();
        self.turn.take(Deed::new("Once", "comes to"), f);
    }

    /// It was done.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !runtime::is_controlled() {
            return self.inner.is_completed();
        }
        self.begin();
        let look = || self.turn.get() == State::Done;
        let deed = Deed::new("Once", "looks at");
        self.turn.object.step(deed, look, |_| Touch::LOOKS)
    }

    /// What an earlier execution has done is not done in this one.
    fn begin(&self) {
        let is_new = runtime::try_with(|rt| self.turn.object.is_new(rt));
        if is_new == Some(true) {
            self.turn.set(State::New);
        }
    }
}

/// A value that is made once: the standard library's.
///
/// A static one that is set under test stays so in later executions, which makes them others than the
/// first: have those in a `static` that don't depend on the schedule.
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
    turn: Turn,
    inner: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// Without a value.
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            turn: Turn::new(),
            inner: std::sync::OnceLock::new(),
        }
    }

    /// The value, where there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.turn.object.look("OnceLock", || self.inner.get())
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// Gives it back where there is one.
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

    /// The value, which `f` makes where there is none; who comes meanwhile waits.
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        if !runtime::is_controlled() {
            return self.inner.get_or_init(f);
        }
        let deed = Deed::new("OnceLock", "asks");
        if self.inner.get().is_some() {
            self.turn.set(State::Done);
        }
        self.turn.take(deed, || {
            let value = f();
            self.inner.get_or_init(|| value);
        });
        match self.inner.get() {
            Some(value) => value,
            None => unreachable!("it was made"),
        }
    }

    /// The value, which nobody else can have, if there is one.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Takes the value out, which nobody else can have, if there is one.
    pub fn take(&mut self) -> Option<T> {
        self.turn.set(State::New);
        self.inner.take()
    }

    /// The value, if there is one.
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

/// A value that is made when it is first looked at, in a `static` for the most part: as the standard
/// library's.
///
/// A static one that is made under test stays so in later executions, as that of a [`OnceLock`] does.
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
    /// There until the value is made.
    make: Mutex<Option<F>>,
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// One whose value `make` makes.
    #[track_caller]
    pub const fn new(make: F) -> Self {
        Self {
            value: OnceLock::new(),
            make: Mutex::new(Some(make)),
        }
    }

    /// The value, which is made where there is none; who comes meanwhile waits.
    ///
    /// # Panics
    ///
    /// Where making it has panicked before.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.value.get_or_init(|| {
            let make = this
                .make
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            match make {
                Some(make) => make(),
                None => panic!("what makes the value of a `LazyLock` has panicked before"),
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
