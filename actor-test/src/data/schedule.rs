//! Schedules by name: who steps when, in words that mean the same in every execution.
//!
//! A trace's decisions are positions among the enabled operations: exact, and worth nothing as soon
//! as one step comes earlier or is left out. Here a step is named by its operation's path, its kind
//! and its message's identity, none of which depends on the schedule, so that steps can be left out
//! and put elsewhere, and the rest still be followed.

use crate::data::faults::FaultKind;
use crate::data::records::{MessageId, StepKind};
use crate::data::story::Asked;
use crate::hash::mix;

/// The name of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StepName {
    /// The path of the operation that takes it; for a timer, of its owner.
    pub(crate) who: u64,
    pub(crate) kind: StepKind,
    /// The event or reply that is sent, handled or fired, if any.
    pub(crate) message: Option<MessageId>,
    /// How many steps of this kind without a message the operation had taken before; zero for one
    /// with a message.
    pub(crate) turn: u32,
}

impl StepName {
    /// A number that stands for the name: two names share one with a chance of 2^-63 or so.
    pub(crate) fn key(&self) -> u64 {
        let message = self.message.map_or(0, MessageId::number);
        let what = u64::from(self.turn) << 8 | self.kind as u64;
        mix(mix(self.who, what), message)
    }
}

/// A choice that a step has asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NamedChoice {
    /// What it is for; [`Asked::Unknown`] where that was not written down.
    pub(crate) asked: Asked,
    /// How many answers there were.
    pub(crate) of: u64,
    pub(crate) answer: u32,
}

/// What is left of the choices of a step that is followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChoicesLeft {
    left: Vec<NamedChoice>,
    /// How many were asked for.
    asked: usize,
}

impl ChoicesLeft {
    /// All of them.
    pub(crate) fn of(choices: &[NamedChoice]) -> Self {
        Self {
            left: choices.to_vec(),
            asked: 0,
        }
    }

    /// The answer to the next one: that of the first that is left and asks for the same. Where it was not
    /// written down what the choices were for, the next one, if it has as many answers.
    pub(crate) fn answer(&mut self, asked: Asked, of: u64) -> Option<u32> {
        self.asked += 1;
        let is_it = |choice: &NamedChoice| choice.asked == asked && choice.of == of;
        if let Some(place) = self.left.iter().position(is_it) {
            return Some(self.left.remove(place).answer);
        }
        let next = self.left.get(self.asked - 1)?;
        (next.asked == Asked::Unknown && next.of == of).then_some(next.answer)
    }
}

/// A fault that strikes within a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NamedStrike {
    pub(crate) kind: FaultKind,
    /// At which of the step's places for faults of that kind, from zero.
    pub(crate) place: u32,
    /// In which way, from one.
    pub(crate) way: u32,
}

/// A step of a schedule, with the answers to what it asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedStep {
    pub(crate) name: StepName,
    /// A hash of who it is, the kind, the type of the event and the inbox: the same for another message
    /// of the same sort.
    pub(crate) sort: u64,
    pub(crate) choices: Vec<NamedChoice>,
    pub(crate) strikes: Vec<NamedStrike>,
}

/// Who steps when.
pub(crate) type Schedule = Vec<NamedStep>;

/// Some timer fires in it.
pub(crate) fn has_timers(schedule: &Schedule) -> bool {
    let mut steps = schedule.iter();
    steps.any(|step| step.name.kind == StepKind::Timer)
}

/// Where a schedule was first left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parting {
    /// The step that was another one, from one.
    pub(crate) step: u64,
    /// Which of the schedule's steps was next, from zero; `None` where it was at its end.
    pub(crate) expected: Option<usize>,
    /// What was taken instead; `None` where the execution ended.
    pub(crate) taken: Option<StepName>,
}
