//! The story of an execution: its steps, told for people.

use serde::{Deserialize, Serialize};

/// One step of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StoryStep {
    /// Its number, from one.
    pub step: u64,
    /// The virtual time in nanoseconds.
    pub time_ns: u64,
    /// Who took it: an actor's name, `test` for the test body.
    pub actor: String,
    /// What kind of step: `start`, `handle`, `flush`, `resume` or `timer`.
    pub kind: String,
    /// The event handled, sent or fired, printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Who sent the event handled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// To whom the event goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The actor's state before the step, if it has states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The actor's state after the step, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_after: Option<String>,
    /// The answers to the choices made in the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<u32>,
    /// What else became of the step: `ignored`, `dead letter`, `halts` …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The monitors that changed their state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorStep>,
}

/// A monitor's change of state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MonitorStep {
    /// Which monitor.
    pub monitor: String,
    /// Its state before.
    pub from: String,
    /// Its state after.
    pub to: String,
    /// Whether the new state is hot, cold or warm.
    pub temperature: String,
}
