//! Code that blocks, on a stack of its own: it can be left in the middle, and resumed later.
//!
//! A [`Coroutine`] runs a closure. From anywhere in its calls, [`suspend`] goes back to whoever has
//! resumed it; the next [`resume`](Coroutine::resume) goes on from there.
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
//! # What becomes of it
//!
//! A panic of the closure goes on in who resumes it. A coroutine that is dropped while it is suspended
//! is unwound: its destructors run. A stack that overflows runs into a page that nobody may touch, and
//! the process ends by the signal for that, as it does for the stack of a thread.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::ptr::NonNull;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{CoroutineResult, Yielder};

type Way = Yielder<(), ()>;

thread_local! {
    /// The way out of the coroutine that runs on this thread; null where none does.
    static RUNNING: Cell<*const Way> = const { Cell::new(std::ptr::null()) };
}

/// Memory for the calls of one coroutine after the other.
pub struct Stack(DefaultStack);

impl Stack {
    /// Reserves a stack of at least that many bytes, with a page below that nobody may touch.
    ///
    /// # Errors
    ///
    /// Where the operating system has no such memory left.
    pub fn new(size: usize) -> io::Result<Self> {
        DefaultStack::new(size).map(Self)
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stack").finish_non_exhaustive()
    }
}

/// How a coroutine came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resumed {
    /// By [`suspend`].
    Suspended,
    /// Its closure has returned.
    Done,
}

/// A closure on a stack of its own.
pub struct Coroutine {
    inner: corosensei::Coroutine<(), (), (), DefaultStack>,
    way: Rc<Cell<*const Way>>,
}

impl Coroutine {
    /// One that runs `body` from its first [`resume`](Self::resume) on.
    pub fn new(stack: Stack, body: impl FnOnce() + 'static) -> Self {
        let way = Rc::new(Cell::new(std::ptr::null()));
        let own = way.clone();
        let inner = corosensei::Coroutine::with_stack(stack.0, move |yielder: &Way, ()| {
            own.set(yielder);
            RUNNING.set(yielder);
            body();
        });
        Self { inner, way }
    }

    /// Runs it until it is suspended or done.
    ///
    /// # Panics
    ///
    /// Where its closure does, with the same payload, and where it was done before.
    pub fn resume(&mut self) -> Resumed {
        let _back = Back::to(self.way.get());
        match self.inner.resume(()) {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => Resumed::Done,
        }
    }

    /// Ends it: where it is suspended its stack is unwound, so that its destructors run. Gives the
    /// stack back.
    ///
    /// # Panics
    ///
    /// Where one of the destructors does, with the same payload; the stack is gone then.
    pub fn end(mut self) -> Stack {
        if !self.inner.done() {
            let _back = Back::to(self.way.get());
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

/// While it lives another coroutine runs; when it is dropped, whoever ran before does again.
struct Back(*const Way);

impl Back {
    fn to(way: *const Way) -> Self {
        Self(RUNNING.replace(way))
    }
}

impl Drop for Back {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

/// A way from within a coroutine to a closure that lives outside of it, and may borrow; see [`scope`].
#[derive(Clone)]
pub struct Entry(Rc<Borrowed>);

struct Borrowed {
    /// The closure, while its scope lasts.
    body: Cell<Option<NonNull<dyn Fn()>>>,
    /// How many calls of it are under way.
    calls: Cell<u32>,
}

impl Entry {
    /// Calls the closure; does nothing where its [`scope`] is over.
    pub fn call(&self) {
        let Some(body) = self.0.body.get() else {
            return;
        };
        let _call = Call::begin(&self.0);
        // SAFETY: the pointer is there while `scope` lasts, which borrows the closure. A call may be left
        // by `suspend` and be under way when the scope ends: it is counted until it returns or is
        // unwound, and `scope` ends the process rather than return with one under way.
        unsafe { (body.as_ref())() }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("calls", &self.0.calls.get())
            .finish_non_exhaustive()
    }
}

/// A call of a borrowed closure that is under way.
struct Call<'a>(&'a Borrowed);

impl<'a> Call<'a> {
    fn begin(borrowed: &'a Borrowed) -> Self {
        borrowed.calls.set(borrowed.calls.get() + 1);
        Self(borrowed)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.calls.set(self.0.calls.get() - 1);
    }
}

/// Runs `f`, while coroutines may call `body` by the entry that `f` is given.
///
/// Coroutines that have called it must be [done or ended](Coroutine::end) before `f` returns: the process
/// is aborted otherwise, since what `body` borrows may be gone afterwards.
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
pub fn scope<R>(body: &dyn Fn(), f: impl FnOnce(Entry) -> R) -> R {
    let body: NonNull<dyn Fn() + '_> = NonNull::from(body);
    // SAFETY: the two types differ in a lifetime alone. The pointer is followed by `Entry::call` only, and
    // only while this function runs, whose argument is borrowed as long: see there.
    let body: NonNull<dyn Fn()> = unsafe { std::mem::transmute(body) };
    let borrowed = Rc::new(Borrowed {
        body: Cell::new(Some(body)),
        calls: Cell::new(0),
    });
    let _ends = Ends(borrowed.clone());
    f(Entry(borrowed))
}

/// The end of a scope, however it is left.
struct Ends(Rc<Borrowed>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.body.set(None);
        if self.0.calls.get() != 0 {
            eprintln!("a coroutine outlives what it borrows; the process ends");
            std::process::abort();
        }
    }
}

/// A coroutine runs on this thread.
pub fn is_running() -> bool {
    !RUNNING.get().is_null()
}

/// Leaves the coroutine that runs on this thread, until it is resumed.
///
/// It must not be called while a panic unwinds the coroutine: see [`std::thread::panicking`].
///
/// # Panics
///
/// Where no coroutine runs, or a panic unwinds it.
pub fn suspend() {
    assert!(is_running(), "nothing runs that could be suspended");
    assert!(
        !std::thread::panicking(),
        "a coroutine that a panic unwinds can't be suspended"
    );
    // SAFETY: the pointer is that of the coroutine that runs on this thread. `resume` and `end` set it
    // before they switch to a coroutine's stack, and set it back when they have left that, by a guard,
    // however they leave it; on its first way in, when the pointer isn't known yet, the coroutine sets
    // it itself, before it calls what could come here. It points to the `Yielder` that corosensei keeps
    // at the bottom of the coroutine's stack for as long as its closure runs, and whoever calls here is
    // called by that closure. A `Yielder` must be used on its own coroutine's stack, which is the one
    // that runs.
    unsafe { (*RUNNING.get()).suspend(()) }
}

#[cfg(test)]
mod tests;
