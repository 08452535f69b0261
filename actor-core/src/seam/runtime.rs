//! The trait that a controlled executor implements: [`Runtime`].
//!
//! While an execution is controlled, a thread-local pointer names its [`Runtime`], and every effect of an
//! actor goes through it. Production never takes this path: a reference to an actor is either live or
//! controlled, and only the controlled kind comes here.
//!
//! Effects, registrations, facts, drops and questions are data: a controlled executor checks in one place that
//! the caller may act. Calls that most steps make have methods of their own.

use std::any::Any;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::{
    Action, Announce, AskSite, AskSlot, Awaited, BlockUntil, Dropped, MadeAccess, NewOperation,
    Note, ObjectId, Purpose, Query, RandomChoice, Registration, Request, SchedulingPoint,
    TimerEvent, Unblock,
};
use crate::identity::{Address, AskId, RequestId, TimerId};

/// The services of a controlled executor for the program that it runs.
///
/// Every method is called while a handler, a hook, the test body, a task or a user's `Drop` runs, so the
/// executor must not hold its own state borrowed then. Effects take place in the order of the calls, when the
/// executor carries out the current operation's outbox.
pub trait Runtime {
    /// Sends a message, a `Slot<A::Message>`, which moves into the target's mail.
    fn post(&self, to: Address, message: &mut dyn Any);
    /// Registers an `ask`; its event is posted next. An ask of the framework itself has no site.
    fn ask(&self, to: Address, slot: Arc<AskSlot>, site: Option<AskSite>) -> AskId;
    /// Sends the reply that waits in the slot of the `ask`.
    fn reply(&self, ask: AskId);
    /// Shows an event to the monitors. `event` is an `Option` that [`Announce`] moves out of.
    fn announce(&self, event: &mut dyn Announce);
    /// Creates an operation; it starts when the effect is carried out.
    fn spawn(&self, new: NewOperation<'_>) -> Address;
    /// Has any other effect on the world.
    fn act(&self, action: Action);
    /// Adds to the set-up of the test.
    fn register(&self, registration: Registration<'_>);
    /// Records a fact.
    fn note(&self, note: Note<'_>);
    /// Records a drop.
    fn dropped(&self, value: Dropped);
    /// Answers a question.
    fn query(&self, query: Query<'_>);
    /// Makes a random choice.
    fn choose(&self, choice: RandomChoice) -> u32;

    /// Returns the virtual time since the start of the execution, on the clock of the current operation's
    /// node. If the program itself `reads` the clock, time may pass before.
    fn now(&self, reads: bool) -> Duration;
    /// Arms a timer for an event; without one, a timer that wakes the current operation.
    fn arm(&self, delay: Duration, purpose: Purpose, event: Option<TimerEvent<'_>>) -> TimerId;
    /// Begins a request.
    fn request(&self, request: Request) -> RequestId;
    /// Returns ready if the wait is over; otherwise keeps the waker.
    fn poll(&self, wait: Awaited<'_>, waker: &Waker) -> Poll<()>;

    /// Returns the current operation.
    fn current(&self) -> Address;
    /// Comes to a point where others may go first, and returns in the step that goes on. Returns `false` in
    /// the current step if the operation has no stack of its own: an async caller then yields itself.
    /// `waits`: the caller can't yield.
    fn reach(&self, point: SchedulingPoint, waits: bool) -> bool;
    /// Records an access that was made.
    fn access(&self, access: MadeAccess<'_>);
    /// Blocks the operation on its stack; returns in a later step. Returns true if an object changed.
    fn block(&self, until: BlockUntil) -> bool;
    /// Wakes waiters that are blocked on the object.
    fn unblock(&self, object: ObjectId, whom: Unblock);
}
