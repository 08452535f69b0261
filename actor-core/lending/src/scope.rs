//! Scoped threads, which borrow from the function that starts them, on any host of threads: [`scope`].

use std::any::Any;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The outcome of a thread: its result, or the payload of its panic.
pub type ThreadOutcome<T> = Result<T, Box<dyn Any + Send>>;

/// A provider of threads.
pub trait Host: 'static {
    /// The handle of one thread.
    type Handle: Send;
    /// The handle by which a thread is unparked.
    type Thread;

    /// Announces that the caller will wait for threads. Panics if the caller is not allowed to.
    fn open();
    /// Starts a thread.
    ///
    /// # Errors
    ///
    /// If no thread can be started. The work is dropped then.
    #[track_caller]
    fn spawn(work: Box<dyn FnOnce() + Send>, name: Option<String>) -> io::Result<Self::Handle>;
    /// Waits until the work of a thread has returned or was dropped.
    ///
    /// # Errors
    ///
    /// With the payload of the thread's panic.
    #[track_caller]
    fn join(handle: Self::Handle) -> ThreadOutcome<()>;
    /// Returns true if the thread has ended.
    #[track_caller]
    fn is_finished(handle: &Self::Handle) -> bool;
    /// Returns the handle by which the thread is unparked.
    fn thread(handle: &Self::Handle) -> Self::Thread;
}

/// The handle of a thread; `None` once somebody waits for its end.
struct Shared<H: Host>(Mutex<Option<H::Handle>>);

impl<H: Host> Shared<H> {
    fn take(&self) -> Option<H::Handle> {
        let mut handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handle.take()
    }
}

/// A scope of threads, which may borrow values that live for `'env` and values inside the scope; see
/// `actor_core::thread::scope`.
pub struct Scope<'scope, 'env: 'scope, H: Host> {
    threads: Mutex<Vec<Arc<Shared<H>>>>,
    out: Arc<AtomicUsize>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Work lent to a thread for `'scope`. The loan ends when this is dropped.
struct Loan<'scope> {
    // Declared first, so that the work is dropped before `back` reports the end of the loan.
    work: Box<dyn FnOnce() + Send + 'scope>,
    back: LoanCount,
}

/// A count of one outstanding loan, which is taken back on drop.
struct LoanCount(Arc<AtomicUsize>);

impl LoanCount {
    fn of(out: &Arc<AtomicUsize>) -> Self {
        out.fetch_add(1, Ordering::Relaxed);
        Self(out.clone())
    }
}

impl Drop for LoanCount {
    fn drop(&mut self) {
        // Pairs with the load at the end of the scope: the thread's actions happen before that load.
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl<'scope> Loan<'scope> {
    /// Extends the lifetime of the work to `'static`.
    ///
    /// # Safety
    ///
    /// The work must have been run, unwound or dropped before `'scope` ends.
    unsafe fn lasting(self) -> Box<dyn FnOnce() + Send> {
        let work: Box<dyn FnOnce() + Send + 'scope> = Box::new(move || {
            let Self { work, back } = self;
            // The call consumes the work: its captures are dropped before the loan ends, even on a panic.
            work();
            drop(back);
        });
        // SAFETY: the two types differ in a lifetime alone, and the caller upholds that lifetime.
        unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + 'scope>, _>(work) }
    }
}

/// The end of a scope, by return or by panic. Aborts the process if a loan is still outstanding.
struct AbortIfLent(Arc<AtomicUsize>);

impl Drop for AbortIfLent {
    fn drop(&mut self) {
        // Pairs with the decrement at the end of each loan.
        if self.0.load(Ordering::Acquire) != 0 {
            eprintln!("a thread outlives what it borrows; the process ends");
            std::process::abort();
        }
    }
}

/// Runs `f`, which may start threads that borrow, and waits for these threads.
///
/// # Panics
///
/// If `f` panics, with the same payload, or if a thread has panicked whose end nobody else has awaited. The
/// process is aborted if the scope is left while a thread still holds borrowed values.
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
    // Running threads may start other threads of the scope.
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
    /// Removes and returns the first thread that has no other handle, or else the first thread.
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
    /// If the system can start no more threads.
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

    /// Starts a named thread.
    ///
    /// # Errors
    ///
    /// If the system can start no more threads.
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
        // SAFETY: `scope` aborts the process rather than return while a loan is outstanding. `'scope` lasts
        // as long as `scope` runs, since it borrows the scope, which lives there.
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

/// The join handle of a thread of a [`Scope`]. A dropped handle leaves the wait to the scope.
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
        // The scope first joins the threads that have no other handle. Two threads that hold each other's
        // handles, and that join neither, are joined by the scope, and a later `join` fails here.
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

    /// Returns true if the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        let handle = self.thread.0.lock();
        let handle = handle.unwrap_or_else(PoisonError::into_inner);
        handle.as_ref().is_none_or(H::is_finished)
    }

    /// Returns the handle by which the thread is unparked; `None` if somebody already waits for its end.
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

    /// A host that never runs anything.
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
        let payload = ran.expect("it was waited for").unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&7));
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
