//! Confirming that what is owed is owed for ever, as far as anyone can tell.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::engine::{EndReason, ObligationWatch, Program, chosen};
use crate::exploring::explorer::{Contribution, Explorer};
use crate::in_order::in_order;
use crate::report::confirmation::Confirmation;
use crate::settings::Settings;
use crate::strategy::{Continuation, Estimates, StrategySpec};

/// Judges what executions are suspected of, in the order of their iterations.
///
/// Where one has only been slow, the threshold of those after it is twice as high. Workers don't
/// know of that: each runs with the threshold that the test has, and an execution that is suspected
/// below the one in force is run again up to that one, so that the result is the same for any number
/// of workers. What is run again, or continued, is not counted.
pub(crate) struct Judge<'a> {
    name: &'a str,
    program: &'a (dyn Program + Sync),
    settings: &'a Settings,
    /// By which an execution can be run again; those with a memory can't.
    strategies: Vec<StrategySpec>,
    estimates: Arc<Estimates>,
    again: Option<Explorer<'a>>,
    judged: Judged,
}

/// What was judged so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Judged {
    suspicions: u64,
    /// What no continuation has cleared, and how often that was judged again since.
    confirmed: Vec<(Finding, u32)>,
    threshold: u64,
    /// The longest that anything took to recover.
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
            judged: Judged {
                suspicions: 0,
                confirmed: Vec::new(),
                threshold: settings.bounds.temperature(),
                recovery: 0,
            },
        }
    }

    /// What was judged so far.
    pub(crate) fn judged(&self) -> &Judged {
        &self.judged
    }

    /// Goes on from what was judged.
    pub(crate) fn go_on(&mut self, judged: Judged) {
        self.judged = judged;
    }

    /// What executions that are run again are told of their length.
    pub(crate) fn set_estimates(&mut self, estimates: Arc<Estimates>) {
        self.estimates = estimates;
    }

    /// Judges an execution, the next by its iteration. One that recovers has no finding any more.
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
        let owed = contribution.outcome.owed_longest;
        self.judged.recovery = self.judged.recovery.max(owed);
    }

    /// Runs an execution again that was suspected below the threshold in force.
    fn bring_to_threshold(&mut self, contribution: &mut Contribution) {
        let suspicion = contribution.outcome.suspicion;
        let is_certain = suspicion.is_some_and(|suspicion| suspicion.certain);
        let strategy = self.strategies.get(contribution.strategy);
        let Some(strategy) = strategy.map(StrategySpec::build) else {
            return;
        };
        if is_certain || contribution.threshold >= self.judged.threshold || strategy.has_memory() {
            return;
        }
        let explorer = self.again.get_or_insert_with(|| {
            let strategies = self.strategies.iter().map(StrategySpec::build).collect();
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

    /// How many continuations there are, and whether the test was not accused of this before.
    fn continuations(&mut self, contribution: &Contribution) -> (u32, bool) {
        let finding = contribution.outcome.finding.as_ref();
        let is_known =
            |(known, _): &&mut (Finding, u32)| finding.is_some_and(|found| found.is_like(known));
        if let Some((_, times)) = self.judged.confirmed.iter_mut().find(is_known) {
            *times += 1;
            return (Confirmation::AGAIN.div_ceil(*times), false);
        }
        self.judged.suspicions += 1;
        let parts = self.settings.partition.unwrap_or_default().of();
        let continuations = Confirmation::continuations_of(self.judged.suspicions, parts);
        (continuations, true)
    }

    fn horizon(&self, contribution: &Contribution) -> u64 {
        let recovery = self.judged.recovery.max(contribution.outcome.owed_longest);
        let suspicion = contribution.outcome.suspicion;
        // Where all states that are in reach were seen, heat is no part of the evidence, and what is
        // looked for is a type whose fingerprint leaves out what matters.
        let heat = match suspicion.is_some_and(|suspicion| suspicion.certain) {
            true => self.judged.threshold / 5,
            false => self.judged.threshold,
        };
        let recoveries = Confirmation::RECOVERIES.saturating_mul(recovery);
        recoveries.max(Confirmation::HORIZON_MIN).max(heat)
    }

    /// Doubles the threshold, but leaves an execution a quarter of its bound in which something may
    /// be seen to be owed.
    fn raise_threshold(&mut self) {
        let bound = self.settings.bounds.fair();
        let highest = (bound - bound / 4).max(self.settings.bounds.temperature());
        self.judged.threshold = self.judged.threshold.saturating_mul(2).min(highest);
    }

    /// The first continuation that recovers, by number, and after how many steps. All workers run
    /// them, each the next that nobody has, until one before all that are left has recovered.
    fn first_to_recover(
        &self,
        contribution: &Contribution,
        horizon: u64,
        continuations: u32,
    ) -> Option<(u32, u64)> {
        let explorer = || Explorer::new(self.name, self.settings, Vec::new());
        let mut first = None;
        in_order(
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
                match first {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                }
            },
        );
        first
    }
}

/// Continues an execution from where it became suspect, fairly and otherwise than with another
/// number. Tells after how many steps what is owed became cold; a continuation that ends in any
/// other way, another bug included, has not recovered.
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
    let continuation = Continuation::new(chosen(&contribution.decisions), from, number);
    let outcome = explorer.run_watched(program, contribution, Box::new(continuation), watch);
    (outcome.end == EndReason::Recovered).then(|| outcome.steps - from)
}
