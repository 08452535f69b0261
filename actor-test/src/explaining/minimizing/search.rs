//! The best execution so far, and the trials of candidates against it.

use std::sync::Arc;

use crate::data::bug::Finding;
use crate::data::schedule::Schedule;
use crate::engine::RecordedDecision;
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::trials::{TrialWorker, Trials};
use crate::report::minimized::Size;

/// An execution that ends in the bug, or in a state from which the bug is unavoidable.
#[derive(Clone, Debug)]
pub(super) struct BestExecution {
    pub(super) schedule: Schedule,
    pub(super) decisions: Vec<RecordedDecision>,
    pub(super) finding: Finding,
    size: Size,
}

impl BestExecution {
    pub(super) fn new(
        schedule: Schedule,
        decisions: Vec<RecordedDecision>,
        finding: Finding,
    ) -> Self {
        Self {
            size: Size::of(&schedule),
            schedule,
            decisions,
            finding,
        }
    }

    /// Returns the cost to reduce: first faults, then steps, context switches, actors and choice answers.
    pub(super) fn cost(&self) -> (u64, u64, u64, u64, u64) {
        let choices = self.schedule.iter().flat_map(|step| &step.choices);
        let chosen = choices.map(|choice| u64::from(choice.answer)).sum();
        (
            self.size.faults,
            self.size.steps,
            self.size.switches,
            self.size.actors,
            chosen,
        )
    }
}

/// Decides whether a candidate leads to the bug.
pub(super) trait CandidateTrial: Sync {
    /// Runs a candidate, and returns the execution if it leads to the bug in at most `limit` steps.
    fn attempt(
        &self,
        worker: &mut TrialWorker<'_>,
        candidate: Candidate,
        limit: u64,
    ) -> Option<BestExecution>;

    /// Confirms an execution before it becomes the best one.
    fn is_confirmed(&self, worker: &mut TrialWorker<'_>, better: &BestExecution) -> bool;
}

/// The search for a smaller execution.
#[derive(Debug)]
pub(super) struct MinimizingSearch<T> {
    pub(super) trial: T,
    pub(super) best: Arc<BestExecution>,
    improved: bool,
}

impl<T: CandidateTrial> MinimizingSearch<T> {
    pub(super) fn new(trial: T, best: Arc<BestExecution>) -> Self {
        Self {
            trial,
            best,
            improved: false,
        }
    }

    /// Returns true if there is a better execution since the last call.
    pub(super) fn has_improved(&mut self) -> bool {
        std::mem::take(&mut self.improved)
    }

    /// Tries a candidate, and returns true if it is the new best.
    pub(super) fn tries(&mut self, trials: &mut Trials<'_>, candidate: Candidate) -> bool {
        let only = std::iter::once(((), candidate));
        self.tries_each(trials, only).is_some()
    }

    /// Tries candidates in turn up to the first improvement, which becomes the best. Returns the value
    /// paired with it: the place at which to continue.
    pub(super) fn tries_each<P: Send + 'static>(
        &mut self,
        trials: &mut Trials<'_>,
        candidates: impl Iterator<Item = (P, Candidate)> + Send,
    ) -> Option<P> {
        let (trial, best) = (&self.trial, &self.best);
        let (limit, cost) = (best.schedule.len() as u64, best.cost());
        let found = trials.first(candidates, |worker, (place, candidate)| {
            let better = trial.attempt(worker, candidate, limit)?;
            let is_better = better.cost() < cost && trial.is_confirmed(worker, &better);
            is_better.then_some((place, better))
        });
        let (place, better) = found?;
        self.best = Arc::new(better);
        self.improved = true;
        Some(place)
    }
}
