//! The asker's end of an `ask`: the future [`Ask`] and its time limit.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::{Origin, ReplySlot};
use crate::dispatch::Target;
use crate::environment::{ClockSleep, sleep};
use crate::event::Event;
use crate::identity::AskId;
use crate::seam::{AskError, AskSlot, Purpose};

/// The future reply of an [`ask`](crate::ActorRef::ask). The event was sent when `ask` was called;
/// awaiting or dropping this future changes nothing for the actor that was asked.
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct Ask<R: Event> {
    pub(super) from: Arc<ReplySlot<R>>,
    /// The [limit of the system](crate::System::ask_limit), if any. A panic leaves the limit consistent.
    pub(super) limit: Option<AssertUnwindSafe<Box<ClockSleep>>>,
}

impl<R: Event> Drop for Ask<R> {
    #[inline]
    fn drop(&mut self) {
        self.from.origin.left();
    }
}

impl<R: Event> fmt::Debug for Ask<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}

impl<R: Event> Ask<R> {
    /// Returns the slot that receives the reply, in the form that the tester keeps.
    pub(crate) fn slot(&self) -> Arc<AskSlot> {
        self.from.clone()
    }

    /// Returns the number of the `ask` under test.
    pub(crate) fn controlled(&self) -> Option<AskId> {
        self.from.origin.controlled()
    }
}

impl<R: Event> Ask<R> {
    /// Gives up after `limit`, counted from now, with [`AskError::TimedOut`]. Under test the limit is
    /// virtual time, and the scheduler decides if the reply or the timer comes first.
    ///
    /// Giving up changes nothing for the actor that was asked: its late reply is dropped.
    ///
    /// In production the clock is that of the runtime on which this is called. If that runtime is dropped
    /// before the reply has come, an `Ask` that is awaited on another runtime times out, too.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Fetch;
    ///
    /// struct Distant;
    ///
    /// #[actor]
    /// impl Distant {
    ///     #[on]
    ///     async fn fetch(&mut self, _: Fetch, cx: &mut Context<Self>) -> u32 {
    ///         cx.sleep(Duration::from_secs(60)).await;
    ///         7
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let sys = System::new();
    /// let distant = sys.spawn(Distant);
    /// let answer = distant.ask(Fetch).timeout(Duration::from_secs(1)).await;
    /// assert_eq!(answer, Err(AskError::TimedOut));
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// In production, outside a tokio runtime unless the crate's feature `futures` is on, or on a
    /// runtime without a time driver.
    #[track_caller]
    pub fn timeout(mut self, limit: Duration) -> TimedAsk<R> {
        self.limit = None;
        let live = match &self.from.origin {
            Origin::Controlled(_) => false,
            Origin::Live(_, asked) => {
                asked.over();
                true
            }
        };
        TimedAsk {
            ask: self,
            limit: sleep(live, limit, Purpose::Reply),
        }
    }

    /// Waits without a limit, even if the system has a [limit](crate::System::ask_limit).
    pub fn without_limit(mut self) -> Self {
        self.limit = None;
        self
    }

    /// Takes the limit of the system, if there is one. The limit counts from now, when the event is sent.
    pub(crate) fn limited(mut self, of: &Target) -> Self {
        if let Some(limit) = of.ask_limit() {
            if let Origin::Live(_, asked) = &self.from.origin {
                asked.over();
            }
            self.limit = Some(AssertUnwindSafe(Box::new(limit)));
        }
        self
    }
}

/// The future reply of an [`ask`](crate::ActorRef::ask) with a time limit; made by
/// [`Ask::timeout`].
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct TimedAsk<R: Event> {
    ask: Ask<R>,
    limit: ClockSleep,
}

impl<R: Event> fmt::Debug for TimedAsk<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TimedAsk")
    }
}

impl<R: Event> Future for TimedAsk<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(answer) = Pin::new(&mut self.ask).poll(task) {
            return Poll::Ready(answer);
        }
        let late = self.limit.poll_limit(task);
        late.map(|()| Err(AskError::TimedOut))
    }
}

impl<R: Event> Future for Ask<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let mut open = self.from.lock();
        match open.fate.poll(task.waker()) {
            Poll::Pending => {
                drop(open);
                self.from.origin.sought(false);
                let Some(AssertUnwindSafe(limit)) = &mut self.limit else {
                    return Poll::Pending;
                };
                let late = limit.poll_limit(task);
                late.map(|()| Err(AskError::TimedOut))
            }
            Poll::Ready(fate) => {
                let value = fate.and_then(|()| open.value.take().ok_or(AskError::Dropped));
                drop(open);
                self.from.origin.sought(true);
                Poll::Ready(value)
            }
        }
    }
}
