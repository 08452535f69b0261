//! Threads: code that blocks, beside actors. In production they are the standard library's.
//!
//! Under test a thread is an operation, as an actor is, with a stack of its own (a coroutine). The strategy
//! decides when it continues: at each operation of [`sync::blocking`](crate::sync::blocking), at each
//! [`yield_now`], and when its wait is over. All run on one thread of the operating system.
//!
//! A thread has no owner, as a [task](crate::task#ownership), and a [panic](crate::task#panics) in one is a
//! bug at once, unless the test is `supervised`. A stack has two megabytes, as that of a thread of the
//! standard library. A stack overflow ends the process by a signal, and `cargo actor-test` names the test.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Waker};
use std::time::Duration;

use crate::object::{Accessed, Object, ObjectOperation};
use crate::panics::lock;
use crate::seam::{
    self, AccessEffect, Address, BlockUntil, Dropped, NewOperation, NewTask, Purpose, Query,
    SchedulingPoint, Unblock, Wait,
};
use crate::task::{NotifyJoinersOnDrop, tolerated_panic};

mod scope;

const KIND: &str = "end of a thread";

/// Runs a closure as a thread.
///
/// ```
/// use actor_core::thread;
///
/// let sum = thread::spawn(|| 1 + 2);
/// assert_eq!(sum.join().ok(), Some(3));
/// ```
///
/// # Panics
///
/// If the system can start no more threads.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match Builder::new().spawn(f) {
        Ok(handle) => handle,
        Err(error) => panic!("no thread could be started: {error}"),
    }
}

/// A builder of threads with a name.
///
/// ```
/// use actor_core::thread;
///
/// let sum = thread::Builder::new().name("sum".into()).spawn(|| 1 + 2)?;
/// assert_eq!(sum.join().ok(), Some(3));
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// Creates a builder without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the thread, which reports of the tester show as well.
    #[must_use]
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Runs a closure as a thread.
    ///
    /// # Errors
    ///
    /// If the system can start no more threads.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        if seam::is_controlled() {
            return Ok(JoinHandle(Inner::Controlled(ControlledThread::spawn(
                f, self.name,
            ))));
        }
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        builder.spawn(f).map(|live| JoinHandle(Inner::Live(live)))
    }
}

impl Builder {
    /// Runs a closure as a thread of a [`scope`].
    ///
    /// # Errors
    ///
    /// If the system can start no more threads.
    #[track_caller]
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.spawn_named(self.name, f)
    }
}

/// A scope of threads that borrow; see [`scope`].
pub type Scope<'scope, 'env> = actor_core_lending::Scope<'scope, 'env, scope::Threads>;

/// The join handle of a thread of a [`scope`]. A dropped handle leaves the wait to the scope.
pub type ScopedJoinHandle<'scope, T> =
    actor_core_lending::ScopedJoinHandle<'scope, T, scope::Threads>;

/// Runs a closure that may start threads which borrow from its environment, and waits for all of them.
///
/// ```
/// use actor_core::thread;
///
/// let words = ["one", "two", "three"];
/// let mut longest = 0;
/// let count = thread::scope(|s| {
///     s.spawn(|| longest = words.iter().map(|word| word.len()).max().unwrap_or(0));
///     let count = s.spawn(|| words.len());
///     count.join().expect("it does not panic")
/// });
/// assert_eq!((count, longest), (3, 5));
/// ```
///
/// Under test, opening a scope is a step, and so is the wait for each of its threads that nobody has joined.
/// When an execution is broken off, the threads of a scope end before the operation that opened it.
///
/// # Panics
///
/// If the closure panics, after the end of its threads; and if a thread has panicked that was not
/// [joined](ScopedJoinHandle::join).
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    actor_core_lending::scope(f)
}

/// The handle that waits for the end of a thread. Dropping it detaches the thread, which continues.
pub struct JoinHandle<T>(Inner<T>);

enum Inner<T> {
    Live(std::thread::JoinHandle<T>),
    Controlled(ControlledThread<T>),
}

impl<T> JoinHandle<T> {
    /// Waits for the end of the thread.
    ///
    /// # Errors
    ///
    /// With the payload of the panic that has ended it.
    #[track_caller]
    pub fn join(self) -> Result<T, Box<dyn Any + Send>> {
        match self.0 {
            Inner::Live(live) => live.join(),
            Inner::Controlled(joined) => joined.join(),
        }
    }

    /// True if the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Inner::Live(live) => live.is_finished(),
            Inner::Controlled(joined) => {
                let is_over = || joined.result().is_some();
                joined.end.read(KIND, "asks for", is_over)
            }
        }
    }

    /// Returns the handle by which the thread is [unparked](Thread::unpark).
    pub fn thread(&self) -> Thread {
        match &self.0 {
            Inner::Live(live) => Thread(Handle::Live(live.thread().clone())),
            Inner::Controlled(joined) => Thread(Handle::Controlled(joined.parker.clone())),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

type ThreadResult<T> = Mutex<Option<Result<T, Box<dyn Any + Send>>>>;

/// The handle of a thread under test, and the receiver of its result.
struct ControlledThread<T> {
    thread: Address,
    end: Arc<Object>,
    result: Arc<ThreadResult<T>>,
    parker: Arc<Parker>,
    is_joined: bool,
}

impl<T> ControlledThread<T> {
    #[cold]
    #[track_caller]
    fn spawn<F>(f: F, name: Option<String>) -> Self
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let end = Arc::new(Object::new());
        let result = Arc::<ThreadResult<T>>::default();
        let parker = Arc::new(Parker::new());
        let notifies = NotifyJoinersOnDrop(end.clone(), ObjectOperation::new(KIND, "ends"));
        let (put, own) = (result.clone(), parker.clone());
        let run = Box::new(move |_: Waker| {
            let notifies = notifies;
            keep_parker(own);
            let ran = catch_unwind(AssertUnwindSafe(f));
            let result = ran.map_err(|payload| match tolerated_panic(payload).into_panic() {
                Some(payload) => payload,
                None => unreachable!("it has panicked"),
            });
            *lock(&put) = Some(result);
            drop(notifies);
        });
        let thread = seam::with(|rt| {
            rt.spawn(NewOperation::Task(NewTask {
                run,
                name,
                is_thread: true,
                end: end.id(rt, KIND),
            }))
        });
        Self {
            thread,
            end,
            result,
            parker,
            is_joined: false,
        }
    }

    fn result(&self) -> std::sync::MutexGuard<'_, Option<Result<T, Box<dyn Any + Send>>>> {
        lock(&self.result)
    }

    #[track_caller]
    fn join(mut self) -> Result<T, Box<dyn Any + Send>> {
        let operation = ObjectOperation::new(KIND, "joins");
        self.is_joined = true;
        let take = || self.result().take();
        self.end
            .block(operation, Wait::Alone, AccessEffect::READS, take)
    }
}

impl<T> Drop for ControlledThread<T> {
    fn drop(&mut self) {
        if !self.is_joined {
            seam::dropped(Dropped::JoinHandle(self.thread));
        }
    }
}

/// Yields to other operations.
///
/// Under test this declares that the thread waits for others: a thread that reads unchanged objects again and
/// again without it [spins](crate::sync#spinning).
///
/// ```
/// actor_core::thread::yield_now();
/// ```
pub fn yield_now() {
    if !seam::is_controlled() {
        return std::thread::yield_now();
    }
    if let Some(runtime) = seam::current() {
        runtime.reach(SchedulingPoint::Yield, true);
    }
}

/// Waits for a duration, in virtual time under test.
///
/// ```
/// use std::time::Duration;
///
/// actor_core::thread::sleep(Duration::from_millis(1));
/// ```
pub fn sleep(delay: Duration) {
    if !seam::is_controlled() {
        return std::thread::sleep(delay);
    }
    let sleep = crate::environment::sleep(false, delay, Purpose::Sleep);
    seam::block_on(sleep, &seam::current_waker());
}

/// Returns the handle by which others [unpark](Thread::unpark) the calling thread.
///
/// ```
/// use actor_core::thread;
///
/// let me = thread::current();
/// let other = thread::spawn(move || me.unpark());
/// thread::park();
/// # other.join().unwrap();
/// ```
pub fn current() -> Thread {
    if !seam::is_controlled() {
        return Thread(Handle::Live(std::thread::current()));
    }
    Thread(Handle::Controlled(own_parker()))
}

/// Waits until somebody [unparks](Thread::unpark) the thread, which may have happened before.
///
/// As in the standard library, spurious wake-ups are possible: check your condition again. Under test they
/// happen if the test asks for them, by the fault `wake`.
#[track_caller]
pub fn park() {
    if !seam::is_controlled() {
        return std::thread::park();
    }
    let operation = ObjectOperation::new("Parker", "parks at");
    let parker = own_parker();
    let wake = || {
        let is_woken = parker.take() || seam::try_query(|to| Query::IsWokenSpuriously(to));
        is_woken.then_some(())
    };
    parker
        .object
        .block(operation, Wait::Alone, AccessEffect::CHANGES, wake);
}

/// As [`park`], with a time limit, in virtual time under test.
///
/// ```
/// use std::time::Duration;
///
/// actor_core::thread::park_timeout(Duration::from_millis(1));
/// ```
#[track_caller]
pub fn park_timeout(limit: Duration) {
    if !seam::is_controlled() {
        return std::thread::park_timeout(limit);
    }
    let parker = own_parker();
    let access = parker
        .object
        .begin_access(ObjectOperation::new("Parker", "parks at"));
    if !parker.take()
        && let (Some(runtime), Some(access)) = (seam::current(), access)
        && !seam::query(|to| Query::IsWokenSpuriously(to))
    {
        let waker = seam::current_waker();
        let mut limit = pin!(crate::environment::sleep(false, limit, Purpose::Sleep));
        let _ = limit.as_mut().poll(&mut TaskContext::from_waker(&waker));
        runtime.block(BlockUntil::Changed(access, Wait::News));
        parker.take();
    }
    parker.object.record_access(access, AccessEffect::CHANGES);
}

/// The handle of a thread, by which it is unparked.
#[derive(Clone, Debug)]
pub struct Thread(Handle);

#[derive(Clone, Debug)]
enum Handle {
    Live(std::thread::Thread),
    Controlled(Arc<Parker>),
}

#[derive(Debug)]
struct Parker {
    object: Object,
    token: Mutex<bool>,
}

impl Parker {
    #[track_caller]
    fn new() -> Self {
        Self {
            object: Object::new(),
            token: Mutex::new(false),
        }
    }

    /// Takes the token; returns true if the thread was unparked since the last call.
    fn take(&self) -> bool {
        std::mem::take(&mut *lock(&self.token))
    }
}

impl Thread {
    /// Unparks the thread if it is [parked](park), or else makes its next call to park return at once.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Handle::Live(live) => live.unpark(),
            Handle::Controlled(parker) => {
                let unpark = || {
                    *lock(&parker.token) = true;
                };
                parker.object.change("Parker", "unparks", unpark);
                parker.object.wake("Parker", Unblock::NotifyAll);
            }
        }
    }
}

/// The key of the parker among the locals of a thread.
const PARKER: usize = 0;

fn keep_parker(parker: Arc<Parker>) {
    let locals = seam::try_query(|to| Query::Locals(to));
    locals.borrow_mut().push((PARKER, Rc::new(parker)));
}

#[track_caller]
fn own_parker() -> Arc<Parker> {
    let locals = seam::try_query(|to| Query::Locals(to));
    let mut locals = locals.borrow_mut();
    let known = locals.iter().find(|(of, _)| *of == PARKER);
    let known = known.and_then(|(_, parker)| parker.downcast_ref::<Arc<Parker>>());
    if let Some(parker) = known {
        return parker.clone();
    }
    let parker = Arc::new(Parker::new());
    locals.push((PARKER, Rc::new(parker.clone())));
    parker
}

/// A thread-local `static`; see [`thread_local!`](crate::thread_local!).
pub struct LocalKey<T: 'static> {
    live: &'static std::thread::LocalKey<T>,
    make: fn() -> T,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(live: &'static std::thread::LocalKey<T>, make: fn() -> T) -> Self {
        Self { live, make }
    }

    /// Passes the calling thread's value to `f`; the value is initialised on first use.
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        if !seam::is_controlled() {
            return self.live.with(f);
        }
        f(&*self.own())
    }

    fn own(&'static self) -> Rc<T> {
        let locals = seam::try_query(|to| Query::Locals(to));
        let key = std::ptr::from_ref(self).addr();
        let known = locals
            .borrow()
            .iter()
            .find(|(of, _)| *of == key)
            .map(|(_, own)| own.clone());
        if let Some(own) = known.and_then(|own| own.downcast::<T>().ok()) {
            return own;
        }
        // The initialiser may use other thread-local values.
        let own = Rc::new((self.make)());
        locals.borrow_mut().push((key, own.clone()));
        own
    }
}

impl<T: Copy> LocalKey<Cell<T>> {
    /// Returns a copy of the calling thread's value.
    pub fn get(&'static self) -> T {
        self.with(Cell::get)
    }
}

impl<T> LocalKey<Cell<T>> {
    /// Sets the calling thread's value.
    pub fn set(&'static self, value: T) {
        self.with(|own| own.set(value));
    }
}

impl<T> LocalKey<Cell<T>> {
    /// Replaces the calling thread's value; returns the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|own| own.replace(value))
    }

    /// Takes the calling thread's value, and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }
}

impl<T> LocalKey<RefCell<T>> {
    /// Borrows the calling thread's value.
    ///
    /// # Panics
    ///
    /// If the value is mutably borrowed.
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|own| f(&own.borrow()))
    }

    /// Mutably borrows the calling thread's value.
    ///
    /// ```
    /// use std::cell::RefCell;
    ///
    /// actor_core::thread_local! {
    ///     static SEEN: RefCell<Vec<u32>> = RefCell::new(Vec::new());
    /// }
    ///
    /// SEEN.with_borrow_mut(|seen| seen.push(7));
    /// assert_eq!(SEEN.with_borrow(Vec::len), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// If the value is borrowed.
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|own| f(&mut own.borrow_mut()))
    }
}

impl<T> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// Declares thread-local statics: the standard library's in production, and under test one value for each
/// [thread](crate::thread), each task, each actor and the test body.
///
/// ```
/// use std::cell::Cell;
///
/// use actor_core::thread;
///
/// actor_core::thread_local! {
///     static COUNT: Cell<u32> = Cell::new(1);
/// }
///
/// COUNT.set(2);
/// let other = thread::spawn(|| COUNT.get());
/// assert_eq!((COUNT.get(), other.join().ok()), (2, Some(1)));
/// ```
#[macro_export]
macro_rules! thread_local {
    ($($(#[$attribute:meta])* $visible:vis static $name:ident: $value:ty = $make:expr);+ $(;)?) => {
        $(
            $(#[$attribute])*
            $visible static $name: $crate::thread::LocalKey<$value> = {
                fn make() -> $value {
                    $make
                }
                ::std::thread_local! {
                    static LIVE: $value = make();
                }
                $crate::thread::LocalKey::new(&LIVE, make)
            };
        )+
    };
}
