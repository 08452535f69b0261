//! Suspicions of liveness bugs, and the fair continuations that confirm or clear them.

use actor_core::prelude::*;
use actor_core::{actor, monitor};
use actor_test::strategy::StrategySpec;
use actor_test::{Bounds, BugKind, Report, Settings, Tester};

#[derive(Debug)]
struct Tick;
#[derive(Debug)]
struct Recovered;

/// Hot until it recovers.
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

/// Ticks for ever; at one tick it decides, with a chance in a hundred thousand of `chance`, whether
/// it recovers at all.
struct Patient {
    ticks: u64,
    decides_at: u64,
    chance: usize,
}
#[actor]
impl Patient {
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks += 1;
        if self.ticks == self.decides_at && cx.choose(100_000) < self.chance {
            cx.announce(Recovered);
            cx.halt();
        } else {
            cx.me().tell(Tick);
        }
    }
}

const THRESHOLD: u64 = 20;

/// `decides_at` 15 is after the threshold of 20 steps, and before the end of a continuation.
fn run(executions: u64, decides_at: u64, chance: usize) -> Report {
    let mut settings = Settings::default();
    settings.iterations = executions;
    settings.bounds = Bounds::new(100).with_temperature(THRESHOLD);
    settings.keep_going = true;
    settings.check_every = 0;
    Tester::with(settings)
        .strategy(StrategySpec::Random)
        .seed(3)
        .run(move |sys| {
            sys.monitor::<Recovers>();
            let patient = sys.spawn(Patient {
                ticks: 0,
                decides_at,
                chance,
            });
            patient.tell(Tick);
        })
}

/// A continuation recovers with probability q, so all k of them fail with (1 - q)^k: the slow
/// program is reported that often, and no more.
#[test]
fn a_slow_program_is_reported_as_often_as_computed() {
    let (executions, q) = (3_000, 0.05f64);
    let report = run(executions, 15, 5_000);
    let expected = (1.0 - q).powi(60);
    let reported = report.strategies[0].bugs;
    assert_eq!(reported + report.transient, executions);
    let share = reported as f64 / executions as f64;
    let error = (expected * (1.0 - expected) / executions as f64).sqrt();
    assert!(
        (share - expected).abs() < 5.0 * error,
        "{share:.4}, expected {expected:.4} within {:.4}",
        5.0 * error
    );
}

#[test]
fn what_never_recovers_is_reported_with_its_confirmation() {
    let report = run(1, 15, 0);
    let bug = report.assert_bug("liveness");
    assert_eq!(bug.kind(), BugKind::Liveness);
    let confirmation = bug.confirmation.expect("heat is confirmed");
    assert_eq!(
        (confirmation.continuations, confirmation.recovered),
        (60, false)
    );
    assert_eq!(report.transient, 0);
}

#[test]
fn what_always_recovers_is_slow_and_no_bug() {
    let report = run(10, 15, 100_000);
    report.assert_clean();
    assert_eq!(report.transient, 10);
    let example = report.transient_example.expect("an example");
    assert!(example.contains("`Recovers` is hot in `Sick`"), "{example}");
}

/// Both sides of a continuation's end: a recovery in its last step counts, one after it does not.
#[test]
fn a_continuation_is_as_long_as_the_threshold() {
    // The suspicion falls in step 23: a start-up step of the body, the first send, and 21 steps of
    // heat. A tick is handled in step 2 n + 1, and a continuation ends with step 43.
    let clean = |decides_at| run(1, decides_at, 100_000).is_clean();
    let last = (1..40).filter(|at| clean(*at)).max();
    assert_eq!(last, Some(21), "{:?}", run(1, 30, 100_000).bugs);
}
