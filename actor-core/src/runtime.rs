//! The seam between actors and a controlled executor.
//!
//! While an execution is controlled, a thread-local pointer names its [`Runtime`]; whatever an
//! actor does to the world goes through it. Production never takes this path: a reference to an
//! actor is either live or controlled, and only the controlled kind comes here.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use crate::actor::ActorInfo;
use crate::event::Event;
use crate::fs::{Answer, Call};
use crate::monitor::AnyMonitor;
use crate::parts::{AnyMail, AnySlab, MakeMail, Resting};
use crate::predicate::{Expectation, Predicate};
use crate::reference::ActorId;
use crate::reply::AskSlot;
use crate::supervision::Supervision;
use crate::timer::Timer;
use crate::watch::StopReason;

pub use crate::contained::{Payload, discard};
pub use crate::family::{Family, Order};
pub use crate::reference::Target;
pub use crate::sending::Offered;
pub use crate::sharing::{
    Access, Hold, Locals, NewTask, ObjectId, Place, Release, Sharing, Touch, Wait,
};
pub use crate::spawner::{Host, SpawnOptions};
pub use crate::supervision::ChildOptions;

/// An actor of one execution: its operation and the number of the execution.
///
/// The execution number finds references that leaked from an earlier execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Address {
    /// The operation.
    pub operation: u32,
    /// The execution.
    pub execution: u32,
}

/// An `ask` of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskId {
    /// The number of the ask within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A sender's question for room, in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoomId {
    /// The number of the question within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A timer of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerId {
    /// The slot of the timer.
    pub index: u32,
    /// How often the slot was used before; tells a cancelled timer from its successor.
    pub generation: u32,
    /// The execution.
    pub execution: u32,
}

/// A disk of one execution, as it was before its next crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskId {
    /// Which.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A call to a disk, in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskCallId {
    /// The number of the call within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// What a timer is for, as those know who tell of it. Nothing else depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To fire an event.
    Event,
    /// To fire an event, unless the state is left before.
    State,
    /// To fire an event, unless another is handled before.
    NextEvent,
    /// To end a sleep.
    Sleep,
    /// To end the wait for a reply.
    Reply,
}

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
    /// Stops an actor.
    fn stop(&self, target: Address, stop: Stop);
    /// Sends. `message` is a `Slot<A::Message>`, taken into the target's mail.
    fn post(&self, to: Address, message: &mut dyn Any);
    /// Asks for room in the mailbox of `to`; `waits` says that the sender is willing to wait.
    fn ask_for_room(&self, to: Address, event: u16, waits: bool) -> RoomId;
    /// The answer; keeps the waker where there is none yet. Where there is room, `message` is sent as
    /// [`post`](Runtime::post) does. After an answer the question is over.
    fn poll_room(&self, room: RoomId, message: &mut dyn Any, waker: &Waker) -> Poll<Offered>;
    /// Nobody waits for the answer any more.
    fn room_dropped(&self, room: RoomId);
    /// Registers an `ask`; its event is posted next.
    fn ask(&self, to: Address, slot: Arc<AskSlot>) -> AskId;
    /// Someone has looked for the reply, and it is not there.
    fn reply_awaited(&self, ask: AskId);
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
    /// A seed for a generator: one recorded choice.
    fn seed(&self) -> u64;
    /// The virtual time since the start of the execution.
    fn now(&self) -> Duration;

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
    /// Whether the sleep is over; keeps the waker where it is not.
    fn slept(&self, timer: TimerId, waker: &Waker) -> bool;

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

/// A script that says what goes wrong.
pub type Script = Box<dyn FnOnce() -> Vec<Fault>>;

/// A reference to an actor under test, as it is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passport {
    /// The actor's node; `None` where it is on none.
    pub node: Option<u32>,
    /// How often the node had been started, with this time.
    pub incarnation: u32,
    /// The actor.
    pub id: u32,
}

/// The registry of names of a node.
pub enum NamesOn {
    /// It is this one.
    Registry(Target),
    /// The node is down.
    Down,
    /// There is no such node, among these.
    NoNode(Vec<Box<str>>),
    /// The system has no nodes.
    NoNodes,
}

/// What becomes of a node's disk when it is restarted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disk {
    /// It has what a crash leaves of it.
    Keep,
    /// It is empty.
    Wipe,
}

/// What becomes of a message on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// It is lost.
    Drop,
    /// It arrives twice.
    Duplicate,
    /// The one behind it overtakes it.
    Delay,
}

/// What goes wrong, as a script says it; nodes are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A node crashes.
    Crash(Box<str>),
    /// A node is restarted.
    Restart(Box<str>, Disk),
    /// The links between two sets of nodes are cut, both ways.
    Partition(Vec<Box<str>>, Vec<Box<str>>),
    /// One link is cut.
    Cut(Box<str>, Box<str>),
    /// All links are healed.
    Heal,
    /// The links of two nodes are healed.
    HealBetween(Box<str>, Box<str>),
    /// The connection of two nodes breaks.
    Break(Box<str>, Box<str>),
    /// A link is held.
    Hold(Box<str>, Box<str>),
    /// A link is released.
    Release(Box<str>, Box<str>),
    /// Something becomes of the next event of a type on a link.
    Next {
        /// What.
        wish: Wish,
        /// From this node.
        from: Box<str>,
        /// To this one.
        to: Box<str>,
        /// The type of the event.
        event: TypeId,
        /// What that is called.
        name: &'static str,
    },
    /// Nothing fails on a node by the tester's choice.
    Spare(Box<str>),
    /// Nothing fails between two nodes by the tester's choice.
    SpareLink(Box<str>, Box<str>),
}

/// What the calls of one name may fail with.
pub struct Failing {
    /// The type of the error.
    pub error: TypeId,
    /// Its name.
    pub error_name: &'static str,
    /// The call is made all the same, and what it returns is lost.
    pub is_made: bool,
    /// Makes the error.
    pub make: Rc<dyn Fn() -> Box<dyn Any>>,
}

/// What a call fails with.
pub struct Failure {
    /// The error.
    pub error: Box<dyn Any>,
    /// The call is made all the same, and what it returns is lost.
    pub is_made: bool,
}

/// Puts the next message of a periodic timer into the owner's mail.
pub type Again = Box<dyn Fn(&dyn AnyMail) -> u32>;

/// Puts the notice of a watched actor's end into the watcher's mail; tells its slot and event.
pub type Notice = Box<dyn FnOnce(&dyn AnyMail, StopReason) -> (u32, u16)>;

/// Puts the reason of an actor's end where whoever awaits it looks for it.
pub type PutReason = Box<dyn FnOnce(StopReason)>;

/// As a [`Notice`], for any actor and more than once.
pub type Trap = fn(&dyn AnyMail, ActorId, StopReason) -> (u32, u16);

/// How an actor broke the rules, or failed without a panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViolationKind {
    /// A raised event that the state neither handles nor ignores.
    UnhandledRaise,
    /// More than [`CHAIN_MAX`](crate::context::CHAIN_MAX) raised events and transitions in a row.
    EndlessChain,
    /// More than one of `goto`, `raise` and `halt`, or one of them in an exit or stop hook.
    TwoDecisions,
    /// A handler's `Err` that nobody receives.
    UnreceivedError,
}

/// A violation on its way up to the executor, as the payload of an unwinding panic.
#[derive(Debug)]
pub struct Violation {
    /// What rule was broken.
    pub kind: ViolationKind,
    /// A sentence for the report.
    pub message: String,
}

/// Unwinds to the executor with a violation; no panic message is printed.
pub(crate) fn violate(kind: ViolationKind, message: String) -> ! {
    std::panic::resume_unwind(Box::new(Violation { kind, message }))
}

/// An actor about to be spawned, without its type.
pub trait Spawn {
    /// The actor type's table.
    fn info(&self) -> &'static ActorInfo;
    /// Identifies the actor type, so that its parts can be pooled.
    fn actor_type(&self) -> TypeId;
    /// The actor type with its path, as rustc prints it.
    fn path(&self) -> &'static str;
    /// Makes empty mail for this type.
    fn mail(&self) -> MakeMail;
    /// Gives the actor a context, in which it is `me`. Called once, but for a [`Factory`].
    fn rest(&mut self, me: &Target) -> Box<dyn Resting>;
}

/// What makes the values of a supervised actor: [`rest`](Spawn::rest) may be called again.
pub type Factory = Box<dyn Spawn + Send>;

/// How an actor is stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// When it has handled what was sent to it before.
    InOrder,
    /// As before, and at once where it has not ended by then.
    Within(Duration),
    /// At once, without its `#[stop]` hook.
    AtOnce,
}

/// An announced event, without its type.
pub trait Announce {
    /// Identifies the event type.
    fn event_type(&self) -> TypeId;
    /// Shows the event, where it has not been moved yet.
    fn inspect(&self, show: &mut dyn FnMut(&dyn Event));
    /// Moves the event into a slab of that type, made by [`slab`](Announce::slab).
    fn store(&mut self, slab: &dyn AnySlab) -> u32;
    /// Makes an empty slab for this type.
    fn slab(&self) -> Rc<dyn AnySlab>;
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<dyn Runtime>>> = const { RefCell::new(None) };
    /// There is one. It has no destructor, so that production looks at it with a single load.
    static CONTROLLED: Cell<bool> = const { Cell::new(false) };
}

/// Makes `runtime` the current one of this thread until the guard is dropped.
#[must_use = "the runtime is left when the guard is dropped"]
pub fn enter(runtime: Rc<dyn Runtime>) -> Entered {
    let before = CURRENT.with(|current| current.borrow_mut().replace(runtime));
    CONTROLLED.set(true);
    Entered { before }
}

/// Leaves the runtime when dropped; see [`enter`].
pub struct Entered {
    before: Option<Rc<dyn Runtime>>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CONTROLLED.set(self.before.is_some());
        CURRENT.with(|current| *current.borrow_mut() = self.before.take());
    }
}

/// Whether this thread runs a controlled execution.
#[inline]
pub fn is_controlled() -> bool {
    CONTROLLED.get()
}

/// The current runtime, to be called with nothing borrowed: what it does may come back in a later step.
#[cold]
pub(crate) fn current() -> Option<Rc<dyn Runtime>> {
    CURRENT
        .try_with(|current| current.borrow().clone())
        .ok()
        .flatten()
}

/// Calls the current runtime.
///
/// # Panics
///
/// Outside a controlled execution: a reference made under test was carried to another thread, or
/// kept after its test.
#[inline]
pub(crate) fn with<T>(f: impl FnOnce(&dyn Runtime) -> T) -> T {
    CURRENT.with(|current| match &*current.borrow() {
        Some(runtime) => f(&**runtime),
        None => outside(),
    })
}

// What generic code calls: a closure for `with` would be compiled for every actor type.

/// See [`Runtime::spawn`].
pub(crate) fn spawn(actor: &mut dyn Spawn, options: &SpawnOptions) -> Target {
    Target::controlled(with(|rt| rt.spawn(actor, options)))
}

/// See [`Runtime::spawn_with`].
pub(crate) fn spawn_with(
    supervisor: Option<Address>,
    factory: Factory,
    options: &SpawnOptions,
) -> Target {
    Target::controlled(with(|rt| rt.spawn_with(supervisor, factory, options)))
}

/// The registry of names; `registry` is started where there is none yet.
pub(crate) fn names(registry: &mut dyn Spawn) -> Target {
    if let Some(known) = with(|rt| rt.names()) {
        return Target::controlled(known);
    }
    let options = SpawnOptions::named("registry");
    let started = with(|rt| rt.spawn(registry, &options));
    with(|rt| rt.set_names(started));
    Target::controlled(started)
}

/// See [`Runtime::has_stopped`].
pub(crate) fn has_stopped(of: Address) -> bool {
    with(|rt| rt.has_stopped(of))
}

/// See [`Runtime::post`].
pub(crate) fn post(to: Address, message: &mut dyn Any) {
    with(|rt| rt.post(to, message));
}

/// See [`Runtime::ask`].
pub(crate) fn ask(to: Address, slot: &Arc<AskSlot>) {
    let id = with(|rt| rt.ask(to, slot.clone()));
    slot.register(id);
}

/// See [`Runtime::ask_for_room`].
pub(crate) fn ask_for_room(to: Address, event: u16, waits: bool) -> RoomId {
    with(|rt| rt.ask_for_room(to, event, waits))
}

/// See [`Runtime::poll_room`].
pub(crate) fn poll_room(room: RoomId, message: &mut dyn Any, waker: &Waker) -> Poll<Offered> {
    with(|rt| rt.poll_room(room, message, waker))
}

/// See [`Runtime::arm`].
pub(crate) fn arm(
    owner: Address,
    delay: Duration,
    message: &mut dyn Any,
    again: Option<Again>,
    purpose: Purpose,
) -> Timer {
    Timer::controlled(with(|rt| rt.arm(owner, delay, message, again, purpose)))
}

/// See [`Runtime::watch`].
pub(crate) fn watch(watcher: Address, target: Address, notice: Notice) {
    with(|rt| rt.watch(watcher, target, notice));
}

/// See [`Runtime::receive`].
pub(crate) fn receive(owner: Address, event: u16, waker: &Waker) -> Poll<(Rc<dyn AnyMail>, u32)> {
    match with(|rt| rt.receive(owner, event, waker)) {
        Some(found) => Poll::Ready(found),
        None => Poll::Pending,
    }
}

/// See [`Runtime::entered`].
pub(crate) fn entered(owner: Address, from: Option<usize>, to: usize) {
    with(|rt| rt.entered(owner, from, to));
}

/// See [`Runtime::raised`].
pub(crate) fn raised(owner: Address, state: usize, event: u16) {
    with(|rt| rt.raised(owner, state, event));
}

/// Calls the current runtime, if there is one: for destructors.
pub(crate) fn try_with<T>(f: impl FnOnce(&dyn Runtime) -> T) -> Option<T> {
    CURRENT
        .try_with(|current| current.borrow().as_deref().map(f))
        .ok()
        .flatten()
}

#[cold]
fn outside() -> ! {
    panic!(
        "an actor under test was used outside its execution: the reference was carried to \
         another thread, or kept after its test"
    )
}

/// Runs a future on the stack of the current operation, which waits where the future does. `None` where
/// the operation was told to end meanwhile.
pub fn block_on<F: Future>(future: F, waker: &Waker) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    loop {
        let runtime = current()?;
        if runtime.is_aborted() {
            return None;
        }
        if let Poll::Ready(output) = future.as_mut().poll(&mut TaskContext::from_waker(waker)) {
            return Some(output);
        }
        // It may have been told meanwhile.
        if runtime.is_aborted() {
            return None;
        }
        runtime.park();
    }
}
