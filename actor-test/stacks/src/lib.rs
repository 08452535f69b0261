//! Stackful coroutines: blocking code on a stack of its own, which can be suspended and resumed.
//!
//! A [`Coroutine`] runs a closure. [`suspend`], called anywhere below that closure, returns to the caller of
//! [`resume`](Coroutine::resume); the next `resume` continues from there.
//!
//! ```
//! use std::cell::RefCell;
//! use std::rc::Rc;
//!
//! use actor_test_stacks::{Coroutine, Resumed, Stack, suspend};
//!
//! let seen = Rc::new(RefCell::new(Vec::new()));
//! let log = seen.clone();
//! let mut counts = Coroutine::new(Stack::new(64 * 1024)?, move || {
//!     for i in 0..2 {
//!         log.borrow_mut().push(i);
//!         suspend();
//!     }
//! });
//! assert_eq!(counts.resume(), Resumed::Suspended);
//! assert_eq!(*seen.borrow(), [0]);
//! assert_eq!(counts.resume(), Resumed::Suspended);
//! assert_eq!(counts.resume(), Resumed::Done);
//! assert_eq!(*seen.borrow(), [0, 1]);
//! # std::io::Result::Ok(())
//! ```
//!
//! # Panics, drops and overflows
//!
//! A panic of the closure propagates to the caller of `resume`. Dropping a suspended coroutine unwinds its
//! stack, so its destructors run. A stack overflow hits a guard page and ends the process by a signal, as on
//! the stack of a thread.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::ptr::NonNull;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{CoroutineResult, Yielder};

type OwnYielder = Yielder<(), ()>;

thread_local! {
    /// The yielder of the coroutine that runs on this thread; null if none runs.
    static RUNNING: Cell<*const OwnYielder> = const { Cell::new(std::ptr::null()) };
}

/// The memory of a coroutine's stack; later coroutines can reuse it.
pub struct Stack(DefaultStack);

impl Stack {
    /// Reserves a stack of at least `size` bytes, with a guard page below.
    ///
    /// # Errors
    ///
    /// If the operating system has no memory left.
    pub fn new(size: usize) -> io::Result<Self> {
        DefaultStack::new(size).map(Self)
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stack").finish_non_exhaustive()
    }
}

/// The reason why [`Coroutine::resume`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resumed {
    /// The coroutine called [`suspend`].
    Suspended,
    /// The closure of the coroutine has returned.
    Done,
}

/// A closure that runs on a stack of its own.
pub struct Coroutine {
    inner: corosensei::Coroutine<(), (), (), DefaultStack>,
    yielder: Rc<Cell<*const OwnYielder>>,
}

impl Coroutine {
    /// Creates a coroutine that runs `body` from its first [`resume`](Self::resume) on.
    pub fn new(stack: Stack, body: impl FnOnce() + 'static) -> Self {
        let yielder = Rc::new(Cell::new(std::ptr::null()));
        let own = yielder.clone();
        let inner = corosensei::Coroutine::with_stack(stack.0, move |yielder: &OwnYielder, ()| {
            own.set(yielder);
            RUNNING.set(yielder);
            body();
        });
        Self { inner, yielder }
    }

    /// Runs the coroutine until it suspends or returns.
    ///
    /// # Panics
    ///
    /// If the closure panics, with the same payload, or if the closure has returned before.
    pub fn resume(&mut self) -> Resumed {
        let _back = RunningGuard::to(self.yielder.get());
        match self.inner.resume(()) {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => Resumed::Done,
        }
    }

    /// Ends the coroutine, unwinds its stack so that destructors run, and returns the stack.
    ///
    /// # Panics
    ///
    /// If one of the destructors panics, with the same payload; the stack is lost then.
    pub fn end(mut self) -> Stack {
        if !self.inner.done() {
            let _back = RunningGuard::to(self.yielder.get());
            self.inner.force_unwind();
        }
        Stack(self.inner.into_stack())
    }
}

impl fmt::Debug for Coroutine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coroutine")
            .field("started", &self.inner.started())
            .field("done", &self.inner.done())
            .finish()
    }
}

/// A guard: another coroutine runs while the guard lives; dropping the guard restores the previous one.
struct RunningGuard(*const OwnYielder);

impl RunningGuard {
    fn to(yielder: *const OwnYielder) -> Self {
        Self(RUNNING.replace(yielder))
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

/// A handle by which a coroutine calls a closure outside of it, which may borrow; see [`scope`].
#[derive(Clone)]
pub struct ScopedCall(Rc<Borrowed>);

struct Borrowed {
    /// The closure, while its scope lasts.
    body: Cell<Option<NonNull<dyn Fn()>>>,
    /// The number of calls in progress.
    calls: Cell<u32>,
}

impl ScopedCall {
    /// Calls the closure; does nothing after the end of its [`scope`].
    pub fn call(&self) {
        let Some(body) = self.0.body.get() else {
            return;
        };
        let _call = ScopedCallGuard::begin(&self.0);
        // SAFETY: the pointer is set only while `scope` lasts, which borrows the closure. A call may be
        // suspended and thus be in progress when the scope ends. Therefore each call is counted until it
        // returns or is unwound, and `scope` aborts the process if a call is in progress at its end.
        unsafe { (body.as_ref())() }
    }
}

impl fmt::Debug for ScopedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("calls", &self.0.calls.get())
            .finish_non_exhaustive()
    }
}

/// A guard that counts a call of a borrowed closure.
struct ScopedCallGuard<'a>(&'a Borrowed);

impl<'a> ScopedCallGuard<'a> {
    fn begin(borrowed: &'a Borrowed) -> Self {
        borrowed.calls.set(borrowed.calls.get() + 1);
        Self(borrowed)
    }
}

impl Drop for ScopedCallGuard<'_> {
    fn drop(&mut self) {
        self.0.calls.set(self.0.calls.get() - 1);
    }
}

/// Runs `f`, while coroutines may call `body` by the entry passed to `f`.
///
/// Coroutines that have called the entry must be [done or ended](Coroutine::end) before `f` returns.
/// Otherwise the process is aborted, since a borrow of `body` may have ended.
///
/// ```
/// use std::cell::Cell;
///
/// use actor_test_stacks::{Coroutine, Stack, scope, suspend};
///
/// let count = Cell::new(0);
/// let body = || {
///     count.set(1);
///     suspend();
///     count.set(2);
/// };
/// let stack = Stack::new(64 * 1024)?;
/// scope(&body, |entry| {
///     let mut coroutine = Coroutine::new(stack, move || entry.call());
///     coroutine.resume();
///     assert_eq!(count.get(), 1);
///     coroutine.resume();
/// });
/// assert_eq!(count.get(), 2);
/// # std::io::Result::Ok(())
/// ```
pub fn scope<R>(body: &dyn Fn(), f: impl FnOnce(ScopedCall) -> R) -> R {
    let body: NonNull<dyn Fn() + '_> = NonNull::from(body);
    // SAFETY: the two types differ only in a lifetime. Only `Entry::call` dereferences the pointer, and only
    // while this function runs, whose argument is borrowed for as long: see there.
    let body: NonNull<dyn Fn()> = unsafe { std::mem::transmute(body) };
    let borrowed = Rc::new(Borrowed {
        body: Cell::new(Some(body)),
        calls: Cell::new(0),
    });
    let _ends = ScopeGuard(borrowed.clone());
    f(ScopedCall(borrowed))
}

/// A guard that ends a scope, on return and on a panic.
struct ScopeGuard(Rc<Borrowed>);

impl Drop for ScopeGuard {
    fn drop(&mut self) {
        self.0.body.set(None);
        if self.0.calls.get() != 0 {
            eprintln!("a coroutine outlives what it borrows; the process ends");
            std::process::abort();
        }
    }
}

/// Returns true if a coroutine runs on this thread.
pub fn is_running() -> bool {
    !RUNNING.get().is_null()
}

/// Suspends the coroutine that runs on this thread, until it is resumed.
///
/// `suspend` must not be called while a panic unwinds the coroutine: see [`std::thread::panicking`].
///
/// # Panics
///
/// If no coroutine runs, or a panic unwinds it.
pub fn suspend() {
    assert!(is_running(), "nothing runs that could be suspended");
    assert!(
        !std::thread::panicking(),
        "a coroutine that a panic unwinds can't be suspended"
    );
    // SAFETY: the pointer is that of the coroutine that runs on this thread. `resume` and `end` set the
    // pointer before they switch to a coroutine's stack; a guard restores it on every way back. On the first
    // `resume` the pointer isn't known yet, so the coroutine itself sets it before it calls `body`. The
    // pointer refers to the `Yielder` that corosensei keeps at the bottom of the coroutine's stack while its
    // closure runs, and every caller of `suspend` is called by that closure. A `Yielder` must be used on its
    // own coroutine's stack, which is the current one.
    unsafe { (*RUNNING.get()).suspend(()) }
}

#[cfg(test)]
mod tests;
