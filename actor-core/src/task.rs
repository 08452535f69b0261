//! Tasks: futures that run beside actors. In production they are tokio's.
//!
//! Under test a task is an operation, as an actor is: the strategy decides when it continues, at each
//! operation of [`sync`](crate::sync), at each [`yield_now`], and when an awaited future is ready.
//!
//! # Ownership
//!
//! A task has no owner: a task that an actor spawns continues when the actor has ended, and when its
//! [`JoinHandle`] is dropped, as tokio's do. To end a task with an actor, [pipe
//! it](crate::Context::pipe_to_self) to the actor, or [abort](JoinHandle::abort) it in the `#[stop]` hook. An
//! execution under test continues until all tasks have ended or wait. A task that waits for ever is a
//! deadlock, as a handler that does. The exception is a detached task, whose handle was dropped, that waits
//! for a message, a notification or a change: it is idle, as an actor with an empty inbox is.
//!
//! # Panics
//!
//! In production a panic ends the task, and [`JoinHandle`] reports it. Under test a panic is a bug at once,
//! or an ordinary event of the execution if the test is `supervised`.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll, Waker};

mod join_set;
mod time;

pub use join_set::JoinSet;
pub use time::{Elapsed, Interval, MissedTickBehavior, Sleep, Timeout, interval, sleep, timeout};

use crate::object::{Object, ObjectOperation, PolledAccess, blocking};
use crate::seam::{
    self, AccessEffect, Action, Address, Dropped, NewOperation, NewTask, Query, SchedulingPoint,
    Stop, Wait,
};

const KIND: &str = "end of a task";

/// Runs a future as a task.
///
/// ```
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let sum = task::spawn(async { 1 + 2 });
/// assert_eq!(sum.await.ok(), Some(3));
/// # }
/// ```
///
/// # Panics
///
/// In production, outside a tokio runtime.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    if !seam::is_controlled() {
        return JoinHandle(Inner::Live(tokio::spawn(future)));
    }
    JoinHandle(Inner::Controlled(ControlledTask::spawn(future)))
}

/// Runs a future on the current thread, which blocks until the future is ready; needs no runtime.
///
/// ```
/// use actor_core::sync::oneshot;
/// use actor_core::{task, thread};
///
/// let (send, receive) = oneshot::channel();
/// let other = thread::spawn(move || task::block_on(receive));
/// send.send(7).unwrap();
/// assert_eq!(other.join().unwrap(), Ok(7));
/// ```
///
/// # Panics
///
/// In production, in async code, and if no runtime can be created. Under test, in an aborted task.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    if seam::is_controlled() {
        return match blocking(future) {
            Some(output) => output,
            None => panic!("a task that blocks on a future was aborted"),
        };
    }
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime.block_on(future),
        Err(_) => tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap_or_else(|error| panic!("the thread got no runtime: {error}"))
            .block_on(future),
    }
}

/// Yields to other operations.
///
/// Under test this declares that the task waits for others: a task that reads unchanged objects again and
/// again without it [spins](crate::sync#spinning). The task can be cancelled here, by
/// [`abort`](JoinHandle::abort) or as a branch of a `select!`.
///
/// ```
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// task::yield_now().await;
/// # }
/// ```
pub async fn yield_now() {
    if !seam::is_controlled() {
        return tokio::task::yield_now().await;
    }
    let mut has_yielded = false;
    poll_fn(|task| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        if seam::current().is_none_or(|rt| rt.reach(SchedulingPoint::Yield, false)) {
            return Poll::Ready(());
        }
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The handle that awaits the end of a task. Dropping it detaches the task, which continues.
pub struct JoinHandle<T>(Inner<T>);

enum Inner<T> {
    Live(tokio::task::JoinHandle<T>),
    Controlled(ControlledTask<T>),
}

impl<T> JoinHandle<T> {
    /// Aborts the task at its next `.await`, if there is one; awaiting the handle then returns an error.
    ///
    /// ```
    /// use actor_core::task;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let never = task::spawn(std::future::pending::<()>());
    /// never.abort();
    /// assert!(never.await.is_err_and(|error| error.is_cancelled()));
    /// # }
    /// ```
    pub fn abort(&self) {
        self.abort_handle().abort();
    }

    /// True if the task has ended.
    pub fn is_finished(&self) -> bool {
        self.abort_handle().is_finished()
    }

    /// Returns a handle that can only abort the task.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle(match &self.0 {
            Inner::Live(task) => Aborts::Live(task.abort_handle()),
            Inner::Controlled(joined) => Aborts::Controlled(joined.task, joined.is_over.clone()),
        })
    }
}

/// A handle that aborts a task, as its [`JoinHandle`] does, and cannot await it.
#[derive(Clone, Debug)]
pub struct AbortHandle(Aborts);

#[derive(Clone, Debug)]
enum Aborts {
    Live(tokio::task::AbortHandle),
    Controlled(Address, Arc<AtomicBool>),
}

impl AbortHandle {
    /// Aborts the task at its next `.await`, if there is one; see [`JoinHandle::abort`].
    pub fn abort(&self) {
        match &self.0 {
            Aborts::Live(task) => task.abort(),
            Aborts::Controlled(task, _) => {
                seam::try_with(|rt| rt.act(Action::Stop(*task, Stop::AtOnce)));
            }
        }
    }

    /// True if the task has ended.
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Aborts::Live(task) => task.is_finished(),
            Aborts::Controlled(_, is_over) => is_over.load(Ordering::Relaxed),
        }
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Inner::Live(live) => Pin::new(live).poll(task).map_err(JoinError::of),
            Inner::Controlled(joined) => joined.poll(task),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// The handle of a task under test, and the receiver of its result.
struct ControlledTask<T> {
    task: Address,
    end: Arc<Object>,
    left: tokio::sync::oneshot::Receiver<Result<T, JoinError>>,
    /// True once the task has ended.
    is_over: Arc<AtomicBool>,
    operation: ObjectOperation,
    access: PolledAccess,
    is_joined: bool,
}

impl<T: Send + 'static> ControlledTask<T> {
    #[cold]
    #[track_caller]
    fn spawn<F: Future<Output = T> + Send + 'static>(future: F) -> Self {
        let operation = ObjectOperation::new(KIND, "ends");
        let end = Arc::new(Object::new());
        let is_over = Arc::new(AtomicBool::new(false));
        let (put, left) = tokio::sync::oneshot::channel();
        let notifies = NotifyJoinersOnDrop(end.clone(), operation);
        let over = is_over.clone();
        let run = Box::new(move |waker: Waker| {
            let notifies = notifies;
            let ran = catch_unwind(AssertUnwindSafe(|| seam::block_on(future, &waker)));
            let result = match ran {
                Ok(Some(output)) => Ok(output),
                Ok(None) => Err(JoinError(Why::Cancelled)),
                Err(payload) => Err(tolerated_panic(payload)),
            };
            over.store(true, Ordering::Relaxed);
            drop(notifies);
            // The receiver may be dropped.
            let _ = put.send(result);
        });
        let task = seam::with(|rt| {
            rt.spawn(NewOperation::Task(NewTask {
                run,
                name: None,
                is_thread: false,
                end: end.id(rt, KIND),
            }))
        });
        Self {
            task,
            end,
            left,
            is_over,
            operation: operation.with_verb("joins"),
            access: PolledAccess::default(),
            is_joined: false,
        }
    }
}

impl<T> ControlledTask<T> {
    fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Result<T, JoinError>> {
        if !seam::is_controlled() {
            return Poll::Pending;
        }
        let poll = |task: &mut TaskContext<'_>| Pin::new(&mut self.left).poll(task);
        let polled = self
            .access
            .poll(&self.end, self.operation, Wait::Alone, task, poll);
        if polled.is_ready() {
            self.is_joined = true;
            self.end.record(self.operation, AccessEffect::READS);
        }
        polled.map(|left| left.unwrap_or(Err(JoinError(Why::Cancelled))))
    }
}

impl<T> Drop for ControlledTask<T> {
    fn drop(&mut self) {
        self.access.stop_waiting();
        if !self.is_joined {
            seam::dropped(Dropped::JoinHandle(self.task));
        }
    }
}

/// Notifies the operations that join a task on drop, however the task has ended.
pub(crate) struct NotifyJoinersOnDrop(pub(crate) Arc<Object>, pub(crate) ObjectOperation);

impl Drop for NotifyJoinersOnDrop {
    fn drop(&mut self) {
        self.0.record(self.1, AccessEffect::CHANGES);
        self.0.unblock(self.1.kind);
    }
}

/// Converts a panic that the execution tolerates to an error; resumes any other panic.
pub(crate) fn tolerated_panic(payload: Box<dyn Any + Send>) -> JoinError {
    let mut is_tolerated = false;
    seam::try_with(|rt| rt.query(Query::IsTolerated(&*payload, &mut is_tolerated)));
    if !is_tolerated {
        resume_unwind(payload);
    }
    JoinError(Why::Panicked(payload))
}

/// The reason why a task has ended without a result.
pub struct JoinError(Why);

enum Why {
    Cancelled,
    Panicked(Box<dyn Any + Send>),
}

impl JoinError {
    /// True if the task was [aborted](JoinHandle::abort), or its runtime has ended.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0, Why::Cancelled)
    }

    /// True if the task has panicked.
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Why::Panicked(_))
    }

    /// The payload of the panic; `None` if there was none.
    pub fn into_panic(self) -> Option<Box<dyn Any + Send>> {
        match self.0 {
            Why::Cancelled => None,
            Why::Panicked(payload) => Some(payload),
        }
    }
}

impl JoinError {
    fn of(error: tokio::task::JoinError) -> Self {
        Self(match error.try_into_panic() {
            Ok(payload) => Why::Panicked(payload),
            Err(_) => Why::Cancelled,
        })
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Why::Cancelled => write!(f, "the task was aborted"),
            Why::Panicked(_) => write!(f, "the task panicked"),
        }
    }
}

impl std::error::Error for JoinError {}
