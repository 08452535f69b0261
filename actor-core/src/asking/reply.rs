//! The answering end of an `ask`: [`Reply`].

#[cfg(feature = "codec")]
use std::any::Any;
use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use super::{Origin, ReplySlot};
#[cfg(feature = "codec")]
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::seam::Carry;

/// The target of the answer to an event: the asker, or nobody after a `tell`.
///
/// A handler that does not answer by its return value takes a `Reply` as a parameter, between the event
/// and the context, and returns nothing. The handler may answer at once, keep the reply in the actor's
/// state for later, or send it on in an event, so that another actor answers.
///
/// Dropping a `Reply` without [`send`](Reply::send) gives the asker
/// [`AskError::Dropped`](crate::AskError::Dropped). If the actor stops or fails, the asker gets that error.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Take;
/// #[derive(Debug)]
/// struct Put(u32);
///
/// /// Whoever takes a number waits until there is one.
/// #[derive(Default)]
/// struct Queue {
///     waiting: Option<Reply<u32>>,
/// }
///
/// #[actor(states(Empty, Waiting(defer(Take))))]
/// impl Queue {
///     #[on(Empty)]
///     fn take(&mut self, _: Take, reply: Reply<u32>, cx: &mut Context<Self>) {
///         self.waiting = Some(reply);
///         cx.goto(QueueState::Waiting);
///     }
///
///     #[on]
///     fn put(&mut self, put: Put, cx: &mut Context<Self>) {
///         if let Some(waiting) = self.waiting.take() {
///             waiting.send(put.0);
///         }
///         cx.goto(QueueState::Empty);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let sys = System::new();
/// let queue = sys.spawn(Queue::default());
/// let taken = queue.ask(Take);
/// queue.tell(Put(7));
/// assert_eq!(taken.await, Ok(7));
/// # }
/// ```
#[must_use = "dropping it notifies the asker that there is no answer"]
pub struct Reply<R> {
    /// The slot to answer into; `None` after a `tell`, or once it was answered.
    pub(super) to: Option<Arc<ReplySlot<R>>>,
}

impl<R> Reply<R> {
    /// Returns the reply to an event that nobody asked.
    pub const fn nobody() -> Self {
        Self { to: None }
    }

    /// Returns true if nobody waits for this reply: after a `tell` or, in production, without the asker.
    pub fn is_nobody(&self) -> bool {
        match &self.to {
            None => true,
            Some(slot) => match slot.origin {
                // The second strong reference is the asker's.
                Origin::Live(..) => Arc::strong_count(slot) == 1,
                Origin::Controlled(_) => false,
            },
        }
    }

    /// Returns true if nobody waits for an answer: the event was sent by `tell`, or is answered.
    pub(crate) fn is_unasked(&self) -> bool {
        self.to.is_none()
    }

    /// Returns the same reply as it arrives at another node: the first answer of any copy counts, and
    /// the reply is lost when the last copy is dropped. `carry` encodes and decodes the answer.
    pub(crate) fn duplicate(&self, carry: Carry<R>) -> Self {
        if let Some(slot) = &self.to {
            slot.cross(carry);
        }
        Self {
            to: self.to.clone(),
        }
    }

    /// Returns the number of the `ask` under test.
    #[cfg(feature = "codec")]
    pub(crate) fn number(&self) -> Option<u32> {
        Some(self.to.as_ref()?.origin.controlled()?.index)
    }

    /// Makes the reply that goes to a slot, if the slot is of this type; see [`duplicate`](Self::duplicate).
    #[cfg(feature = "codec")]
    pub(crate) fn travelled(slot: Arc<dyn Any + Send + Sync>, carry: Carry<R>) -> Option<Self>
    where
        R: Event,
    {
        let to = slot.downcast::<ReplySlot<R>>().ok()?;
        to.cross(carry);
        Some(Self { to: Some(to) })
    }

    /// Marks the reply as passed to a handler, which may keep it or send it on.
    #[doc(hidden)]
    pub fn hand_over(self) -> Self {
        if let Some(slot) = &self.to {
            slot.origin.handed_over();
        }
        self
    }

    /// Feeds the target of the reply. Under test: an ask keeps its number while anyone waits for it.
    #[doc(hidden)]
    pub fn fingerprint<'a>(&self, to: &'a mut Fingerprinter) -> &'a mut Fingerprinter {
        to.write_u64(match &self.to {
            None => 0,
            Some(slot) => slot.origin.mark(),
        });
        to
    }

    /// Answers. The value is dropped if nobody waits for it.
    #[inline]
    pub fn send(self, value: R) {
        if self.to.is_some() {
            self.answer(value);
        }
    }

    /// Puts the value into the slot without notifying the asker: under test the engine notifies.
    pub(crate) fn put(mut self, value: R) {
        if let Some(slot) = self.to.take() {
            slot.lock().value = Some(value);
        }
    }

    #[inline(never)]
    fn answer(mut self, value: R) {
        let Some(slot) = self.to.take() else {
            return;
        };
        if let Origin::Live(Some(observed), _) = &slot.origin {
            (slot.show)(observed, &value);
        }
        let mut open = slot.lock();
        if let Some(crossing) = &mut open.crossing
            && std::mem::replace(&mut crossing.is_over, true)
        {
            drop(open);
            return drop(value);
        }
        open.value = Some(value);
        let waker = slot.origin.settle(&mut open.fate);
        drop(open);
        slot.origin.answered(waker);
    }
}

impl<R> Drop for Reply<R> {
    #[inline]
    fn drop(&mut self) {
        if let Some(slot) = &self.to {
            slot.unanswered();
        }
    }
}

/// Fingerprints the index, under test, of the answered ask among those that someone waits for.
impl<R> Fingerprint for Reply<R> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        Reply::fingerprint(self, to);
    }
}

impl<R> fmt::Debug for Reply<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.to {
            None => "Reply(nobody)",
            Some(_) => "Reply",
        })
    }
}
