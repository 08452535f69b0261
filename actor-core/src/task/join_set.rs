//! Sets of tasks that are awaited in the order in which they end: [`JoinSet`].

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use super::{AbortHandle, Inner, JoinError, JoinHandle, spawn};
use crate::seam;

/// A set of tasks that are awaited as they end, as tokio's. The remaining tasks are aborted on drop.
///
/// ```
/// use actor_core::task::JoinSet;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut tasks = JoinSet::new();
/// for n in 1..4 {
///     tasks.spawn(async move { n * n });
/// }
/// let mut sum = 0;
/// while let Some(ended) = tasks.join_next().await {
///     sum += ended.unwrap();
/// }
/// assert_eq!(sum, 14);
/// # }
/// ```
pub struct JoinSet<T>(Tasks<T>);

enum Tasks<T> {
    Live(tokio::task::JoinSet<T>),
    Controlled(Vec<JoinHandle<T>>),
}

impl<T> JoinSet<T> {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self(match seam::is_controlled() {
            true => Tasks::Controlled(Vec::new()),
            false => Tasks::Live(tokio::task::JoinSet::new()),
        })
    }

    /// The number of tasks that were not [awaited](Self::join_next).
    pub fn len(&self) -> usize {
        match &self.0 {
            Tasks::Live(tasks) => tasks.len(),
            Tasks::Controlled(tasks) => tasks.len(),
        }
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Send + 'static> JoinSet<T> {
    /// Runs a future as a task of this set.
    ///
    /// # Panics
    ///
    /// In production, outside a tokio runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
    {
        match &mut self.0 {
            Tasks::Live(tasks) => AbortHandle(super::Aborts::Live(tasks.spawn(future))),
            Tasks::Controlled(tasks) => {
                let task = spawn(future);
                let aborts = task.abort_handle();
                tasks.push(task);
                aborts
            }
        }
    }

    /// Waits until one of the tasks has ended; `None` if the set is empty.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        match &mut self.0 {
            Tasks::Live(tasks) => {
                let ended = tasks.join_next().await;
                ended.map(|ended| ended.map_err(JoinError::of))
            }
            Tasks::Controlled(tasks) => {
                let mut waiting = JoinNext(tasks);
                poll_fn(|task| waiting.poll(task)).await
            }
        }
    }

    /// Returns the result of a task that has ended, if there is one.
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        match &mut self.0 {
            Tasks::Live(tasks) => {
                let ended = tasks.try_join_next();
                ended.map(|ended| ended.map_err(JoinError::of))
            }
            Tasks::Controlled(tasks) => {
                let mut task = TaskContext::from_waker(std::task::Waker::noop());
                match JoinNext(tasks).poll_ended(&mut task) {
                    Poll::Ready(ended) => ended,
                    Poll::Pending => None,
                }
            }
        }
    }

    /// Waits until all tasks have ended, and returns their results, in the order in which they ended.
    ///
    /// # Panics
    ///
    /// With the payload of a task that has panicked, and if a task was aborted.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        while let Some(ended) = self.join_next().await {
            match ended {
                Ok(left) => all.push(left),
                Err(error) if error.is_cancelled() => panic!("{error}"),
                Err(error) => {
                    if let Some(payload) = error.into_panic() {
                        std::panic::resume_unwind(payload);
                    }
                }
            }
        }
        all
    }

    /// Aborts all tasks, which must still be awaited.
    pub fn abort_all(&mut self) {
        match &mut self.0 {
            Tasks::Live(tasks) => tasks.abort_all(),
            Tasks::Controlled(tasks) => tasks.iter().for_each(JoinHandle::abort),
        }
    }

    /// Aborts all tasks, and waits until they have ended.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Detaches all tasks: they continue, and are no longer awaited.
    pub fn detach_all(&mut self) {
        match &mut self.0 {
            Tasks::Live(tasks) => tasks.detach_all(),
            Tasks::Controlled(tasks) => tasks.clear(),
        }
    }
}

/// A wait for the first of several tasks to end.
struct JoinNext<'a, T>(&'a mut Vec<JoinHandle<T>>);

impl<T> JoinNext<'_, T> {
    fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Option<Result<T, JoinError>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(ended) = self.poll_ended(task) {
            return Poll::Ready(ended);
        }
        for at in 0..self.0.len() {
            if let Poll::Ready(ended) = self.poll_at(at, task) {
                return Poll::Ready(Some(ended));
            }
        }
        Poll::Pending
    }

    fn poll_ended(&mut self, task: &mut TaskContext<'_>) -> Poll<Option<Result<T, JoinError>>> {
        match self.0.iter().position(JoinHandle::is_finished) {
            Some(at) => self.poll_at(at, task).map(Some),
            None => Poll::Pending,
        }
    }

    fn poll_at(&mut self, at: usize, task: &mut TaskContext<'_>) -> Poll<Result<T, JoinError>> {
        let polled = Pin::new(&mut self.0[at]).poll(task);
        if polled.is_ready() {
            self.0.remove(at);
        }
        polled
    }
}

impl<T> Drop for JoinNext<'_, T> {
    fn drop(&mut self) {
        for task in self.0.iter_mut() {
            if let Inner::Controlled(joined) = &mut task.0 {
                joined.access.stop_waiting();
            }
        }
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        // tokio's set aborts its tasks on drop by itself.
        if let Tasks::Controlled(tasks) = &self.0 {
            tasks.iter().for_each(JoinHandle::abort);
        }
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len()).finish()
    }
}
