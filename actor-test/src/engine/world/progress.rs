//! The progress of an execution: counters, how it is to be carried out, and whether it is to end.

use crate::engine::world::state::BODY;
use crate::hash::mix;

/// The counters of an execution, its semantics, and the requests of the program that concern all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    step: u64,
    last_operation: u32,
    /// The receiver of what a link has delivered in the last step.
    reached: Option<u32>,
    /// The number of choices requested so far.
    choices: u64,
    /// A hash of the answers to the choices of the step in progress.
    answers: u64,
    dead_letters: u64,
    /// True once the program has read the number of dead letters, and so may compare it.
    counts_dead_letters: bool,
    /// True once the program has requested the end of the execution.
    is_finishing: bool,
    /// The first operation number at which actors do not start any more, because the program shuts down.
    closed_from: Option<u32>,
    /// True if a handler's effects are carried out in one step.
    atomic_handlers: bool,
    /// True if failures of supervised actors are part of the story.
    permits_failures: bool,
}

impl Progress {
    /// Starts an execution with the same semantics.
    pub(super) fn clear(&mut self) {
        *self = Self {
            last_operation: BODY,
            atomic_handlers: self.atomic_handlers,
            permits_failures: self.permits_failures,
            ..Self::default()
        };
    }

    /// Sets whether a handler's effects are carried out in one step, and whether failures of supervised
    /// actors are part of the story, in the executions to come.
    pub(crate) fn set_semantics(&mut self, atomic_handlers: bool, permits_failures: bool) {
        self.atomic_handlers = atomic_handlers;
        self.permits_failures = permits_failures;
    }

    #[inline]
    pub(crate) fn has_atomic_handlers(&self) -> bool {
        self.atomic_handlers
    }

    pub(crate) fn permits_failures(&self) -> bool {
        self.permits_failures
    }

    /// Returns the number of the step in progress, counted from one; between two steps, of the step before.
    #[inline]
    pub(crate) fn step(&self) -> u64 {
        self.step
    }

    /// Begins the next step, and returns its number.
    #[inline]
    pub(crate) fn begin_step(&mut self) -> u64 {
        self.step += 1;
        self.step
    }

    #[cfg(test)]
    pub(crate) fn set_step(&mut self, step: u64) {
        self.step = step;
    }

    /// Returns the operation that has taken the last step, or on whose behalf a timer has fired.
    #[inline]
    pub(crate) fn last_operation(&self) -> u32 {
        self.last_operation
    }

    /// Records the receiver of what the link delivers in the step in progress.
    pub(crate) fn reaches(&mut self, operation: u32) {
        self.reached = Some(operation);
    }

    /// Takes the receiver of what a link has delivered in the last step.
    #[inline]
    pub(crate) fn take_reached(&mut self) -> Option<u32> {
        self.reached.take()
    }

    #[inline]
    pub(crate) fn set_last_operation(&mut self, operation: u32) {
        self.last_operation = operation;
    }

    pub(crate) fn choices(&self) -> u64 {
        self.choices
    }

    /// Counts choices that are requested.
    pub(crate) fn add_choices(&mut self, choices: u64) {
        self.choices += choices;
    }

    /// Returns the hash of the answers to the choices of the step in progress.
    pub(crate) fn answers(&self) -> u64 {
        self.answers
    }

    pub(crate) fn add_answer(&mut self, answer: u64) {
        self.answers = mix(self.answers, answer);
    }

    pub(crate) fn forget_answers(&mut self) {
        self.answers = 0;
    }

    pub(crate) fn dead_letters(&self) -> u64 {
        self.dead_letters
    }

    pub(crate) fn add_dead_letters(&mut self, letters: u64) {
        self.dead_letters += letters;
    }

    /// Returns the number of dead letters to the program, which may compare it from now on.
    pub(super) fn read_dead_letters(&mut self) -> u64 {
        self.counts_dead_letters = true;
        self.dead_letters
    }

    /// Returns the number of dead letters if the program has read it before.
    pub(crate) fn known_dead_letters(&self) -> Option<u64> {
        self.counts_dead_letters.then_some(self.dead_letters)
    }

    pub(crate) fn is_finishing(&self) -> bool {
        self.is_finishing
    }

    pub(crate) fn finish(&mut self) {
        self.is_finishing = true;
    }

    /// Returns the first operation number at which actors do not start any more, if the program shuts down.
    pub(crate) fn closed_from(&self) -> Option<u32> {
        self.closed_from
    }

    /// Keeps the actors from that number on from starting, unless an earlier call has closed the execution.
    pub(super) fn close_from(&mut self, operation: u32) {
        self.closed_from.get_or_insert(operation);
    }
}
