//! Minimisation of safety bugs and deadlocks: executions that end in the bug.

use crate::data::bug::{BugKind, Finding};
use crate::engine::RunOptions;
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{BestExecution, CandidateTrial};
use crate::explaining::minimizing::trials::TrialWorker;
use crate::report::data::Recording;
use crate::strategy::{Fairness, Steady, Strategy};

/// The trial for a bug at the end of an execution.
#[derive(Debug)]
pub(super) struct SafetyTrial {
    finding: Finding,
    fairness: Fairness,
    /// True if the bug shows only when nothing can run any more, so that all enabled steps must run first.
    needs_the_end: bool,
}

impl SafetyTrial {
    /// Creates the trial for the bug of an execution of `steps` steps.
    pub(super) fn new(finding: &Finding, recording: &Recording, steps: u64) -> Self {
        let needs_the_end = matches!(
            finding.kind,
            BugKind::Deadlock | BugKind::DeferredForever | BugKind::HotAtEnd | BugKind::OutsideWait
        );
        // No candidate is longer than the original execution, and none is judged for liveness.
        let fairness = match steps < recording.bounds.unfair() {
            true => Fairness::Unfair,
            false => Fairness::FairFrom(steps),
        };
        Self {
            finding: finding.clone(),
            fairness,
            needs_the_end,
        }
    }

    pub(super) fn fairness(&self) -> Fairness {
        self.fairness
    }
}

impl CandidateTrial for SafetyTrial {
    fn attempt(
        &self,
        worker: &mut TrialWorker<'_>,
        candidate: Candidate,
        limit: u64,
    ) -> Option<BestExecution> {
        let completion = match self.needs_the_end {
            true => Some(Box::new(Steady::default()) as Box<dyn Strategy>),
            false => None,
        };
        let seed = candidate.seed;
        let guided = candidate.guided(self.fairness, limit, completion);
        let attempt = worker.follow(guided, seed);
        let found = attempt.outcome.finding?;
        if !self.finding.is_found_again(&found) {
            return None;
        }
        Some(BestExecution::new(
            attempt.followed.schedule,
            attempt.decisions,
            found,
        ))
    }

    fn is_confirmed(&self, worker: &mut TrialWorker<'_>, better: &BestExecution) -> bool {
        let options = RunOptions::default();
        let again = worker.again(&better.decisions, self.fairness, options);
        again.diverged_at.is_none() && again.finding.as_ref() == Some(&better.finding)
    }
}
