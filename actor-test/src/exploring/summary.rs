//! Adds up executions into the report, in the order of their iterations.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use actor_core::seam::Expectation;
use serde::{Deserialize, Serialize};

use crate::data::bug::{BugKind, Finding, Reason};
use crate::data::coverage_claim::{CoverageClaim, Gap};
use crate::data::extent::SizeEstimate;
use crate::engine::{
    EndReason, Engine, Observations, Program, START, SpecificationStats, THREAD, on_own_thread,
};
use crate::exploring::contribution::{Contribution, Novelty};
use crate::exploring::coverage_claim::{SearchCourse, StrategyTurns};
use crate::exploring::progress::ExplorationProgress;
use crate::exploring::recording::record;
use crate::exploring::unused_faults;
use crate::hash::mix;
use crate::report::behaviours::BehaviourCounter;
use crate::report::data::{BUGS_MAX, Bug, CheckpointInfo, MergeData, Report, StrategyStatistics};
use crate::report::judging;
use crate::settings::Settings;
use crate::strategy::Fairness;

/// The least number of executions that a budget of steps pays for.
const EXECUTIONS_MIN: u64 = 100;

/// The least number of executions of a saturated search.
const SATURATED_MIN: u64 = 1000;

/// The shortest execution that failed for a reason, the first among equals. For a liveness bug, the
/// shortest with the full number of continuations.
#[derive(Serialize, Deserialize)]
struct FailingExecution {
    contribution: Contribution,
    finding: Finding,
    /// The time until the first such execution, in seconds.
    after: f64,
    /// The number of executions with the reason.
    seen: u64,
}

impl FailingExecution {
    /// Adds a later execution with the same reason.
    fn add(&mut self, contribution: Contribution, finding: Finding) {
        self.seen += 1;
        let confirmation = contribution.confirmation;
        let is_sure = confirmation.is_none_or(|confirmation| confirmation.is_accusation());
        if is_sure && finding.step < self.finding.step {
            (self.contribution, self.finding) = (contribution, finding);
        }
    }
}

/// Serialises the failing executions as a list, since each finding contains its reason.
mod by_reason {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{FailingExecution, Reason};

    pub(super) fn serialize<S: Serializer>(
        failing: &BTreeMap<Reason, FailingExecution>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(failing.values())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Reason, FailingExecution>, D::Error> {
        let failing = Vec::<FailingExecution>::deserialize(deserializer)?.into_iter();
        Ok(failing.map(|one| (one.finding.reason(), one)).collect())
    }
}

/// The largest number of remembered combinations and goals.
const LANDMARKS_MAX: usize = 1 << 17;

/// The landmarks of all executions: combinations and goals.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SeenLandmarks(BTreeSet<u64>);

impl SeenLandmarks {
    /// Adds landmarks, and returns the number of new ones.
    fn news(&mut self, landmarks: &[u64]) -> u32 {
        let news = landmarks
            .iter()
            .filter(|landmark| self.0.len() < LANDMARKS_MAX && self.0.insert(**landmark));
        news.count() as u32
    }
}

/// The report in the making.
#[derive(Serialize, Deserialize)]
pub(crate) struct Summary {
    #[serde(skip)]
    settings: Settings,
    /// True if the clocks of nodes differed in some execution.
    clocks_apart: bool,
    report: Report,
    behaviours: BehaviourCounter,
    /// The behaviours as observed by monitors and predicates, which may distinguish more of them.
    views: BehaviourCounter,
    landmarks: SeenLandmarks,
    #[serde(with = "by_reason")]
    failing: BTreeMap<Reason, FailingExecution>,
    step_sum: u64,
    /// The executions and the coverage claim of each strategy.
    turns: Vec<StrategyTurns>,
    /// The strategy that had nothing left to explore.
    ended_by: Option<usize>,
    /// The part of the budget that is not for samples.
    #[serde(skip)]
    beside: u64,
    /// The estimated size of the search space.
    #[serde(skip)]
    extent: Option<SizeEstimate>,
    /// A hash of the pilot executions.
    pub(crate) pilots: u64,
    /// The last execution that showed something new, from one.
    last_new: u64,
    wants_liveness: bool,
    /// The number of executions that ended neither at a bound nor at a bug.
    ended_by_themselves: u64,
    #[serde(skip, default = "crate::wall_clock::now")]
    begun: Instant,
}

impl Summary {
    pub(crate) fn new(name: &str, settings: &Settings) -> Self {
        let strategies = settings.strategies();
        let mut summary = Self {
            settings: settings.clone(),
            clocks_apart: false,
            report: Report::empty(name, settings),
            behaviours: BehaviourCounter::default(),
            views: BehaviourCounter::default(),
            landmarks: SeenLandmarks::default(),
            failing: BTreeMap::new(),
            step_sum: 0,
            turns: Vec::new(),
            ended_by: None,
            beside: 0,
            extent: None,
            pilots: 0,
            last_new: 0,
            wants_liveness: false,
            ended_by_themselves: 0,
            begun: crate::wall_clock::now(),
        };
        summary.name_strategies(strategies.iter().map(ToString::to_string));
        summary
    }

    /// Resumes a saved summary, after `elapsed` time.
    pub(crate) fn resumed(self, settings: &Settings, elapsed: Duration) -> Self {
        let mut summary = Self {
            settings: settings.clone(),
            begun: self.begun.checked_sub(elapsed).unwrap_or(self.begun),
            ..self
        };
        summary.report.iterations = settings.iterations;
        summary
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    pub(crate) fn executions(&self) -> u64 {
        self.report.executions
    }

    /// Sets the checkpoint in the report.
    pub(crate) fn set_kept(&mut self, kept: Option<CheckpointInfo>) {
        self.report.checkpoint = kept;
    }

    /// Sets the strategies of the report.
    pub(crate) fn name_strategies(&mut self, names: impl IntoIterator<Item = String>) {
        let strategies = names.into_iter().map(|name| StrategyStatistics {
            name,
            executions: 0,
            bugs: 0,
            new_behaviours: 0,
            new_chance: 1.0,
            elapsed_s: 0.0,
        });
        self.report.strategies = strategies.collect();
        let turns = self.report.strategies.iter().map(|strategy| StrategyTurns {
            name: strategy.name.clone(),
            ..StrategyTurns::default()
        });
        self.turns = turns.collect();
    }

    /// Sets the coverage claim of each strategy.
    pub(crate) fn set_covered(&mut self, all: Vec<CoverageClaim>) {
        for (turns, covered) in self.turns.iter_mut().zip(all) {
            turns.covered = covered;
        }
    }

    /// Sets the estimated size of the search space, for a single strategy.
    pub(crate) fn set_extent(&mut self, extent: Option<SizeEstimate>) {
        self.extent = extent;
    }

    /// Returns true if no more executions are to be added.
    pub(crate) fn is_over(&self) -> bool {
        self.ended_by.is_some()
            || (!self.failing.is_empty() && !self.settings.keep_going)
            || (self.settings.until_saturated && self.is_saturated())
    }

    /// Records that a strategy has nothing left to explore.
    pub(crate) fn end_by(&mut self, strategy: usize) {
        self.ended_by = Some(strategy);
    }

    /// Returns true if a bug was found.
    pub(crate) fn has_failed(&self) -> bool {
        !self.failing.is_empty()
    }

    /// Returns how many more executions the budget pays for, by the cost of earlier ones: at least one
    /// while budget is left. Called only between epochs, so that the executions do not depend on the
    /// workers.
    pub(crate) fn affordable(&self) -> u64 {
        let Some(budget) = self.budget() else {
            return u64::MAX;
        };
        let part = self.settings.sample_part().unwrap_or_default();
        let (budget, executions) = (budget / part.of(), self.report.executions);
        let least = part.count(EXECUTIONS_MIN);
        if executions < least {
            return least - executions;
        }
        let spent = self.spent();
        match budget.checked_sub(spent) {
            None | Some(0) => 0,
            Some(left) => (left / (spent / executions.max(1)).max(1)).max(1),
        }
    }

    /// Returns the cost of all executions in steps.
    pub(crate) fn spent(&self) -> u64 {
        let threads = THREAD * self.report.asked_for_bytes;
        self.report.steps_total + START * self.report.executions + threads
    }

    /// Sets the part of the budget that is not for samples.
    pub(crate) fn set_beside(&mut self, steps: u64) {
        self.beside = steps;
    }

    fn budget(&self) -> Option<u64> {
        let budget = self.settings.step_budget?;
        Some(budget.saturating_sub(self.beside))
    }

    /// Returns true if the later half of at least a thousand executions has shown nothing new. If the
    /// chance of something new were above 0.6 %, that would happen in one case of twenty.
    fn is_saturated(&self) -> bool {
        let executions = self.report.executions;
        executions >= SATURATED_MIN && self.last_new <= executions / 2
    }

    pub(crate) fn progress(&self) -> ExplorationProgress {
        ExplorationProgress {
            executions: self.report.executions,
            of: match self.settings.step_budget {
                Some(_) => self.report.executions + self.affordable(),
                None => self.report.iterations,
            },
            steps: self.report.steps_total,
            bugs: self.failing.len(),
            extent: None,
        }
    }

    /// Adds the next execution, and returns what was new in it.
    pub(crate) fn add(&mut self, contribution: Contribution) -> Novelty {
        let outcome = &contribution.outcome;
        if outcome.end == EndReason::Exhausted {
            self.end_by(contribution.strategy);
            return Novelty::default();
        }
        let report = &mut self.report;
        report.executions += 1;
        report.steps_total += outcome.steps;
        report.dead_letters += outcome.dead_letters;
        report.asked_for_bytes += u64::from(outcome.asked.random > 0);
        report.asked_for_time += u64::from(outcome.asked.clock > 0);
        self.wants_liveness |= outcome.wants_liveness;
        let is_pruned = outcome.end == EndReason::Pruned;
        let is_fair = outcome.fairness != Fairness::Unfair && !is_pruned;
        *(match is_fair {
            _ if is_pruned => &mut report.pruned,
            true => &mut report.fair,
            false => &mut report.unfair,
        }) += 1;
        let is_long = outcome.steps > report.bounds.unfair();
        report.fair_over_unfair_bound += u64::from(is_fair && is_long);
        let turns = &mut self.turns[contribution.strategy];
        turns.executions += 1;
        turns.transient += u64::from(outcome.transient.is_some());
        turns.went_fair += u64::from(outcome.went_fair);
        turns.asked += u64::from(outcome.asked.random > 0);
        turns.clock_stood += u64::from(outcome.clock_stood);
        turns.only_timers_pass |= outcome.only_timers_pass;
        if let Some(step) = outcome.strayed_at {
            turns.strayed.get_or_insert((0, step)).0 += 1;
        }
        let new = |place: &&String| !turns.weakened.contains(*place);
        let new: Vec<String> = outcome.weakened.iter().filter(new).cloned().collect();
        turns.weakened.extend(new);
        turns.has_threads |= outcome.has_threads;
        turns.waited_for_a_step |= outcome.waited_for_a_step;
        match outcome.end {
            EndReason::Bound if is_fair => {
                report.fair_at_bound += 1;
                turns.fair_at_bound += 1;
            }
            EndReason::Bound => {
                report.unfair_at_bound += 1;
                turns.unfair_at_bound += 1;
            }
            EndReason::Quiescent | EndReason::Finished => {
                self.ended_by_themselves += 1;
                if is_fair {
                    self.step_sum += outcome.steps;
                    report.add_steps(outcome.steps, self.step_sum);
                }
            }
            _ => {}
        }
        let pending = outcome.undecided.first();
        report.undecided.add(pending.map(|pending| {
            format!(
                "{}, pending since step {}",
                pending.obligation, pending.since
            )
        }));
        let transient = outcome.transient.as_ref();
        report
            .transient
            .add(transient.map(|finding| finding.message.clone()));
        report.add_end_state(&outcome.end_state);
        for faults in &mut report.faults {
            faults.add(&outcome.faults);
        }
        self.clocks_apart |= outcome.clocks_apart;
        let mut labels = 0;
        for label in &outcome.landmarks.labels {
            let times = report.covered.entry((*label).to_owned()).or_default();
            *times += 1;
            labels += u32::from(*times == 1);
        }
        let (iteration, number) = (contribution.iteration, contribution.strategy);
        // A pruned execution is no behaviour of the program.
        let is_new = !is_pruned && self.behaviours.add(outcome.class, iteration, number);
        let view = mix(outcome.class, outcome.landmarks.view);
        let is_saturable = self.settings.until_saturated && !is_pruned;
        if is_saturable && self.views.add(view, iteration, number) {
            self.last_new = report.executions;
        }
        for opaque in &outcome.opaque {
            if let Err(at) = report.opaque.binary_search(opaque) {
                report.opaque.insert(at, opaque.clone());
            }
        }
        let strategy = &mut report.strategies[contribution.strategy];
        strategy.executions += 1;
        strategy.elapsed_s += contribution.elapsed.as_secs_f64();
        let novelty = Novelty {
            steps: outcome.steps,
            wants_liveness: outcome.wants_liveness,
            behaviours: u32::from(is_new),
            combinations: self.landmarks.news(&outcome.landmarks.combinations),
            waypoints: self.landmarks.news(&outcome.landmarks.goals) + labels,
        };
        if let Some(finding) = outcome.finding.clone() {
            strategy.bugs += 1;
            self.add_bug(contribution, finding);
        }
        novelty
    }

    fn add_bug(&mut self, contribution: Contribution, finding: Finding) {
        let reasons = self.failing.len();
        match self.failing.entry(finding.reason()) {
            Entry::Occupied(mut known) => known.get_mut().add(contribution, finding),
            Entry::Vacant(_) if reasons >= BUGS_MAX => self.report.unlisted += 1,
            Entry::Vacant(place) => {
                place.insert(FailingExecution {
                    contribution,
                    finding,
                    after: self.begun.elapsed().as_secs_f64(),
                    seen: 1,
                });
            }
        }
    }

    /// Records the failing executions, and completes the report.
    pub(crate) fn finish(mut self, program: &dyn Program, observed: &Observations) -> Report {
        let Observations {
            specifications,
            coverage,
            calls,
        } = observed;
        self.report.verdict = SearchCourse {
            stopped: self.stopped(),
            turns: std::mem::take(&mut self.turns),
            ended_by: self.ended_by,
            is_part: self
                .settings
                .sample_part()
                .is_some_and(|part| !part.is_whole()),
            extent: self.extent,
        }
        .verdict(&self.settings.bounds);
        for failing in std::mem::take(&mut self.failing).into_values() {
            let FailingExecution {
                contribution,
                finding,
                after,
                seen,
            } = failing;
            let (finding, trace) = record(program, &self.settings, &contribution, finding);
            let strategy = self.report.strategies[contribution.strategy].name.clone();
            self.report.bugs.push(Bug {
                finding,
                token: contribution.turn().token(&strategy, &self.settings),
                strategy,
                iteration: contribution.iteration + 1,
                seed: self.settings.seed,
                found_after_s: after,
                seen,
                confirmation: contribution.confirmation,
                causes: None,
                trace,
                minimized: None,
                trace_path: None,
            });
        }
        self.report.list_bugs();
        self.report.behaviours = self.behaviours.statistics();
        for (number, strategy) in self.report.strategies.iter_mut().enumerate() {
            strategy.new_behaviours = self.behaviours.first_seen_by(number);
            strategy.new_chance = self.behaviours.new_chance_of(number);
        }
        self.report.liveness_unchecked = self.wants_liveness
            && self.report.fair == 0
            && !self.report.verdict.is_exhaustive()
            && !self.came_all_to_an_end();
        // A bug that ends the exploration leaves no turn to fair strategies.
        let is_cut_short = !self.report.bugs.is_empty() && !self.settings.keep_going;
        let any_pending = self.report.bugs.iter().any(Bug::is_liveness);
        self.report.liveness_unchecked &= !is_cut_short && !any_pending;
        // After a bug, the rest of the coverage depends on the number of workers.
        if self.report.bugs.is_empty() || self.settings.keep_going {
            self.report.coverage = coverage.clone();
        }
        if self.report.bugs.is_empty() {
            self.report.vacuous = specifications.iter().filter_map(vacuity).collect();
            self.report.vacuous.sort();
            self.report.passed_over = specifications.iter().flat_map(passed_over).collect();
            self.report.passed_over.sort();
            let without = &mut self.report.without_a_chance;
            *without = unused_faults::without(&self.report.faults, calls);
            let has_clocks = self.settings.semantics.clocks.are_apart();
            if has_clocks && !self.clocks_apart {
                without.push("clocks were never apart: there was no node".into());
            }
            self.add_unevaluated(specifications);
        }
        // A state that one part has not reached may be reached by another one.
        if self.settings.sample_part().is_none() {
            judging::judge(&mut self.report, &self.settings);
        }
        if self.report.asked_for_bytes > 0 {
            self.report.thread_s = cost_of_threads(&self.settings);
        }
        self.report.elapsed_s = self.elapsed().as_secs_f64();
        if let Some(partition) = self.settings.sample_part() {
            self.report.sketch = Some(Box::new(MergeData {
                behaviours: self.behaviours,
                step_sum: self.step_sum,
                pilots: self.pilots,
                ..MergeData::new(&self.settings, partition)
            }));
        }
        self.report
    }

    /// Returns the reason why the search ended, if no strategy ended it.
    fn stopped(&self) -> Option<Gap> {
        let bound = self.settings.iterations;
        let count = self.settings.sample_part().unwrap_or_default().count(bound);
        match () {
            () if self.ended_by.is_some() => None,
            () if !self.failing.is_empty() && !self.settings.keep_going => Some(Gap::Bug),
            () if self.report.executions >= count => Some(Gap::Executions { bound }),
            () if self.affordable() == 0 => Some(Gap::Budget {
                steps: self.budget().unwrap_or_default(),
            }),
            () if self.settings.until_saturated && self.is_saturated() => Some(Gap::Saturated),
            () if self.settings.time_limit.is_some() => Some(Gap::Time),
            // A single execution.
            () => Some(Gap::Executions {
                bound: self.report.executions,
            }),
        }
    }

    /// Adds a bug for a predicate that could never be evaluated. If all executions were cut off before its
    /// actors were started, the predicate only counts as vacuous.
    fn add_unevaluated(&mut self, observed: &[SpecificationStats]) {
        let mut blind: Vec<&SpecificationStats> =
            observed.iter().filter(|seen| is_blind(seen)).collect();
        blind.sort_by_key(|seen| &seen.name);
        let were_all_cut_off = self.were_all_cut_off();
        for seen in blind {
            let message = format!(
                "predicate \"{}\" was evaluated {} times, and each time an actor that it asked for \
                 could not be shown: ",
                seen.name, seen.observations
            );
            if were_all_cut_off && seen.early == seen.absent {
                let why = "not started when the execution was cut off at the bound on steps";
                self.report.vacuous.push(message + why);
                continue;
            }
            let strategies = &self.report.strategies;
            let strategy = strategies.first().map_or("", |first| &first.name);
            let finding = Finding {
                kind: BugKind::Unevaluated,
                message: message + "not started, stopped, or suspended",
                location: None,
                step: 0,
            };
            let bug = Bug::unrecorded(finding, strategy, 0, &self.settings);
            self.report.bugs.push(bug);
            return;
        }
    }

    /// Returns true if every execution without a bug ended by itself, so that its obligations were judged.
    fn came_all_to_an_end(&self) -> bool {
        let report = &self.report;
        let left_out = report.unfair_at_bound + report.fair_at_bound + report.pruned;
        left_out == 0 && self.ended_by_themselves > 0
    }

    /// Returns true if no execution came to its end.
    fn were_all_cut_off(&self) -> bool {
        let report = &self.report;
        let cut_off = report.unfair_at_bound + report.fair_at_bound;
        cut_off + report.transient.count + report.pruned == report.executions
    }
}

/// Measures what a thread of its own costs an execution, in seconds: the median of several.
fn cost_of_threads(settings: &Settings) -> f64 {
    const THREADS: usize = 15;
    let one = || {
        let begun = crate::wall_clock::now();
        on_own_thread(|| drop(Engine::idle(settings.bounds, settings.semantics, None)));
        begun.elapsed().as_secs_f64()
    };
    let mut costs = [0.0; THREADS].map(|_: f64| one());
    costs.sort_by(f64::total_cmp);
    costs[THREADS / 2]
}

/// Returns true if each evaluation of a predicate asked for an actor that could not be shown.
fn is_blind(seen: &SpecificationStats) -> bool {
    // An `eventually` predicate ends with the first evaluation that is true.
    let judged = match seen.expectation {
        Some(Expectation::Always) => true,
        Some(Expectation::Eventually | Expectation::AlwaysEventually) => !seen.moved,
        Some(Expectation::Sometimes) | None => false,
    };
    judged && seen.observations > 0 && seen.absent == seen.observations
}

/// Lists the events that a monitor observed in states without a handler for them.
fn passed_over(seen: &SpecificationStats) -> impl Iterator<Item = String> {
    let named = |(state, event): &(&str, &str)| {
        format!("monitor `{}` sees `{event}` in `{state}`", seen.name)
    };
    seen.passed_over.iter().map(named)
}

/// Returns the reason why a specification could not have failed, if so.
fn vacuity(seen: &SpecificationStats) -> Option<String> {
    let name = &seen.name;
    match seen.expectation {
        None if seen.observations == 0 => Some(format!(
            "monitor `{name}` never saw an event that it handles"
        )),
        None if seen.has_hot && !seen.was_hot => Some(format!("monitor `{name}` was never hot")),
        None if seen.has_hot && !seen.moved => {
            Some(format!("monitor `{name}` never left its first state"))
        }
        None => None,
        Some(Expectation::Sometimes) if !seen.moved => {
            Some(format!("sometimes \"{name}\" was never true"))
        }
        Some(_) if seen.observations == 0 => {
            Some(format!("predicate \"{name}\" was never evaluated"))
        }
        Some(Expectation::Eventually | Expectation::AlwaysEventually) if !seen.was_hot => {
            Some(format!("eventually \"{name}\" was never false"))
        }
        Some(_) => None,
    }
}
