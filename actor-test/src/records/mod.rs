//! Records: the event log of an execution, in order of occurrence.
//!
//! The engine emits records while an execution is recorded; readers turn them into stories and other
//! reports. A record is plain data (numbers, messages, choices) without sentences. Of a user's values a
//! record holds the `Debug` output, since the value itself is gone by the time it is read.
//!
//! A [`Record::Step`] begins a step; all records up to the next one belong to that step.
//!
//! # Identities
//!
//! An operation (an actor, the test body, a piped future) is identified by a number in the order of
//! creation; number zero is the test body. The [`path`](Record::Created::path) of an operation and the
//! [`MessageId`] of a message do not depend on the schedule. The third message of the test's second actor
//! has one identity in all executions, so that records of two executions can be compared.

mod building;
pub(crate) mod marks;
pub(crate) mod node_fault;

use std::fmt::Debug;
use std::time::Duration;

use actor_core::{AskError, StopReason, specification};
use serde::{Serialize, Serializer};

use crate::data::fields::{FieldDifference, PrintedField};
use crate::data::step::{MessageId, StepKind};
use crate::data::story::{
    CapacityReply, ChoicePurpose, DiskCall, MonitorKind, NameUsed, Purpose, Temperature,
};

impl From<specification::Temperature> for Temperature {
    fn from(temperature: specification::Temperature) -> Self {
        match temperature {
            specification::Temperature::Hot => Self::Hot,
            specification::Temperature::Cold => Self::Cold,
            specification::Temperature::Warm => Self::Warm,
        }
    }
}

/// An entry in the log of an execution.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "record")]
pub(crate) enum Record {
    Step {
        number: u64,
        /// The virtual time before the step, in nanoseconds.
        time_ns: u64,
        /// The operation that takes the step; for a timer, the timer's owner.
        who: u32,
        timer: Option<u64>,
        kind: StepKind,
        /// The actor's state before the step, if it has states.
        state: Option<&'static str>,
    },
    /// A running handler has created an operation, whose first step follows [`Spawned`](Record::Spawned).
    Created {
        who: u32,
        /// An identity for every schedule: a hash of the creator, and of its number of earlier creations.
        path: u64,
        what: Created,
    },
    /// The creation took effect.
    Spawned {
        who: u32,
    },
    /// A message is handled, or ignored.
    Handled {
        who: u32,
        message: MessageId,
        from: MessageSource,
        event: String,
        ignored: bool,
    },
    /// A message was sent, and reached its receiver or did not.
    Sent {
        message: MessageId,
        from: MessageSource,
        to: u32,
        event: String,
        arrival: DeliveryRecord,
        /// The message that the sender was handling; `None` for what a start hook, the test body, a timer
        /// or a piped future sent.
        cause: Option<MessageId>,
    },
    /// An operation has used the registry of names.
    NameUsed {
        how: NameUsed,
        name: String,
        /// The actor that has the name, or had it.
        holder: Option<u32>,
        error: Option<String>,
    },
    /// The reply of an `ask`, or its loss, has reached the asker.
    Replied {
        from: u32,
        to: u32,
        /// The message with the question.
        asked: MessageId,
        /// The printed reply, or the reason why there is none.
        #[serde(serialize_with = "debug")]
        reply: Result<String, AskError>,
    },
    /// A sender has asked for capacity in a bounded mailbox.
    CapacityRequested {
        who: u32,
        of: u32,
        answer: CapacityReply,
    },
    /// A call to a disk was carried out.
    Disk {
        who: u32,
        what: DiskRecord,
        /// The reason for the failure of the call.
        error: Option<String>,
    },
    /// The power of a disk has failed.
    PowerFailed {
        /// The lost unsynced actions; for a partial loss, the numbers of lost parts and of all parts.
        lost: Vec<(DiskRecord, Option<(u32, u32)>)>,
    },
    /// An event was announced to the monitors that observe it, if any.
    Announced {
        who: u32,
        event: String,
    },
    /// A choice was asked for and answered.
    Chose {
        who: u32,
        asked: ChoicePurpose,
        of: u64,
        answer: u32,
    },
    /// A fault: a call to the environment fails.
    CallFailed {
        who: u32,
        call: String,
        /// True if the call is made all the same, and its result is lost.
        is_made: bool,
    },
    /// A fault: a bounded mailbox refuses a message despite its capacity.
    MailboxRefuses {
        who: u32,
        of: u32,
    },
    /// A fault: a wait ends spuriously.
    WokenSpuriously {
        who: u32,
    },
    /// The code of an operation has run, between those states of its actor, if any, and awaits or not.
    Ran {
        who: u32,
        awaits: bool,
        before: Option<&'static str>,
        after: Option<&'static str>,
    },
    /// An actor has re-entered its current state: the exit and entry hooks have run.
    Reentered {
        who: u32,
    },
    /// The fields of an actor's value before its first step.
    InitialFields {
        who: u32,
        fields: Vec<PrintedField>,
    },
    /// The changes of a step to the actor's value.
    Changed {
        who: u32,
        changes: Vec<FieldDifference>,
    },
    Logged {
        level: &'static str,
        target: String,
        text: String,
    },
    /// A monitor or a predicate was registered; both kinds are numbered from zero separately.
    Watches {
        name: String,
        kind: MonitorKind,
        /// The first state of a monitor, or the assumed value of a predicate before its first evaluation.
        state: &'static str,
        temperature: Temperature,
    },
    /// A predicate has become true or false.
    Judged {
        predicate: u32,
        holds: bool,
        temperature: Temperature,
        /// The number of steps for which the predicate had been a pending obligation.
        heat: u64,
    },
    /// An unmet predicate has read an actor.
    Inspected {
        who: u32,
        state: Option<&'static str>,
        value: Option<String>,
    },
    /// The value of the monitor that has failed.
    Remembered {
        value: String,
    },
    /// A monitor went from one state to another.
    MonitorMoved {
        monitor: u32,
        from: &'static str,
        to: &'static str,
        /// The number of steps for which the monitor had been a pending obligation.
        heat: u64,
        /// The temperature of the state after.
        temperature: Temperature,
    },
    /// A timer was armed.
    Armed {
        owner: u32,
        /// An identity for every schedule, like an operation's path.
        timer: u64,
        delay_ns: u64,
        periodic: bool,
        purpose: Purpose,
        event: Option<String>,
    },
    /// A timer was cancelled, together with its unread event; `None` for one that had fired.
    Cancelled {
        owner: u32,
        timer: Option<u64>,
    },
    /// An actor has failed, and its supervisor is to act.
    Failed {
        who: u32,
        /// True for a panic, false for a broken rule.
        panicked: bool,
        message: String,
    },
    /// An actor was ordered to stop, in order or at once.
    Stopped {
        who: u32,
        at_once: bool,
    },
    /// An actor is to share the failure of the actor that takes the step.
    Linked {
        who: u32,
    },
    /// A failed actor's value was dropped.
    ValueDropped {
        who: u32,
    },
    /// A failed actor was restarted with a new value.
    Restarted {
        who: u32,
    },
    /// A child has used up the restarts of its supervisor.
    GivenUp {
        who: u32,
        limit: String,
    },
    /// A message or a reply on a link was lost.
    LostOnLink {
        message: Option<MessageId>,
    },
    /// A message has come over a link, and reached its receiver or did not.
    Arrived {
        message: MessageId,
        from: MessageSource,
        to: u32,
        event: String,
        arrival: DeliveryRecord,
    },
    ArrivedReply {
        to: u32,
    },
    /// A fault between nodes, or its repair.
    NodeFault {
        what: &'static str,
        node: Option<String>,
        links: Vec<(String, String)>,
        by_ns: Option<u64>,
    },
    /// Time has passed without a timer that fired.
    Passed {
        by_ns: u64,
    },
    /// The error of a node's clock.
    Clock {
        node: String,
        ahead_ns: u64,
        /// The nanoseconds that the clock gains in a second.
        drift_ppb: i64,
    },
    /// The execution has come to a shared object; objects are numbered from zero in this order.
    Object {
        kind: &'static str,
        /// The place that made the object.
        made: String,
    },
    /// A shared object was accessed.
    Accessed {
        who: u32,
        what: String,
        object: u32,
        /// The place of the access in the program.
        place: String,
    },
    /// An actor has taken an event that it awaited.
    Received {
        who: u32,
        message: MessageId,
        from: MessageSource,
        event: String,
    },
    /// An access or a notification has woken these operations.
    Woke {
        whom: Vec<u32>,
    },
    /// A task has ended, by itself or by an abort.
    Over {
        who: u32,
    },
    Halted {
        who: u32,
        #[serde(serialize_with = "debug")]
        reason: StopReason,
        /// The number of events left in the inbox, which all become dead letters.
        unread: u64,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct DiskRecord {
    pub(crate) call: DiskCall,
    pub(crate) path: String,
    pub(crate) to: Option<String>,
    pub(crate) at: Option<u64>,
    /// The number of bytes; for a length, that length.
    pub(crate) bytes: Option<u64>,
}

impl DiskRecord {
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

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Created {
    Actor {
        /// The type, by name and by number, since several types may have one name.
        of_type: &'static str,
        type_number: u32,
        /// The number of the actor among those of its type, from one.
        ordinal: u32,
        name: Option<String>,
        /// The prefix of the name for an actor on a node.
        prefix: Option<String>,
    },
    Boot {
        name: String,
    },
    Link {
        name: String,
    },
    /// A name that references use.
    Name {
        name: String,
    },
    Future {
        owner: u32,
    },
    Task {
        name: String,
        is_thread: bool,
        /// The object that signals the end of the task.
        end: u32,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MessageSource {
    Operation(u32),
    /// The notice of an operation's end.
    End(u32),
    Timer,
}

/// The fate of a message that was sent to an inbox.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryRecord {
    Arrived,
    /// The message is in the inbox, and the receiver's state defers it.
    Deferred,
    /// The message leaves for another node.
    Leaves,
    /// The message left for another node, and is lost.
    Lost,
    /// A dead letter: the receiver has stopped.
    Dead,
    /// A dead letter: nobody has the name that the message was sent to.
    Unclaimed,
    /// A dead letter: the mailbox is full.
    Refused,
    /// A dead letter: the link to the receiver's node is full.
    LinkFull,
    /// The message arrived, and the mailbox dropped its oldest event, printed here.
    Replaced {
        message: MessageId,
        event: String,
    },
}

/// Serialises the `Debug` output of a type that can't be serialised itself.
fn debug<T: Debug, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:?}"))
}

/// Converts a time for records; longer than 500 years gives the largest number.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
