//! Operations: what can take a step, with its inbox and outbox.

use actor_core::runtime::Trap;
use actor_core::{AskError, FailureKind, StopReason, Unread};

use crate::data::records::Origin;
use crate::engine::world::capacity::CapacityState;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::inbox::Inbox;
use crate::engine::world::network::LinkHint;
use crate::engine::world::outbox::Outbox;
use crate::hash::mix;
use crate::strategy::{EventId, OperationId};

/// The number of no family.
pub(crate) const NO_FAMILY: u32 = u32::MAX;

/// Where the events of no type begin: behind all.
pub(crate) const NO_EVENTS: u32 = u32::MAX;

/// The event of a letter that stops its receiver in order. No type has so many.
pub(crate) const STOP: u16 = u16::MAX;

/// An event in an inbox or outbox. The event itself stays in its receiver's mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Envelope {
    /// Where the event is in the receiver's mail.
    pub(crate) slot: u32,
    /// Which of the receiver's events it is.
    pub(crate) event: u16,
    /// The same, as strategies see it.
    pub(crate) event_id: Option<EventId>,
    /// Who sent it.
    pub(crate) sender: PackedSender,
    /// Identifies the event within the behaviour: its sender's path and how many it sent before.
    pub(crate) key: u64,
    /// A place in the receiver's bounded mailbox is kept for it.
    pub(crate) placed: bool,
    /// A fault has it find no room in the receiver's bounded mailbox.
    pub(crate) is_refused: bool,
    /// Its receiver relays, and has sent it to itself since it knows nobody to hand it on to: a dead
    /// letter, of which who asked is told this.
    pub(crate) lost: Option<AskError>,
}

/// Who sent a letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LetterOrigin {
    /// An operation that is no timer.
    Operation(u32),
    /// The end of an operation, of which this is word.
    End(u32),
    /// A timer, by slot and generation.
    Timer(u32, u32),
}

/// A [`Sender`] in two numbers, so that a letter is copied as a whole, whoever sent it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedSender {
    /// The number of the operation or timer, and in its upper bits what that is. Without the bit for
    /// the end it is what [`OperationId`] is made of.
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

    /// Whose step has sent it; `None` for a timer.
    #[inline]
    pub(crate) fn sent_by(self) -> Option<u32> {
        (!self.is_timer()).then_some(self.bits & !Self::END)
    }

    #[inline]
    pub(crate) const fn is_timer(self) -> bool {
        self.bits & Self::TIMER != 0
    }

    /// The same, as strategies see it.
    #[inline]
    pub(crate) const fn id(self) -> OperationId {
        OperationId::actor(self.bits & !Self::END)
    }
}

impl From<PackedSender> for Origin {
    fn from(stamp: PackedSender) -> Self {
        stamp.sender().into()
    }
}

impl From<LetterOrigin> for Origin {
    fn from(sender: LetterOrigin) -> Self {
        match sender {
            LetterOrigin::Operation(operation) => Self::Operation(operation),
            LetterOrigin::End(operation) => Self::End(operation),
            LetterOrigin::Timer(..) => Self::Timer,
        }
    }
}

/// One entry of an outbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Appends to an inbox.
    Send { to: u32, letter: Envelope },
    /// Leaves for another node, over that link.
    Cross {
        to: u32,
        link: LinkHint,
        letter: Envelope,
    },
    /// Has something go wrong.
    Fault(u32),
    /// Asks for room in a mailbox.
    RequestCapacity(u32),
    /// Calls a disk.
    Disk(u32),
    /// The power of a disk fails.
    FailPower { disk: u32 },
    /// Silent: a crash keeps writes to a disk in blocks.
    TearWrites { disk: u32, block: u32 },
    /// Starts an actor or a piped future.
    Start(u32),
    /// Makes the reply of an ask visible, or its loss.
    Reply { ask: u32, lost: Option<AskError> },
    /// Tells a watcher that the operation has stopped.
    Notice { watch: u32 },
    /// Ends the actor.
    Halt(StopReason),
    /// Stops another actor.
    Stop { to: u32, at_once: bool },
    /// Silent: shows an event to the monitors.
    Announce { slab: u32, slot: u32 },
    /// Silent: a timer starts to run.
    Arm { timer: u32, generation: u32 },
    /// Silent: a timer is cancelled.
    Cancel { timer: u32, generation: u32 },
    /// Silent: a watch begins.
    Watch { watch: u32 },
    /// Silent: the watches of that target end, of those whose numbers are below that.
    Unwatch { target: u32, before: u32 },
    /// Silent: a link begins.
    Link { other: u32 },
    /// Silent: a link ends.
    Unlink { other: u32 },
    /// Silent: a reference to an actor that counts them counts no more.
    DropReference { to: u32 },
    /// Silent: the execution is to end.
    Finish,
    /// Says what becomes of a child that has failed.
    Decide {
        child: u32,
        decision: actor_core::Decision,
    },
    /// Lets an actor share a failure, in that life of its.
    Share {
        to: u32,
        life: u32,
        reason: StopReason,
    },
}

impl Effect {
    /// It rides along with the visible effect, or the handle step, before it.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(
            self,
            Self::Announce { .. }
                | Self::Arm { .. }
                | Self::Cancel { .. }
                | Self::Watch { .. }
                | Self::Unwatch { .. }
                | Self::Link { .. }
                | Self::Unlink { .. }
                | Self::TearWrites { .. }
                | Self::DropReference { .. }
                | Self::Finish
        )
    }
}

/// What an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperationRole {
    /// The test body, operation 0.
    Body,
    /// An actor of the type with this number.
    Actor(u32),
    /// A future that was piped to its owner.
    Future { owner: u32 },
    /// The boot code of a node.
    Boot { node: u32 },
    /// The way from one node to another, by its number.
    Link(u32),
    /// A task or a thread.
    Task,
}

/// How far an operation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperationStage {
    /// Its spawn waits in an outbox.
    NotStarted,
    /// Its first step is due.
    Starting,
    /// Between two events.
    Idle,
    /// An async handler waits.
    Suspended,
    /// It waits until its children have ended, to end itself.
    Closing,
    /// Its value is dropped, and its supervisor may bring it back.
    Down,
    /// It has stopped; its outbox may still hold effects.
    Gone,
}

/// What an actor was told ahead of its inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PendingOrder {
    Nothing,
    /// To stop, since its supervisor does without it for now or for good.
    Stop,
    /// To fail, since another has, or since it gives up its children.
    Fail(StopReason),
    /// To end at once.
    Kill,
}

/// A failure of an operation's: what of a [`Failure`](actor_core::Failure) is plain data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailureRecord {
    /// What the operation was called then.
    pub(crate) name: String,
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

/// An operation that is no timer.
///
/// Its fields are in this order in memory, too: what most steps need comes first, in two cache lines,
/// since a step that touches little memory is quick where there are many operations.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Operation {
    pub(crate) inbox: Inbox,
    /// Its place in the enabled set.
    pub(crate) position: u32,
    pub(crate) stage: OperationStage,
    /// What comes before its next event.
    pub(crate) pending_order: PendingOrder,
    /// Its type has one state at most, which handles every event, and its mailbox has no bound.
    pub(crate) plain: bool,
    /// A wake-up is due.
    pub(crate) woken: bool,
    pub(crate) outbox: Outbox,
    /// A stable identity: a hash of the path of creation.
    pub(crate) key: u64,
    /// What it has handled so far, in order, as a hash.
    pub(crate) chain: u64,
    /// Where the events of its type begin among those of all types; [`NO_EVENTS`] where it is no actor.
    pub(crate) first_event: u32,
    /// How many it sent.
    pub(crate) sent: u32,
    /// How many of the last events that it handled it had sent itself, without an effect on others.
    pub(crate) own_run: u32,
    /// It takes its state's table of dispositions from here on.
    pub(crate) state: u16,
    /// Some state of its type defers some event.
    pub(crate) defers: bool,
    /// Its waker was called since its poll began, which it has left on a stack of its own in the middle.
    pub(crate) is_wake_up_due: bool,

    pub(crate) kind: OperationRole,
    /// `None` where the mailbox has no bound.
    pub(crate) bound: Option<Box<CapacityState>>,
    /// Somebody has told it to stop: it is not brought back.
    pub(crate) leaves: bool,
    /// Its `#[stop]` hook runs, or has run, since it was told to stop.
    pub(crate) stopping: bool,
    /// It has run its start hook, or has none, since its value was made.
    pub(crate) started: bool,
    /// Why it ends or has ended last.
    pub(crate) ending: StopReason,
    /// What becomes of its inbox when it is brought back.
    pub(crate) unread: Unread,
    /// The family that it is a child of.
    pub(crate) family: u32,
    /// The family that it supervises.
    pub(crate) supervised_family: u32,
    /// How often it was brought back.
    pub(crate) incarnation: u32,
    /// Whose failure it is to share, or has shared last.
    pub(crate) failure_source: Option<u32>,
    /// What tells it of a failure that it would share.
    pub(crate) trap: Option<Trap>,
    /// What its last failure was.
    pub(crate) failure: Option<Box<FailureRecord>>,
    /// The events that a suspended handler asked to receive.
    pub(crate) receiving: Vec<u16>,
    /// How many it created.
    pub(crate) children: u32,
    /// How many replies it may await.
    pub(crate) open_asks: u32,
    /// What has been delivered to its suspended handler and not seen yet, as a hash.
    pub(crate) delivered: u64,
    pub(crate) name: Option<Box<str>>,
    /// How many questions for room it has that are not over.
    pub(crate) questions: u32,
    /// How much of what it awaits may rightly never come.
    pub(crate) endless_waits: u32,
    /// While a handler waits, the step since which it does.
    pub(crate) waits_since: u64,
    /// While a handler waits, the key of the letter that it handles.
    pub(crate) handling: u64,
    /// Its number among the operations of its type.
    pub(crate) ordinal: u32,
}

const _: () = assert!(std::mem::offset_of!(Operation, kind) == 128);

impl Operation {
    /// It is a future that is not over, which nobody can look into.
    pub(crate) fn has_future(&self) -> bool {
        match self.kind {
            OperationRole::Future { .. } | OperationRole::Task => {
                self.stage != OperationStage::Gone
            }
            OperationRole::Body => self.stage == OperationStage::Suspended,
            OperationRole::Actor(_) | OperationRole::Boot { .. } | OperationRole::Link(_) => false,
        }
    }

    pub(crate) fn new() -> Self {
        Self {
            kind: OperationRole::Body,
            first_event: NO_EVENTS,
            stage: OperationStage::NotStarted,
            position: ABSENT,
            woken: false,
            is_wake_up_due: false,
            state: 0,
            defers: false,
            plain: false,
            inbox: Inbox::new(),
            outbox: Outbox::default(),
            bound: None,
            pending_order: PendingOrder::Nothing,
            leaves: false,
            stopping: false,
            started: false,
            ending: StopReason::Halted,
            family: NO_FAMILY,
            unread: Unread::Keep,
            supervised_family: NO_FAMILY,
            incarnation: 0,
            failure_source: None,
            trap: None,
            failure: None,
            receiving: Vec::new(),
            key: 0,
            children: 0,
            sent: 0,
            chain: 0,
            delivered: 0,
            own_run: 0,
            name: None,
            open_asks: 0,
            questions: 0,
            waits_since: 0,
            endless_waits: 0,
            handling: 0,
            ordinal: 0,
        }
    }

    /// Makes it as new, keeping its queues' memory.
    pub(crate) fn reset(&mut self, kind: OperationRole, stage: OperationStage, key: u64) {
        self.kind = kind;
        self.first_event = NO_EVENTS;
        self.stage = stage;
        self.position = ABSENT;
        self.woken = false;
        self.is_wake_up_due = false;
        self.state = 0;
        self.defers = false;
        self.plain = false;
        self.inbox.clear();
        self.outbox.clear();
        self.bound = None;
        self.pending_order = PendingOrder::Nothing;
        self.leaves = false;
        self.stopping = false;
        self.started = false;
        self.ending = StopReason::Halted;
        self.family = NO_FAMILY;
        self.unread = Unread::Keep;
        self.supervised_family = NO_FAMILY;
        self.incarnation = 0;
        self.failure_source = None;
        self.trap = None;
        self.failure = None;
        self.receiving.clear();
        self.key = key;
        self.children = 0;
        self.sent = 0;
        self.chain = key;
        self.delivered = 0;
        self.own_run = 0;
        self.name = None;
        self.open_asks = 0;
        self.questions = 0;
        self.waits_since = 0;
        self.endless_waits = 0;
        self.handling = 0;
        self.ordinal = 0;
    }

    /// The letter for the next event that it, which has the number `own`, sends.
    #[inline]
    pub(crate) fn letter(
        &mut self,
        own: u32,
        slot: u32,
        event: u16,
        event_id: Option<EventId>,
    ) -> Envelope {
        self.sent += 1;
        Envelope {
            slot,
            event,
            event_id,
            sender: PackedSender::operation(own),
            key: self.letter_key(self.sent),
            placed: false,
            is_refused: false,
            lost: None,
        }
    }

    /// Adds to the hash of what it has handled; tells by how much that has changed.
    #[inline]
    pub(crate) fn extend_chain(&mut self, value: u64) -> u64 {
        let before = self.chain;
        self.chain = mix(before, value);
        self.chain.wrapping_sub(before)
    }

    /// It, which has the number `own`, handles an event of that sender's.
    #[inline]
    pub(crate) fn count_own(&mut self, own: u32, sender: PackedSender) {
        match sender == PackedSender::operation(own) {
            true => self.own_run = self.own_run.saturating_add(1),
            false => self.own_run = 0,
        }
    }

    /// The key of the letter that it sends as that one.
    #[inline]
    pub(crate) fn letter_key(&self, nth: u32) -> u64 {
        mix(self.key, !u64::from(nth))
    }
}
