//! What happened in a step.

use serde::{Deserialize, Serialize};

use super::{Effect, Temperature, Text, is_false};
use crate::data::records::StepKind;

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// Its number, from one.
    pub number: u64,
    /// The virtual time.
    pub time_ns: u64,
    /// Who took it; for a timer, whose timer it is.
    pub who: u32,
    /// What kind of step.
    pub kind: StepKind,
    /// The actor's state before, if it has states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_before: Option<Text>,
    /// The actor's state after, if its code ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_after: Option<Text>,
    /// What was handled, or ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
    /// The message was ignored.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignored: bool,
    /// What fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer: Option<u32>,
    /// What else happened, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// What became of the actor's fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What became of monitors and predicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorChange>,
}

/// A field of an actor that a step has changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// Which: `balance`, `log[3].term`, `peers{"n1"}`; nothing for the whole value.
    pub field: Text,
    /// Its value before; `None` where there was no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Text>,
    /// Its value after; `None` where there is no such field any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Text>,
}

impl Change {
    /// From what is after it to what was before.
    pub(crate) fn backwards(self) -> Self {
        Self {
            field: self.field,
            before: self.after,
            after: self.before,
        }
    }

    /// The field of the actor itself: `log` of `log[3].term`.
    pub(crate) fn top_field(&self) -> &str {
        let field: &str = &self.field;
        field.split(['.', '[', '{']).next().unwrap_or(field)
    }
}

/// A change of a monitor's state, or of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MonitorChange {
    /// Which.
    pub monitor: u32,
    /// Its state before; of a predicate `true` or `false`.
    pub before: Text,
    /// Its state after.
    pub after: Text,
    /// Of the state after.
    pub temperature: Temperature,
    /// For how many steps it had been owed that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<u64>,
}

impl Step {
    /// The messages that were carried to their receivers.
    pub fn sent(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Sent { message, .. } => Some(*message),
            _ => None,
        })
    }

    /// The answers to the choices.
    pub fn choices(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Chose { answer, .. } => Some(*answer),
            _ => None,
        })
    }
}
