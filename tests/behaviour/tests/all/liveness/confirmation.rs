//! Suspected liveness bugs, and the fair continuations that confirm or clear them.

use std::sync::atomic::{AtomicU64, Ordering};

use actor_core::prelude::*;
use actor_test::settings::Search;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Tester};
use behaviour::closures::handles;
use behaviour::debt::{Debt, Owe};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{assert_contains, assert_share, only_bug, same_for_workers, timeless};

#[derive(Debug)]
struct Recovered;

/// Hot until the patient recovers.
#[derive(Default)]
struct Recovers;
#[monitor(hot(Sick), cold(Well))]
impl Recovers {
    #[on]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        if cx.state() == RecoversState::Well {
            cx.goto(RecoversState::Sick);
        }
    }
    #[on]
    fn recovered(&mut self, _: &Recovered, cx: &mut MonitorContext<Self>) {
        cx.goto(RecoversState::Well);
    }
}

const THRESHOLD: u64 = 20;

fn tester(executions: u64, steps: u64) -> Tester {
    Tester::new()
        .iterations(executions)
        .max_steps(steps)
        .temperature(THRESHOLD)
        .check_every(0)
        .strategy(StrategySpec::Random)
        .seed(3)
}

/// Ticks for ever. At one tick the patient decides if it recovers at all, with a probability of `chance`
/// in a hundred thousand. A patient that does not recover ticks for ever if `goes_on` is set, or else halts.
fn patient(decides_at: u64, chance: usize, goes_on: bool) -> impl Fn(System) + Sync {
    move |sys| {
        sys.monitor::<Recovers>();
        let mut ticks = 0;
        let patient = handles(&sys, move |_: Tick, cx| {
            ticks += 1;
            let decides = ticks == decides_at;
            if decides && cx.choose(100_000) < chance {
                cx.announce(Recovered);
            } else if !decides || goes_on {
                return cx.me().tell(Tick);
            }
            cx.halt();
        });
        patient.tell(Tick);
    }
}

/// The number of continuations of a known bug declines: 71
/// for the first occurrence, and then 20, 10, 7, 5, ...
#[test]
fn what_every_execution_shows_is_continued_less_and_less_often() {
    let (begun, executions) = (AtomicU64::new(0), 40);
    let program = patient(1, 0, true);
    let report = tester(executions, 100).keep_going().run(|sys| {
        begun.fetch_add(1, Ordering::Relaxed);
        program(sys);
    });
    assert_eq!(only_bug(&report).seen, executions);
    let again: u64 = (1..executions).map(|times| 20_u64.div_ceil(times)).sum();
    // One execution is repeated for the recording.
    assert_eq!(begun.into_inner(), executions + 71 + again + 1);
}

/// After a few ticks, has a pending obligation for ever.
struct Dawdler {
    left: usize,
}
#[actor]
impl Dawdler {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.left = cx.choose(30);
        cx.me().tell(Go);
    }
    #[on]
    fn dawdle(&mut self, _: Go, cx: &mut Context<Self>) {
        match self.left {
            0 => cx.me().tell(Tick),
            _ => cx.me().tell(Go),
        }
        self.left = self.left.saturating_sub(1);
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.me().tell(Tick);
    }
}

/// The reported claim belongs to an execution with the required number of continuations,
/// and not to a shorter execution that came later, when the bug was already known.
#[test]
fn the_execution_that_is_shown_is_one_that_was_confirmed() {
    let report = tester(40, 100).keep_going().run(|sys| {
        sys.monitor::<Recovers>();
        sys.spawn(Dawdler { left: 0 });
    });
    let bug = only_bug(&report);
    assert_eq!(bug.seen, 40);
    let confirmation = bug.confirmation.expect("it was suspected");
    assert_eq!(confirmation.suspicion, 1);
    assert_eq!(confirmation.continuations, 71);
    assert_eq!(bug.iteration, 1);
}

/// Returns the number of continuations of the m-th suspicion, by the formula.
fn continuations(suspicion: i32) -> i32 {
    let risk = 6.0 * 0.001 / (std::f64::consts::PI * f64::from(suspicion)).powi(2);
    (risk.ln() / 0.9f64.ln()).ceil() as i32
}

/// A continuation recovers with probability q, so all k of the m-th suspicion fail with
/// probability (1 - q)^k. The share of false reports after five suspicions must equal the computed
/// one. The patient decides after the highest threshold, 75, and within the bound of 100.
#[test]
fn a_slow_program_is_accused_in_as_many_runs_as_computed() {
    assert_accused(60);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_slow_program_is_accused_in_as_many_of_many_runs() {
    assert_accused(1_000);
}

fn assert_accused(runs: u64) {
    let (suspicions, q) = (5, 0.03f64);
    let is_accused = |seed: &u64| {
        let tester = tester(suspicions, 10).seed(*seed);
        let report = tester.run(patient(40, 3_000, false));
        let bugs = report.bugs().len() as u64;
        assert_eq!(report.transient.count + bugs, report.executions);
        !report.is_clean()
    };
    let accused = (0..runs).filter(is_accused).count();
    let cleared = (1..=suspicions as i32).map(|m| 1.0 - (1.0 - q).powi(continuations(m)));
    let expected = 1.0 - cleared.product::<f64>();
    assert_share(accused as u64, runs, expected);
}

/// A program that recovers with the promised probability is reported in at most one of a thousand runs.
#[test]
fn a_chance_of_ten_percent_is_enough_to_be_cleared() {
    let clean = |seed| tester(10, 10).seed(seed).run(patient(40, 10_000, false));
    assert!((0..40).all(|seed| clean(seed).transient.count == 10));
}

#[test]
fn what_never_recovers_is_reported_with_its_confirmation() {
    let report = tester(1, 100).run(patient(15, 0, true));
    let bug = report.assert_bug("liveness");
    assert_eq!(bug.kind(), BugKind::Liveness);
    let confirmation = bug.confirmation.expect("heat is confirmed");
    assert_eq!(confirmation.continuations, 71);
    assert!(!confirmation.recovered);
    assert_eq!((confirmation.horizon, confirmation.suspicion), (2_000, 1));
    assert_eq!(report.transient.count, 0);
}

#[test]
fn what_always_recovers_is_slow_and_no_bug() {
    let report = tester(10, 10).run(patient(40, 100_000, false));
    report.assert_clean();
    assert_eq!(report.transient.count, 10);
    let example = report.transient.example.expect("an example");
    assert_contains(&example, &["`Recovers` is hot in `Sick`"]);
}

/// A program that ends later than a tiny bound is not reported: 141 steps, for every bound.
#[test]
fn a_tiny_bound_accuses_nobody() {
    for steps in [1, 5, 10, 14] {
        let tester = Tester::new().max_steps(steps).seed(7);
        tester.run(patient(69, 100_000, false)).assert_clean();
    }
    let longer = Tester::new().max_steps(30).strategy(StrategySpec::Random);
    let steps = longer.run(patient(69, 100_000, false)).steps;
    assert_eq!(steps.expect("it ends").max, 141);
}

/// The end of a continuation: a recovery in its last step counts, a later one does not.
#[test]
fn a_continuation_has_a_horizon_of_its_own() {
    // The suspicion arises in step 23: a start-up step of the body, the first send, and 21
    // hot steps. A tick is handled in step 2 n + 1, and a continuation ends with step 2 023.
    let run = |decides_at| tester(1, 100).run(patient(decides_at, 100_000, true));
    assert!(run(1_011).is_clean());
    assert!(!run(1_012).is_clean());
}

/// Decides at its first tick if it recovers at the given tick, or never.
fn moody(recovers_at: u64) -> impl Fn(System) + Sync {
    move |sys| {
        sys.monitor::<Recovers>();
        let (mut ticks, mut recovers_at) = (0, recovers_at);
        let moody = handles(&sys, move |_: Tick, cx| {
            if ticks == 0 && cx.choose(4) == 0 {
                recovers_at = u64::MAX;
            }
            ticks += 1;
            if ticks == recovers_at {
                cx.announce(Recovered);
                cx.halt();
            } else {
                cx.me().tell(Tick);
            }
        });
        moody.tell(Tick);
    }
}

/// A slow execution doubles the threshold, up to three quarters of the fair bound. The
/// bug reports the threshold that it exceeded, and its trace contains that threshold.
#[test]
fn the_threshold_doubles_after_a_slow_one() {
    for (recovers_at, threshold) in [(15, 40), (40, 75)] {
        let report = tester(20, 10).keep_going().run(moody(recovers_at));
        let bug = report.bugs().last().expect("a bug");
        assert_contains(bug.message(), &[&format!("(threshold {threshold})")]);
        assert_eq!(bug.trace.bounds.temperature(), threshold);
        assert!(report.transient.count > 0);
    }
}

/// The horizon is eight times the longest recovery of earlier
/// executions: in 601 steps, the obligation was pending for 600.
#[test]
fn the_horizon_grows_with_what_recovers() {
    let horizon = |recovers_at| {
        let tester = Tester::new().iterations(40).max_steps(200).lasso(false);
        let tester = tester.strategy(StrategySpec::Random).seed(3);
        let report = tester.run(moody(recovers_at));
        let bug = report.assert_bug("liveness");
        assert!(bug.iteration > 1, "one recovers before");
        bug.confirmation.expect("it is confirmed").horizon
    };
    assert_eq!(horizon(100), 2_000);
    assert_eq!(horizon(300), 8 * 599);
}

/// Suspicions are judged in the order of the iterations, for any number of workers.
#[test]
fn what_is_confirmed_does_not_depend_on_the_number_of_workers() {
    let alone = same_for_workers(&[1, 2, 5], |workers| {
        let tester = tester(24, 10).search(Search::Portfolio).keep_going();
        timeless(tester.workers(workers).run(moody(40)))
    });
    assert!(alone.transient.count > 5 && !alone.is_clean());
}

#[derive(Debug)]
struct Rest;

/// Works for a number of ticks, or for ever, and defers `Rest` until then.
struct Worker {
    ticks: u64,
}
#[actor(states(Working(defer(Rest)), Resting))]
impl Worker {
    #[on]
    fn work(&mut self, _: Go, cx: &mut Context<Self>) {
        self.ticks -= 1;
        if self.ticks == 0 {
            cx.goto(WorkerState::Resting);
        } else {
            cx.me().tell(Go);
        }
    }
    #[on(Resting)]
    fn rest(&mut self, _: Rest) {}
}

/// With a bound of 5, a deferred event is suspected after about 25 steps. Continuations
/// check only now and then if the event was handled, and each of them ends soon after that.
#[test]
fn what_is_taken_in_the_last_step_was_not_deferred_for_ever() {
    let run = |ticks| {
        let tester = Tester::new().max_steps(5).strategy(StrategySpec::Random);
        tester.iterations(3).lasso(false).run(move |sys| {
            let worker = sys.spawn(Worker { ticks });
            worker.tell(Rest);
            worker.tell(Go);
        })
    };
    for ticks in 30..70 {
        let report = run(ticks);
        report.assert_clean();
        // Some of the shorter executions end before the check that would suspect them.
        assert!(ticks < 40 || report.transient.count > 0, "{ticks} ticks");
    }
    let report = run(u64::MAX);
    let bug = report.assert_bug("defers `Rest`");
    assert_eq!(bug.kind(), BugKind::DeferredForever);
}

#[derive(Debug)]
struct Fever;

#[derive(Default)]
struct Feverish;
#[monitor(hot, cold)]
impl Feverish {
    #[on]
    fn fever(&mut self, _: &Fever, cx: &mut MonitorContext<Self>) {
        cx.goto(FeverishState::Hot);
    }
}

/// A repeated occurrence of a confirmed bug is no new suspicion: the two bugs are
/// the first and the second suspicion, however often the first one occurs before.
#[test]
fn a_bug_that_is_known_is_no_suspicion_any_more() {
    let report = tester(40, 10).keep_going().run(|sys| {
        sys.monitor::<Debt>();
        sys.monitor::<Feverish>();
        // Incurs a debt most of the time, has a fever now and then, and never ends.
        let mut began = false;
        let ill = handles(&sys, move |_: Tick, cx| {
            if !std::mem::replace(&mut began, true) {
                match cx.choose(8) {
                    0 => cx.announce(Fever),
                    _ => cx.announce(Owe),
                }
            }
            cx.me().tell(Tick);
        });
        ill.tell(Tick);
    });
    let suspicion = |what: &str| {
        let bug = report.assert_bug(what);
        bug.confirmation.expect("it was continued").suspicion
    };
    assert_eq!((suspicion("`Debt`"), suspicion("`Feverish`")), (1, 2));
    let first = report.assert_bug("`Feverish`").iteration;
    assert!(first > 3, "the other came several times before: {first}");
}
