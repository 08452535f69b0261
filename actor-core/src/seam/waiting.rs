//! Waits of an operation: [requests](Request), their [polls](Awaited), and [timers](TimerEvent).

use std::any::Any;
use std::io;
use std::rc::Rc;

use super::disk::{DiskOp, DiskOpResult};
use super::{AnyMail, NextTick, Offered};
use crate::identity::{Address, DiskId, RequestId, TimerId};

/// A request of the current operation, which is carried out with its outbox. An answer ends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Capacity in the mailbox of an actor, for one event.
    Capacity {
        /// The actor.
        to: Address,
        /// The number of the event.
        event: u16,
        /// True if the sender is willing to wait.
        waits: bool,
    },
    /// A call to a disk.
    Disk(DiskId, DiskOp),
}

/// A wait of the current operation, which is polled. The last field of each variant receives the result.
pub enum Awaited<'a> {
    /// A request for capacity.
    Capacity {
        /// The request.
        request: RequestId,
        /// The message, a `Slot<A::Message>`, which is sent if capacity was granted.
        message: &'a mut dyn Any,
        /// The answer.
        offered: &'a mut Offered,
    },
    /// A call to a disk.
    DiskCall(RequestId, &'a mut io::Result<DiskOpResult>),
    /// The end of a sleep. A sleep belongs to the operation that polled it last: if another one polls it, the
    /// sleep is replaced, and this gets the new number.
    Sleep(&'a mut TimerId),
    /// The first event of that number in the inbox of an actor: its mail and slot.
    Event(Address, u16, &'a mut Option<(Rc<dyn AnyMail>, u32)>),
}

/// The event of a timer.
pub struct TimerEvent<'a> {
    /// The receiver.
    pub owner: Address,
    /// The message, a `Slot<A::Message>`.
    pub message: &'a mut dyn Any,
    /// Makes the next message of a periodic timer.
    pub again: Option<NextTick>,
}
