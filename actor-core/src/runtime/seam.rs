//! The seam between actors and a controlled executor.
//!
//! While an execution is controlled, a thread-local pointer names its [`Runtime`]; whatever an
//! actor does to the world goes through it. Production never takes this path: a reference to an
//! actor is either live or controlled, and only the controlled kind comes here.

use std::any::{Any, TypeId};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::identity::{ActorId, Address, AskId, DiskCallId, DiskId, Passport, RoomId, TimerId};
use crate::parts::disk::{Answer, Call};
use crate::parts::{
    Again, Announce, AnyMail, AskError, AskSlot, Failing, Failure, Fault, Notice, Offered, Purpose,
    PutReason, PutStart, Script, Sharing, SpawnOptions, Stop, Trap,
};
use crate::production::{AskSupervisor, Factory, NamesOn, Spawn};
use crate::specification::{AnyMonitor, Expectation, Predicate};
use crate::supervision::{Decision, Supervision};

/// What a controlled executor offers to the actors that it runs.
///
/// Every method is called while a handler, a hook, the test body or a user's `Drop` runs, so the
/// executor must not hold its own state borrowed then. Effects take place in the order of the
/// calls, when the executor carries out the current operation's outbox.
pub trait Runtime: Sharing {
    /// Creates an actor; it starts when the effect is carried out.
    fn spawn(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Address;
    /// Creates a supervised actor, whose first value `factory` makes at once; without a supervisor
    /// it is the system's.
    fn spawn_with(
        &self,
        supervisor: Option<Address>,
        factory: Factory,
        options: &SpawnOptions,
    ) -> Address;
    /// Says how an actor supervises its children from now on.
    fn supervise(&self, supervisor: Address, supervision: Supervision);
    /// Says how the children of the system, or of the node that the caller is on, are supervised.
    fn supervise_system(&self, supervision: Supervision);
    /// Has a supervisor asked what becomes of a child that has failed.
    fn decide_failures(&self, supervisor: Address, ask: AskSupervisor);
    /// The supervisor of that child has decided.
    fn decided(&self, child: Address, decision: Decision);
    /// Stops an actor.
    fn stop(&self, target: Address, stop: Stop);
    /// Lets no actor start that is spawned from now on. Tells which have been, and have not stopped.
    fn close(&self) -> Vec<Address>;
    /// How many events have become dead letters.
    fn dead_letters(&self) -> u64;
    /// A reference to an actor that counts them was dropped; where it was the last one, the actor is
    /// stopped in order.
    fn let_go(&self, target: Address, is_last: bool);
    /// Somebody has tried to come by a reference to an actor that counts them. Tells whether there was
    /// one.
    fn sought(&self, of: ActorId, is_there: bool);
    /// Sends. `message` is a `Slot<A::Message>`, taken into the target's mail.
    fn post(&self, to: Address, message: &mut dyn Any);
    /// Makes a dead letter of a message of the current actor's own type: it relays, and knows nobody to
    /// hand it on to. Who asked is told why.
    fn lose(&self, relay: Address, message: &mut dyn Any, why: AskError);
    /// Whether the mailbox of an actor may be full.
    fn is_bounded(&self, of: Address) -> bool;
    /// Asks for room in the mailbox of `to`; `waits` says that the sender is willing to wait.
    fn ask_for_room(&self, to: Address, event: u16, waits: bool) -> RoomId;
    /// The answer; keeps the waker where there is none yet. Where there is room, `message` is sent as
    /// [`post`](Runtime::post) does. After an answer the question is over.
    fn poll_room(&self, room: RoomId, message: &mut dyn Any, waker: &Waker) -> Poll<Offered>;
    /// Nobody waits for the answer any more.
    fn room_dropped(&self, room: RoomId);
    /// Registers an `ask`; its event is posted next.
    fn ask(&self, to: Address, slot: Arc<AskSlot>) -> AskId;
    /// The limit of an `ask` that says nothing of one.
    fn ask_limit(&self) -> Option<Duration>;
    /// Sets that limit, for what is asked from now on.
    fn set_ask_limit(&self, limit: Duration);
    /// Someone has looked for the reply; where it is not there, it is awaited.
    fn reply_sought(&self, ask: AskId, is_there: bool);
    /// The reply was sent and waits in its slot.
    fn replied(&self, ask: AskId);
    /// The reply is in the hands of a handler, which may keep it or send it on.
    fn reply_handed_over(&self, ask: AskId);
    /// The reply was dropped.
    fn reply_dropped(&self, ask: AskId);
    /// Nobody waits for the reply any more.
    fn ask_dropped(&self, ask: AskId);
    /// Tells the monitors. `event` is an `Option` that [`Announce`] moves out of.
    fn announce(&self, event: &mut dyn Announce);

    /// Takes note of what calls of the environment's of that name may fail with.
    fn fails(&self, call: &str, failing: Failing);
    /// Whether a call of the environment's fails, and with what. An error says that what is supplied is
    /// of another type.
    fn call(
        &self,
        call: &str,
        error: TypeId,
        error_name: &'static str,
    ) -> Result<Option<Failure>, String>;

    /// A number below `bound`, which is at least one.
    fn choose(&self, bound: u32) -> u32;
    /// One of two, as [`choose`](Runtime::choose) of two; known for what it is in recordings.
    fn choose_bool(&self) -> bool;
    /// Which of so many branches of a `select!` is polled first.
    fn first_branch(&self, count: u32) -> u32;
    /// A seed for a generator: one recorded choice.
    fn seed(&self) -> u64;
    /// The virtual time since the start of the execution, as the clock of the current operation's node
    /// shows it.
    fn now(&self) -> Duration;
    /// The program is about to look at the clock: time may have passed since it did so before.
    fn read_clock(&self);
    /// Whether one time is before another, as far as clocks can tell.
    fn is_before(&self, one: Duration, other: Duration) -> bool;

    /// Arms a timer whose event goes to `owner`. `message` is a `Slot<A::Message>`; `again`
    /// makes the next one of a periodic timer.
    fn arm(
        &self,
        owner: Address,
        delay: Duration,
        message: &mut dyn Any,
        again: Option<Again>,
        purpose: Purpose,
    ) -> TimerId;
    /// Cancels a timer, and removes its fired, unread event.
    fn cancel(&self, timer: TimerId);
    /// What a handle to the timer means to its owner, for a fingerprint: the same where the handle
    /// names the timer in the same place among the owner's.
    fn timer_mark(&self, timer: TimerId) -> u64;
    /// Arms a timer that wakes the current operation.
    fn sleep(&self, delay: Duration, purpose: Purpose) -> TimerId;
    /// Whether the sleep is over; keeps the waker where it is not. A sleep is its that looks last: where
    /// another has begun it, it has another number from now on.
    fn slept(&self, timer: &mut TimerId, waker: &Waker) -> bool;
    /// For how long a sleep might have been over.
    fn overslept(&self, timer: TimerId) -> Duration;

    /// Takes the first event of that kind from the inbox of `owner`, or waits for it.
    fn receive(&self, owner: Address, event: u16, waker: &Waker) -> Option<(Rc<dyn AnyMail>, u32)>;
    /// Nobody waits for that kind of event any more.
    fn receive_dropped(&self, owner: Address, event: u16);

    /// The current operation awaits what may rightly never come; tells which operation that is.
    fn waits_forever(&self) -> Address;
    /// That operation does so no more.
    fn waited_forever(&self, operation: Address);

    /// Runs a future as an operation that ends with its owner.
    fn pipe(&self, owner: Address, future: Pin<Box<dyn Future<Output = ()>>>);
    /// Has a message sent to `watcher` when `target` has stopped. The
    /// function builds it from the reason.
    fn watch(&self, watcher: Address, target: Address, notice: Notice);
    /// Ends the watches that `watcher` has begun of `target`.
    fn unwatch(&self, watcher: Address, target: Address);
    /// Has an `ask`, of which no event is posted, answered when the actor that was asked has stopped.
    /// `put` puts the reason where the reply is looked for.
    fn await_end(&self, ask: AskId, put: PutReason);
    /// Has an `ask`, of which no event is posted, answered when the actor that was asked has run its
    /// start hook, or has stopped before. `put` puts which of the two where the reply is looked for.
    fn await_start(&self, ask: AskId, put: PutStart);

    /// The disk of the operation that runs.
    fn disk(&self) -> DiskId;
    /// Has a disk called: that is carried out with the outbox.
    fn disk_call(&self, disk: DiskId, call: Call) -> DiskCallId;
    /// The answer; keeps the waker where there is none yet. After an answer the call is over.
    fn poll_disk_call(&self, call: DiskCallId, waker: &Waker) -> Poll<io::Result<Answer>>;
    /// Nobody waits for the answer any more.
    fn disk_call_dropped(&self, call: DiskCallId);
    /// Has the power of a disk fail.
    fn fail_power(&self, disk: DiskId);
    /// From now on, a crash keeps writes to the disk block by block; as wholes, where `block` is zero.
    fn tear_writes(&self, disk: DiskId, block: u32);

    /// Links two actors: a failure of one is one of the other.
    fn link(&self, one: Address, other: Address);
    /// Ends the link of two actors.
    fn unlink(&self, one: Address, other: Address);
    /// Has a message sent to an actor where it would share a failure. The function builds it.
    fn trap_links(&self, owner: Address, trap: Trap);

    /// Ends the execution, once what the current operation did before is carried out and nothing is
    /// hot.
    fn finish(&self);

    /// Registers a monitor, where none of its type is registered.
    fn monitor(&self, monitor: Box<dyn AnyMonitor>);
    /// Registers a predicate over the states of all actors.
    fn predicate(&self, name: &str, expectation: Expectation, predicate: Predicate);
    /// Reports what the current operation could not do, and nobody waits to hear.
    fn report(&self, error: &str);
    /// Takes note that `owner` goes from one state to another, or starts in one.
    fn entered(&self, owner: Address, from: Option<usize>, to: usize);
    /// Takes note that `owner` handles an event which it has raised.
    fn raised(&self, owner: Address, state: usize, event: u16);
    /// Takes note that the program came by a label.
    fn cover(&self, label: &'static str);
    /// The name of the actor in reports, `Client#2` for instance.
    fn name(&self, of: ActorId) -> String;
    /// Takes note that the program looks at the number of an actor.
    fn number_seen(&self);
    /// Whether the actor has stopped.
    fn has_stopped(&self, of: Address) -> bool;
    /// The registry of names, where there is one.
    fn names(&self) -> Option<Address>;
    /// Keeps the registry of names.
    fn set_names(&self, registry: Address);

    /// Declares a node, and has it boot.
    fn node(&self, name: &str, code: NodeCode);
    /// What the name of an actor on a node begins with.
    fn node_prefix(&self, of: Address) -> Option<String>;
    /// The name of the node on which an actor is.
    fn node_of(&self, of: Address) -> Option<String>;
    /// The registry of names of a node.
    fn names_on(&self, node: &str) -> NamesOn;
    /// Has something go wrong, as an effect of the current operation.
    fn fault(&self, fault: Fault);
    /// Has something go wrong as soon as a predicate is true.
    fn when(&self, name: &str, predicate: Predicate, script: Script);
    /// What a reference to an actor is encoded as.
    fn passport(&self, of: Address) -> Option<Passport>;
    /// Whom it leads to; `None` where it is no actor of this execution.
    fn admit(&self, passport: &Passport) -> Option<Address>;
    /// Keeps what the receiver of a reference has to know to send there; tells its number.
    fn keep_way(&self, way: &'static (dyn Any + Send + Sync)) -> u32;
    /// What was kept under that number.
    fn way(&self, number: u32) -> Option<&'static (dyn Any + Send + Sync)>;
    /// Where the reply of that ask goes.
    fn ask_slot(&self, ask: u32) -> Option<Arc<AskSlot>>;
}

/// The code of a node.
pub struct NodeCode {
    /// Makes its registry of names, which is its first actor.
    pub registry: fn() -> Box<dyn Spawn>,
    /// Boots it.
    pub boot: Box<dyn FnMut()>,
}
