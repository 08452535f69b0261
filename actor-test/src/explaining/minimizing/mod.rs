//! Minimisation of a failing execution: delta debugging of its schedule.
//!
//! An execution is determined by its schedule, so a step is dropped by not scheduling it. A candidate is a
//! [schedule by name](crate::data::schedule), which is followed as far as possible. If it ends in the same
//! bug at a lower cost, the executed schedule becomes the new best, after a re-execution by its decisions
//! alone. The passes are those of delta debugging (Zeller and Hildebrandt, 2002) and of DEMi (Scott et al.,
//! NSDI 2016, section 3), in an order that drops much first:
//!
//! 1. [`dropping_steps`]: drops faults, the whole schedule, actors, and then steps.
//! 2. [`simplifying_choices`]: simplifies the answers of choices.
//! 3. [`reducing_switches`]: reduces context switches.
//!
//! [`ending_early`] minimises a liveness bug to the shortest way to a state without any recovery.

mod candidate;
mod dropping_steps;
mod ending_early;
mod failing;
mod reducing_switches;
mod search;
mod simplifying_choices;
mod trials;

use std::sync::Arc;

use crate::data::bug::{BugKind, Finding};
use crate::data::schedule::Schedule;
use crate::engine::Program;
use crate::explaining::minimizing::ending_early::{LivenessTrial, Proof};
use crate::explaining::minimizing::failing::SafetyTrial;
use crate::explaining::minimizing::search::{BestExecution, CandidateTrial, MinimizingSearch};
use crate::explaining::minimizing::trials::{TrialWorker, Trials};
use crate::replay::{fairness_of, taken};
use crate::report::data::{Bug, Recording};
use crate::report::minimized::{Dead, Minimized, Size};
use crate::strategy::Fairness;

/// A minimised failing execution.
#[derive(Clone, Debug)]
pub(crate) struct MinimalExecution {
    pub(crate) finding: Finding,
    pub(crate) recording: Recording,
    pub(crate) minimized: Minimized,
}

impl MinimalExecution {
    /// Replaces the original execution of the bug.
    pub(crate) fn replace(self, bug: &mut Bug) {
        bug.finding = self.finding;
        bug.trace = self.recording;
        bug.minimized = Some(self.minimized);
    }
}

/// Minimises the execution of a bug within `budget` steps. The number of workers does not change the result.
/// After each pass, an improved execution goes to `keep`. Returns `None` if nothing could be dropped; if the
/// budget ended before that was known, returns the original execution.
pub(crate) fn minimize(
    program: &dyn Program,
    test: &str,
    bug: &Bug,
    budget: u64,
    workers: usize,
    keep: &mut dyn FnMut(&MinimalExecution),
) -> Option<MinimalExecution> {
    if budget == 0 || !is_minimized(bug) {
        return None;
    }
    let recording = &bug.trace;
    let fairness = fairness_of(recording.fair_from);
    let mut trials = Trials::new(program, test, bug, budget, workers);
    let (outcome, schedule) = trials.alone(|worker| worker.retrace(recording, fairness));
    let found = outcome.finding.as_ref();
    if outcome.diverged_at.is_some()
        || !found.is_some_and(|found| bug.finding.is_found_again(found))
    {
        return None;
    }
    let found = BestExecution::new(schedule, taken(recording), bug.finding.clone());
    let mut minimizing = Minimizing {
        bug,
        before: Size::of(&found.schedule),
        trials,
        is_cut: false,
        keep,
    };
    let schedule = found.schedule.clone();
    let shorter = match outcome.suspicion {
        Some(suspicion) => minimizing.dead(found, suspicion),
        None => minimizing.failing(found),
    };
    let is_cut = minimizing.is_cut || minimizing.trials.is_over();
    shorter.or_else(|| {
        is_cut.then(|| MinimalExecution {
            finding: bug.finding.clone(),
            recording: bug.trace.clone(),
            minimized: minimizing.minimized(&schedule, None),
        })
    })
}

/// Returns true if the bug can be minimised. A bug of all executions together has no schedule, and one that
/// ends the process can't be tried. A bug found only at the bound on steps is as long as the bound.
fn is_minimized(bug: &Bug) -> bool {
    // A cycle found by a state search is short already.
    if bug.trace.cycle.is_some_and(|cycle| cycle.is_searched()) {
        return false;
    }
    let kind = bug.kind();
    let is_apart = matches!(
        kind,
        BugKind::Nondeterminism
            | BugKind::Strategy
            | BugKind::Hang
            | BugKind::Crash
            | BugKind::LeakedThreads
            | BugKind::ForeignReference
            | BugKind::Unevaluated
            | BugKind::Spin
    );
    !is_apart && !kind.concerns_all() && bug.finding.step > 0
}

/// The minimisation of one execution.
struct Minimizing<'a> {
    bug: &'a Bug,
    before: Size,
    trials: Trials<'a>,
    /// True if the budget, without the reserve for proofs, did not suffice for all candidates.
    is_cut: bool,
    keep: &'a mut dyn FnMut(&MinimalExecution),
}

impl Minimizing<'_> {
    /// Minimises a safety bug or a deadlock.
    fn failing(&mut self, found: BestExecution) -> Option<MinimalExecution> {
        let bug = self.bug;
        let trial = SafetyTrial::new(&bug.finding, &bug.trace, found.schedule.len() as u64);
        let fairness = trial.fairness();
        let mut search = MinimizingSearch::new(trial, Arc::new(found));
        let mut minimal = None;
        loop {
            let before = search.best.cost();
            for pass in passes() {
                pass(&mut search, &mut self.trials);
                if search.has_improved() {
                    let better = self.recorded(&search.best, fairness);
                    (self.keep)(&better);
                    minimal = Some(better);
                }
            }
            if search.best.cost() == before || self.trials.is_over() {
                break;
            }
        }
        // The cost includes later attempts without success.
        let minimized = self.minimized(&search.best.schedule, None);
        minimal.map(|minimal| MinimalExecution {
            minimized,
            ..minimal
        })
    }

    fn recorded(&mut self, best: &BestExecution, fairness: Fairness) -> MinimalExecution {
        let like = &self.bug.trace;
        let recorded = |worker: &mut TrialWorker<'_>| worker.record(best, fairness, like, None);
        let (finding, recording) = self.trials.alone(recorded);
        MinimalExecution {
            minimized: self.minimized(&best.schedule, None),
            finding,
            recording,
        }
    }

    /// Minimises a liveness bug.
    fn dead(
        &mut self,
        found: BestExecution,
        suspicion: crate::engine::Suspicion,
    ) -> Option<MinimalExecution> {
        let trial = LivenessTrial::new(self.bug, suspicion);
        let trial = trial.attuned(&mut self.trials, &found);
        let first = found.cost();
        let shortest = trial.shortest_prefix(&mut self.trials, &found, 0)?;
        let mut prefix = shortest.schedule.len();
        // Each candidate is shorter than the one before; the first is a prefix of the original.
        let mut candidates = vec![Arc::new(shortest)];
        let mut search = MinimizingSearch::new(trial, Arc::clone(&candidates[0]));
        let mut is_stricter = true;
        let mut tested = 0;
        loop {
            tested += 1;
            if is_stricter && search.trial.is_free() {
                self.shorten(&mut search, &mut candidates, tested);
            }
            let best = Arc::clone(&search.best);
            if best.cost() >= first {
                return None;
            }
            let left = self.trials.left();
            let Some(terms) = search.trial.payable(&best, tested, left) else {
                self.is_cut = true;
                return None;
            };
            if let Some(proof) = search.trial.prove(&mut self.trials, &best, terms) {
                return Some(self.lost(&best, proof));
            }
            candidates.pop();
            is_stricter = search.trial.is_stricter();
            let (trial, trials) = (&search.trial, &mut self.trials);
            while candidates
                .last()
                .is_some_and(|best| !trial.seems_dead(trials, best))
            {
                candidates.pop();
            }
            if candidates.is_empty() {
                let longer = trial.shortest_prefix(trials, &found, prefix)?;
                prefix = longer.schedule.len();
                candidates.push(Arc::new(longer));
                is_stricter = true;
            }
            search.best = Arc::clone(candidates.last()?);
        }
    }

    /// Drops steps, and pushes each new best on the candidates. The cost of proving the best stays reserved.
    fn shorten(
        &mut self,
        search: &mut MinimizingSearch<LivenessTrial<'_>>,
        candidates: &mut Vec<Arc<BestExecution>>,
        tested: u64,
    ) {
        let before = self.trials.left();
        loop {
            let cost = search.best.cost();
            for pass in passes() {
                let reserve = search.trial.reserve(&search.best, tested, before);
                self.trials.reserve(reserve);
                pass(search, &mut self.trials);
                if search.has_improved() {
                    candidates.push(Arc::clone(&search.best));
                }
            }
            self.is_cut = self.trials.is_over();
            if search.best.cost() == cost || self.is_cut {
                break;
            }
        }
        self.trials.reserve(0);
    }

    /// Returns the minimal way to a dead state.
    fn lost(&mut self, best: &BestExecution, proof: Proof) -> MinimalExecution {
        let dead = Dead {
            from: best.schedule.len() as u64,
            continuations: proof.terms.continuations,
            horizon: proof.terms.horizon,
            delayed: proof.terms.delayed,
            round: self.trials.alone(|worker| worker.round_behind(best)),
        };
        MinimalExecution {
            minimized: self.minimized(&best.schedule, Some(dead)),
            finding: proof.finding,
            recording: proof.recording,
        }
    }

    fn minimized(&self, schedule: &Schedule, dead: Option<Dead>) -> Minimized {
        let cost = self.trials.spent();
        Minimized {
            before: self.before,
            after: Size::of(schedule),
            found_at: self.bug.finding.step,
            executions: cost.executions,
            steps: cost.steps,
            is_cut: self.is_cut || self.trials.is_over(),
            dead,
        }
    }
}

type Pass<T> = fn(&mut MinimizingSearch<T>, &mut Trials<'_>);

/// The order of the passes.
const fn passes<T: CandidateTrial>() -> [Pass<T>; 6] {
    [
        dropping_steps::faults,
        dropping_steps::from_nothing,
        dropping_steps::operations,
        dropping_steps::steps,
        simplifying_choices::simplest,
        reducing_switches::fewest,
    ]
}
