//! The session: the record of the current execution, and the statistics of all executions.

use actor_core::seam::ActorType;

use crate::data::bug::Finding;
use crate::data::problem::Problem;
use crate::engine::recording::recorder::Recorder;
use crate::engine::recording::tape::{DecisionObserver, RecordedDecision, Tape};
use crate::engine::specs::calls::Calls;
use crate::engine::specs::landmarks::Landmarks;
use crate::engine::specs::observers::Observers;
use crate::engine::specs::suspicion::Suspicion;
use crate::engine::specs::tally::{CoverageCounts, TypeCoverage};
use crate::engine::world::temperature::Obligation;

/// The record of executions, which no program under test can see.
#[derive(Default)]
pub(crate) struct EngineSession {
    pub(crate) tape: Tape,
    pub(crate) found: Option<Finding>,
    /// The reason why the finding may repeat for ever, or why something hot at that point may.
    pub(crate) suspicion: Option<Suspicion>,
    /// The obligation that was pending when nothing could run any more, and the step at which it arose.
    pub(crate) unmet: Option<(Obligation, u64)>,
    pub(crate) landmarks: Landmarks,
    pub(crate) observers: Observers,
    pub(crate) recorder: Option<Recorder>,
    /// In a recorded execution: the step that is recorded but not taken, at which the execution ends.
    pub(crate) until: Option<u64>,
    /// The code that the actors of each type ran, over all executions.
    pub(crate) tallies: Vec<TypeCoverage>,
    /// The calls to the environment, over all executions.
    pub(crate) calls: Calls,
}

impl EngineSession {
    /// Starts an execution: `expected` are the decisions to compare with, `tell` has the execution
    /// recorded, and `search` is the number of the search that the execution belongs to.
    pub(crate) fn begin(
        &mut self,
        expected: Option<Vec<RecordedDecision>>,
        is_recorded: bool,
        decision_log: Option<Box<dyn DecisionObserver>>,
        search: Option<usize>,
    ) {
        self.tape.begin(expected, decision_log, search);
        self.begin_again(is_recorded);
    }

    /// Clears the record of the execution, except for its decisions.
    pub(crate) fn begin_again(&mut self, is_recorded: bool) {
        self.found = None;
        self.suspicion = None;
        self.unmet = None;
        self.landmarks.begin();
        self.observers.begin();
        self.recorder = is_recorded.then(Recorder::default);
    }

    /// Returns true at the last step that is recorded, which is not taken.
    pub(crate) fn is_recording_end(&self, step: u64) -> bool {
        self.until == Some(step)
    }

    /// Records a bug found in that step; only the first one counts.
    pub(crate) fn find(&mut self, step: u64, problem: &Problem, location: Option<String>) {
        self.found.get_or_insert_with(|| Finding {
            kind: problem.kind(),
            message: problem.to_string(),
            location,
            step,
        });
    }

    /// Registers the type with that number when an actor of the type is spawned.
    pub(crate) fn meet(&mut self, of_type: u32, of: ActorType) {
        if self.tallies.len() == of_type as usize {
            let tally = TypeCoverage::new(of.path, of.info);
            self.tallies.push(tally);
        }
    }

    /// Adds the events that the plain actors of each type have handled in an execution.
    pub(crate) fn add_handled<'a>(&mut self, by_type: impl Iterator<Item = &'a [u64]>) {
        for (tally, handled) in self.tallies.iter_mut().zip(by_type) {
            tally.add_handled(handled);
        }
    }

    /// Returns a copy of all counts, so that they can be restored after an execution that does not count.
    pub(crate) fn keep_counts(&self) -> Vec<CoverageCounts> {
        let tallies = self.tallies.iter();
        tallies.map(|tally| tally.counts().clone()).collect()
    }

    /// Restores the counts that were copied before.
    pub(crate) fn restore_counts(&mut self, kept: &[CoverageCounts]) {
        for (number, tally) in self.tallies.iter_mut().enumerate() {
            tally.restore(kept.get(number));
        }
    }
}
