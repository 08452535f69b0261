//! Threads that borrow from who has started them, on whatever runs threads: [`scope`].

use std::any::Any;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How a thread has ended: with its result, or with what it has panicked with.
pub type ThreadOutcome<T> = Result<T, Box<dyn Any + Send>>;

/// What runs threads.
pub trait Host: 'static {
    /// One of them.
    type Handle: Send;
    /// What it may be woken by.
    type Thread;

    /// Who calls is about to wait for threads. It panics where that can't be.
    fn open();
    /// Starts a thread.
    ///
    /// # Errors
    ///
    /// Where there is none left. The work is dropped then.
    #[track_caller]
    fn spawn(work: Box<dyn FnOnce() + Send>, name: Option<String>) -> io::Result<Self::Handle>;
    /// Waits for the end of a thread, when its work has returned or was dropped.
    ///
    /// # Errors
    ///
    /// With what it has panicked with.
    #[track_caller]
    fn join(handle: Self::Handle) -> ThreadOutcome<()>;
    /// The thread is over.
    #[track_caller]
    fn is_finished(handle: &Self::Handle) -> bool;
    /// The thread, to be woken.
    fn thread(handle: &Self::Handle) -> Self::Thread;
}

/// The handle of a thread, until somebody waits for its end.
struct Shared<H: Host>(Mutex<Option<H::Handle>>);

impl<H: Host> Shared<H> {
    fn take(&self) -> Option<H::Handle> {
        let mut handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handle.take()
    }
}

/// Where threads may be started that borrow what lives for `'env`, and what lies in the scope itself; see
/// `actor_core::thread::scope`.
pub struct Scope<'scope, 'env: 'scope, H: Host> {
    threads: Mutex<Vec<Arc<Shared<H>>>>,
    out: Arc<AtomicUsize>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Work that is lent to a thread; it is back when this is dropped.
struct Loan<'scope> {
    // Dropped before it is back.
    work: Box<dyn FnOnce() + Send + 'scope>,
    back: LoanCount,
}

/// While it lives, something is lent.
struct LoanCount(Arc<AtomicUsize>);

impl LoanCount {
    fn of(out: &Arc<AtomicUsize>) -> Self {
        out.fetch_add(1, Ordering::Relaxed);
        Self(out.clone())
    }
}

impl Drop for LoanCount {
    fn drop(&mut self) {
        // Pairs with the load at the end of the scope: what the thread has done comes before it.
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl<'scope> Loan<'scope> {
    /// The same for as long as anybody likes.
    ///
    /// # Safety
    ///
    /// It has to be run, unwound or dropped before `'scope` is over.
    unsafe fn lasting(self) -> Box<dyn FnOnce() + Send> {
        let work: Box<dyn FnOnce() + Send + 'scope> = Box::new(move || {
            let Self { work, back } = self;
            // By value: what it has captured is gone before it is back, also where it panics.
            work();
            drop(back);
        });
        // SAFETY: the two types differ in a lifetime alone, and the caller sees to that.
        unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + 'scope>, _>(work) }
    }
}

/// The end of a scope, however it is left.
struct AbortIfLent(Arc<AtomicUsize>);

impl Drop for AbortIfLent {
    fn drop(&mut self) {
        // Pairs with what a loan does when it comes back.
        if self.0.load(Ordering::Acquire) != 0 {
            eprintln!("a thread outlives what it borrows; the process ends");
            std::process::abort();
        }
    }
}

/// Runs `f`, which may start threads that borrow, and waits for them.
///
/// # Panics
///
/// Where `f` does, with the same payload, or a thread that nobody else has waited for. The process is
/// aborted where this is left with a thread that still has what it borrows.
#[track_caller]
pub fn scope<'env, H: Host, R>(
    f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env, H>) -> R,
) -> R {
    H::open();
    let scope = Scope {
        threads: Mutex::default(),
        out: Arc::default(),
        scope: PhantomData,
        env: PhantomData,
    };
    let _ends = AbortIfLent(scope.out.clone());
    let ran = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let mut has_panicked = false;
    // Threads may start others.
    while let Some(thread) = scope.next() {
        if let Some(handle) = thread.take() {
            has_panicked |= H::join(handle).is_err();
        }
    }
    match ran {
        Err(payload) => resume_unwind(payload),
        Ok(_) if has_panicked => panic!("a scoped thread panicked"),
        Ok(result) => result,
    }
}

impl<'scope, H: Host> Scope<'scope, '_, H> {
    /// The first thread whose end nobody else may wait for; where there is none, the first.
    fn next(&self) -> Option<Arc<Shared<H>>> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let own = threads
            .iter()
            .position(|thread| Arc::strong_count(thread) == 1);
        (!threads.is_empty()).then(|| threads.remove(own.unwrap_or(0)))
    }

    /// Starts a thread.
    ///
    /// # Panics
    ///
    /// Where the system has no thread left.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T, H>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match self.spawn_named(None, f) {
            Ok(handle) => handle,
            Err(error) => panic!("no thread could be started: {error}"),
        }
    }

    /// Starts a thread, with a name.
    ///
    /// # Errors
    ///
    /// Where the system has no thread left.
    #[track_caller]
    pub fn spawn_named<F, T>(
        &'scope self,
        name: Option<String>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T, H>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let left = Arc::new(Mutex::new(None));
        let put = left.clone();
        let loan = Loan {
            work: Box::new(move || {
                let done = f();
                *put.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            }),
            back: LoanCount::of(&self.out),
        };
        // SAFETY: `scope` ends the process rather than be left while a loan is out, and `'scope` lasts for
        // as long as that runs: it borrows the scope, which lives there.
        let handle = H::spawn(unsafe { loan.lasting() }, name)?;
        let thread = Arc::new(Shared(Mutex::new(Some(handle))));
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.push(thread.clone());
        Ok(ScopedJoinHandle {
            thread,
            left,
            scope: PhantomData,
        })
    }
}

impl<H: Host> fmt::Debug for Scope<'_, '_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let running = self.out.load(Ordering::Relaxed);
        f.debug_struct("Scope")
            .field("running", &running)
            .finish_non_exhaustive()
    }
}

/// Waits for the end of a thread of a [`Scope`]. To drop it leaves that to the scope.
pub struct ScopedJoinHandle<'scope, T, H: Host> {
    thread: Arc<Shared<H>>,
    left: Arc<Mutex<Option<T>>>,
    scope: PhantomData<&'scope ()>,
}

impl<T, H: Host> ScopedJoinHandle<'_, T, H> {
    /// Waits for the end of the thread.
    ///
    /// # Errors
    ///
    /// With the payload of the panic that has ended it.
    #[track_caller]
    pub fn join(self) -> ThreadOutcome<T> {
        // The scope waits first for those of which nobody has this. It comes to others where two threads
        // have each other's, and neither waits: then it is too late here.
        match self.thread.take() {
            Some(handle) => H::join(handle)?,
            None => return Err(Box::new("its scope waits for the thread already")),
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        match left.take() {
            Some(left) => Ok(left),
            None => unreachable!("its work has returned"),
        }
    }

    /// The thread is over.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        let handle = self.thread.0.lock();
        let handle = handle.unwrap_or_else(PoisonError::into_inner);
        handle.as_ref().is_none_or(H::is_finished)
    }

    /// The thread, to be woken; none where somebody waits for its end already.
    pub fn thread(&self) -> Option<H::Thread> {
        let handle = self.thread.0.lock();
        let handle = handle.unwrap_or_else(PoisonError::into_inner);
        handle.as_ref().map(H::thread)
    }
}

impl<T, H: Host> fmt::Debug for ScopedJoinHandle<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library's.
    struct Plain;

    impl Host for Plain {
        type Handle = std::thread::JoinHandle<()>;
        type Thread = std::thread::Thread;

        fn open() {}

        fn spawn(work: Box<dyn FnOnce() + Send>, name: Option<String>) -> io::Result<Self::Handle> {
            let mut builder = std::thread::Builder::new();
            if let Some(name) = name {
                builder = builder.name(name);
            }
            builder.spawn(work)
        }

        fn join(handle: Self::Handle) -> ThreadOutcome<()> {
            handle.join()
        }

        fn is_finished(handle: &Self::Handle) -> bool {
            handle.is_finished()
        }

        fn thread(handle: &Self::Handle) -> Self::Thread {
            handle.thread().clone()
        }
    }

    /// One that never runs anything.
    struct Refuses;

    impl Host for Refuses {
        type Handle = ();
        type Thread = ();

        fn open() {}

        fn spawn(_: Box<dyn FnOnce() + Send>, _: Option<String>) -> io::Result<()> {
            Err(io::ErrorKind::WouldBlock.into())
        }

        fn join((): ()) -> ThreadOutcome<()> {
            Ok(())
        }

        fn is_finished((): &()) -> bool {
            true
        }

        fn thread((): &()) {}
    }

    #[test]
    fn threads_borrow_and_change() {
        let words = ["a".to_owned(), "b".to_owned()];
        let mut count = 0;
        let length = scope::<Plain, _>(|s| {
            let length = s.spawn(|| words.iter().map(String::len).sum::<usize>());
            s.spawn(|| count += words.len());
            length.join().expect("it does not panic")
        });
        assert_eq!((length, count), (2, 2));
    }

    #[test]
    fn a_thread_starts_others_and_hands_on_handles() {
        let seen = Mutex::new(Vec::new());
        scope::<Plain, _>(|s| {
            let first = s.spawn(|| {
                s.spawn(|| seen.lock().unwrap().push(1));
                2
            });
            s.spawn(|| seen.lock().unwrap().push(first.join().unwrap()));
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, [1, 2]);
    }

    #[test]
    fn results_borrow_too() {
        let text = "one two".to_owned();
        let words = scope::<Plain, Vec<&str>>(|s| {
            let words = s.spawn(|| text.split(' ').collect());
            words.join().unwrap()
        });
        assert_eq!(words, ["one", "two"]);
    }

    #[test]
    fn a_panic_is_told_to_who_waits() {
        let ran = catch_unwind(|| {
            scope::<Plain, _>(|s| {
                s.spawn(|| resume_unwind(Box::new(7)))
                    .join()
                    .map(|(): ()| 0)
            })
        });
        let told = ran.expect("it was waited for").unwrap_err();
        assert_eq!(told.downcast_ref(), Some(&7));
        let ran = catch_unwind(|| {
            scope::<Plain, _>(|s| drop(s.spawn(|| -> () { resume_unwind(Box::new(7)) })));
        });
        assert_eq!(
            ran.unwrap_err().downcast_ref(),
            Some(&"a scoped thread panicked")
        );
    }

    #[test]
    fn who_panics_waits_for_its_threads_first() {
        let mut count = 0;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            scope::<Plain, ()>(|s| {
                s.spawn(|| count += 1);
                resume_unwind(Box::new("no"));
            });
        }));
        assert_eq!(ran.unwrap_err().downcast_ref(), Some(&"no"));
        assert_eq!(count, 1);
    }

    #[test]
    fn what_was_not_started_is_given_back() {
        let text = "it".to_owned();
        scope::<Refuses, _>(|s| {
            let refused = s.spawn_named(None, || text.len());
            assert!(refused.is_err());
            assert_eq!(s.out.load(Ordering::Relaxed), 0);
        });
    }
}
