//! The report of a test: executions, bugs, statistics, verdict and coverage, as data.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::data::bug::{BugKind, Cycle, Finding, Reason};
use crate::data::causes::Causes;
use crate::data::coverage::Coverage;
use crate::data::coverage_claim::Gap;
use crate::data::end_state::EndState;
use crate::data::faults::{FaultCounts, FaultKind};
use crate::data::problem::{Restless, Unread};
use crate::data::story::Story;
use crate::report::behaviours::{BehaviourCounter, BehaviourStatistics};
use crate::report::confirmation::Confirmation;
use crate::report::minimized::Minimized;
use crate::report::verdict::Verdict;
use crate::settings::partition::Partition;
use crate::settings::token::{ParsedToken, token};
use crate::settings::{Bounds, Deny, Semantics, Settings};

/// The largest number of distinct bugs in a report.
pub(crate) const BUGS_MAX: usize = 20;

/// The prefix of a bug's strategy name, for a bug found near a recorded schedule.
pub(crate) const NEAR: &str = "near ";

/// The prefix of a bug's strategy name, for a bug found by a saved schedule.
pub(crate) const SAVED: &str = "saved schedule";

/// The report of exploring a test.
///
/// Everything but times depends on the seed and the settings alone, not on machine and workers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The name of the test.
    pub test: String,
    /// The seed of the session.
    pub seed: u64,
    /// The number of executions asked for.
    pub iterations: u64,
    /// The bounds of executions, as given or as calibrated to the program.
    pub bounds: Bounds,
    /// True if the bounds were calibrated to the program.
    #[serde(default)]
    pub calibrated: bool,
    /// The number of executions up to the first bug, or to the end.
    pub executions: u64,
    /// The number of executions that were scheduled fairly.
    pub fair: u64,
    /// The number of executions that were not scheduled fairly.
    pub unfair: u64,
    /// The number of further executions that the strategy ended early, since no continuation was worth
    /// running. They are neither judged for liveness nor counted as behaviours of the program.
    #[serde(default)]
    pub pruned: u64,
    /// The lengths of fair executions that ended by themselves.
    pub steps: Option<StepStatistics>,
    /// The number of steps of all executions.
    pub steps_total: u64,
    /// The number of fair executions longer than the unfair bound. If their share is large, unfair
    /// strategies miss what fair ones see, and the bound should be raised.
    pub fair_over_unfair_bound: u64,
    /// The number of fair executions that reached the fair bound.
    pub fair_at_bound: u64,
    /// The number of unfair executions that reached the unfair bound.
    pub unfair_at_bound: u64,
    /// The number of executions that reached the bound with a pending obligation that was not yet too hot,
    /// or under a strategy that can't judge the obligation; with the pending obligation of the first one.
    pub undecided: Counted,
    /// The number of executions suspected of a liveness bug that recovered in a fair continuation: they
    /// were slow, not stuck, and are no bugs; with the pending obligation of the first one.
    pub transient: Counted,
    /// The number of executions that ended with unread events that no actor will handle: on a link, or in
    /// the inbox of an actor that [`finish`](actor_core::System::finish) has cut off or that waits for
    /// other events; with the actor of the first one, and the number of its unread events.
    #[serde(default)]
    pub unread: Counted,
    /// The number of executions with actors of which none took a step, so that nothing was tested.
    /// Executions that the strategy ended early before any actor's step count as well.
    #[serde(default)]
    pub idle: u64,
    /// The number of fair executions that reached the bound with a periodic timer still armed; with the timer
    /// of the first one, and why the execution did not end in spite of it.
    #[serde(default)]
    pub restless: Counted,
    /// True if an obligation could be pending in cut-off executions, and no strategy could judge it.
    pub liveness_unchecked: bool,
    /// The verdict: the searched part, and the gaps.
    #[serde(default)]
    pub verdict: Verdict,
    /// The number of distinct behaviours seen, and the chance that the next is new.
    pub behaviours: BehaviourStatistics,
    /// The contributions of the strategies.
    pub strategies: Vec<StrategyStatistics>,
    /// The labels of `cover!` that executions reached, each with the number of those executions.
    pub covered: BTreeMap<String, u64>,
    /// The number of dead letters in all executions.
    pub dead_letters: u64,
    /// The bugs, one for each [reason](Bug::seen): first those of saved schedules, then the shortest first.
    pub bugs: Vec<Bug>,
    /// The number of executions that failed for further reasons, beyond the number of listed bugs.
    #[serde(default)]
    pub unlisted: u64,
    /// The number of saved schedules that passed.
    #[serde(default)]
    pub saved: u64,
    /// The number of executions near saved schedules: races reversed, steps delayed, a few steps random.
    #[serde(default)]
    pub near: u64,
    /// The specifications that nothing could have violated: `monitor Answered never saw an event` …
    pub vacuous: Vec<String>,
    /// The events that monitors observed in states without a handler for them: ``monitor `Answered` sees
    /// `Pong` in `Quiet` `` …
    #[serde(default)]
    pub passed_over: Vec<String>,
    /// The statistics of each kind of fault with a budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultStatistics>,
    /// The faults that never had an opportunity: ``fault `full`: nothing was sent to a bounded mailbox`` …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_a_chance: Vec<String>,
    /// The coverage of the actors; empty if the test ended at a bug, where it depends on the workers.
    #[serde(default)]
    pub coverage: Coverage,
    /// The types without a fingerprint that took part while an obligation was pending up to the end, so
    /// that lassos may be missed: `` `Server` (actor) ``, `` `Put` (event) `` …
    #[serde(default)]
    pub opaque: Vec<String>,
    /// The number of executions that asked the operating system for random bytes, and got them from their
    /// seed: keys of hash maps, `rand::rng()`, UUIDs. Each execution had a thread of its own.
    #[serde(default)]
    pub asked_for_bytes: u64,
    /// The number of executions that asked the operating system for the time, and got the virtual time.
    #[serde(default)]
    pub asked_for_time: u64,
    /// The time that a thread of its own cost per execution, in seconds, if there were any.
    #[serde(default)]
    pub thread_s: f64,
    /// The searches for a proof that did not complete. Their executions are not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<ProofAttempt>,
    /// True if a proof was [asked for](crate::settings::Search::Exhaustive).
    #[serde(default)]
    pub wants_proof: bool,
    /// The checkpoint from which an unfinished search goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointInfo>,
    /// The file from which the report was read, if the search has ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The duration of the test in seconds.
    pub elapsed_s: f64,
    /// The data for merging this report with those of other parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sketch: Option<Box<MergeData>>,
}

/// An attempt at a proof, as [asked for](crate::Tester::prove), that did not complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProofAttempt {
    /// The name of the strategy.
    pub strategy: String,
    /// The number of executions.
    pub executions: u64,
    /// The cost in steps of an execution.
    pub steps: u64,
    /// The reasons why the search did not complete.
    pub gaps: Vec<Gap>,
}

/// The checkpoint of an interrupted search, in its [directory](crate::Tester::search_dir).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointInfo {
    /// The path of the file.
    pub path: PathBuf,
    /// The number of executions in the checkpoint.
    pub executions: Option<u64>,
    /// The reason why the last checkpoint could not be written.
    pub problem: Option<String>,
}

/// The faults of one kind in all executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FaultStatistics {
    /// The kind.
    pub kind: FaultKind,
    /// The largest number of such faults in an execution.
    pub budget: u16,
    /// The number of faults that struck.
    pub struck: u64,
    /// The number of executions with at least one.
    pub executions: u64,
    /// The number of opportunities for a fault.
    pub offered: u64,
}

impl FaultStatistics {
    fn of((kind, budget): (FaultKind, u16)) -> Self {
        Self {
            kind,
            budget,
            struck: 0,
            executions: 0,
            offered: 0,
        }
    }

    pub(crate) fn add(&mut self, counts: &FaultCounts) {
        let struck = counts.struck[self.kind as usize];
        self.struck += u64::from(struck);
        self.executions += u64::from(struck > 0);
        self.offered += u64::from(counts.offered[self.kind as usize]);
    }
}

/// A number of executions, with an example: a sentence on the first of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counted {
    /// The number of executions.
    pub count: u64,
    /// The example; none without an execution.
    pub example: Option<String>,
}

impl Counted {
    /// Counts an execution if it has a sentence.
    pub(crate) fn add(&mut self, found: Option<String>) {
        self.count += u64::from(found.is_some());
        self.example = self.example.take().or(found);
    }

    /// Adds the executions of a later part.
    pub(crate) fn merge(&mut self, later: Self) {
        self.count += later.count;
        self.example = self.example.take().or(later.example);
    }
}

/// The lengths of executions in steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepStatistics {
    /// The smallest length.
    pub min: u64,
    /// The mean length, rounded down.
    pub avg: u64,
    /// The largest length.
    pub max: u64,
    /// The number of executions.
    pub count: u64,
}

/// The contribution of one strategy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StrategyStatistics {
    /// The name of the strategy with its parameters.
    pub name: String,
    /// The number of executions.
    pub executions: u64,
    /// The number of executions that found a bug.
    pub bugs: u64,
    /// The number of behaviours that the strategy was the first to show.
    pub new_behaviours: u64,
    /// The estimated chance that its next execution shows a new behaviour, from its last thousand.
    pub new_chance: f64,
    /// The time of its executions in seconds, summed over all workers.
    pub elapsed_s: f64,
}

/// A bug, with the data to reproduce it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bug {
    /// The failure.
    pub finding: Finding,
    /// The strategy that found the bug.
    pub strategy: String,
    /// The iteration that found the bug, from one.
    pub iteration: u64,
    /// The seed of the session.
    pub seed: u64,
    /// The time until the bug was found, in seconds.
    pub found_after_s: f64,
    /// The number of executions that failed for the same [reason](crate::report::Reason); this is the
    /// shortest.
    #[serde(default = "once")]
    pub seen: u64,
    /// The token that reproduces the execution without a trace: strategy, seed and iteration.
    pub token: String,
    /// The result of fair continuations, for an obligation pending longer than the threshold.
    pub confirmation: Option<Confirmation>,
    /// The causes of the failure, if [`Tester::explain`](crate::Tester::explain) asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causes: Option<Causes>,
    /// The recorded execution: the original one, or the minimised one.
    pub trace: Recording,
    /// The result of minimisation, if it dropped anything.
    #[serde(default)]
    pub minimized: Option<Minimized>,
    /// The path of the written trace.
    pub trace_path: Option<PathBuf>,
}

/// The default of [`Bug::seen`] for reports that lack the field.
fn once() -> u64 {
    1
}

impl Bug {
    pub(crate) fn unrecorded(
        finding: Finding,
        strategy: &str,
        iteration: u64,
        settings: &Settings,
    ) -> Self {
        Self {
            finding,
            strategy: strategy.into(),
            iteration: iteration + 1,
            seed: settings.seed,
            found_after_s: 0.0,
            seen: 1,
            token: token(ParsedToken {
                strategy,
                seed: settings.seed,
                iteration,
                length: None,
                faults: settings.semantics.faults,
                delivery: settings.semantics.delivery,
                clocks: settings.semantics.clocks,
            }),
            confirmation: None,
            causes: None,
            trace: Recording {
                decisions: Vec::new(),
                checks: Vec::new(),
                schedule: String::new(),
                fair_from: Some(0),
                bounds: settings.bounds,
                semantics: settings.semantics,
                system: None,
                cycle: None,
                story: Story::default(),
            },
            minimized: None,
            trace_path: None,
        }
    }

    /// Returns the kind of the bug.
    pub fn kind(&self) -> BugKind {
        self.finding.kind
    }

    /// Returns true for a liveness bug, as opposed to a safety bug.
    pub fn is_liveness(&self) -> bool {
        self.finding.kind.is_liveness()
    }

    /// Returns the bug, described in a sentence.
    pub fn message(&self) -> &str {
        &self.finding.message
    }

    /// Returns the number of steps before the bug.
    pub fn step(&self) -> u64 {
        self.finding.step
    }

    /// Returns the sort key of the list of bugs: saved schedules first, then the shorter, then the earlier.
    fn rank(&self) -> (bool, u64, u64) {
        (!self.is_saved(), self.length(), self.iteration)
    }

    /// Returns true if this bug is listed instead of the other, which has the same reason. A liveness bug
    /// with the full number of continuations comes first; then [`rank`](Self::rank) decides.
    fn stands_before(&self, other: &Self) -> bool {
        let rank = |bug: &Self| {
            let is_sure = bug
                .confirmation
                .is_none_or(|confirmation| confirmation.is_accusation());
            (!is_sure, bug.rank())
        };
        rank(self) < rank(other)
    }

    fn length(&self) -> u64 {
        let minimized = self.minimized.as_ref();
        minimized.map_or(self.finding.step, |minimized| minimized.after.steps)
    }

    /// Returns true if a saved schedule found the bug.
    pub(crate) fn is_saved(&self) -> bool {
        self.strategy.starts_with(SAVED)
    }

    /// Returns true if `expected` is part of the message, or the word of the kind.
    pub fn is(&self, expected: &str) -> bool {
        self.finding.message.contains(expected) || self.finding.kind.word() == expected
    }
}

/// A recorded execution: its decisions and its story.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recording {
    /// The decisions: the position of an operation among the enabled ones, or the answer to a choice.
    pub decisions: Vec<u32>,
    /// A hash of each question, to detect where a replay diverges.
    pub checks: Vec<u32>,
    /// The steps and choices by name, as text, for replay in an edited program; a liveness bug ends it at
    /// the step from which on no recovery was seen. Empty if not known.
    #[serde(default)]
    pub schedule: String,
    /// The step from which on the schedule was fair; `None` for an unfair one.
    pub fair_from: Option<u64>,
    /// The bounds of the execution.
    pub bounds: Bounds,
    /// The semantics of the execution.
    pub semantics: Semantics,
    /// The seed of the random bytes that the program got in place of the operating system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<u64>,
    /// The repeatable part of the execution, for a liveness bug with such a part.
    #[serde(default)]
    pub cycle: Option<Cycle>,
    /// The story, step by step.
    pub story: Story,
}

/// The data of one part that its report needs to be merged with those of the others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct MergeData {
    pub(crate) partition: Partition,
    pub(crate) behaviours: BehaviourCounter,
    pub(crate) step_sum: u64,
    /// A hash of the pilot executions, which is the same for all parts of one program.
    pub(crate) pilots: u64,
    pub(crate) semantics: Semantics,
    pub(crate) keep_going: bool,
    pub(crate) expect_bug: Option<String>,
    pub(crate) deny: Deny,
}

impl MergeData {
    pub(crate) fn new(settings: &Settings, partition: Partition) -> Self {
        Self {
            partition,
            behaviours: BehaviourCounter::default(),
            step_sum: 0,
            pilots: 0,
            semantics: settings.semantics,
            keep_going: settings.keep_going,
            expect_bug: settings.expect_bug.clone(),
            deny: settings.deny,
        }
    }
}

impl Report {
    /// Returns the report of a test before any exploration.
    pub(crate) fn empty(test: &str, settings: &Settings) -> Self {
        Self {
            test: test.into(),
            seed: settings.seed,
            iterations: settings.iterations,
            bounds: settings.bounds,
            calibrated: settings.calibrate,
            executions: 0,
            fair: 0,
            unfair: 0,
            pruned: 0,
            steps: None,
            steps_total: 0,
            fair_over_unfair_bound: 0,
            fair_at_bound: 0,
            unfair_at_bound: 0,
            undecided: Counted::default(),
            transient: Counted::default(),
            unread: Counted::default(),
            idle: 0,
            restless: Counted::default(),
            liveness_unchecked: false,
            verdict: Verdict::default(),
            behaviours: BehaviourStatistics {
                seen: 0,
                exact: true,
                new_chance: 1.0,
                at_least: 0,
            },
            strategies: Vec::new(),
            covered: BTreeMap::new(),
            dead_letters: 0,
            bugs: Vec::new(),
            unlisted: 0,
            saved: 0,
            near: 0,
            vacuous: Vec::new(),
            passed_over: Vec::new(),
            faults: settings
                .semantics
                .faults
                .iter()
                .map(FaultStatistics::of)
                .collect(),
            without_a_chance: Vec::new(),
            coverage: Coverage::default(),
            opaque: Vec::new(),
            asked_for_bytes: 0,
            asked_for_time: 0,
            thread_s: 0.0,
            tried: Vec::new(),
            wants_proof: false,
            checkpoint: None,
            record: None,
            elapsed_s: 0.0,
            sketch: None,
        }
    }

    /// Counts the steps of one more fair execution that ended by itself; `sum` includes the earlier ones.
    pub(crate) fn add_steps(&mut self, steps: u64, sum: u64) {
        let before = self.steps;
        let count = before.map_or(0, |before| before.count) + 1;
        self.steps = Some(StepStatistics {
            min: before.map_or(steps, |before| before.min.min(steps)),
            avg: sum / count,
            max: before.map_or(steps, |before| before.max.max(steps)),
            count,
        });
    }

    /// Counts the unread events and periodic timers of an execution, and keeps the first example of each.
    pub(crate) fn add_end_state(&mut self, left: &EndState) {
        self.idle += u64::from(left.idle);
        self.unread.add(left.unread.as_ref().map(Unread::to_string));
        self.restless
            .add(left.restless.as_ref().map(Restless::to_string));
    }

    /// Returns the distinct bugs: first those of saved schedules, then the shortest first.
    pub fn bugs(&self) -> &[Bug] {
        &self.bugs
    }

    /// Adds the counts of another report, whose executions come after these.
    pub(crate) fn add_counts_of(&mut self, other: &Self) {
        self.executions += other.executions;
        self.fair += other.fair;
        self.unfair += other.unfair;
        self.steps_total += other.steps_total;
        self.strategies.extend_from_slice(&other.strategies);
    }

    /// Reduces the bugs to one for each reason, the shortest first, and drops those beyond the limit.
    pub(crate) fn list_bugs(&mut self) {
        let found = std::mem::take(&mut self.bugs);
        let mut listed: BTreeMap<Reason, Bug> = BTreeMap::new();
        for bug in found {
            match listed.entry(bug.finding.reason()) {
                Entry::Vacant(place) => {
                    place.insert(bug);
                }
                Entry::Occupied(mut known) => {
                    let seen = known.get().seen + bug.seen;
                    if bug.stands_before(known.get()) {
                        known.insert(bug);
                    }
                    known.get_mut().seen = seen;
                }
            }
        }
        self.bugs = listed.into_values().collect();
        self.bugs.sort_by_key(Bug::rank);
        let unlisted = self.bugs.drain(BUGS_MAX.min(self.bugs.len())..);
        self.unlisted += unlisted.map(|bug| bug.seen).sum::<u64>();
    }

    /// Returns true if an execution failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.bugs > 0)
    }

    /// Returns true if no bug was found.
    pub fn is_clean(&self) -> bool {
        self.bugs.is_empty()
    }

    /// Returns true if a proof was [asked for](crate::settings::Search::Exhaustive), but there is neither a
    /// bug nor a proof. A search up to a requested bound counts as a proof if it
    /// [completed](Verdict::within).
    ///
    /// ```
    /// use actor_test::Tester;
    /// use actor_test::settings::Search;
    ///
    /// let tester = Tester::new().search(Search::Exhaustive);
    /// let report = tester.run(|_| ());
    /// assert!(!report.is_unproved());
    /// let report = tester.run(|sys| {
    ///     // There is one schedule, but many seeds.
    ///     sys.spawn(Gambler);
    /// });
    /// assert!(report.is_unproved());
    /// # use actor_core::prelude::*;
    /// # use actor_core::actor;
    /// # struct Gambler;
    /// # #[actor]
    /// # impl Gambler {
    /// #     #[start]
    /// #     fn start(&mut self, cx: &mut Context<Self>) {
    /// #         let _ = rand_core::Rng::next_u64(&mut cx.rng());
    /// #     }
    /// # }
    /// ```
    pub fn is_unproved(&self) -> bool {
        let has_done_it = self.verdict.is_exhaustive() || self.verdict.within().is_some();
        self.wants_proof && self.is_clean() && !has_done_it
    }

    /// Returns the duration of the test.
    pub fn elapsed(&self) -> Duration {
        Duration::from_secs_f64(self.elapsed_s)
    }
}
