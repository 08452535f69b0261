//! Time that passes between two reads of a clock though no timer fires: what compares times comes to its
//! time-out, and what is right stays so.

use std::time::{Duration, Instant, SystemTime};

use actor_core::Timestamp;
use actor_core::prelude::*;
use actor_test::story::Effect;
use actor_test::strategy::StrategySpec;
use actor_test::{Gap, Report, Semantics, Tester};

const LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
struct Beat;

#[derive(Clone, Debug)]
struct Check;

#[derive(Clone, Debug)]
struct Tick;

/// A clock as a program has one, which it has read.
#[derive(Debug)]
enum Read {
    Own(Duration),
    Monotonic(Instant),
    Date(SystemTime),
    Stamp(Timestamp),
}

/// How a lease reads its clock.
type Clock = fn(&Context<Lease>) -> Read;

/// Holds what it was granted; the time-out is a comparison, as in figure 5 of MODIST.
#[derive(Debug)]
struct Lease {
    clock: Clock,
    granted: Option<Read>,
    gives_up: bool,
}

#[actor]
impl Lease {
    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        self.granted = Some((self.clock)(cx));
    }

    #[on]
    fn check(&mut self, _: Check, cx: &mut Context<Self>) {
        let is_over = match &self.granted {
            None => false,
            Some(Read::Own(granted)) => cx.now() - *granted > LIMIT,
            Some(Read::Monotonic(granted)) => granted.elapsed() > LIMIT,
            Some(Read::Date(granted)) => granted.elapsed().is_ok_and(|age| age > LIMIT),
            Some(Read::Stamp(granted)) => !cx.timestamp().is_before(*granted + LIMIT),
        };
        if is_over {
            assert!(self.gives_up, "the time-out branch");
            self.granted = None;
        }
    }
}

const OWN: Clock = |cx| Read::Own(cx.now());
const MONOTONIC: Clock = |_| Read::Monotonic(Instant::now());
const DATE: Clock = |_| Read::Date(SystemTime::now());
const STAMP: Clock = |cx| Read::Stamp(cx.timestamp());

fn lease(clock: Clock, gives_up: bool, tester: &Tester) -> Report {
    tester.run(move |sys| {
        let granted = None;
        let lease = sys.spawn(Lease {
            clock,
            granted,
            gives_up,
        });
        lease.tell(Beat);
        lease.tell(Check);
    })
}

#[test]
fn a_time_out_that_is_a_comparison_is_found_by_default() {
    let clocks = [
        ("own", OWN),
        ("monotonic", MONOTONIC),
        ("date", DATE),
        ("stamp", STAMP),
    ];
    for (name, clock) in clocks {
        for seed in 0..5 {
            let tester = Tester::new().iterations(20).seed(seed);
            let report = lease(clock, false, &tester);
            let bug = report
                .bugs
                .first()
                .unwrap_or_else(|| panic!("{name} {seed}"));
            assert!(bug.finding.message.ends_with("the time-out branch"));
        }
    }
}

#[test]
fn a_lease_that_is_given_up_is_right() {
    for clock in [OWN, MONOTONIC, DATE, STAMP] {
        let report = lease(clock, true, &Tester::new().iterations(2_000));
        assert!(report.is_clean(), "{report:?}");
        assert!(!report.verdict.is_exhaustive(), "{report:?}");
    }
}

/// It has time stand still, and says so.
#[test]
fn a_systematic_search_does_not_prove_what_compares_times() {
    for strategy in ["dfs", "dpor", "states", "db-hb", "pb-hb"] {
        let strategy: StrategySpec = strategy.parse().expect("a strategy");
        let report = lease(OWN, false, &Tester::new().strategy(strategy));
        let stood = |gap: &Gap| matches!(gap, Gap::Clock { executions: 1.. });
        assert!(report.verdict.gaps.iter().any(stood), "{report:?}");
        assert!(!report.verdict.is_exhaustive(), "{report:?}");
    }
}

/// By how much time passes in the story of the bug, in nanoseconds.
fn passes(report: &Report) -> impl Iterator<Item = u64> {
    let steps = report.bugs[0].trace.story.steps.iter();
    let effects = steps.flat_map(|step| &step.effects);
    effects.filter_map(|effect| match effect {
        Effect::Passed { by_ns } => Some(*by_ns),
        _ => None,
    })
}

#[test]
fn the_story_says_how_much_time_has_passed() {
    let report = lease(OWN, false, &Tester::new().iterations(20));
    let passed: Vec<u64> = passes(&report).collect();
    assert!(passed.len() == 1 && passed[0] > 5_000_000_000, "{passed:?}");
}

/// Counts what it handles, and looks at the clock each time, for nothing.
#[derive(Debug, Default)]
struct Idler {
    beats: u32,
    begun: Option<Duration>,
    ticks: u32,
}

#[actor]
impl Idler {
    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        let now = cx.now();
        match self.begun {
            None => {
                self.begun = Some(now);
                cx.after(LIMIT, Tick);
            }
            Some(begun) => assert_eq!(now, begun, "past the timer"),
        }
        self.beats += 1;
    }

    #[on]
    fn tick(&mut self, _: Tick, _: &mut Context<Self>) {
        self.ticks += 1;
    }

    #[on]
    fn check(&mut self, _: Check) {
        assert!(self.beats < 2, "too many");
    }
}

fn idler(checks: bool, iterations: u64) -> Report {
    let semantics = Semantics::default()
        .with_patient_timers()
        .with_clock_error(Duration::ZERO);
    let tester = Tester::new().semantics(semantics).iterations(iterations);
    tester.run(move |sys| {
        let idler = sys.spawn(Idler::default());
        (0..4).for_each(|_| idler.tell(Beat));
        if checks {
            idler.tell(Check);
        }
    })
}

#[test]
fn timers_alone_move_the_clock_of_a_program_that_has_them() {
    let report = idler(false, 2_000);
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn minimising_takes_out_what_was_not_needed() {
    let report = idler(true, 20);
    assert!(report.bugs[0].finding.message.ends_with("too many"));
    assert_eq!(passes(&report).count(), 0, "{report:?}");
}

/// Reads of one step are at one time, and a program that reads a clock once has nothing to choose.
#[test]
fn time_stands_still_within_a_step() {
    #[derive(Debug)]
    struct Twice;

    #[actor]
    impl Twice {
        #[on]
        fn check(&mut self, _: Check, cx: &mut Context<Self>) {
            let (own, date) = (cx.now(), SystemTime::now());
            assert_eq!((cx.now(), SystemTime::now()), (own, date));
        }
    }

    let report = Tester::new().iterations(500).run(|sys| {
        let twice = sys.spawn(Twice);
        twice.tell(Check);
        twice.tell(Check);
    });
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn what_reads_a_clock_once_is_proved() {
    let report = Tester::new().strategy(StrategySpec::Dpor(None)).run(|sys| {
        let lease = sys.spawn(Lease {
            clock: OWN,
            granted: None,
            gives_up: false,
        });
        lease.tell(Beat);
    });
    assert!(report.verdict.is_exhaustive(), "{report:?}");
}
