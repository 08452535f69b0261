//! Questions about an execution: [`Query`].

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use super::{AskSlot, EncodedActorRef, InjectedError, Locals, ObjectId, SourceLocation};
use crate::identity::{ActorId, Address, DiskId, TimerId};

/// The table by which the receiver of a reference sends to its actor.
pub type SendTable = &'static (dyn Any + Send + Sync);

/// A question about the execution. The last field of each variant receives the answer, which is given before
/// the call returns.
pub enum Query<'a> {
    /// True if the actor has stopped.
    HasStopped(Address, &'a mut bool),
    /// True if the mailbox of the actor is bounded.
    IsBounded(Address, &'a mut bool),
    /// True if the first time is before the second, as far as the clocks can tell.
    IsBefore(Duration, Duration, &'a mut bool),
    /// The system's time limit for an `ask` without a limit of its own.
    AskLimit(&'a mut Option<Duration>),
    /// The number of dead letters so far.
    DeadLetters(&'a mut u64),
    /// The actors that have not stopped.
    Running(&'a mut Vec<Address>),
    /// A mark of a timer handle for a fingerprint: two marks are equal if the timers have the same place among
    /// those of their owners.
    TimerMark(TimerId, &'a mut u64),
    /// The time since the deadline of a sleep, zero before the deadline.
    TimePastDeadline(TimerId, &'a mut Duration),
    /// The failure of an environment call of that name, if the call fails.
    CallFailure {
        /// The name of the call.
        call: &'a str,
        /// The type of the call's error.
        error: TypeId,
        /// The name of that type.
        error_name: &'static str,
        /// The error to fail with; `Err` if the supplied error is of another type.
        answer: &'a mut Result<Option<InjectedError>, String>,
    },
    /// The disk of the current operation.
    Disk(&'a mut DiskId),

    /// The name of the actor in reports, `Client#2` for instance.
    Name(ActorId, &'a mut Option<String>),
    /// The name of the actor's node.
    NodeName(Address, &'a mut Option<String>),
    /// The prefix of the names of actors on the actor's node.
    NodePrefix(Address, &'a mut Option<String>),

    /// The encoded form of a reference to the actor.
    Encode(Address, &'a mut Option<EncodedActorRef>),
    /// The actor of an encoded reference; `None` if there is none in this execution.
    Decode(EncodedActorRef, &'a mut Option<Address>),
    /// The number of a send table, which is registered if it is new.
    SendTableNumber(SendTable, &'a mut Option<u32>),
    /// The send table of that number.
    SendTable(u32, &'a mut Option<SendTable>),
    /// The slot of the reply of the `ask` of that number.
    AskSlot(u32, &'a mut Option<Arc<AskSlot>>),

    /// The identity of a shared object that is new to the execution, from its kind and the place of its
    /// creation.
    Object(&'static str, SourceLocation, &'a mut ObjectId),
    /// True if an operation holds the object.
    IsHeld(ObjectId, &'a mut bool),
    /// True if another operation waits for the object by [`Wait::First`](crate::seam::Wait::First).
    IsClaimed(ObjectId, &'a mut bool),
    /// True if the current operation was aborted.
    IsAborted(&'a mut bool),
    /// True if the tester injects a spurious wake-up into the wait that would begin now.
    IsWokenSpuriously(&'a mut bool),
    /// True if the test allows this panic of a task, false if it is a bug.
    IsTolerated(&'a (dyn Any + Send), &'a mut bool),
    /// True if the operation was woken since its poll began; the flag becomes the old value of the answer.
    ExchangeWakeUp(&'a mut bool),
    /// The waker of the current operation.
    Waker(&'a mut Waker),
    /// The thread-local values of the current operation.
    Locals(&'a mut Locals),
}
