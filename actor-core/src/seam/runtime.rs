//! The trait that a controlled executor implements: [`Runtime`].
//!
//! While an execution is controlled, a thread-local pointer names its [`Runtime`], and every effect of an
//! actor goes through it. Production never takes this path: a reference to an actor is either live or
//! controlled, and only the controlled kind comes here.

use std::any::{Any, TypeId};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::disk::{DiskOp, DiskOpResult};
use super::{
    Announce, AnyMail, AskError, AskSlot, AskSupervisor, CallErrors, Factory, InjectedError,
    LinkNotice, NamesOn, NextTick, Notice, Offered, Purpose, PutReason, PutStart, Script,
    ScriptedFault, Sharing, Spawn, SpawnOptions, Stop,
};
use crate::identity::{
    ActorId, Address, AskId, CapacityRequestId, DiskCallId, DiskId, EncodedActorRef, TimerId,
};
use crate::specification::{AnyMonitor, Expectation, Predicate};
use crate::supervision::{Decision, Supervision};

/// The services of a controlled executor for the actors that it runs.
///
/// Every method is called while a handler, a hook, the test body or a user's `Drop` runs, so the
/// executor must not hold its own state borrowed then. Effects take place in the order of the
/// calls, when the executor carries out the current operation's outbox.
pub trait Runtime: Sharing {
    /// Creates an actor; it starts when the effect is carried out.
    fn spawn(&self, actor: &mut dyn Spawn<Address>, options: &SpawnOptions) -> Address;
    /// Creates a supervised actor, whose first value `factory` makes at once; the system supervises it if
    /// no supervisor is given.
    fn spawn_with(
        &self,
        supervisor: Option<Address>,
        factory: Factory<Address>,
        options: &SpawnOptions,
    ) -> Address;
    /// Sets the supervision of an actor's children from now on.
    fn supervise(&self, supervisor: Address, supervision: Supervision);
    /// Sets the supervision of the children of the system, or of the node that the caller is on.
    fn supervise_system(&self, supervision: Supervision);
    /// Makes a supervisor decide about each failed child.
    fn decide_failures(&self, supervisor: Address, ask: AskSupervisor<Address>);
    /// Records the decision of that child's supervisor.
    fn decided(&self, child: Address, decision: Decision);
    /// Stops an actor.
    fn stop(&self, target: Address, stop: Stop);
    /// Lets no actor start that is spawned from now on. Returns the actors that have not stopped.
    fn close(&self) -> Vec<Address>;
    /// Returns the number of dead letters so far.
    fn dead_letters(&self) -> u64;
    /// Records the drop of a counted reference to an actor; stops the actor in order if it was the last
    /// reference.
    fn reference_dropped(&self, target: Address, is_last: bool);
    /// Records an attempt to upgrade a weak reference to a reference-counted actor, with its success.
    fn upgrade_attempted(&self, of: ActorId, is_there: bool);
    /// Sends a message, a `Slot<A::Message>`, which moves into the target's mail.
    fn post(&self, to: Address, message: &mut dyn Any);
    /// Makes a dead letter of a message of the current actor's own type, which the actor, a relay, can
    /// pass to nobody. The asker gets the reason.
    fn lose(&self, relay: Address, message: &mut dyn Any, why: AskError);
    /// Returns true if the mailbox of an actor is bounded.
    fn is_bounded(&self, of: Address) -> bool;
    /// Requests capacity in the mailbox of `to`; `waits` is set if the sender is willing to wait.
    fn ask_for_room(&self, to: Address, event: u16, waits: bool) -> CapacityRequestId;
    /// Returns the answer, or keeps the waker if there is none yet. If capacity was granted, `message` is
    /// sent as [`post`](Runtime::post) does. After an answer the request is over.
    fn poll_room(
        &self,
        room: CapacityRequestId,
        message: &mut dyn Any,
        waker: &Waker,
    ) -> Poll<Offered>;
    /// Cancels a request for capacity.
    fn room_dropped(&self, room: CapacityRequestId);
    /// Registers an `ask`; its event is posted next.
    fn ask(&self, to: Address, slot: Arc<AskSlot>) -> AskId;
    /// Returns the system's time limit for an `ask` without a limit of its own.
    fn ask_limit(&self) -> Option<Duration>;
    /// Sets the system's time limit of an `ask`, for every `ask` from now on.
    fn set_ask_limit(&self, limit: Duration);
    /// Records a poll for the reply; if the reply is not there, the current operation awaits it.
    fn reply_polled(&self, ask: AskId, is_there: bool);
    /// Records that the reply was sent and waits in its slot.
    fn replied(&self, ask: AskId);
    /// Records that a handler has the reply and may keep it or send it on.
    fn reply_handed_over(&self, ask: AskId);
    /// Records that the reply was dropped.
    fn reply_dropped(&self, ask: AskId);
    /// Records that the asker is gone.
    fn ask_dropped(&self, ask: AskId);
    /// Shows an event to the monitors. `event` is an `Option` that [`Announce`] moves out of.
    fn announce(&self, event: &mut dyn Announce);

    /// Registers the errors that environment calls of that name may fail with.
    fn fails(&self, call: &str, failing: CallErrors);
    /// Decides if an environment call fails, and returns the error to fail with. Returns `Err` if the
    /// supplied error is of another type.
    fn call(
        &self,
        call: &str,
        error: TypeId,
        error_name: &'static str,
    ) -> Result<Option<InjectedError>, String>;

    /// Chooses a number below `bound`, which is at least one.
    fn choose(&self, bound: u32) -> u32;
    /// Chooses a bool, as [`choose`](Runtime::choose) of two; recordings mark it as a bool.
    fn choose_bool(&self) -> bool;
    /// Chooses which of `count` branches of a `select!` is polled first.
    fn first_branch(&self, count: u32) -> u32;
    /// Chooses a seed for a generator: one recorded choice.
    fn seed(&self) -> u64;
    /// Returns the virtual time since the start of the execution, on the clock of the current operation's
    /// node.
    fn now(&self) -> Duration;
    /// Announces a read of the clock by the program: time may pass before it.
    fn read_clock(&self);
    /// Returns true if `one` is before `other`, as far as the clocks can tell.
    fn is_before(&self, one: Duration, other: Duration) -> bool;

    /// Arms a timer whose event goes to `owner`. `message` is a `Slot<A::Message>`; `again`
    /// makes the next one of a periodic timer.
    fn arm(
        &self,
        owner: Address,
        delay: Duration,
        message: &mut dyn Any,
        again: Option<NextTick>,
        purpose: Purpose,
    ) -> TimerId;
    /// Cancels a timer, and removes its fired, unread event.
    fn cancel(&self, timer: TimerId);
    /// Returns a mark of the timer handle for a fingerprint: two marks are equal if the timers have the
    /// same place among those of their owners.
    fn timer_mark(&self, timer: TimerId) -> u64;
    /// Arms a timer that wakes the current operation.
    fn sleep(&self, delay: Duration, purpose: Purpose) -> TimerId;
    /// Returns true if the sleep is over; otherwise keeps the waker. A sleep belongs to the operation that
    /// polled it last: if another one polls it, the sleep is replaced, and `timer` gets the new number.
    fn poll_sleep(&self, timer: &mut TimerId, waker: &Waker) -> bool;
    /// Returns the time since the deadline of a sleep, zero before the deadline.
    fn time_past_deadline(&self, timer: TimerId) -> Duration;

    /// Takes the first event of that kind from the inbox of `owner`, or waits for it.
    fn receive(&self, owner: Address, event: u16, waker: &Waker) -> Option<(Rc<dyn AnyMail>, u32)>;
    /// Ends the wait for that kind of event.
    fn receive_dropped(&self, owner: Address, event: u16);

    /// Marks the current operation as one whose wait may never end; returns the operation.
    fn waits_forever(&self) -> Address;
    /// Removes that mark from the operation.
    fn waited_forever(&self, operation: Address);

    /// Runs a future as an operation that ends with its owner.
    fn pipe(&self, owner: Address, future: Pin<Box<dyn Future<Output = ()>>>);
    /// Watches an actor: `watcher` gets a message when `target` has stopped. `notice` builds the message
    /// from the reason.
    fn watch(&self, watcher: Address, target: Address, notice: Notice);
    /// Ends the watches that `watcher` has on `target`.
    fn unwatch(&self, watcher: Address, target: Address);
    /// Answers an `ask` without an event when the actor that was asked has stopped. `put` puts the reason
    /// into the slot of the reply.
    fn await_end(&self, ask: AskId, put: PutReason);
    /// Answers an `ask` without an event when the actor that was asked has run its start hook or has
    /// stopped before. `put` puts the outcome into the slot of the reply.
    fn await_start(&self, ask: AskId, put: PutStart);

    /// Returns the disk of the current operation.
    fn disk(&self) -> DiskId;
    /// Starts a call to a disk, carried out with the outbox.
    fn disk_call(&self, disk: DiskId, call: DiskOp) -> DiskCallId;
    /// Returns the answer, or keeps the waker if there is none yet. After an answer the call is over.
    fn poll_disk_call(&self, call: DiskCallId, waker: &Waker) -> Poll<io::Result<DiskOpResult>>;
    /// Ends the wait for the answer.
    fn disk_call_dropped(&self, call: DiskCallId);
    /// Fails the power of a disk.
    fn fail_power(&self, disk: DiskId);
    /// From now on, a crash tears writes to the disk at block boundaries; never if `block` is zero.
    fn tear_writes(&self, disk: DiskId, block: u32);

    /// Links two actors: a failure of one makes the other fail.
    fn link(&self, one: Address, other: Address);
    /// Ends the link of two actors.
    fn unlink(&self, one: Address, other: Address);
    /// Sends an actor a message in place of a shared failure. `trap` builds the message.
    fn trap_links(&self, owner: Address, trap: LinkNotice);

    /// Ends the execution, once the earlier effects of the current operation are carried out and no
    /// monitor is hot.
    fn finish(&self);

    /// Registers a monitor, unless one of its type is registered.
    fn monitor(&self, monitor: Box<dyn AnyMonitor>);
    /// Registers a predicate over the states of all actors.
    fn predicate(&self, name: &str, expectation: Expectation, predicate: Predicate);
    /// Reports a failed operation whose result nobody waits for.
    fn report(&self, error: &str);
    /// Records a transition of `owner` from one state to another, or its first state.
    fn entered(&self, owner: Address, from: Option<usize>, to: usize);
    /// Records that `owner` handles an event which it has raised.
    fn raised(&self, owner: Address, state: usize, event: u16);
    /// Records that the program reached a coverage label.
    fn cover(&self, label: &'static str);
    /// Returns the name of the actor in reports, `Client#2` for instance.
    fn name(&self, of: ActorId) -> String;
    /// Records that the program reads the number of an actor.
    fn number_seen(&self);
    /// Returns true if the actor has stopped.
    fn has_stopped(&self, of: Address) -> bool;
    /// Returns the registry of names, if there is one.
    fn names(&self) -> Option<Address>;
    /// Sets the registry of names.
    fn set_names(&self, registry: Address);

    /// Declares a node, and boots it.
    fn node(&self, name: &str, code: NodeCode);
    /// Returns the prefix of the names of actors on an actor's node.
    fn node_prefix(&self, of: Address) -> Option<String>;
    /// Returns the name of an actor's node.
    fn node_of(&self, of: Address) -> Option<String>;
    /// Returns the registry of names of a node.
    fn names_on(&self, node: &str) -> NamesOn<Address>;
    /// Injects a fault, as an effect of the current operation.
    fn fault(&self, fault: ScriptedFault);
    /// Injects the faults of a script as soon as a predicate is true.
    fn when(&self, name: &str, predicate: Predicate, script: Script);
    /// Returns the encoded form of a reference to an actor.
    fn passport(&self, of: Address) -> Option<EncodedActorRef>;
    /// Returns the actor of an encoded reference; `None` if there is none in this execution.
    fn admit(&self, passport: &EncodedActorRef) -> Option<Address>;
    /// Registers the send table that the receiver of a reference needs; returns its number.
    fn register_send_table(&self, table: &'static (dyn Any + Send + Sync)) -> u32;
    /// Returns the send table of that number.
    fn send_table(&self, number: u32) -> Option<&'static (dyn Any + Send + Sync)>;
    /// Returns the slot of that `ask`'s reply.
    fn ask_slot(&self, ask: u32) -> Option<Arc<AskSlot>>;
}

/// The registry and the boot code of a node.
pub struct NodeCode {
    /// Makes the node's registry of names, which is its first actor.
    pub registry: fn() -> Box<dyn Spawn<Address>>,
    /// Boots the node.
    pub boot: Box<dyn FnMut()>,
}
