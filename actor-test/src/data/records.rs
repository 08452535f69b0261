//! What happened in an execution, record by record, in the order in which it did.
//!
//! The engine emits records while an execution is recorded; readers make stories of them, and
//! whatever else is to be told. A record is data: who, which message, what was chosen. It holds no
//! sentences, and of a user's values what their `Debug` prints, since the value itself is gone when
//! a reader looks.
//!
//! A [`Record::Step`] begins a step, and what follows up to the next one happened in it.
//!
//! # Identities
//!
//! An operation (an actor, the test body, a piped future) is named by its number, in the order of
//! creation; number zero is the test body. Its [`path`](Record::Created::path) and a message's
//! [`MessageId`] do not depend on the schedule: the third message that the test's second actor sends
//! is the same in every execution, so that records of two executions can be compared.

use std::fmt::Debug;
use std::num::NonZeroU64;
use std::time::Duration;

use actor_core::{AskError, StopReason};
use serde::{Deserialize, Serialize, Serializer};

use crate::data::fields::{Difference, Field};
use crate::data::story::{Asked, DiskCall, MonitorKind, Purpose, Room, Temperature};

/// The identity of an event, a reply or a question for room: a hash of the path of whoever sends it and
/// of how many that one has sent before. It is the same in the outbox and in the inbox, and whatever
/// the schedule, as long as its sender does the same.
///
/// Two that differ have the same one with a chance of 2^-63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct MessageId(NonZeroU64);

impl MessageId {
    #[inline]
    pub(crate) fn new(key: u64) -> Self {
        // Never zero, so that an `Option` takes no more room.
        Self(NonZeroU64::MIN | key)
    }

    pub(crate) fn number(self) -> u64 {
        self.0.get()
    }
}

/// The kind of step that an operation would take, or took.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
#[repr(u8)]
pub enum StepKind {
    /// Runs the test body or the hooks with which an actor starts.
    Start,
    /// Handles, or ignores, the first event that is not deferred.
    Handle,
    /// Carries out the next effect of the outbox.
    Flush,
    /// Polls a suspended handler whose wake-up is due.
    Resume,
    /// Fires a timer.
    Timer,
    /// Injects a fault.
    Fault,
    /// Stops, or ends, ahead of what is in the inbox: its supervisor says so, or somebody kills it.
    Stop,
    /// Delivers what comes next on a link between two nodes.
    Deliver,
    /// Goes on with an access to something shared: a lock, a channel, an atomic.
    Access,
}

/// Something that happened.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "record")]
pub(crate) enum Record {
    /// A step begins.
    Step {
        /// Its number, from one.
        number: u64,
        /// The virtual time before it, in nanoseconds.
        time_ns: u64,
        /// Who takes it; for a timer, whose timer it is.
        who: u32,
        /// The timer that fires.
        timer: Option<u64>,
        kind: StepKind,
        /// The actor's state before, if it has states.
        state: Option<&'static str>,
    },
    /// A running handler has created an operation, which takes its first step after
    /// [`Spawned`](Record::Spawned).
    Created {
        who: u32,
        /// Names it whatever the schedule: a hash of who created it, and of how many that one had
        /// created before.
        path: u64,
        what: Created,
    },
    /// The creation was carried out.
    Spawned { who: u32 },
    /// A message is handled, or ignored.
    Handled {
        who: u32,
        message: MessageId,
        from: Origin,
        /// The event, printed.
        event: String,
        ignored: bool,
    },
    /// A message was sent, and reached its receiver or did not.
    Sent {
        message: MessageId,
        from: Origin,
        to: u32,
        /// The event, printed.
        event: String,
        arrival: Arrival,
        /// The message that its sender handled when it sent this one; `None` for what a start hook,
        /// the test body, a timer or a piped future sent.
        cause: Option<MessageId>,
    },
    /// The reply of an `ask`, or its loss, has reached who asked.
    Replied {
        from: u32,
        to: u32,
        /// The message that asked.
        asked: MessageId,
        /// The reply, printed; why there is none.
        #[serde(serialize_with = "debug")]
        reply: Result<String, AskError>,
    },
    /// A sender has asked for room in a bounded mailbox.
    AskedForRoom { who: u32, of: u32, answer: Room },
    /// A call to a disk was carried out.
    Disk {
        who: u32,
        what: DiskAction,
        /// Why it has failed.
        error: Option<String>,
    },
    /// The power of a disk has failed.
    PowerFailed {
        /// What of it is lost that was not synced, and where that is not all: how many parts of how many.
        lost: Vec<(DiskAction, Option<(u32, u32)>)>,
    },
    /// An event was announced: to the monitors that observe it, or to none.
    Announced { who: u32, event: String },
    /// A choice was asked for and answered.
    Chose {
        who: u32,
        asked: Asked,
        /// How many answers there were.
        of: u64,
        answer: u32,
    },
    /// A fault: a call of the environment's fails.
    CallFailed {
        who: u32,
        call: String,
        /// It is made all the same, and what it returns is lost.
        is_made: bool,
    },
    /// A fault: a bounded mailbox takes nothing, whatever room it has.
    Crowded { who: u32, of: u32 },
    /// A wait ends for no reason, which is a fault.
    WokenSpuriously { who: u32 },
    /// The code of an operation has run, and waits for something or not. An actor's state before and
    /// after, if it has states.
    Ran {
        who: u32,
        awaits: bool,
        before: Option<&'static str>,
        after: Option<&'static str>,
    },
    /// An actor has entered the state in which it was: its hooks have run.
    Reentered { who: u32 },
    /// An actor's value before its first step, field by field.
    Looks { who: u32, fields: Vec<Field> },
    /// What a step has changed in its actor's value.
    Changed { who: u32, changes: Vec<Difference> },
    /// The program logged something.
    Logged {
        level: &'static str,
        target: String,
        text: String,
    },
    /// A monitor was registered, or a predicate: they count apart, each from zero.
    Watches {
        name: String,
        kind: MonitorKind,
        /// A monitor's first state, or what a predicate is taken for before it is evaluated.
        state: &'static str,
        temperature: Temperature,
    },
    /// A predicate has become true or false.
    Judged {
        predicate: u32,
        holds: bool,
        temperature: Temperature,
        /// For how many steps it had been owed.
        heat: u64,
    },
    /// A predicate that is not met looked at an actor.
    LookedAt {
        who: u32,
        state: Option<&'static str>,
        value: Option<String>,
    },
    /// A monitor went from one state to another.
    MonitorMoved {
        monitor: u32,
        from: &'static str,
        to: &'static str,
        /// For how many steps it had been owed.
        heat: u64,
        /// Of the state after.
        temperature: Temperature,
    },
    /// A timer starts to run.
    Armed {
        owner: u32,
        /// Names it whatever the schedule, as an operation's path does.
        timer: u64,
        delay_ns: u64,
        periodic: bool,
        purpose: Purpose,
        /// The event that it fires, printed.
        event: Option<String>,
    },
    /// A timer was cancelled, together with its unread event; `None` for one that had fired.
    Cancelled { owner: u32, timer: Option<u64> },
    /// An actor has failed, and its supervisor is to act.
    Failed {
        who: u32,
        /// It has panicked; else it broke a rule.
        panicked: bool,
        message: String,
    },
    /// An actor was told to stop, in order or at once.
    Stopped { who: u32, at_once: bool },
    /// An actor is to share the failure of the one whose step it is.
    Linked { who: u32 },
    /// A failed actor's value was dropped.
    Fell { who: u32 },
    /// A failed actor has a new value.
    Revived { who: u32 },
    /// A child has ended more often than its supervisor brings it back.
    GivenUp {
        who: u32,
        /// How often that is, in words.
        limit: String,
    },
    /// What was on a link is lost: a message, or a reply.
    LostOnLink { message: Option<MessageId> },
    /// A message has come over a link, and reached its receiver or did not.
    Arrived {
        message: MessageId,
        from: Origin,
        to: u32,
        event: String,
        arrival: Arrival,
    },
    /// A reply has come over a link.
    ArrivedReply { to: u32 },
    /// Something went wrong between nodes, or was set right.
    Mishap {
        what: &'static str,
        /// The node concerned.
        node: Option<String>,
        /// The links concerned, from one node to another.
        links: Vec<(String, String)>,
        /// By how much a clock jumps.
        by_ns: Option<u64>,
    },
    /// Time has passed, though no timer has fired.
    Passed { by_ns: u64 },
    /// How the clock of a node goes, where it is not right.
    Clock {
        node: String,
        ahead_ns: u64,
        /// How much it gains in a second, in nanoseconds.
        drift_ppb: i64,
    },
    /// Something shared was accessed.
    Accessed {
        who: u32,
        what: &'static str,
        /// What it is, and where it was made.
        object: String,
        /// Where the program accesses it.
        place: String,
    },
    /// A task has ended, by itself or since it was told to.
    Over { who: u32 },
    /// An actor has ended.
    Halted {
        who: u32,
        #[serde(serialize_with = "debug")]
        reason: StopReason,
        /// How many events were left in its inbox, all dead letters now.
        unread: u64,
    },
}

/// What was done to a disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct DiskAction {
    pub(crate) call: DiskCall,
    pub(crate) path: String,
    /// The new name.
    pub(crate) to: Option<String>,
    /// Where in the file.
    pub(crate) at: Option<u64>,
    /// How many bytes; for a length, that.
    pub(crate) bytes: Option<u64>,
}

impl DiskAction {
    pub(crate) fn on(call: DiskCall, path: &str) -> Self {
        Self {
            call,
            path: path.into(),
            to: None,
            at: None,
            bytes: None,
        }
    }
}

/// What an operation is that was created.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Created {
    Actor {
        /// The type, by name and by number: several types may have one name.
        of_type: &'static str,
        type_number: u32,
        /// Its number among the actors of its type, from one.
        ordinal: u32,
        /// The name that it was given.
        name: Option<String>,
        /// What its name begins with, since it is on a node.
        prefix: Option<String>,
    },
    /// The boot code of a node.
    Boot { name: String },
    /// The way from one node to another.
    Link { name: String },
    /// A future that was piped to its owner.
    Future { owner: u32 },
    /// A task or a thread, by its name.
    Task { name: String, is_thread: bool },
}

/// Where a message is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    Operation(u32),
    /// It is word of an operation's end.
    End(u32),
    Timer,
}

/// What became of a message that was to reach an inbox.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Arrival {
    Arrived,
    /// It is in the inbox, and the state of its receiver puts it off.
    Deferred,
    /// It leaves for another node.
    Leaves,
    /// It left for another node, and is lost.
    Lost,
    /// It is a dead letter: its receiver has stopped.
    Dead,
    /// It is a dead letter: its receiver, a [proxy](actor_core::Proxy), finds nobody to hand it on to.
    Unclaimed,
    /// It is a dead letter: the mailbox is full.
    Refused,
    /// It arrived, and the oldest event in the mailbox, printed, had to go.
    Replaced {
        message: MessageId,
        event: String,
    },
}

/// Prints what can't be serialised itself.
fn debug<T: Debug, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:?}"))
}

/// A time as records have it; the largest number where it is longer than 500 years.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
