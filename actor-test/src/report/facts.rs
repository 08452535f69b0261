//! What exploring a test showed, as data.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::data::bug::{BugKind, Cycle, Finding, Reason};
use crate::data::causes::Causes;
use crate::data::coverage::Coverage;
use crate::data::faults::{FaultCounts, FaultKind};
use crate::data::leftovers::Leftovers;
use crate::data::story::Story;
use crate::report::confirmation::Confirmation;
use crate::report::merge::Sketch;
use crate::report::minimized::Minimized;
use crate::report::verdict::Verdict;
use crate::report::words;
use crate::settings::token::{Named, token};
use crate::settings::{Bounds, Semantics, Settings};
use crate::strategy::Gap;

/// How many bugs that differ are kept.
pub(crate) const BUGS_MAX: usize = 20;

/// What the strategy of a bug begins with that was found near a recorded schedule.
pub(crate) const NEAR: &str = "near ";

/// What the strategy of a bug begins with that a saved schedule has found.
pub(crate) const SAVED: &str = "saved schedule";

/// What exploring a test showed.
///
/// Everything but times depends on the seed and the settings alone,
/// whatever the machine and the number of workers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The test's name.
    pub test: String,
    /// The session's seed.
    pub seed: u64,
    /// How many executions were asked for.
    pub iterations: u64,
    /// How far executions go, as given or as found to fit the program.
    pub bounds: Bounds,
    /// The bounds were found to fit the program.
    #[serde(default)]
    pub calibrated: bool,
    /// How many executions were run up to the first bug, or to the end.
    pub executions: u64,
    /// How many of them were scheduled fairly.
    pub fair: u64,
    /// How many were not.
    pub unfair: u64,
    /// How many more the strategy broke off, since nothing that could follow was worth a look. They
    /// are neither judged for liveness nor behaviours of the program.
    #[serde(default)]
    pub pruned: u64,
    /// The lengths of fair executions that ended by themselves.
    pub steps: Option<StepStatistics>,
    /// The steps of all executions together.
    pub steps_total: u64,
    /// How many fair executions took more steps than the unfair bound: where this is a large share,
    /// unfair strategies cut off what fair ones see, and the bound wants to be larger.
    pub fair_over_unfair_bound: u64,
    /// How many fair executions reached the fair bound.
    pub fair_at_bound: u64,
    /// How many unfair executions reached the unfair bound.
    pub unfair_at_bound: u64,
    /// How many executions reached the bound while something was owed that was not yet too hot, or
    /// under a strategy that can't judge it.
    pub undecided: u64,
    /// The first of them: what was owed.
    pub undecided_example: Option<String>,
    /// How many executions were suspected of owing something for ever, but recovered in a fair
    /// continuation: slow, not stuck. They are no bugs.
    pub transient: u64,
    /// The first of them: what was owed.
    pub transient_example: Option<String>,
    /// How many executions ended with unread events that nobody will handle: on the way, or in the
    /// inbox of an actor that [`finish`](actor_core::System::finish) has cut off or that waits for
    /// other events.
    #[serde(default)]
    pub unread: u64,
    /// The first of them: who had how many.
    #[serde(default)]
    pub unread_example: Option<String>,
    /// How many executions had actors, none of which took a step: nothing was tested. Those that the
    /// strategy broke off before any actor took a step are counted as well.
    #[serde(default)]
    pub idle: u64,
    /// How many fair executions reached the bound with a periodic timer armed, so that they would
    /// have gone on for ever.
    #[serde(default)]
    pub restless: u64,
    /// The first of them: whose timer, and why the execution did not end beside it.
    #[serde(default)]
    pub restless_example: Option<String>,
    /// Something could be owed in executions that were cut off, and no strategy could judge it.
    pub liveness_unchecked: bool,
    /// What was searched, and what was left out.
    #[serde(default)]
    pub verdict: Verdict,
    /// How many different behaviours were seen, and how likely the next is new.
    pub behaviours: BehaviourStatistics,
    /// What each strategy contributed.
    pub strategies: Vec<StrategyStatistics>,
    /// The labels of `cover!` that executions came by, each with the number of those that did.
    pub covered: BTreeMap<String, u64>,
    /// Events that could not be delivered, in all executions.
    pub dead_letters: u64,
    /// The bugs, each once, however many executions [failed](Bug::seen) for its reason: first those of
    /// saved schedules, then the shortest first.
    pub bugs: Vec<Bug>,
    /// How many executions failed for other reasons: there are more than can be listed.
    #[serde(default)]
    pub unlisted: u64,
    /// How many saved schedules were run that pass.
    #[serde(default)]
    pub saved: u64,
    /// How many executions near them were tried: events that race the other way round, steps delayed,
    /// a random step now and then.
    #[serde(default)]
    pub near: u64,
    /// Specifications that nothing could have violated: `monitor Answered never saw an event` …
    pub vacuous: Vec<String>,
    /// What monitors saw in states that have no handler for it:
    /// ``monitor `Answered` sees `Pong` in `Quiet` `` …
    #[serde(default)]
    pub passed_over: Vec<String>,
    /// The faults of each kind that executions might have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultStatistics>,
    /// Faults that never had a chance, and why: ``fault `full`: nothing was sent to a bounded
    /// mailbox`` …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_a_chance: Vec<String>,
    /// What was reached of the actors. Empty where the test ended at a bug: what else was reached
    /// by then depends on the number of workers.
    #[serde(default)]
    pub coverage: Coverage,
    /// What offers no fingerprint and took part while something was owed that was still owed at the
    /// end, so that lassos could be missed: `` `Server` (actor) ``, `` `Put` (event) `` …
    #[serde(default)]
    pub opaque: Vec<String>,
    /// How many executions asked the operating system for random bytes, and were answered from their
    /// seed: the keys of hash maps, `rand::rng()`, UUIDs. Each of them had a thread of its own.
    #[serde(default)]
    pub asked_for_bytes: u64,
    /// How many executions asked it for the time, and were answered from the virtual clock.
    #[serde(default)]
    pub asked_for_time: u64,
    /// How long a thread of its own took for each, in seconds, where there were any.
    #[serde(default)]
    pub thread_s: f64,
    /// The searches for a proof that were tried, and came to no end. Their executions are not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
    /// A proof was [asked for](crate::Search::Exhaustive).
    #[serde(default)]
    pub wants_proof: bool,
    /// Where a search that is not over can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Kept>,
    /// How long it took, in seconds.
    pub elapsed_s: f64,
    /// What it takes to merge it with the reports of other parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sketch: Option<Box<Sketch>>,
}

/// A search for a proof that was [tried](crate::Settings::prove), and came to no end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tried {
    /// Its name.
    pub strategy: String,
    /// How many executions it ran.
    pub executions: u64,
    /// What it has cost, in steps of an execution.
    pub steps: u64,
    /// Why it came to no end.
    pub gaps: Vec<Gap>,
}

/// What an interrupted search can [go on](crate::Settings::resume) from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// How many executions it has.
    pub executions: Option<u64>,
    /// Why the last one could not be written.
    pub problem: Option<String>,
}

/// The faults of one kind, over all executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FaultStatistics {
    /// Which.
    pub kind: FaultKind,
    /// How many an execution might have.
    pub budget: u16,
    /// How many there were.
    pub struck: u64,
    /// In how many executions there was one.
    pub executions: u64,
    /// How often there might have been one.
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

    /// Adds those of an execution.
    pub(crate) fn add(&mut self, counts: &FaultCounts) {
        let struck = counts.struck[self.kind as usize];
        self.struck += u64::from(struck);
        self.executions += u64::from(struck > 0);
        self.offered += u64::from(counts.offered[self.kind as usize]);
    }
}

/// The lengths of executions in steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepStatistics {
    /// The shortest.
    pub min: u64,
    /// The mean, rounded down.
    pub avg: u64,
    /// The longest.
    pub max: u64,
    /// How many.
    pub count: u64,
}

/// How many different behaviours were seen.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BehaviourStatistics {
    /// How many, exactly or as estimated.
    pub seen: u64,
    /// The number is exact: nothing had to be forgotten.
    pub exact: bool,
    /// The estimated chance that the next execution shows a new one (Good and Turing): the share of
    /// executions that showed what no other did. One, where each did: then it is no estimate, and
    /// nothing is known.
    pub new_chance: f64,
    /// How many there are in all, at least: an estimate from those seen once and those seen twice
    /// (Chao), which holds on average and is low where many are rare.
    pub at_least: u64,
}

/// What one strategy contributed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StrategyStatistics {
    /// Its name and parameters.
    pub name: String,
    /// How many executions.
    pub executions: u64,
    /// How many of them found a bug.
    pub bugs: u64,
    /// How many behaviours it was the first to show.
    pub new_behaviours: u64,
    /// The estimated chance that its next execution shows a new one, from its last thousand.
    pub new_chance: f64,
    /// How long its executions took, in seconds; with several workers, all their times together.
    pub elapsed_s: f64,
}

/// A bug, with what it takes to see it again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bug {
    /// What went wrong.
    pub finding: Finding,
    /// Which strategy found it.
    pub strategy: String,
    /// In which iteration, from one.
    pub iteration: u64,
    /// The session's seed.
    pub seed: u64,
    /// After how many seconds.
    pub found_after_s: f64,
    /// How many executions failed for the same [reason](crate::Reason). This one is the shortest of
    /// them.
    #[serde(default = "once")]
    pub seen: u64,
    /// Reproduces the execution where the trace is gone: strategy, parameters, the session's seed and
    /// the iteration.
    pub token: String,
    /// For something owed for longer than the threshold: what fair continuations showed.
    pub confirmation: Option<Confirmation>,
    /// Why it failed, where that was looked for: see [`Settings::explain`](crate::Settings::explain).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causes: Option<Causes>,
    /// The recorded execution: the one that was found, or what minimising has left of it.
    pub trace: Recording,
    /// What minimising has left, where it has left out anything.
    #[serde(default)]
    pub minimized: Option<Minimized>,
    /// Where the trace was written.
    pub trace_path: Option<PathBuf>,
}

/// As reports say that don't tell.
fn once() -> u64 {
    1
}

impl Bug {
    /// A bug of an iteration, counted from zero, that has no recording.
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
            token: token(Named {
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

    /// What kind.
    pub fn kind(&self) -> BugKind {
        self.finding.kind
    }

    /// Something good does not happen, as opposed to something bad happening.
    pub fn is_liveness(&self) -> bool {
        self.finding.kind.is_liveness()
    }

    /// What, in a sentence.
    pub fn message(&self) -> &str {
        &self.finding.message
    }

    /// After how many steps.
    pub fn step(&self) -> u64 {
        self.finding.step
    }

    /// Which of two bugs is listed first: that of a saved schedule, the shorter, the earlier.
    fn rank(&self) -> (bool, u64, u64) {
        (!self.is_saved(), self.length(), self.iteration)
    }

    /// Which of two bugs for one reason is listed: of those that owe something for too long, one that was
    /// continued as often as is claimed; then by [`rank`](Self::rank).
    fn stands_before(&self, other: &Self) -> bool {
        let rank = |bug: &Self| {
            let is_sure = bug
                .confirmation
                .is_none_or(|confirmation| confirmation.is_accusation());
            (!is_sure, bug.rank())
        };
        rank(self) < rank(other)
    }

    /// How many steps it takes, as far as is known by now.
    fn length(&self) -> u64 {
        let minimized = self.minimized.as_ref();
        minimized.map_or(self.finding.step, |minimized| minimized.after.steps)
    }

    /// It was found by a schedule that is saved with the test.
    pub(crate) fn is_saved(&self) -> bool {
        self.strategy.starts_with(SAVED)
    }

    /// Whether `expected` is part of the message or the name of the kind.
    pub fn is(&self, expected: &str) -> bool {
        self.finding.message.contains(expected) || self.finding.kind.word() == expected
    }
}

/// A recorded execution: its decisions, and its story.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recording {
    /// What was decided: the position among the enabled operations, or the answer to a choice.
    pub decisions: Vec<u32>,
    /// A hash of each question, to tell where a replay diverges.
    pub checks: Vec<u32>,
    /// The same steps and choices by name, as text, for a program that was changed since; where
    /// something is owed for ever, up to where it is lost. Empty where it is not known.
    #[serde(default)]
    pub schedule: String,
    /// From which step on the schedule was fair; `None` for an unfair one.
    pub fair_from: Option<u64>,
    /// The bounds of the execution.
    pub bounds: Bounds,
    /// The semantics of the execution.
    pub semantics: Semantics,
    /// The seed of the answers in the operating system's place, where the program asked it for random
    /// bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<u64>,
    /// Where the bug is that something is owed for ever: a part of the execution that can be repeated,
    /// if one was seen.
    #[serde(default)]
    pub cycle: Option<Cycle>,
    /// What happened, step by step.
    pub story: Story,
}

impl Report {
    /// The report of a test of which nothing was explored yet.
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
            undecided: 0,
            undecided_example: None,
            transient: 0,
            transient_example: None,
            unread: 0,
            unread_example: None,
            idle: 0,
            restless: 0,
            restless_example: None,
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
            elapsed_s: 0.0,
            sketch: None,
        }
    }

    /// Counts the steps of one more fair execution that ended by itself, `sum` with those before it.
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

    /// Counts what an execution left behind, and keeps the first example of each.
    pub(crate) fn add_leftovers(&mut self, left: &Leftovers) {
        self.idle += u64::from(left.idle);
        let Leftovers {
            unread, restless, ..
        } = left;
        for (found, counted, example) in [
            (unread, &mut self.unread, &mut self.unread_example),
            (restless, &mut self.restless, &mut self.restless_example),
        ] {
            *counted += u64::from(found.is_some());
            if example.is_none() {
                example.clone_from(found);
            }
        }
    }

    /// The bugs, each once: first those of saved schedules, then the shortest first.
    pub fn bugs(&self) -> &[Bug] {
        &self.bugs
    }

    /// Counts the executions of another report as well, which come after its own.
    pub(crate) fn add_counts_of(&mut self, other: &Self) {
        self.executions += other.executions;
        self.fair += other.fair;
        self.unfair += other.unfair;
        self.steps_total += other.steps_total;
        self.strategies.extend_from_slice(&other.strategies);
    }

    /// Has one bug for each reason, the shortest first, and no more than can be listed.
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

    /// An execution failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.bugs > 0)
    }

    /// No bug was found.
    pub fn is_clean(&self) -> bool {
        self.bugs.is_empty()
    }

    /// A proof was [asked for](crate::Search::Exhaustive), and there is none, though no bug was found. A
    /// search up to a bound that was asked for is all that was wanted, where it has
    /// [come to its end](Verdict::within).
    ///
    /// ```
    /// use actor_test::{Search, Settings, Tester};
    ///
    /// let mut settings = Settings::default();
    /// settings.search = Search::Exhaustive;
    /// let report = Tester::with(settings.clone()).run(|_| ());
    /// assert!(!report.is_unproved());
    /// let report = Tester::with(settings).run(|sys| {
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

    /// Does nothing where no bug was found, and what was asked to be proved is proved.
    ///
    /// # Panics
    ///
    /// With the report of the first bug; or with why nothing is [proved](Self::is_unproved).
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(
            self.is_clean() && !self.is_unproved(),
            "{}",
            words::failure(self)
        );
    }

    /// The first bug that `expected` names: a part of its message, or its kind.
    ///
    /// # Panics
    ///
    /// Where no such bug was found; the message says what was found instead.
    #[track_caller]
    pub fn assert_bug(&self, expected: &str) -> &Bug {
        let found = self.bugs.iter().find(|bug| bug.is(expected));
        found.unwrap_or_else(|| panic!("{}", words::missing(self, expected)))
    }

    /// How long it took.
    pub fn elapsed(&self) -> Duration {
        Duration::from_secs_f64(self.elapsed_s)
    }
}
