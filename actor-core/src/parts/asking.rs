//! What the executors know of an `ask`, without the type of its reply.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::CannotCross;
use crate::event::Event;
use crate::identity::AskId;

/// Why an [`ask`](crate::ActorRef::ask) got no reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had stopped, or stopped before it answered.
    Stopped,
    /// The actor failed before it answered: its handler panicked or broke a rule, or its state has no
    /// use for the event.
    Failed,
    /// There was no answer within the [limit](crate::Ask::timeout), or before the runtime was dropped
    /// whose clock measures it.
    TimedOut,
    /// The actor's [bounded mailbox](crate::Mailbox) was full, or the event had to make room for a
    /// newer one.
    Full,
    /// The actor dropped the reply: it ignored the event, or did not answer it.
    Dropped,
    /// The [node](crate::System::node) of the actor crashed, or the connection to it broke.
    Disconnected,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the actor stopped before it answered",
            Self::Failed => "the actor failed before it answered",
            Self::TimedOut => "the actor did not answer in time",
            Self::Full => "the actor's mailbox is full",
            Self::Dropped => "the actor dropped the event without an answer",
            Self::Disconnected => "the connection to the actor's node broke",
        })
    }
}

impl std::error::Error for AskError {}

/// What has become of an `ask`, and who wants to know.
pub struct Fate {
    pub(crate) status: Status,
    pub(crate) waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Open,
    Delivered,
    Lost(AskError),
}

impl Fate {
    /// Whether the reply, or its loss, is visible.
    #[inline]
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Result<(), AskError>> {
        match self.status {
            Status::Delivered => Poll::Ready(Ok(())),
            Status::Lost(error) => Poll::Ready(Err(error)),
            Status::Open => {
                self.waker = Some(waker.clone());
                Poll::Pending
            }
        }
    }

    /// Tells whom to wake, under no lock.
    #[inline]
    pub(crate) fn settle(&mut self, status: Status) -> Option<Waker> {
        self.status = status;
        self.waker.take()
    }
}

#[inline]
pub(crate) fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A slot without the type of its reply, as the tester keeps it.
pub type AskSlot = dyn AnySlot;

/// See [`AskSlot`].
pub trait AnySlot: Send + Sync {
    /// The tester has registered the `ask`.
    fn register(&self, id: AskId);

    /// The slot by its type.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;

    /// Makes of the reply what arrives at another node.
    fn carry(&self) -> Result<(), CannotCross>;

    /// Nobody may answer any more: the way back is broken.
    fn sever(&self);

    /// Shows what has become of the `ask`, and the reply where one was sent.
    fn look(&self, f: &mut dyn FnMut(&mut Fate, Option<&dyn Event>));
}

impl dyn AnySlot {
    /// Makes the reply, or its loss, visible to the asker.
    pub fn deliver(&self, lost: Option<AskError>) {
        let status = lost.map_or(Status::Delivered, Status::Lost);
        let mut waker = None;
        self.look(&mut |fate, _| waker = fate.settle(status));
        wake(waker);
    }

    /// Shows the reply, where one was sent.
    pub fn inspect(&self, f: &mut dyn FnMut(&dyn Event)) {
        self.look(&mut |_, reply| {
            if let Some(event) = reply {
                f(event);
            }
        });
    }
}
