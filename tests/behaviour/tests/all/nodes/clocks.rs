//! Clocks of nodes: offset, drift and jumps, the times at which
//! timers are due, and timestamps within the clocks' resolution.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use actor_core::prelude::*;
use actor_core::{Faults, Timestamp};
use actor_test::clocks::Clocks;
use actor_test::faults::FaultBudgets;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use behaviour::harness::events::Tick;
use behaviour::harness::{exhaust, failure_text, some_outcomes, whole};
use serde::{Deserialize, Serialize};

use super::{SECOND, boot, booted};

const MS: Duration = Duration::from_millis(1);

fn clocks(text: &str) -> Clocks {
    text.parse().expect("clocks")
}

/// A tester whose timers fire when nothing else can happen, with
/// enough executions that each of the nine clocks is drawn.
fn patient(clocks: Clocks) -> Tester {
    super::patient(Tester::new().clocks(clocks).iterations(200)).strategy(StrategySpec::Random)
}

/// Asks for the node's clock before and after a sleep of one second.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sleep;

/// Asks for the time, the monotonic clock and the date.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Show;

#[derive(Debug, Default)]
struct Sleeper {
    begun: Option<Instant>,
}

type Shown = (Duration, Duration, SystemTime);

#[actor]
impl Sleeper {
    #[on]
    async fn sleep(&mut self, _: Sleep, cx: &mut Context<Self>) -> (Duration, Duration) {
        let before = cx.now();
        cx.sleep(SECOND).await;
        (before, cx.now())
    }

    /// Returns the time, the time since the first call by `Instant`, and the date.
    #[on]
    fn show(&mut self, _: Show, cx: &mut Context<Self>) -> Shown {
        let now = Instant::now();
        let begun = *self.begun.get_or_insert(now);
        (cx.now(), now - begun, SystemTime::now())
    }
}

/// Boots a node with a sleeper.
async fn sleeper(sys: &System, name: &str) -> ActorRef<Sleeper> {
    boot(sys, name, "sleeper", Sleeper::default);
    booted(sys, &format!("{name}/sleeper")).await
}

async fn show(sleeper: &ActorRef<Sleeper>) -> Shown {
    sleeper.ask(Show).await.expect("it answers")
}

/// Returns the distinct results of a clean body.
fn all<T: Ord + Send + 'static, F>(tester: Tester, body: impl Fn(System) -> F + Sync) -> Vec<T>
where
    F: Future<Output = T> + 'static,
{
    some_outcomes(&tester, body).1
}

/// One second on each of the nine possible clocks, measured in true time.
#[test]
fn a_clock_is_one_of_those_that_are_allowed() {
    let tester = patient(clocks("offset=20ms,drift=0.1"));
    let seen = all(tester, async |sys| {
        let sleeper = sleeper(&sys, "n1").await;
        let (before, after) = sleeper.ask(Sleep).await.expect("it answers");
        assert!(after - before >= SECOND && after - before <= SECOND + Duration::from_nanos(1));
        (before, sys.now())
    });
    let seconds = [909_090_910, 1_000_000_000, 1_111_111_112].map(Duration::from_nanos);
    let offsets = [Duration::ZERO, 10 * MS, 20 * MS];
    let expected = offsets
        .iter()
        .flat_map(|ahead| seconds.map(|second| (*ahead, second)));
    assert_eq!(seen, expected.collect::<Vec<_>>());
}

/// An offset is drawn only if the settings ask for one.
#[test]
fn without_an_offset_clocks_begin_together() {
    let seen = all(patient(clocks("drift=0.1")), async |sys| {
        let (one, other) = (sleeper(&sys, "n1").await, sleeper(&sys, "n2").await);
        [show(&one).await.0, show(&other).await.0]
    });
    assert_eq!(seen, [[Duration::ZERO; 2]]);
}

/// The clock of a node continues while the node is down.
#[test]
fn a_clock_survives_a_crash() {
    let seen = all(patient(clocks("offset=20ms,drift=0.5")), async |sys| {
        boot(&sys, "n1", "sleeper", Sleeper::default);
        sys.sleep(SECOND).await;
        sys.faults().crash("n1");
        sys.sleep(SECOND).await;
        sys.faults().restart("n1");
        let sleeper = booted(&sys, "n1/sleeper").await;
        show(&sleeper).await.0.as_millis()
    });
    let rates = [1_000, 2_000, 3_000];
    let expected = rates
        .iter()
        .flat_map(|rate| [0, 10, 20].map(|ahead| rate + ahead));
    assert_eq!(seen, expected.collect::<Vec<_>>());
}

/// The test body and actors on no node have the true time.
#[test]
fn the_body_has_the_right_time() {
    let seen = all(patient(clocks("offset=20ms")), async |sys| {
        boot(&sys, "n1", "sleeper", Sleeper::default);
        let shown = show(&sys.spawn(Sleeper::default())).await;
        assert_eq!(shown.0, sys.now());
        (sys.now(), shown.1)
    });
    assert_eq!(seen, [(Duration::ZERO, Duration::ZERO)]);
}

/// Returns the clock of a sleeper on `n1` before and after a script, and
/// the time at the end of its sleep, by its own clock and by the true one.
fn jumped(script: fn(&Faults<'_>)) -> (Shown, Shown, Duration, Duration) {
    let seen = all(patient(Clocks::exact()), move |sys| async move {
        let sleeper = sleeper(&sys, "n1").await;
        let before = show(&sleeper).await;
        let (began, ended) = {
            let asleep = sleeper.ask(Sleep);
            sys.sleep(300 * MS).await;
            script(&sys.faults());
            asleep.await.expect("it answers")
        };
        assert_eq!(began, before.0);
        let over = sys.now();
        let after = show(&sleeper).await;
        (before, after, ended, over)
    });
    assert_eq!(seen.len(), 1, "{seen:?}");
    seen[0]
}

#[test]
fn a_clock_that_jumps_ahead_takes_its_timers_along() {
    let (before, after, ended, over) = jumped(|faults| faults.set_ahead("n1", 500 * MS));
    assert_eq!((ended, over), (SECOND, 500 * MS));
    assert_eq!(after.0, SECOND);
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        assert_eq!(after.1, SECOND);
        assert_eq!(after.2.duration_since(before.2).expect("later"), SECOND);
    }
    // A jump beyond the end: the sleep ends at once, and late by its own clock.
    let (_, _, ended, over) = jumped(|faults| faults.set_ahead("n1", 2 * SECOND));
    assert_eq!((ended, over), (2300 * MS, 300 * MS));
}

#[test]
fn a_date_that_is_set_back_leaves_timers_alone() {
    let (before, after, ended, over) = jumped(|faults| faults.set_back("n1", 5 * SECOND));
    assert_eq!((ended, over), (SECOND, SECOND));
    assert_eq!(after.0, SECOND);
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        assert_eq!(after.1, SECOND);
        let back = before.2.duration_since(after.2).expect("earlier");
        assert_eq!(back, 4 * SECOND);
    }
}

/// Ticks every 400 ms of its clock.
#[derive(Debug, Default)]
struct Ticker {
    ticks: Vec<Duration>,
}

#[actor]
impl Ticker {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(400 * MS, Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks.push(cx.now());
    }

    #[on]
    fn show(&mut self, _: Show) -> Vec<Duration> {
        self.ticks.clone()
    }
}

/// Returns the ticks of a ticker, by its clock, with or without a jump of 500 ms ahead at 500 ms.
fn ticks(allowed: Clocks, jumps: bool) -> Vec<Vec<Duration>> {
    all(patient(allowed), move |sys| async move {
        boot(&sys, "n1", "ticker", Ticker::default);
        let ticker = sys.lookup::<Ticker>("n1/ticker").await;
        sys.sleep(500 * MS).await;
        if jumps {
            sys.faults().set_ahead("n1", 500 * MS);
        }
        sys.sleep(710 * MS).await;
        let ticker = ticker.expect("it has booted");
        ticker.ask(Show).await.expect("it answers")
    })
}

#[test]
fn a_period_is_one_of_its_own_clock() {
    let longest = |clocks, jumps| {
        let seen = ticks(clocks, jumps).into_iter();
        let longest = seen.max_by_key(Vec::len).unwrap_or_default();
        longest.iter().map(Duration::as_millis).collect::<Vec<_>>()
    };
    assert_eq!(longest(Clocks::exact(), false), [400, 800, 1200]);
    // One tick is due because of the jump, and the next a period later.
    assert_eq!(longest(Clocks::exact(), true), [400, 1000, 1400]);
    // A clock that is half as fast again.
    let fast = longest(clocks("drift=0.5"), false);
    assert_eq!(fast, [400, 800, 1200, 1600]);
}

/// The actor of a node; the first one to wake records its name.
#[derive(Clone, Debug)]
struct Racer {
    name: &'static str,
    asleep: Duration,
    first: Arc<Mutex<Option<&'static str>>>,
}

#[actor]
impl Racer {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.sleep(self.asleep).await;
        let mut first = self.first.lock().expect("no panic");
        first.get_or_insert(self.name);
    }
}

/// Returns true if `late`, which sleeps `more` than a second, can wake before `early`, which sleeps a second.
fn overtakes(allowed: &str, more: Duration) -> bool {
    let seen = all(patient(clocks(allowed)), move |sys| async move {
        let first = Arc::new(Mutex::new(None));
        for (name, asleep) in [("early", SECOND), ("late", SECOND + more)] {
            let first = first.clone();
            let racer = Racer {
                name,
                asleep,
                first,
            };
            sys.node(name, move |node| drop(node.spawn(racer.clone())));
        }
        sys.sleep(10 * SECOND).await;
        first.lock().expect("no panic").expect("somebody woke")
    });
    seen.contains(&"late")
}

/// A clock that is 1 percent fast overtakes one that is 1
/// percent slow if its sleep is less than 101/99 times as long.
#[test]
fn drift_has_a_bound_and_it_is_this() {
    let micros = Duration::from_micros;
    // 1 s * 101/99 = 1.020 202 02.. s
    assert!(overtakes("drift=0.01", micros(20_202)));
    assert!(!overtakes("drift=0.01", micros(20_203)));
    assert!(!overtakes("offset=1s", micros(1)));
}

/// Returns the number of executions of a program that compares two timestamps `times` times.
fn comparisons(resolution: &str, apart: Duration, times: u32) -> u64 {
    let report = exhaust(&whole("dfs").clocks(clocks(resolution)), |_| {
        let one = Timestamp::at(SECOND);
        for _ in 0..times {
            let _ = one.is_before(one + apart);
        }
    });
    report.executions
}

#[test]
fn what_can_not_be_told_apart_compares_either_way() {
    for times in 0..6 {
        for (resolution, apart, executions) in [
            ("resolution=1ms", MS, 1 << times),
            ("resolution=1ms", Duration::ZERO, 1 << times),
            ("resolution=1ms", MS + Duration::from_nanos(1), 1),
            ("exact", Duration::ZERO, 1),
        ] {
            let seen = comparisons(resolution, apart, times);
            assert_eq!(seen, executions, "{times}: {resolution}, {apart:?}");
        }
    }
}

/// Exact clocks compare like numbers.
#[test]
fn no_time_is_before_itself() {
    let report = Tester::new().iterations(1).run(|_| {
        let (one, nanosecond) = (Timestamp::at(SECOND), Duration::from_nanos(1));
        assert!(!one.is_before(one), "it is before itself");
        assert!(one.is_before(one + nanosecond) && !(one + nanosecond).is_before(one));
    });
    report.assert_clean();
}

/// Each comparison has both outcomes; minimisation replaces those that do not matter by the true order.
#[test]
fn a_comparison_that_matters_is_found_and_told() {
    let report = Tester::new()
        .clocks(clocks("resolution=1ms"))
        .minimize(100_000)
        .run(|_| {
            let one = Timestamp::at(SECOND);
            let before = [0, 1, 2].map(|more| one.is_before(one + MS * more));
            assert!(before[1], "turned");
        });
    let bug = report.assert_bug("turned");
    let choices = bug.trace.story.steps.iter().flat_map(|step| &step.effects);
    let text = format!("{:?}", choices.collect::<Vec<_>>());
    assert_eq!(text.matches("Comparison").count(), 2, "{text}");
    assert!(bug.token.contains("-cresolution=1ms-"), "{}", bug.token);
}

/// Expects less than a second between two messages, which holds unless the clock jumps.
#[derive(Debug, Default)]
struct Watchful {
    last: Option<Duration>,
}

#[actor]
impl Watchful {
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        let now = cx.now();
        let last = self.last.replace(now).unwrap_or(now);
        assert!(now - last < SECOND, "a jump");
    }
}

fn jumps(clocks: Clocks) -> Report {
    let faults: FaultBudgets = "clock=1".parse().expect("faults");
    Tester::new()
        .iterations(400)
        .clocks(clocks)
        .faults(faults)
        .minimize(100_000)
        .run(|sys| {
            for name in ["n1", "n2"] {
                sys.node(name, |node| {
                    let watchful = node.spawn(Watchful::default());
                    (0..4).for_each(|_| watchful.tell(Tick));
                });
            }
        })
}

#[test]
fn a_jump_is_a_fault() {
    let report = jumps(Clocks::exact());
    let bug = report.assert_bug("a jump");
    let minimized = bug.minimized.as_ref().expect("it is made shorter");
    assert_eq!(minimized.after.faults, 1);
    let said = failure_text(&report);
    assert!(said.contains("FAULT        the clock of node n"), "{said}");
    assert!(said.contains("jumps 1s ahead"), "{said}");
    assert!(said.contains("clock jumps in"), "{said}");
    // A jump that is smaller than the limit.
    jumps(clocks("jump=999999us")).assert_clean();
}

#[test]
fn without_nodes_no_clock_is_apart() {
    let faults: FaultBudgets = "clock=1".parse().expect("faults");
    let report = Tester::new()
        .clocks(clocks("drift=0.1"))
        .faults(faults)
        .run(|sys| sys.spawn(Watchful::default()).tell(Tick));
    report.assert_clean();
    assert_eq!(
        report.without_a_chance,
        [
            "fault `clock` never had a chance: there was no node",
            "clocks were never apart: there was no node",
        ]
    );
}

/// The replay check repeats executions that depend on clocks.
#[test]
fn an_execution_with_clocks_is_run_again() {
    let body = async |sys: System| {
        let (one, other) = (sleeper(&sys, "n1").await, sleeper(&sys, "n2").await);
        let one = one.ask(Sleep);
        let other = other.ask(Sleep).await.expect("it answers");
        let one = one.await.expect("it answers");
        assert!(one.0.abs_diff(other.0) < 20 * MS, "far apart");
    };
    let tester = Tester::new()
        .iterations(200)
        .check_every(1)
        .clocks(clocks("offset=20ms,drift=0.001"));
    let report = tester.run(body);
    let bug = report.assert_bug("far apart");
    let token = &bug.token;
    assert!(token.contains("-coffset=20ms+drift=0.001-"), "{token}");
}
