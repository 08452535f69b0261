//! Letters: the envelopes of events in inboxes and outboxes, and their senders.

use crate::records::MessageSource;
use crate::strategy::{EventId, OperationId};

/// The event number of a letter that stops its receiver in order. No type has so many events.
pub(crate) const STOP: u16 = u16::MAX;

/// The envelope of an event in an inbox or outbox. The event itself stays in its receiver's mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Envelope {
    /// The slot of the event in the receiver's mail.
    pub(crate) slot: u32,
    /// The number of the event among those of the receiver's type.
    pub(crate) event: u16,
    /// The event as strategies see it.
    pub(crate) event_id: Option<EventId>,
    pub(crate) sender: PackedSender,
    /// The stable key of the event: a hash of its sender's path and the number of letters sent before.
    pub(crate) key: u64,
    /// True if a permit is reserved for the letter: for a place in the receiver's bounded mailbox, or for the link
    /// to its node.
    pub(crate) placed: bool,
    /// True if a fault makes the letter find the receiver's bounded mailbox full.
    pub(crate) is_refused: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LetterOrigin {
    /// An operation that is no timer.
    Operation(u32),
    /// The end of an operation, of which the letter is the notice.
    End(u32),
    /// A timer, by slot and generation.
    Timer(u32, u32),
}

/// A [`LetterOrigin`] packed into two numbers, so that a letter is copied without a branch on its sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedSender {
    /// The number of the operation or timer, with its kind in the upper bits. Without the `END` bit, these
    /// are the bits of an [`OperationId`].
    bits: u32,
    generation: u32,
}

impl PackedSender {
    const TIMER: u32 = 1 << 31;
    const END: u32 = 1 << 30;

    #[inline]
    pub(crate) const fn operation(index: u32) -> Self {
        Self {
            bits: index,
            generation: 0,
        }
    }

    pub(crate) const fn end(index: u32) -> Self {
        Self {
            bits: index | Self::END,
            generation: 0,
        }
    }

    pub(crate) const fn timer(index: u32, generation: u32) -> Self {
        Self {
            bits: index | Self::TIMER,
            generation,
        }
    }

    #[inline]
    pub(crate) fn sender(self) -> LetterOrigin {
        if self.is_timer() {
            LetterOrigin::Timer(self.bits & !Self::TIMER, self.generation)
        } else if self.bits & Self::END != 0 {
            LetterOrigin::End(self.bits & !Self::END)
        } else {
            LetterOrigin::Operation(self.bits)
        }
    }

    /// Returns the operation whose step has sent the letter; `None` for a timer.
    #[inline]
    pub(crate) fn sent_by(self) -> Option<u32> {
        (!self.is_timer()).then_some(self.bits & !Self::END)
    }

    #[inline]
    pub(crate) const fn is_timer(self) -> bool {
        self.bits & Self::TIMER != 0
    }

    /// Returns the sender as strategies see it.
    #[inline]
    pub(crate) const fn id(self) -> OperationId {
        OperationId::actor(self.bits & !Self::END)
    }
}

impl From<PackedSender> for MessageSource {
    fn from(stamp: PackedSender) -> Self {
        stamp.sender().into()
    }
}

impl From<LetterOrigin> for MessageSource {
    fn from(sender: LetterOrigin) -> Self {
        match sender {
            LetterOrigin::Operation(operation) => Self::Operation(operation),
            LetterOrigin::End(operation) => Self::End(operation),
            LetterOrigin::Timer(..) => Self::Timer,
        }
    }
}
