//! Request and reply without the type of the reply: errors, completion and slots of an `ask`.

use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::{CannotCross, SourceLocation};
use crate::event::Event;
use crate::identity::AskId;

/// The reason why an [`ask`](crate::ActorRef::ask) got no reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had stopped, or stopped before it answered.
    Stopped,
    /// The actor failed before it answered, by a panic, a broken rule or an unhandled event.
    Failed,
    /// There was no answer within the [limit](crate::Ask::timeout), or before the runtime was dropped
    /// whose clock measures it.
    TimedOut,
    /// The actor's [bounded mailbox](crate::mailbox::Mailbox) was full, or a newer event displaced this one;
    /// or the link to the actor's node was full.
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

/// The call of an `ask`, as reports name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskSite {
    /// The position of the event among those of the asked actor.
    pub event: u16,
    /// The source location of the call.
    pub place: SourceLocation,
}

impl AskSite {
    /// Returns the call by the caller's caller.
    #[track_caller]
    pub(crate) const fn of(event: u16) -> Self {
        Self {
            event,
            place: Location::caller(),
        }
    }
}

/// The completion state of an `ask`, and the waker of the asker.
pub struct Fate {
    pub(crate) status: AskStatus,
    pub(crate) waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskStatus {
    Open,
    Delivered,
    Lost(AskError),
}

impl Fate {
    /// Returns ready if the reply, or its loss, is visible.
    #[inline]
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Result<(), AskError>> {
        match self.status {
            AskStatus::Delivered => Poll::Ready(Ok(())),
            AskStatus::Lost(error) => Poll::Ready(Err(error)),
            AskStatus::Open => {
                self.waker = Some(waker.clone());
                Poll::Pending
            }
        }
    }

    /// Sets the status, and returns the waker to wake under no lock.
    #[inline]
    pub(crate) fn settle(&mut self, status: AskStatus) -> Option<Waker> {
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
    /// Sets the number under which the tester has registered the `ask`.
    fn register(&self, id: AskId);

    /// Returns the slot for a downcast to its type.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;

    /// Replaces the reply by its form after encoding and decoding for another node.
    fn carry(&self) -> Result<(), CannotCross>;

    /// Discards any later answer: the connection back is broken.
    fn sever(&self);

    /// Shows the completion state of the `ask`, and the reply if one was sent.
    fn with_state(&self, f: &mut dyn FnMut(&mut Fate, Option<&dyn Event>));
}

impl dyn AnySlot {
    /// Makes the reply, or its loss, visible to the asker.
    pub fn deliver(&self, lost: Option<AskError>) {
        let status = lost.map_or(AskStatus::Delivered, AskStatus::Lost);
        let mut waker = None;
        self.with_state(&mut |fate, _| waker = fate.settle(status));
        wake(waker);
    }

    /// Shows the reply, if one was sent.
    pub fn inspect(&self, f: &mut dyn FnMut(&dyn Event)) {
        self.with_state(&mut |_, reply| {
            if let Some(event) = reply {
                f(event);
            }
        });
    }
}
