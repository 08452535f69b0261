//! Steps of a story: handled messages, effects, field changes and specification changes.

use serde::{Deserialize, Serialize};

use super::{Effect, Temperature, Text, is_false};
use crate::data::step::StepKind;

/// A step of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// The number of the step, from one.
    pub number: u64,
    /// The virtual time.
    pub time_ns: u64,
    /// The operation that took the step; for a timer, the timer's owner.
    pub who: u32,
    /// The kind of step.
    pub kind: StepKind,
    /// The actor's state before the step, if it has states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_before: Option<Text>,
    /// The actor's state after the step, if its code ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_after: Option<Text>,
    /// The message that was handled, or ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
    /// True if the message was ignored.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignored: bool,
    /// The timer that fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer: Option<u32>,
    /// The effects of the step, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// The changes of the actor's fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The changes of monitors and predicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorChange>,
}

/// A change of an actor's field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The path of the field: `balance`, `log[3].term`, `peers{"n1"}`; empty for the whole value.
    pub field: Text,
    /// The value before; `None` for a new field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Text>,
    /// The value after; `None` for a removed field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Text>,
}

impl Change {
    /// Returns the inverse change, from the value after to the value before.
    pub(crate) fn backwards(self) -> Self {
        Self {
            field: self.field,
            before: self.after,
            after: self.before,
        }
    }

    /// Returns the field of the actor itself: `log` of `log[3].term`.
    pub(crate) fn top_field(&self) -> &str {
        let field: &str = &self.field;
        field.split(['.', '[', '{']).next().unwrap_or(field)
    }
}

/// A change of a monitor's state, or of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MonitorChange {
    /// The number of the monitor or predicate.
    pub monitor: u32,
    /// The state before; `true` or `false` for a predicate.
    pub before: Text,
    /// The state after.
    pub after: Text,
    /// The temperature of the state after.
    pub temperature: Temperature,
    /// The number of counted steps for which the obligation had been pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<u64>,
}

impl Step {
    /// Returns the messages that were carried to their receivers.
    pub fn sent(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Sent { message, .. } => Some(*message),
            _ => None,
        })
    }

    /// Returns the messages that the actor's handler awaited and has taken.
    pub fn received(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Received { message } => Some(*message),
            _ => None,
        })
    }

    /// Returns the answers to the choices of the step.
    pub fn choices(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Chose { answer, .. } => Some(*answer),
            _ => None,
        })
    }
}
