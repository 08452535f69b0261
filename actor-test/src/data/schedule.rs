//! Schedules by name: steps identified in a way that holds in every execution.
//!
//! The decisions of a trace are positions among the enabled operations. These are exact, but worthless as
//! soon as one step comes earlier or is dropped. A name here consists of the operation's path, the kind of
//! step and the identity of its message, none of which depends on the schedule. So steps can be dropped or
//! moved, and the rest can still be followed.

use crate::data::faults::FaultKind;
use crate::data::step::{MessageId, StepKind};
use crate::data::story::ChoicePurpose;
use crate::hash::mix;

/// The schedule-independent name of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StepName {
    /// The path of the operation that takes the step; for a timer, of the timer's owner.
    pub(crate) who: u64,
    pub(crate) kind: StepKind,
    /// The event or reply that the step sends, handles or fires, if any.
    pub(crate) message: Option<MessageId>,
    /// The number of earlier steps of the operation of this kind without a message; zero with a message.
    pub(crate) turn: u32,
}

impl StepName {
    /// Returns a hash of the name; two names share one with a chance of about 2^-63.
    pub(crate) fn key(&self) -> u64 {
        let message = self.message.map_or(0, MessageId::number);
        let what = u64::from(self.turn) << 8 | self.kind as u64;
        mix(mix(self.who, what), message)
    }
}

/// A choice that a step has asked for, and the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NamedChoice {
    /// The purpose of the choice; [`ChoicePurpose::Unknown`] if that was not recorded.
    pub(crate) asked: ChoicePurpose,
    /// The number of possible answers.
    pub(crate) of: u64,
    pub(crate) answer: u32,
}

/// The choices of a followed step that are not used up yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChoicesLeft {
    left: Vec<NamedChoice>,
    /// The number of choices that were asked for.
    asked: usize,
}

impl ChoicesLeft {
    pub(crate) fn of(choices: &[NamedChoice]) -> Self {
        Self {
            left: choices.to_vec(),
            asked: 0,
        }
    }

    /// Returns the answer to the next choice: that of the first remaining choice with the same purpose. If
    /// the purposes were not recorded, the next choice answers if it has as many answers.
    pub(crate) fn answer(&mut self, asked: ChoicePurpose, of: u64) -> Option<u32> {
        self.asked += 1;
        let is_it = |choice: &NamedChoice| choice.asked == asked && choice.of == of;
        if let Some(place) = self.left.iter().position(is_it) {
            return Some(self.left.remove(place).answer);
        }
        let next = self.left.get(self.asked - 1)?;
        (next.asked == ChoicePurpose::Unknown && next.of == of).then_some(next.answer)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NamedStrike {
    pub(crate) kind: FaultKind,
    /// The index, from zero, among the step's opportunities for faults of that kind.
    pub(crate) place: u32,
    /// The variant of the fault, from one.
    pub(crate) way: u32,
}

/// A step of a schedule, with the answers to its choices and the faults within it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedStep {
    pub(crate) name: StepName,
    /// A hash of operation, kind, event type and inbox, which is the same for other messages of the type.
    pub(crate) sort: u64,
    pub(crate) choices: Vec<NamedChoice>,
    pub(crate) strikes: Vec<NamedStrike>,
}

/// The steps of an execution by name, in order.
pub(crate) type Schedule = Vec<NamedStep>;

/// Returns true if a timer fires in some step.
pub(crate) fn has_timers(schedule: &Schedule) -> bool {
    let mut steps = schedule.iter();
    steps.any(|step| step.name.kind == StepKind::Timer)
}

/// The first deviation of an execution from a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScheduleDeviation {
    /// The number of the deviating step, from one.
    pub(crate) step: u64,
    /// The index of the schedule's next step, from zero; `None` at its end.
    pub(crate) expected: Option<usize>,
    /// The step that was taken instead; `None` if the execution ended.
    pub(crate) taken: Option<StepName>,
}
