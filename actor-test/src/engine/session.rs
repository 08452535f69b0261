//! What outlives an execution, or is told of it: [`Session`].

use actor_core::runtime::Spawn;

use crate::data::bug::{BugKind, Finding};
use crate::engine::recording::recorder::Recorder;
use crate::engine::recording::tape::{DecisionObserver, RecordedDecision, Tape};
use crate::engine::watching::calls::Calls;
use crate::engine::watching::landmarks::Landmarks;
use crate::engine::watching::observers::Observers;
use crate::engine::watching::suspicion::Suspicion;
use crate::engine::watching::tally::{CoverageCounts, TypeCoverage};
use crate::engine::world::temperature::Obligation;

/// What is known and told of executions; nothing that a program under test can see.
#[derive(Default)]
pub(crate) struct EngineSession {
    pub(crate) tape: Tape,
    pub(crate) found: Option<Finding>,
    /// Why the finding, or what was hot when it was found, may go on for ever.
    pub(crate) suspicion: Option<Suspicion>,
    /// What was still owed when nothing could run any more, and since when.
    pub(crate) unmet: Option<(Obligation, u64)>,
    pub(crate) landmarks: Landmarks,
    pub(crate) observers: Observers,
    pub(crate) recorder: Option<Recorder>,
    /// What the actors of each type ran, over all executions.
    pub(crate) tallies: Vec<TypeCoverage>,
    /// The calls of the environment's, over all executions.
    pub(crate) calls: Calls,
}

impl EngineSession {
    /// Starts an execution that is compared with `expected`, recorded where it is to be told, and
    /// witnessed where someone is there; and that follows another of the `search`, where it belongs to one.
    pub(crate) fn begin(
        &mut self,
        expected: Option<Vec<RecordedDecision>>,
        tell: bool,
        witness: Option<Box<dyn DecisionObserver>>,
        search: Option<usize>,
    ) {
        self.tape.begin(expected, witness, search);
        self.begin_again(tell);
    }

    /// Forgets what is known of the execution, but for its decisions.
    pub(crate) fn begin_again(&mut self, tell: bool) {
        self.found = None;
        self.suspicion = None;
        self.unmet = None;
        self.landmarks.begin();
        self.observers.begin();
        self.recorder = tell.then(Recorder::default);
    }

    /// Takes note of a bug, in that step; the first one counts.
    pub(crate) fn find(
        &mut self,
        step: u64,
        kind: BugKind,
        message: String,
        location: Option<String>,
    ) {
        self.found.get_or_insert(Finding {
            kind,
            message,
            location,
            step,
        });
    }

    /// An actor of the type with that number is spawned.
    pub(crate) fn meet(&mut self, of_type: u32, actor: &dyn Spawn) {
        if self.tallies.len() == of_type as usize {
            let tally = TypeCoverage::new(actor.path(), actor.info());
            self.tallies.push(tally);
        }
    }

    /// Adds what the plain actors of each type have handled in an execution.
    pub(crate) fn add_handled<'a>(&mut self, by_type: impl Iterator<Item = &'a [u64]>) {
        for (tally, handled) in self.tallies.iter_mut().zip(by_type) {
            tally.add_handled(handled);
        }
    }

    /// The counts of every actor type, to forget an execution that is not to be counted.
    pub(crate) fn keep_counts(&self) -> Vec<CoverageCounts> {
        let tallies = self.tallies.iter();
        tallies.map(|tally| tally.counts().clone()).collect()
    }

    /// Goes back to what was counted before.
    pub(crate) fn restore_counts(&mut self, kept: &[CoverageCounts]) {
        for (number, tally) in self.tallies.iter_mut().enumerate() {
            tally.restore(kept.get(number));
        }
    }
}
