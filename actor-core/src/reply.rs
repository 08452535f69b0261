//! The two ends of an `ask`: [`Reply`] at the actor that answers, [`Ask`] at the one that waits.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::hash::Hasher;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};

use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::live::{LiveAsk, LiveReply};
use crate::runtime::{self, AskId};

/// To whom a handler's result goes: the asker, or nobody after a `tell`.
///
/// Dropping it without [`send`](Reply::send) tells the asker [`AskError::Dropped`].
pub struct Reply<R>(To<R>);

enum To<R> {
    Nobody,
    Live(LiveReply<R>),
    Controlled(ControlledReply<R>),
}

impl<R: Event> Reply<R> {
    /// The event was told: no one waits.
    pub const fn nobody() -> Self {
        Self(To::Nobody)
    }

    pub(crate) fn live(reply: LiveReply<R>) -> Self {
        Self(To::Live(reply))
    }

    pub(crate) fn controlled(id: AskId, slot: Arc<AskSlot<R>>) -> (Self, Ask<R>) {
        let to = ControlledReply {
            id,
            slot: Some(slot.clone()),
        };
        let from = ControlledAsk { id, slot };
        (Self(To::Controlled(to)), Ask(From::Controlled(from)))
    }

    /// Nobody waits for this reply: the event was told, or the asker has gone.
    pub fn is_nobody(&self) -> bool {
        match &self.0 {
            To::Nobody => true,
            To::Live(reply) => reply.is_nobody(),
            To::Controlled(_) => false,
        }
    }

    /// Feeds to whom it goes. Under test: an ask keeps its number while anyone waits for it.
    #[doc(hidden)]
    pub fn fingerprint<'a>(&self, to: &'a mut Fingerprinter) -> &'a mut Fingerprinter {
        to.write_u64(match &self.0 {
            To::Nobody => 0,
            To::Live(_) => 1,
            To::Controlled(reply) => 2 + u64::from(reply.id.index),
        });
        to
    }

    /// Answers. The value is dropped where nobody waits for it.
    #[inline]
    pub fn send(self, value: R) {
        match self.0 {
            To::Nobody => {}
            To::Live(reply) => reply.send(value),
            To::Controlled(mut to) => {
                if let Some(slot) = to.slot.take() {
                    let dropped = slot.lock().value.replace(value);
                    debug_assert!(dropped.is_none(), "a reply is sent once");
                    runtime::with(|rt| rt.replied(to.id));
                }
            }
        }
    }
}

impl<R> fmt::Debug for Reply<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            To::Nobody => "Reply(nobody)",
            To::Live(_) | To::Controlled(_) => "Reply",
        })
    }
}

struct ControlledReply<R> {
    id: AskId,
    slot: Option<Arc<AskSlot<R>>>,
}

impl<R> Drop for ControlledReply<R> {
    fn drop(&mut self) {
        if self.slot.is_some() {
            runtime::try_with(|rt| rt.reply_dropped(self.id));
        }
    }
}

/// The future reply of an [`ask`](crate::ActorRef::ask). The event was sent when `ask` was called;
/// awaiting this, or dropping it, changes nothing for the actor that was asked.
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct Ask<R>(From<R>);

enum From<R> {
    Live(LiveAsk<R>),
    Stopped,
    Controlled(ControlledAsk<R>),
}

impl<R> Ask<R> {
    pub(crate) fn live(ask: LiveAsk<R>) -> Self {
        Self(From::Live(ask))
    }

    pub(crate) fn stopped() -> Self {
        Self(From::Stopped)
    }
}

impl<R> fmt::Debug for Ask<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}

struct ControlledAsk<R> {
    id: AskId,
    slot: Arc<AskSlot<R>>,
}

impl<R> Drop for ControlledAsk<R> {
    fn drop(&mut self) {
        runtime::try_with(|rt| rt.ask_dropped(self.id));
    }
}

impl<R: Event> Future for Ask<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            From::Stopped => Poll::Ready(Err(AskError::Stopped)),
            From::Live(ask) => ask.poll(task),
            From::Controlled(ask) => ask.slot.lock().poll(task.waker()),
        }
    }
}

/// Why an [`ask`](crate::ActorRef::ask) got no reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had stopped, or stopped before it came to the event.
    Stopped,
    /// The actor dropped the reply: it ignored the event, or its handler failed.
    Dropped,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the actor stopped before it answered",
            Self::Dropped => "the actor dropped the event without an answer",
        })
    }
}

impl std::error::Error for AskError {}

/// Where the reply of a controlled `ask` waits until the tester delivers it.
pub(crate) struct AskSlot<R>(Mutex<Slot<R>>);

struct Slot<R> {
    value: Option<R>,
    status: Status,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Delivered,
    Lost(AskError),
}

impl<R> AskSlot<R> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Slot {
            value: None,
            status: Status::Open,
            waker: None,
        }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Slot<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Slot<R> {
    fn poll(&mut self, waker: &Waker) -> Poll<Result<R, AskError>> {
        match (self.status, self.value.take()) {
            (Status::Delivered, Some(value)) => Poll::Ready(Ok(value)),
            (Status::Lost(error), _) => Poll::Ready(Err(error)),
            (_, value) => {
                self.value = value;
                self.waker = Some(waker.clone());
                Poll::Pending
            }
        }
    }
}

/// The slot of a controlled `ask` without its type, as the tester keeps it.
pub trait AnyAskSlot: Any + Send + Sync {
    /// Makes the reply, or its loss, visible to the asker.
    fn deliver(&self, lost: Option<AskError>);
    /// Shows the reply, where one was sent.
    fn inspect(&self, f: &mut dyn FnMut(&dyn Event));
}

impl<R: Event> AnyAskSlot for AskSlot<R> {
    fn deliver(&self, lost: Option<AskError>) {
        let waker = {
            let mut slot = self.lock();
            slot.status = lost.map_or(Status::Delivered, Status::Lost);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn inspect(&self, f: &mut dyn FnMut(&dyn Event)) {
        let value = self.lock().value.take();
        if let Some(value) = value {
            f(&value);
            self.lock().value = Some(value);
        }
    }
}
