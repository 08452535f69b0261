//! What minimising a failing execution has left of it.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::records::StepKind;
use crate::data::schedule::{NamedStep, Schedule};
use crate::plural::count;

/// How long an execution is, and how much goes on in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Size {
    /// Its steps.
    pub steps: u64,
    /// How many actors, and futures, take a step or have a timer that fires; the test body is not one.
    pub actors: u64,
    /// How many messages are handled.
    pub messages: u64,
    /// How many faults strike.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// How often another one goes on than the one before.
    pub switches: u64,
}

impl Size {
    /// The size of an execution whose test body has this path.
    pub(crate) fn of(schedule: &Schedule) -> Self {
        let own = |step: &&NamedStep| step.name.kind != StepKind::Fault;
        let who = || schedule.iter().filter(own).map(|step| step.name.who);
        // The body takes the first step, since it is what creates everybody else.
        let body = who().next();
        let actors: BTreeSet<u64> = who().filter(|who| Some(*who) != body).collect();
        let handles = |step: &&_| is_handled(step);
        Self {
            steps: schedule.len() as u64,
            actors: actors.len() as u64,
            messages: schedule.iter().filter(handles).count() as u64,
            faults: schedule.iter().map(faults).sum(),
            switches: who()
                .zip(who().skip(1))
                .filter(|(one, next)| one != next)
                .count() as u64,
        }
    }
}

/// How many faults strike in a step, or are it; one that is undone is none.
pub(crate) fn faults(step: &NamedStep) -> u64 {
    let is_one = step.name.kind == StepKind::Fault && step.name.who & 1 == 0;
    step.strikes.len() as u64 + u64::from(is_one)
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_handled(step: &NamedStep) -> bool {
    step.name.kind == StepKind::Handle
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {} handled, {} context switch{}",
            count(self.steps, "step"),
            count(self.actors, "actor"),
            count(self.messages, "message"),
            self.switches,
            if self.switches == 1 { "" } else { "es" }
        )
    }
}

/// What minimising a failing execution has left of it.
///
/// The [trace](crate::Bug::trace) is the minimal execution then; the token still stands for the one
/// that was found first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Minimized {
    /// The execution that was found.
    pub before: Size,
    /// The minimal one. Where something is owed for ever, up to the step from which on no continuation
    /// recovered.
    pub after: Size,
    /// After which step the bug was found at first.
    pub found_at: u64,
    /// How many executions it took.
    pub executions: u64,
    /// And how many steps.
    pub steps: u64,
    /// The budget ended it: more may be needless.
    pub is_cut: bool,
    /// Where something is owed for ever: what was seen of the minimal execution from its last step on.
    pub dead: Option<Dead>,
}

/// An execution after which nothing recovers, as far as was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dead {
    /// The step from which on it was continued.
    pub from: u64,
    /// By how many fair continuations, none of which recovered. Their number grows with the executions
    /// that were put to this test, so that in at most one run of a thousand one passes that recovers
    /// with a chance of a tenth or more.
    pub continuations: u32,
    /// For how many steps each.
    pub horizon: u64,
    /// How many others, in which some had to wait at first, went on for 2 000 steps each, and none
    /// recovered either.
    #[serde(default)]
    pub delayed: u32,
}
