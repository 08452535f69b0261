//! Time that passes between two reads of a clock without a timer: programs
//! that compare times reach their time-outs, and correct programs stay clean.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use actor_core::Timestamp;
use actor_core::prelude::*;
use actor_test::report::Assumption;
use actor_test::script::ScriptResult;
use actor_test::settings::Search;
use actor_test::story::Effect;
use actor_test::strategy::Gap;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use behaviour::closures::handles;
use behaviour::harness::events::Tick;
use behaviour::harness::{failure_text, first_bug, same_for_workers, strategy};

const LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
struct Beat;

#[derive(Clone, Debug)]
struct Check;

/// A value that a program has read from one of its clocks.
#[derive(Debug)]
enum Read {
    Own(Duration),
    Monotonic(Instant),
    Date(SystemTime),
    Stamp(Timestamp),
}

/// Reads the clock of a lease.
type Clock = fn(&Context<Lease>) -> Read;

/// Holds a lease; the time-out is a comparison of times, as in figure 5 of MODIST.
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
    tester.run(granted(clock, gives_up))
}

/// Grants a lease, and checks it.
fn granted(clock: Clock, gives_up: bool) -> impl Fn(System) + Sync {
    move |sys| {
        let granted = None;
        let lease = sys.spawn(Lease {
            clock,
            granted,
            gives_up,
        });
        lease.tell(Beat);
        lease.tell(Check);
    }
}

/// Seven of ten executions miss the bug, so 20 executions miss it for one of a thousand seeds.
#[test]
fn a_time_out_that_is_a_comparison_is_found_by_default() {
    for (name, clock) in [
        ("own", OWN),
        ("monotonic", MONOTONIC),
        ("date", DATE),
        ("stamp", STAMP),
    ] {
        for seed in 0..5 {
            let report = lease(clock, false, &Tester::new().iterations(20).seed(seed));
            assert!(!report.is_clean(), "{name} {seed}");
            assert!(first_bug(&report).1.ends_with("the time-out branch"));
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

const SYSTEMATIC: [&str; 5] = ["dfs", "dpor", "states", "ses:by=hb", "pb:by=hb"];

/// In a systematic search time stands still, and the verdict says so.
#[test]
fn a_systematic_search_does_not_prove_what_compares_times() {
    for search in SYSTEMATIC {
        let report = lease(OWN, false, &Tester::new().strategy(strategy(search)));
        let stood = |gap: &Gap| matches!(gap, Gap::Clock { executions: 1.. });
        assert!(report.verdict.gaps.iter().any(stood), "{report:?}");
        assert!(!report.verdict.is_exhaustive(), "{report:?}");
    }
}

/// Returns the jumps of time in the report of the bug, in nanoseconds.
fn passes(report: &Report) -> impl Iterator<Item = u64> {
    let steps = report.bugs[0].trace.story.steps.iter();
    let effects = steps.flat_map(|step| &step.effects);
    effects.filter_map(|effect| match effect {
        Effect::Passed { by_ns } => Some(*by_ns),
        _ => None,
    })
}

/// Minimisation leaves one jump, the shortest of a few round ones that suffices.
#[test]
fn the_story_says_how_much_time_has_passed() {
    for seed in 0..8 {
        let tester = Tester::new().iterations(60).seed(seed);
        let report = lease(OWN, false, &tester.minimize(100_000));
        let passed: Vec<u64> = passes(&report).collect();
        assert_eq!(passed, [10_000_000_000], "{seed}");
        assert!(failure_text(&report).contains("handles Check from test, 10s pass"));
    }
}

/// Fails between five and six seconds. A comparison of timestamps shows the tester the interval that matters.
#[test]
fn time_passes_by_a_little_more_than_what_timestamps_are_compared_with() {
    let tester = Tester::new().iterations(200).minimize(100_000);
    let report = tester.run(|sys| {
        let mut granted = None;
        let window = handles(&sys, move |_: Check, cx| {
            let now = cx.timestamp();
            let granted = *granted.get_or_insert(now);
            let is_over = !now.is_before(granted + LIMIT);
            let is_forgotten = !now.is_before(granted + LIMIT + Duration::from_secs(1));
            assert!(!is_over || is_forgotten, "in between");
        });
        (0..3).for_each(|_| window.tell(Check));
    });
    let text = failure_text(&report);
    assert!(text.contains("in between"), "{text}");
    assert!(text.contains("5.1s pass"), "{text}");
}

/// A program that polls the clock hangs while time stands still, but not while time passes.
#[test]
fn who_waits_for_a_time_by_looking_at_the_clock_is_not_accused() {
    let waits = || {
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            actor_core::thread::yield_now();
        }
    };
    let tester = Tester::new().iterations(50).max_steps(2_000);
    let tester = tester.temperature(500);
    let report = tester.run(|_| actor_core::thread::spawn(waits).join().expect("it ends"));
    assert!(report.is_clean(), "{}", failure_text(&report));
    assert!(report.transient.count > 0, "{report:?}");
}

/// Jumps of time belong to the execution: the bug is the same on every worker.
#[test]
fn time_passes_alike_for_any_number_of_workers() {
    same_for_workers(&[1, 2, 5], |workers| {
        let tester = Tester::new().iterations(60).search(Search::Portfolio);
        let tester = tester.keep_going();
        let report = lease(OWN, false, &tester.workers(workers));
        let bug = &report.bugs[0];
        (report.executions, bug.iteration, bug.trace.clone())
    });
}

/// The schedule of the report, with its jump, is a test that fails until the program is fixed.
#[test]
fn a_jump_is_pinned_with_the_step_that_reads_the_clock() {
    let steps = [
        ("test", "starts"),
        ("test", "flushes"), // spawns Lease
        ("test", "sends Beat to Lease"),
        ("Lease", "handles Beat"),
        ("test", "sends Check to Lease"),
        ("Lease", "handles Check, choosing 20 of 23"),
    ];
    let followed = Tester::new().follow(&steps, granted(OWN, false));
    let message = followed.bug().expect("ten seconds have passed").message();
    assert!(message.ends_with("the time-out branch"), "{message}");
    assert_eq!(followed.parted(), None);
    let followed = Tester::new().follow(&steps, granted(OWN, true));
    followed.assert_clean();
    assert_eq!(followed.parted(), None);
}

#[test]
fn patient_timers_alone_move_the_clock() {
    let tester = Tester::new().patient_timers(true);
    let tester = tester.clock_error(Duration::ZERO).iterations(2_000);
    let report = tester.run(|sys| {
        let still = |passed: Duration, _| assert!(passed.is_zero(), "past the timer");
        let watch = sys.spawn(Watch::new(LIMIT, still));
        (0..4).for_each(|_| watch.tell(Beat));
    });
    assert!(report.is_clean(), "{report:?}");
}

/// Sets a timer at its first beat; then looks at the time since then, and if the timer has fired.
struct Watch {
    delay: Duration,
    begun: Option<Duration>,
    has_ended: bool,
    look: Box<dyn Fn(Duration, bool) + Send>,
}

impl Watch {
    fn new(delay: Duration, look: impl Fn(Duration, bool) + Send + 'static) -> Self {
        Self {
            delay,
            begun: None,
            has_ended: false,
            look: Box::new(look),
        }
    }
}

#[actor]
impl Watch {
    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        let now = cx.now();
        match self.begun {
            None => {
                self.begun = Some(now);
                cx.after(self.delay, Tick);
            }
            Some(begun) => (self.look)(now - begun, self.has_ended),
        }
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.has_ended = true;
        assert_eq!(Some(cx.now() - self.delay), self.begun, "it is late");
    }
}

/// Returns the recorded times before a timer with that delay is due.
fn passed_before(delay: Duration) -> BTreeSet<Duration> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let report = Tester::new().iterations(1_000).run(|sys| {
        let seen = seen.clone();
        let watch = sys.spawn(Watch::new(delay, move |passed, has_ended| {
            assert!(!has_ended || passed == delay, "after the timer");
            seen.lock().expect("nobody panics").insert(passed);
        }));
        (0..5).for_each(|_| watch.tell(Beat));
    });
    assert!(report.is_clean(), "{report:?}");
    let mut seen = seen.lock().expect("nobody panics");
    seen.retain(|passed| *passed < delay);
    std::mem::take(&mut *seen)
}

#[test]
fn time_passes_until_the_next_timer_is_due_and_no_further() {
    let second = Duration::from_secs(1);
    let just_before = |delay| delay - delay / 50;
    let exact = passed_before(second);
    assert!(exact.contains(&Duration::ZERO) && exact.contains(&just_before(second)));
    let more = second + Duration::from_nanos(1);
    assert!(passed_before(more).contains(&second));
}

/// Runs a jump of one second, with a timer of this delay.
fn a_second_passes(delay: Duration) -> ScriptResult {
    let steps = [
        ("test", "starts"),
        ("test", "flushes"), // spawns Watch
        ("test", "sends Beat to Watch"),
        ("Watch", "handles Beat"),
        ("test", "sends Beat to Watch"),
        ("Watch", "handles Beat, choosing 19 of 23"),
    ];
    Tester::new().follow(&steps, move |sys| {
        let second = Duration::from_secs(1);
        let look = move |passed, _| assert!(passed < second, "a second has passed");
        let watch = sys.spawn(Watch::new(delay, look));
        watch.tell(Beat);
        watch.tell(Beat);
    })
}

#[test]
fn no_jump_ends_when_a_timer_is_due() {
    let second = Duration::from_secs(1);
    let later = a_second_passes(second + Duration::from_nanos(1));
    let bug = later.bug().expect("there is room for a second");
    assert!(bug.message().ends_with("a second has passed"));
    assert_eq!(later.parted(), None);
    assert!(a_second_passes(second).bug().is_none());
}

/// Fails between five and six seconds, an interval that its timer skips.
#[derive(Debug, Default)]
struct Renewed {
    granted: Option<Duration>,
}

#[actor]
impl Renewed {
    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        self.granted = Some(cx.now());
        cx.after(LIMIT + Duration::from_secs(1), Tick);
    }

    #[on]
    fn check(&mut self, _: Check, cx: &mut Context<Self>) {
        let held = self.granted.map(|granted| cx.now() - granted);
        let limits = LIMIT..LIMIT + Duration::from_secs(1);
        let is_between = held.is_some_and(|held| limits.contains(&held));
        assert!(!is_between, "in between");
    }

    #[on]
    fn tick(&mut self, _: Tick, _: &mut Context<Self>) {
        self.granted = None;
    }
}

fn renewed(tester: &Tester) -> Report {
    tester.run(|sys| {
        let renewed = sys.spawn(Renewed::default());
        renewed.tell(Beat);
        renewed.tell(Check);
    })
}

#[test]
fn a_time_out_that_is_a_comparison_is_found_before_a_timer() {
    for seed in 0..5 {
        let report = renewed(&Tester::new().iterations(40).seed(seed));
        let bug = report.bugs.first().unwrap_or_else(|| panic!("{seed}"));
        assert!(bug.finding.message.ends_with("in between"));
    }
}

/// In an exhaustive search time passes only at timers, and the verdict says so.
#[test]
fn a_proof_says_that_time_passes_at_timers_alone() {
    for search in SYSTEMATIC {
        let report = renewed(&Tester::new().strategy(strategy(search)));
        assert!(report.verdict.is_exhaustive(), "{report:?}");
        assert_eq!(report.verdict.assumptions, [Assumption::Timers]);
    }
}

/// The failure needs no jump of time, although a third of the executions have one.
#[test]
fn minimising_takes_out_what_was_not_needed() {
    let program = |sys: System| {
        // Records the times of its calls, and fails for another reason.
        let mut times = Vec::new();
        let stopwatch = handles(&sys, move |is_last, cx| match is_last {
            false => times.push(cx.now()),
            true => assert!(times.len() < 2, "too many"),
        });
        (0..4).for_each(|_| stopwatch.tell(false));
        stopwatch.tell(true);
    };
    let mut passed = 0;
    for seed in 0..30 {
        let tester = Tester::new()
            .iterations(1)
            .seed(seed)
            .search(Search::Portfolio);
        passed += passes(&tester.run(program)).count();
        let report = tester.minimize(1_000_000).run(program);
        assert!(report.bugs[0].finding.message.ends_with("too many"));
        assert_eq!(passes(&report).count(), 0, "{report:?}");
    }
    assert!(passed > 5, "{passed} jumps in 30 executions");
}

/// All reads of one step return the same time, and a program with a single read has no choice.
#[test]
fn time_stands_still_within_a_step() {
    let report = Tester::new().iterations(500).run(|sys| {
        let twice = handles(&sys, |_: Check, cx| {
            let (own, date) = (cx.now(), SystemTime::now());
            assert_eq!((cx.now(), SystemTime::now()), (own, date));
        });
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
