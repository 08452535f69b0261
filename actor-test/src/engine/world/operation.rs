//! Operations: actors, tasks, futures, links and the test body, each with its inbox and outbox.

use actor_core::StopReason;
use actor_core::seam::LinkNotice;
use actor_core::supervision::{FailureKind, Unread};

use crate::engine::world::capacity::CapacityState;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::inbox::Inbox;
use crate::engine::world::letter::{Envelope, PackedSender};
use crate::engine::world::outbox::Outbox;
use crate::hash::mix;
use crate::strategy::EventId;

/// The family number of an operation without a family.
pub(crate) const NO_FAMILY: u32 = u32::MAX;

/// The first event number of an operation without a type, behind all others.
pub(crate) const NO_EVENTS: u32 = u32::MAX;

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
    /// The link from one node to another, by its number.
    Link(u32),
    /// A task or a thread.
    Task,
    /// A name of an actor of a type, by its number, which takes no steps.
    Name { of_type: u32 },
}

/// The stage in the life cycle of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperationStage {
    /// The spawn waits in an outbox.
    NotStarted,
    /// The first step is due.
    Starting,
    /// The operation waits for the next event.
    Idle,
    /// The handler, body, future or task is suspended at an await.
    Suspended,
    /// The actor waits for the end of its children, before it ends itself.
    Closing,
    /// The value is dropped, and the supervisor may restart the actor.
    Down,
    /// The operation has ended; its outbox may still have effects.
    Gone,
}

/// An order to an actor that goes ahead of its inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PendingOrder {
    Nothing,
    /// Stop, because the supervisor does without the actor for now or for good.
    Stop,
    /// Fail, because a linked actor has failed or the actor gives up its children.
    Fail(StopReason),
    /// End at once.
    Kill,
}

/// The plain data of an operation's [`Failure`](actor_core::supervision::Failure).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailureRecord {
    pub(crate) name: String,
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

/// An operation that is no timer. The fields have this order in memory as well: those that most steps need
/// come first, in two cache lines, since a step that accesses little memory is fast when there are many
/// operations.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Operation {
    pub(crate) inbox: Inbox,
    /// The position in the enabled set, or `ABSENT` or `PAUSED`.
    pub(crate) position: u32,
    pub(crate) stage: OperationStage,
    /// The order that goes ahead of the next event.
    pub(crate) pending_order: PendingOrder,
    /// True if the type has one state at most, which handles every event, and the mailbox has no bound.
    pub(crate) plain: bool,
    /// Set while a wake-up is due.
    pub(crate) woken: bool,
    pub(crate) outbox: Outbox,
    /// A stable identity: a hash of the path of creation.
    pub(crate) key: u64,
    /// A hash of everything that the operation has handled so far, in order.
    pub(crate) chain: u64,
    /// The first event number of the type among those of all types; [`NO_EVENTS`] without a type.
    pub(crate) first_event: u32,
    /// The number of letters sent so far.
    pub(crate) sent: u32,
    /// The number of own events handled in a row lately, without an effect on others.
    pub(crate) own_run: u32,
    /// The current state of the actor, which selects its dispositions.
    pub(crate) state: u16,
    /// True if some state of the type defers some event.
    pub(crate) defers: bool,
    /// True if the waker was called since the current poll began, which is suspended on a stack of its own.
    pub(crate) is_wake_up_due: bool,

    pub(crate) kind: OperationRole,
    /// The capacity of the mailbox; `None` if it has no bound.
    pub(crate) bound: Option<Box<CapacityState>>,
    /// True once the actor was stopped from outside, so that it is not restarted.
    pub(crate) leaves: bool,
    /// True once the `#[stop]` hook runs or has run because of an order to stop.
    pub(crate) stopping: bool,
    /// True once the current value has run its start hook, or has none.
    pub(crate) started: bool,
    /// The reason of the current or last end.
    pub(crate) ending: StopReason,
    /// The treatment of the inbox when the actor is restarted.
    pub(crate) unread: Unread,
    /// The family in which the actor is a child, or [`NO_FAMILY`].
    pub(crate) family: u32,
    /// The family that the actor supervises, or [`NO_FAMILY`].
    pub(crate) supervised_family: u32,
    /// The incarnation of the actor: the number of values that were dropped for a restart.
    pub(crate) incarnation: u32,
    /// The actor whose failure this one is to share, or has shared last.
    pub(crate) failure_source: Option<u32>,
    /// The function that turns a linked actor's failure into an event, if the actor traps failures.
    pub(crate) trap: Option<LinkNotice>,
    pub(crate) failure: Option<Box<FailureRecord>>,
    /// The events that a suspended handler waits for.
    pub(crate) receiving: Vec<u16>,
    /// The number of keys so far that were derived for operations, timers, asks and calls.
    pub(crate) children: u32,
    /// The number of open asks.
    pub(crate) open_asks: u32,
    /// A hash of everything that was delivered to the suspended handler and that it has not read yet.
    pub(crate) delivered: u64,
    pub(crate) name: Option<Box<str>>,
    /// The number of requests for mailbox capacity that are not over.
    pub(crate) questions: u32,
    /// The number of current waits that are allowed to last for ever.
    pub(crate) endless_waits: u32,
    /// The step since which a suspended handler waits.
    pub(crate) waits_since: u64,
    /// The key of the letter that a suspended handler handles.
    pub(crate) handling: u64,
    /// The number of the actor among those of its type.
    pub(crate) ordinal: u32,
}

const _: () = assert!(std::mem::offset_of!(Operation, kind) == 128);

impl Operation {
    /// Returns whether the operation is an unfinished future, whose state can't be inspected.
    pub(crate) fn has_future(&self) -> bool {
        match self.kind {
            OperationRole::Future { .. } | OperationRole::Task => {
                self.stage != OperationStage::Gone
            }
            OperationRole::Body => self.stage == OperationStage::Suspended,
            OperationRole::Actor(_)
            | OperationRole::Boot { .. }
            | OperationRole::Link(_)
            | OperationRole::Name { .. } => false,
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

    /// Resets the operation to a new one, and keeps the memory of its queues.
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

    /// Creates the letter for the next event that the operation, which has the number `own`, sends.
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
        }
    }

    /// Adds a value to the hash of handled events; returns the difference from the old hash.
    #[inline]
    pub(crate) fn extend_chain(&mut self, value: u64) -> u64 {
        let before = self.chain;
        self.chain = mix(before, value);
        self.chain.wrapping_sub(before)
    }

    /// Counts an event from `sender` that the operation, which has the number `own`, handles.
    #[inline]
    pub(crate) fn count_own(&mut self, own: u32, sender: PackedSender) {
        match sender == PackedSender::operation(own) {
            true => self.own_run = self.own_run.saturating_add(1),
            false => self.own_run = 0,
        }
    }

    /// Returns the key of the `nth` letter that the operation sends.
    #[inline]
    pub(crate) fn letter_key(&self, nth: u32) -> u64 {
        mix(self.key, !u64::from(nth))
    }
}
