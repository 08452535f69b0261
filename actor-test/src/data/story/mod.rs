//! The story of an execution: operations, messages, timers and the effects of each step.
//!
//! A story is data for reports, pages and other tools. `cargo actor-test show TRACE --format json` prints the
//! story as a document:
//!
//! ```json
//! {
//!   "format": "actor-test story",
//!   "version": 1,
//!   "actor_test": "0.1.0",
//!   "test": "bank::never_overdrawn",
//!   "strategy": "random",
//!   "seed": 0,
//!   "iteration": 3,
//!   "token": "random@1",
//!   "finding": { "kind": "invariant", "message": "always \"in credit\" is false", "location": null, "step": 4 },
//!   "bounds": { "unfair": 10000, "fair": 100000, "temperature": 50000 },
//!   "fair_from": 0,
//!   "operations": [
//!     { "name": "test", "kind": "test", "path": "0000000000000000" },
//!     { "name": "Account", "kind": "actor", "type": "Account", "path": "9c1f…", "creator": 0,
//!       "prints": true, "fields": [{ "field": "balance", "value": "5" }] }
//!   ],
//!   "monitors": [{ "name": "Settled", "kind": "monitor", "state": "Quiet", "temperature": "cold" }],
//!   "messages": [
//!     { "id": "83d0…", "event": "Withdraw(7)", "from": 0, "to": 1, "sent": 2, "handled": 4 }
//!   ],
//!   "timers": [],
//!   "steps": [
//!     { "number": 1, "time_ns": 0, "who": 0, "kind": "start" },
//!     { "number": 2, "time_ns": 0, "who": 0, "kind": "flush",
//!       "effects": [{ "effect": "sent", "message": 0, "arrival": "arrived" }],
//!       "monitors": [{ "monitor": 0, "before": "Quiet", "after": "Owing", "temperature": "hot" }] },
//!     { "number": 4, "time_ns": 0, "who": 1, "kind": "handle", "message": 0,
//!       "changes": [{ "field": "balance", "before": "5", "after": "-2" }] }
//!   ]
//! }
//! ```
//!
//! The fields `who`, `from`, `to`, `owner` and `creator` are positions in `operations`; `message`, `cause`
//! and `asked` in `messages`; `timer` in `timers`; `monitor` in `monitors`. `sent`, `handled`, `armed`,
//! `ended` and `step` are numbers of steps, which count from one. A missing field is unknown or empty. A
//! newer version may add fields, so readers must skip fields that they don't know. `version` is raised when a
//! field changes its meaning.
//!
//! # Fields of actors
//!
//! The [`changes`](Step::changes) of a step are the differences between the `Debug` output of its actor
//! before and after, field by field: `balance`, `log[3].term`, `peers{"n1"}`. To get the fields after a step,
//! apply all changes up to it to the actor's first [`fields`](Operation::fields), and drop those whose
//! `after` is missing. A field with a short value is one field, whatever its structure; a longer value is
//! split into its parts. The changes of a suspended handler are known when the handler ends.

mod cone;
mod effect;
mod lifelines;
mod participants;
mod repetition;
mod selection;
mod step;
mod text;

use serde::{Deserialize, Serialize};

pub(crate) use cone::CausalIndex;
pub use effect::{
    CapacityReply, ChoicePurpose, DiskAction, DiskCall, Effect, MessageFate, NameUsed,
};
pub use lifelines::Lifeline;
pub use participants::{
    Field, Message, Monitor, MonitorKind, Operation, OperationKind, Purpose, Temperature, Timer,
};
pub(crate) use repetition::Repetition;
pub use selection::Selection;
pub(crate) use selection::name_of;
pub use step::{Change, MonitorChange, Step};
pub use text::Text;
pub(crate) use text::{Packed, Unpacking, packed};

/// The story of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Story {
    /// The test body, which is the first, the actors, and the futures that were piped to them.
    #[serde(default)]
    pub operations: Vec<Operation>,
    /// The monitors and predicates.
    #[serde(default)]
    pub monitors: Vec<Monitor>,
    /// All events that were sent, or fired by timers.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// All timers that were armed.
    #[serde(default)]
    pub timers: Vec<Timer>,
    /// The steps that were left out, if there were too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<OmittedSteps>,
    /// The actors that a failed predicate read.
    #[serde(rename = "looked_at", default, skip_serializing_if = "Vec::is_empty")]
    pub inspected: Vec<InspectedActor>,
    /// The value of the monitor that has failed, as its `Debug` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Text>,
    /// The step from which on the bug is unavoidable, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<u64>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A range of steps that are left out of the story.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OmittedSteps {
    /// The number of the first step.
    pub from: u64,
    /// The number of the last step.
    pub to: u64,
}

/// An actor that a failed predicate read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InspectedActor {
    /// The actor.
    pub who: u32,
    /// The state of the actor, if it has states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Text>,
    /// The value of the actor, as its `Debug` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Text>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Story {
    /// Completes the last, unfinished step by the known answers to its choices, and by how it ended.
    pub(crate) fn end_unfinished(&mut self, choices: &[u32], how: Option<&str>) {
        let Some(last) = self.steps.last_mut() else {
            return;
        };
        let chose = |answer: &u32| Effect::Chose {
            asked: ChoicePurpose::Unknown,
            of: None,
            answer: *answer,
        };
        let ended = how.map(|how| Effect::Ended { how: how.into() });
        last.effects.extend(choices.iter().map(chose).chain(ended));
    }

    /// Returns true if the story has no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the name of an operation.
    pub fn name(&self, who: u32) -> &str {
        self.operations
            .get(who as usize)
            .map_or("?", |found| &found.name)
    }

    /// Returns the step with that number, if the story has it.
    pub fn step(&self, number: u64) -> Option<&Step> {
        let found = self.steps.binary_search_by_key(&number, |step| step.number);
        self.steps.get(found.ok()?)
    }

    /// Returns the message with that number.
    pub fn message(&self, number: u32) -> Option<&Message> {
        self.messages.get(number as usize)
    }

    /// Returns the event that a step handled, ignored or sent first, as its `Debug` prints it.
    pub fn event_of(&self, step: &Step) -> Option<&str> {
        let sent = || step.sent().next();
        let message = self.message(step.message.or_else(sent)?)?;
        Some(&message.event)
    }
}
