//! Confirms liveness bugs by fair continuations, in the order of the iterations.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::engine::{EndReason, ObligationWatch, Program, chosen};
use crate::exploring::contribution::Contribution;
use crate::exploring::explorer::Explorer;
use crate::parallel::map_ordered;
use crate::report::confirmation::Confirmation;
use crate::settings::Settings;
use crate::settings::strategy::StrategySpec;
use crate::strategy::{Continuation, Estimates};

/// Judges suspected liveness bugs, in the order of their iterations.
///
/// An execution that was only slow doubles the threshold for later ones. Workers run with the original
/// threshold. An execution suspected below the threshold in force is re-executed up to that one, so that
/// the result is the same for any number of workers. Re-executions and continuations are not counted.
pub(crate) struct Judge<'a> {
    name: &'a str,
    program: &'a (dyn Program + Sync),
    settings: &'a Settings,
    /// The strategies for re-executions; one with a memory can't re-execute.
    strategies: Vec<StrategySpec>,
    estimates: Arc<Estimates>,
    again: Option<Explorer<'a>>,
    judged: JudgeState,
}

/// The state of the judgement so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JudgeState {
    suspicions: u64,
    /// The confirmed bugs, each with the number of later suspicions of it.
    confirmed: Vec<(Finding, u32)>,
    threshold: u64,
    /// The longest recovery.
    recovery: u64,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        name: &'a str,
        program: &'a (dyn Program + Sync),
        settings: &'a Settings,
        strategies: &[StrategySpec],
    ) -> Self {
        Self {
            name,
            program,
            settings,
            strategies: strategies.to_vec(),
            estimates: Arc::default(),
            again: None,
            judged: JudgeState {
                suspicions: 0,
                confirmed: Vec::new(),
                threshold: settings.bounds.temperature(),
                recovery: 0,
            },
        }
    }

    pub(crate) fn judged(&self) -> &JudgeState {
        &self.judged
    }

    /// Resumes from a saved state.
    pub(crate) fn go_on(&mut self, judged: JudgeState) {
        self.judged = judged;
    }

    /// Sets the estimates for strategies in re-executions.
    pub(crate) fn set_estimates(&mut self, estimates: Arc<Estimates>) {
        self.estimates = estimates;
    }

    /// Judges the execution with the next iteration. An execution that recovers loses its finding.
    pub(crate) fn judge(&mut self, contribution: &mut Contribution) {
        if contribution.is_proved() {
            return;
        }
        if contribution.is_suspected() {
            self.bring_to_threshold(contribution);
        }
        if contribution.is_suspected() {
            self.confirm(contribution);
        }
        let pending = contribution.outcome.longest_pending;
        self.judged.recovery = self.judged.recovery.max(pending);
    }

    /// Re-executes an execution suspected below the threshold in force.
    fn bring_to_threshold(&mut self, contribution: &mut Contribution) {
        let suspicion = contribution.outcome.suspicion;
        let is_certain = suspicion.is_some_and(|suspicion| suspicion.certain);
        let strategy = self.strategies.get(contribution.strategy);
        let Some(strategy) = strategy.map(StrategySpec::build) else {
            return;
        };
        if is_certain || contribution.threshold >= self.judged.threshold || strategy.needs().memory
        {
            return;
        }
        let explorer = self.again.get_or_insert_with(|| {
            let strategies = self.strategies.iter().map(StrategySpec::source).collect();
            Explorer::new(self.name, self.settings, strategies)
        });
        explorer.set_estimates(self.estimates.clone());
        explorer.set_threshold(self.judged.threshold);
        let elapsed = contribution.elapsed;
        *contribution = explorer.run_turn(self.program, contribution.turn());
        contribution.elapsed += elapsed;
    }

    fn confirm(&mut self, contribution: &mut Contribution) {
        let (continuations, is_new) = self.continuations(contribution);
        let horizon = self.horizon(contribution);
        let recovered = self.first_to_recover(contribution, horizon, continuations);
        contribution.confirmation = Some(Confirmation {
            continuations: recovered.map_or(continuations, |(number, _)| number),
            recovered: recovered.is_some(),
            horizon,
            suspicion: self.judged.suspicions,
        });
        if recovered.is_none() && is_new {
            let finding = contribution.outcome.finding.clone();
            self.judged
                .confirmed
                .extend(finding.map(|finding| (finding, 0)));
        }
        if let Some((_, steps)) = recovered {
            contribution.outcome.transient = contribution.outcome.finding.take();
            contribution.outcome.end = EndReason::Recovered;
            self.judged.recovery = self.judged.recovery.max(steps);
            self.raise_threshold();
        }
    }

    /// Returns the number of continuations, and true if the test does not have this bug already.
    fn continuations(&mut self, contribution: &Contribution) -> (u32, bool) {
        let finding = contribution.outcome.finding.as_ref();
        let is_known =
            |(known, _): &&mut (Finding, u32)| finding.is_some_and(|found| found.is_like(known));
        if let Some((_, times)) = self.judged.confirmed.iter_mut().find(is_known) {
            *times += 1;
            return (Confirmation::AGAIN.div_ceil(*times), false);
        }
        self.judged.suspicions += 1;
        let parts = self.settings.sample_part().unwrap_or_default().of();
        let continuations = Confirmation::continuations_of(self.judged.suspicions, parts);
        (continuations, true)
    }

    fn horizon(&self, contribution: &Contribution) -> u64 {
        let recovery = self
            .judged
            .recovery
            .max(contribution.outcome.longest_pending);
        let suspicion = contribution.outcome.suspicion;
        // If all reachable states were visited, the temperature is no evidence. The continuations then
        // guard against a type with an incomplete fingerprint.
        let heat = match suspicion.is_some_and(|suspicion| suspicion.certain) {
            true => self.judged.threshold / 5,
            false => self.judged.threshold,
        };
        let recoveries = Confirmation::RECOVERIES.saturating_mul(recovery);
        recoveries.max(Confirmation::HORIZON_MIN).max(heat)
    }

    /// Doubles the threshold, but leaves a quarter of the bound in which an obligation can exceed it.
    fn raise_threshold(&mut self) {
        let bound = self.settings.bounds.fair();
        let highest = (bound - bound / 4).max(self.settings.bounds.temperature());
        self.judged.threshold = self.judged.threshold.saturating_mul(2).min(highest);
    }

    /// Returns the number of the first continuation that recovers, and its steps. All workers run
    /// continuations in order until the first recovery is known.
    fn first_to_recover(
        &self,
        contribution: &Contribution,
        horizon: u64,
        continuations: u32,
    ) -> Option<(u32, u64)> {
        let explorer = || Explorer::new(self.name, self.settings, Vec::new());
        let mut first = None;
        map_ordered(
            1..=continuations,
            self.settings.workers,
            &mut explorer(),
            explorer,
            |explorer, number| {
                let steps = continued(explorer, self.program, contribution, horizon, number);
                steps.map(|steps| (number, steps))
            },
            |recovered| {
                first = recovered;
                first.is_none()
            },
        );
        first
    }
}

/// Continues an execution fairly from its suspected step, differently for each number. Returns the number
/// of steps until the watched obligation was discharged; any other end, such as another bug, is no
/// recovery.
fn continued(
    explorer: &mut Explorer<'_>,
    program: &dyn Program,
    contribution: &Contribution,
    horizon: u64,
    number: u32,
) -> Option<u64> {
    let from = contribution.outcome.steps;
    let watch = ObligationWatch {
        entry: contribution.outcome.suspicion?.entry,
        from,
        until: from.saturating_add(horizon),
    };
    let continuation = Continuation::new(from, number);
    let continuation = continuation.behind(chosen(&contribution.decisions));
    let outcome = explorer.run_watched(program, contribution, Box::new(continuation), watch);
    (outcome.end == EndReason::Recovered).then(|| outcome.steps - from)
}
