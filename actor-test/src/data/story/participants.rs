//! The participants of a story: operations, specifications, messages and timers.

use serde::{Deserialize, Serialize};

use super::{Text, is_false};

/// An operation: an actor or anything else that takes steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Operation {
    /// The name: `Client#2`, or a given one; `test` for the test body.
    pub name: Text,
    /// The kind of operation.
    pub kind: OperationKind,
    /// A hash of the creator and of the number of its earlier creations, in 16 hexadecimal digits. The path
    /// identifies the operation under every schedule.
    pub path: Text,
    /// The type of an actor.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<Text>,
    /// The creator; for a future, the owner to which it is piped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<u32>,
    /// True if the type implements `Debug`, so that the fields and their changes are known.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prints: bool,
    /// The fields before the first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
}

/// A field of an actor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// The path of the field: `balance`, `log[3].term`, `peers{"n1"}`; empty for a value without fields.
    pub field: Text,
    /// The printed value.
    pub value: Text,
}

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationKind {
    /// The test body.
    Test,
    /// An actor.
    Actor,
    /// A future that was piped to an actor.
    Future,
    /// The boot code of a node.
    Boot,
    /// The link from one node to another.
    Link,
    /// A name of an actor, by which others refer to it.
    Name,
    /// A task.
    Task,
    /// A thread.
    Thread,
}

/// A monitor or a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Monitor {
    /// The type of a monitor, or the name of a predicate.
    pub name: Text,
    /// The kind of specification.
    pub kind: MonitorKind,
    /// The first state of a monitor; for a predicate that was never true, `false`.
    pub state: Text,
    /// The temperature of that state.
    pub temperature: Temperature,
}

/// The kind of a specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MonitorKind {
    /// An automaton that observes events.
    Monitor,
    /// A predicate that must always be true.
    Always,
    /// A predicate that must be true at least once.
    Eventually,
    /// A predicate that must become true again and again.
    AlwaysEventually,
    /// A predicate that should be true in some execution.
    Sometimes,
}

/// The urgency of a pending obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Temperature {
    /// An obligation is pending.
    Hot,
    /// An obligation may be pending.
    Warm,
    /// No obligation is pending.
    Cold,
}

impl Temperature {
    /// Returns `hot`, `warm` or `cold`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
}

/// An event that was sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// An identity for every schedule: a hash of the sender's path and of the number of its earlier
    /// messages, in 16 hexadecimal digits.
    pub id: Text,
    /// The event, as its `Debug` prints it.
    pub event: Text,
    /// The sender; for a notice of an end, the ended operation; `None` for a timer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// True for a notice of the end of `from`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_notice: bool,
    /// The receiver.
    pub to: u32,
    /// The step in which the event entered the receiver's inbox or a link, or was fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// The step in which the event came over the link to the receiver's node; `None` within a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<u64>,
    /// The step in which the event was handled, or ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled: Option<u64>,
    /// The message that the sender was handling when it sent this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<u32>,
}

/// A timer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timer {
    /// The owner of the timer.
    pub owner: u32,
    /// The purpose of the timer.
    pub purpose: Purpose,
    /// The event that the timer fires, as its `Debug` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Text>,
    /// The delay until the timer fires.
    pub delay_ns: u64,
    /// True if the timer fires periodically.
    #[serde(default, skip_serializing_if = "is_false")]
    pub periodic: bool,
    /// The step in which the timer was armed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub armed: Option<u64>,
    /// The step in which the timer fired for the last time, or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<u64>,
}

/// The purpose of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// Fires an event: `cx.after`, `cx.every`, or a timer of `cx.timer` without a scope.
    Event,
    /// Fires an event, unless the actor leaves its state before: `until_state_left` of a timer.
    State,
    /// Fires an event, unless the actor handles another one before: `until_event` of a timer.
    NextEvent,
    /// Ends a sleep.
    Sleep,
    /// Ends a wait with a time limit: `task::timeout`.
    Limit,
    /// Ends the wait for the next tick of a `task::interval`.
    Tick,
    /// Ends the wait for a reply.
    Reply,
    /// Ends the back-off before a supervisor restarts a child.
    Restart,
    /// Ends a shutdown that takes too long.
    Shutdown,
    /// Kills an actor that has not stopped in time.
    Kill,
    /// An unknown purpose: the timer was armed before the first recorded step.
    Unknown,
}
