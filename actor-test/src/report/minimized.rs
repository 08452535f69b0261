//! The size of an execution, and the result of minimising a failing one.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::causes::StepSummary;
use crate::data::schedule::{NamedStep, Schedule};
use crate::data::step::StepKind;
use crate::plural::count;

/// The size of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Size {
    /// The number of steps.
    pub steps: u64,
    /// The number of actors, futures and boots that take a step or have a timer that fires. Neither the test
    /// body nor links are counted.
    pub actors: u64,
    /// The number of handled messages.
    pub messages: u64,
    /// The number of faults that strike.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// The number of context switches between operations.
    pub switches: u64,
}

impl Size {
    /// Computes the size of a schedule.
    pub(crate) fn of(schedule: &Schedule) -> Self {
        let own = |step: &&NamedStep| step.name.kind != StepKind::Fault;
        let who = || schedule.iter().filter(own).map(|step| step.name.who);
        // The test body takes the first step, since it creates all others.
        let body = who().next();
        let takes = schedule.iter().filter(own);
        let takes = takes.filter(|step| step.name.kind != StepKind::Deliver);
        let takes = takes.map(|step| step.name.who);
        let actors: BTreeSet<u64> = takes.filter(|who| Some(*who) != body).collect();
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

/// Counts the faults in a step, including a fault step itself, but not the undoing of a fault.
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

/// The result of minimising a failing execution.
///
/// The [trace](crate::Bug::trace) is then the minimal execution; the token reproduces the original one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Minimized {
    /// The size of the original execution.
    pub before: Size,
    /// The size of the minimal execution. A liveness bug ends it at the step from which none recovered.
    pub after: Size,
    /// The number of steps of the original execution before the bug.
    pub found_at: u64,
    /// The number of executions that minimisation took.
    pub executions: u64,
    /// The number of steps that minimisation took.
    pub steps: u64,
    /// True if the budget ended minimisation early: more steps may be needless.
    pub is_cut: bool,
    /// The test of the minimal execution's end state, for a liveness bug.
    pub dead: Option<Dead>,
}

/// A state from which nothing recovers, as far as was observed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dead {
    /// The step after which the continuations began.
    pub from: u64,
    /// The number of fair continuations, none of which recovered. This number grows with the executions
    /// tested in this way. So at most one run of a thousand accepts an execution that recovers with a
    /// chance of a tenth or more.
    pub continuations: u32,
    /// The number of steps of each continuation.
    pub horizon: u64,
    /// The number of further continuations of 2 000 steps that first delayed some operations; none
    /// recovered.
    #[serde(default)]
    pub delayed: u32,
    /// One round of the steps that repeat each other from there on, if the operations take turns. Empty if
    /// nothing repeats, or nothing goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub round: Vec<StepSummary>,
}
