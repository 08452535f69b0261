//! Faults under an explorer of one's own, which keeps them out of the set-up, or has them strike at a place.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use actor_core::prelude::*;
use actor_test::faults::FaultKind;
use actor_test::report::DeviationBound;
use actor_test::strategy::{
    Bounded, Choice, CoverageClaim, Delayed, DelayingExplorer, Enabled, Execution, FairSuffix,
    Fairness, FaultTiming, Gap, Needs, OperationId, Pending, PossibleFault, Pruned, RoundRobin,
    Strategy, StrategyEvent,
};
use actor_test::{Report, Tester};
use behaviour::harness::events::Go;

use super::{boot, share_of_bugs};

/// The number of servers that serve, or have served, in this execution.
type Served = Arc<AtomicU32>;

/// Goes round, and asks a function for the time of each fault.
#[derive(Debug)]
struct Timing {
    order: RoundRobin,
    served: Served,
    time: Time,
}

impl DelayingExplorer for Timing {
    fn name(&self) -> String {
        "timing".into()
    }
    fn begin(&mut self, execution: &Execution) {
        self.order.begin(execution);
    }
    fn observe(&mut self, enabled: &Enabled<'_>) {
        self.order.observe(enabled);
    }
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        self.order.next(enabled)
    }
    fn delay(&mut self, enabled: &Enabled<'_>) {
        self.order.delay(enabled);
    }
    fn started(&mut self, operation: OperationId) {
        self.order.started(operation);
    }
    fn finished(&mut self, operation: OperationId) {
        self.order.finished(operation);
    }
    fn stepped(&mut self, step: &Pending) {
        self.order.stepped(step);
    }
    fn times_faults(&self) -> bool {
        true
    }
    fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        (self.time)(self.served.load(Ordering::Relaxed), fault)
    }
}

/// The faults of each execution: the number of servers that had served, and the key of the fault.
type Struck = Arc<Mutex<Vec<Vec<(u32, u64)>>>>;

/// Delegates to a strategy, and records the faults that strike.
#[derive(Debug)]
struct Recorded {
    strategy: Box<dyn Strategy>,
    served: Served,
    struck: Struck,
}

impl Strategy for Recorded {
    fn name(&self) -> String {
        self.strategy.name()
    }
    fn needs(&self) -> Needs {
        self.strategy.needs()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.served.store(0, Ordering::Relaxed);
        self.struck.lock().unwrap().push(Vec::new());
        self.strategy.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.strategy.pick(enabled)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.strategy.choose(choice)
    }
    fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        self.strategy.fault_timing(fault)
    }
    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Struck(key) = event {
            let served = self.served.load(Ordering::Relaxed);
            self.struck
                .lock()
                .unwrap()
                .last_mut()
                .unwrap()
                .push((served, key));
        }
        self.strategy.observe(event);
    }
    fn covered(&self) -> CoverageClaim {
        self.strategy.covered()
    }
}

const SERVERS: u32 = 3;

/// Serves from an event to another one. Two servers that end while they serve are a bug.
struct Server {
    served: Served,
    failed: Arc<AtomicU32>,
    serves: bool,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Join;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Serve;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Done;

#[actor(remote)]
impl Server {
    #[on]
    fn join(&mut self, _: Join) -> bool {
        true
    }

    #[on]
    fn serve(&mut self, _: Serve) -> bool {
        self.serves = true;
        self.served.fetch_add(1, Ordering::Relaxed);
        true
    }

    #[on]
    fn done(&mut self, _: Done) {
        self.serves = false;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.serves {
            let before = self.failed.fetch_add(1, Ordering::Relaxed);
            assert_eq!(before, 0, "two have failed");
        }
    }
}

async fn chain(sys: &System, served: Served) {
    let failed: Arc<AtomicU32> = Arc::default();
    let mut servers = Vec::new();
    for node in ["n1", "n2", "n3"] {
        let (served, failed) = (Arc::clone(&served), Arc::clone(&failed));
        boot(sys, node, "server", move || Server {
            served: Arc::clone(&served),
            failed: Arc::clone(&failed),
            serves: false,
        });
        let server = sys.lookup::<Server>(format!("{node}/server")).await;
        servers.extend(server.ok());
    }
    for _ in 0..4 {
        for server in &servers {
            let _ = server.ask(Join).await;
        }
    }
    for server in &servers {
        let _ = server.ask(Serve).await;
    }
    for server in &servers {
        server.tell(Done);
    }
}

type Build = fn(Timing) -> Box<dyn Strategy>;

type Time = fn(served: u32, PossibleFault<'_>) -> FaultTiming;

fn placed(_: u32, _: PossibleFault<'_>) -> FaultTiming {
    FaultTiming::Placed
}

/// Runs the chain; returns the report, and the faults that struck.
fn explore(
    tester: &Tester,
    faults: &str,
    build: Build,
    time: Time,
) -> (Report, Vec<Vec<(u32, u64)>>) {
    let (served, struck) = (Served::default(), Struck::default());
    let explorer = Timing {
        order: RoundRobin::new(),
        served: Arc::clone(&served),
        time,
    };
    let strategy = Recorded {
        strategy: build(explorer),
        served: Arc::clone(&served),
        struck: Arc::clone(&struck),
    };
    let faults = faults.parse().expect("faults");
    let tester = tester.clone().faults(faults).check_every(0);
    let report = tester.custom_strategy(Box::new(strategy)).run(move |sys| {
        let served = Arc::clone(&served);
        async move { chain(&sys, served).await }
    });
    let struck = std::mem::take(&mut *struck.lock().unwrap());
    (report, struck)
}

/// Returns the number of faults in the set-up, and behind it.
fn counts(struck: &[Vec<(u32, u64)>]) -> (usize, usize) {
    let early = struck
        .iter()
        .flatten()
        .filter(|(served, _)| *served < SERVERS);
    let early = early.count();
    (early, struck.iter().map(Vec::len).sum::<usize>() - early)
}

/// The two neighbours n1 and n2 stop as soon as all serve.
fn neighbours_stop(served: u32, fault: PossibleFault<'_>) -> FaultTiming {
    assert_eq!((fault.kind(), fault.is_undone()), (FaultKind::Stop, false));
    let is_neighbour = fault.nodes() & 0b011 > 0;
    match served == SERVERS && is_neighbour {
        true => FaultTiming::Now,
        false => FaultTiming::Later,
    }
}

/// Chain replication (section 5.4 of the paper): a bug that needs two failures after the set-up is found
/// without a delay. Round robin needs two delays, and spends executions with one on the set-up.
#[test]
fn an_explorer_keeps_faults_out_of_the_set_up() {
    let none: Build = |explorer| Bounded::delays(explorer).at_most(0).build();
    let tester = Tester::new().iterations(10_000);
    let (own, struck) = explore(&tester, "stop=2", none, neighbours_stop);
    own.assert_bug("two have failed");
    assert_eq!((own.executions, counts(&struck)), (1, (0, 2)));
    let one: Build = |explorer| Bounded::delays(explorer).at_most(1).build();
    let (plain, struck) = explore(&tester, "stop=2", one, placed);
    plain.assert_clean();
    let (early, late) = counts(&struck);
    assert!(early > 5 * late && late > 0, "{early} {late}");
    assert_eq!(plain.verdict.within(), Some(DeviationBound::Delays(1)));
}

fn sampling(explorer: Timing) -> Box<dyn Strategy> {
    Box::new(Delayed::new(explorer, 2))
}

/// A fault that is planned for the set-up strikes after it, so that the bug is found five times as often at least.
#[test]
fn a_fault_is_delayed_until_the_set_up_is_over() {
    let after: Time = |served, _| match served < SERVERS {
        true => FaultTiming::Later,
        false => FaultTiming::Placed,
    };
    let tester = Tester::new().iterations(300).keep_going();
    let (own, struck) = explore(&tester, "stop=2", sampling, after);
    let share = share_of_bugs(&own);
    let (early, late) = counts(&struck);
    assert!(
        share > 0.2 && early == 0 && late > 250,
        "{share} {early} {late}"
    );
    let (plain, struck) = explore(&tester, "stop=2", sampling, placed);
    let share = share_of_bugs(&plain);
    let (early, late) = counts(&struck);
    assert!(
        share < 0.04 && early > 240 && late < 60,
        "{share} {early} {late}"
    );
    // A strategy around another one passes the times on.
    let fair: Build = |explorer| Box::new(FairSuffix::at_max_steps(sampling(explorer)));
    let (_, struck) = explore(&tester, "stop=2", fair, after);
    let (early, late) = counts(&struck);
    assert!(early == 0 && late > 250, "{early} {late}");
}

/// The end of a lasting fault has a time as well: it comes at once, or with the end of all faults.
#[test]
fn the_end_of_a_crash_has_a_time() {
    fn crash(served: u32, fault: PossibleFault<'_>, end: FaultTiming) -> FaultTiming {
        match fault.is_undone() {
            true => end,
            false if served == SERVERS && fault.nodes() == 0b001 => FaultTiming::Now,
            false => FaultTiming::Later,
        }
    }
    let never: Time = |served, fault| crash(served, fault, FaultTiming::Later);
    let at_once: Time = |served, fault| crash(served, fault, FaultTiming::Now);
    for build in [sampling, |explorer| {
        Bounded::delays(explorer).at_most(0).build()
    }] {
        let tester = Tester::new().iterations(1);
        let (_, never) = explore(&tester, "crash=1", build, never);
        let (_, at_once) = explore(&tester, "crash=1", build, at_once);
        let [never, at_once] = [&never[..], &at_once[..]].map(|struck| match struck {
            [struck] => match struck[..] {
                [(SERVERS, crash), (SERVERS, end)] => (crash, end),
                _ => panic!("{struck:?}"),
            },
            _ => panic!("{struck:?}"),
        });
        // The key of the end is odd; a key of its own stands for the end of all faults.
        assert_eq!(at_once, (never.0, never.0 | 1));
        assert_eq!(never.1, u64::MAX);
    }
}

/// An end that is due while it is held back comes as soon as it may, and as the end of that fault.
#[test]
fn a_held_end_comes_later() {
    let time: Time = |served, fault| match fault {
        PossibleFault::Between(enabled, end) if end.is_undone => match enabled.len() {
            0 => FaultTiming::Placed,
            _ => FaultTiming::Later,
        },
        _ if served == SERVERS && fault.nodes() == 0b001 => FaultTiming::Now,
        _ => FaultTiming::Later,
    };
    let tester = Tester::new().iterations(50);
    let (report, struck) = explore(&tester, "crash=1", sampling, time);
    report.assert_clean();
    for struck in &struck {
        let [(_, crash), (_, end)] = struck[..] else {
            panic!("{struck:?}");
        };
        assert_eq!(end, crash | 1, "{struck:?}");
    }
}

/// Makes ten calls, one in each step, and records the number of the call that fails.
struct Caller {
    made: Served,
    failed: Arc<Mutex<Vec<Option<u32>>>>,
}

#[actor]
impl Caller {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        if cx.fallible("call", || Ok::<(), ()>(())).is_err() {
            *self.failed.lock().unwrap().last_mut().unwrap() = Some(number + 1);
        }
        if number < 9 {
            cx.me().tell(Go);
        }
    }
}

/// Returns the number of the failing call in each execution.
fn calls(tester: &Tester, build: Build, time: Time) -> (Report, Vec<Option<u32>>) {
    let (made, failed) = (Served::default(), Arc::<Mutex<Vec<_>>>::default());
    let explorer = Timing {
        order: RoundRobin::new(),
        served: Arc::clone(&made),
        time,
    };
    let faults = "call=1".parse().expect("faults");
    let tester = tester.clone().faults(faults).check_every(0);
    let report = tester.custom_strategy(build(explorer)).run(|sys| {
        made.store(0, Ordering::Relaxed);
        failed.lock().unwrap().push(None);
        sys.fails("call", || ());
        let (made, failed) = (Arc::clone(&made), Arc::clone(&failed));
        sys.spawn(Caller { made, failed }).tell(Go);
    });
    report.assert_clean();
    let failed = failed.lock().unwrap().clone();
    (report, failed)
}

/// Of ten calls, the first six are spared.
fn after_six(made: u32, _: PossibleFault<'_>) -> FaultTiming {
    match made {
        0..=6 => FaultTiming::Later,
        _ => FaultTiming::Placed,
    }
}

/// The seventh call fails.
fn the_seventh(made: u32, _: PossibleFault<'_>) -> FaultTiming {
    match made {
        7 => FaultTiming::Now,
        _ => FaultTiming::Later,
    }
}

/// Faults within a step are held back, and injected, in samples.
#[test]
fn faults_within_steps_have_times_in_samples() {
    let tester = Tester::new().iterations(200);
    let (_, seventh) = calls(&tester, sampling, the_seventh);
    // The pilots come first, without faults.
    let mut failing = seventh.iter().skip_while(|failed| failed.is_none());
    assert!(failing.all(|failed| *failed == Some(7)), "{seventh:?}");
    assert_eq!(seventh.last(), Some(&Some(7)));
    // Faults that were planned for the first six calls are delayed, and the others strike as without that.
    let (_, held) = calls(&tester, sampling, after_six);
    let (_, plain) = calls(&tester, sampling, placed);
    let delayed = plain
        .iter()
        .map(|failed| failed.map(|number| number.max(7)));
    assert_eq!(held, delayed.collect::<Vec<_>>());
    let early = plain.iter().flatten().filter(|number| **number < 7);
    assert!(early.count() > 50, "{plain:?}");
}

/// A search tries a fault of now first, and none at held places; it names these in its claim.
#[test]
fn faults_within_steps_have_times_in_a_search() {
    let whole: Build = |explorer| Bounded::delays(explorer).build();
    let tester = Tester::new();
    let (report, seventh) = calls(&tester, whole, the_seventh);
    assert_eq!(seventh, [Some(7), None]);
    assert_eq!(report.verdict.gaps, [Gap::HeldFaults { executions: 2 }]);
    let (report, held) = calls(&tester, whole, after_six);
    assert_eq!(held, [None, Some(7), Some(8), Some(9), Some(10)]);
    assert_eq!(report.verdict.gaps, [Gap::HeldFaults { executions: 5 }]);
    let (report, plain) = calls(&tester, whole, placed);
    assert_eq!(plain.len(), 11);
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
}
