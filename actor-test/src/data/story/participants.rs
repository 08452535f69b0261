//! Who takes part in a story: operations, specifications, messages and timers.

use serde::{Deserialize, Serialize};

use super::{Text, is_false};

/// Who takes steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Operation {
    /// `Client#2`, or what it was named; `test` for the test body.
    pub name: Text,
    /// What it is.
    pub kind: OperationKind,
    /// Names it whatever the schedule: a hash of who created it, and of how many that one had created
    /// before; 16 hexadecimal digits.
    pub path: Text,
    /// An actor's type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<Text>,
    /// Who created it; for a future, to whom it is piped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<u32>,
    /// Whether its type has a `Debug`, so that its fields and their changes are known.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prints: bool,
    /// Its fields before its first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
}

/// A field of an actor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Which: `balance`, `log[3].term`, `peers{"n1"}`; nothing for a value without fields.
    pub field: Text,
    /// What it is.
    pub value: Text,
}

/// What an operation is.
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
    /// The way from one node to another.
    Link,
    /// A task.
    Task,
    /// A thread.
    Thread,
}

/// A monitor or a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Monitor {
    /// A monitor's type, a predicate's name.
    pub name: Text,
    /// What it is.
    pub kind: MonitorKind,
    /// A monitor's first state; of a predicate `false`, where it was never true.
    pub state: Text,
    /// Of that state.
    pub temperature: Temperature,
}

/// What a monitor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MonitorKind {
    /// An automaton that observes events.
    Monitor,
    /// A predicate that is to be true always.
    Always,
    /// A predicate that is to be true once at least.
    Eventually,
    /// A predicate that is to be true again and again.
    AlwaysEventually,
    /// A predicate that may be true.
    Sometimes,
}

/// Whether something is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Temperature {
    /// It is owed.
    Hot,
    /// It may be.
    Warm,
    /// Nothing is.
    Cold,
}

impl From<actor_core::Temperature> for Temperature {
    fn from(temperature: actor_core::Temperature) -> Self {
        match temperature {
            actor_core::Temperature::Hot => Self::Hot,
            actor_core::Temperature::Cold => Self::Cold,
            actor_core::Temperature::Warm => Self::Warm,
        }
    }
}

impl Temperature {
    /// `hot`, `warm` or `cold`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
}

/// An event on its way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Names it whatever the schedule: a hash of its sender's path, and of how many that one had sent
    /// before; 16 hexadecimal digits.
    pub id: Text,
    /// The event, as its `Debug` prints it.
    pub event: Text,
    /// Who sent it; who ended, where it is word of that; nobody, where a timer fired it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// It is word of the end of `from`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_notice: bool,
    /// To whom.
    pub to: u32,
    /// The step in which it was carried to its receiver's inbox, or fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// The step in which it came over the link to its receiver's node; none within a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<u64>,
    /// The step in which it was handled, or ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled: Option<u64>,
    /// What its sender handled when it sent this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<u32>,
}

/// A timer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timer {
    /// Whose.
    pub owner: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// The event that it fires, as its `Debug` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Text>,
    /// After how long it fires.
    pub delay_ns: u64,
    /// It fires again and again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub periodic: bool,
    /// The step in which it was armed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub armed: Option<u64>,
    /// The step in which it fired for the last time, or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<u64>,
}

/// What a timer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// It fires an event: `cx.after`, `cx.every`.
    Event,
    /// It fires an event, unless the actor leaves its state before: `cx.state_timeout`.
    State,
    /// It fires an event, unless the actor handles another before: `cx.event_timeout`.
    NextEvent,
    /// It ends a sleep.
    Sleep,
    /// It ends a wait that has a limit: `task::timeout`.
    Limit,
    /// It ends the wait for the next tick of a `task::interval`.
    Tick,
    /// It ends the wait for a reply.
    Reply,
    /// It ends the wait before a supervisor brings a child back.
    Restart,
    /// It ends a shutdown that has taken too long.
    Shutdown,
    /// It ends an actor that has not stopped by then.
    Kill,
    /// Not known: it was armed before what is told.
    Unknown,
}
