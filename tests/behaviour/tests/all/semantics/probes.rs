//! Probes: the test plays an actor, and checks the received events in every schedule.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::services::Probe;
use actor_test::settings::Deny;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

fn all<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) -> Report {
    let tester = Tester::new()
        .iterations(u64::MAX)
        .deny(Deny::default().with_unreached())
        .strategy(StrategySpec::Dfs(None));
    tester.run(program)
}

fn every<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) -> Report {
    let report = all(program);
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    report
}

#[derive(Debug)]
struct Get(u32);
#[derive(Debug)]
struct Put(u32, u32);

#[protocol]
trait Store {
    fn get(get: Get) -> Option<u32>;
    fn put(put: Put);
}

#[derive(Debug)]
struct Increment;

// ANCHOR: counter
/// Reads, then writes.
struct Counter {
    store: StoreRef,
}

#[actor]
impl Counter {
    #[on]
    async fn increment(&mut self, _: Increment) {
        if let Ok(before) = self.store.ask(Get(1)).await {
            self.store.tell(Put(1, before.unwrap_or(0) + 1));
        }
    }
}
// ANCHOR_END: counter

// ANCHOR: probe
/// The handlers of a probe do not count as unreached.
#[test]
fn it_stands_in_for_an_actor() {
    every(|sys| async move {
        let store = Probe::<dyn Store>::new(&sys);
        let counter = sys.spawn(Counter {
            store: store.actor(),
        });
        counter.tell(Increment);
        assert_eq!(store.answer::<Get>(Some(6)).await.0, 1);
        let put = store.expect::<Put>().await;
        assert_eq!((put.0, put.1), (1, 7));
        store.expect_none().await;
    });
}
// ANCHOR_END: probe

#[derive(Debug)]
struct Tick(u32);

#[protocol]
trait Ticks {
    fn tick(tick: Tick);
}

/// Passes on the received events.
struct Relay(Recipient<Tick>);

#[actor]
impl Relay {
    #[on]
    fn tick(&mut self, tick: Tick) {
        self.0.tell(tick);
    }
}

/// Two relays: each may be first, and no schedule loses an event.
#[test]
fn it_hears_everything_once() {
    let report = every(|sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        for number in [1, 2] {
            sys.spawn(Relay(ticks.recipient())).tell(Tick(number));
        }
        let (first, second) = (
            ticks.expect::<Tick>().await.0,
            ticks.expect::<Tick>().await.0,
        );
        assert_eq!(first + second, 3);
    });
    assert!(report.executions > 2);
}

#[test]
fn a_test_that_expects_an_order_is_refuted() {
    let report = all(|sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        for number in [1, 2] {
            sys.spawn(Relay(ticks.recipient())).tell(Tick(number));
        }
        assert_eq!(ticks.expect::<Tick>().await.0, 1);
    });
    assert_eq!(report.bugs()[0].kind(), BugKind::Panic);
}

#[test]
fn what_never_comes_is_a_deadlock() {
    let report = all(|sys| async move {
        let store = Probe::<dyn Store>::new(&sys);
        store.expect::<Get>().await;
    });
    let bug = &report.bugs()[0];
    assert_eq!(bug.kind(), BugKind::Deadlock);
    assert!(bug.message().contains("`Store`"), "{}", bug.message());
}

#[test]
fn what_is_not_expected_is_named() {
    let report = all(|sys| async move {
        let store = Probe::<dyn Store>::new(&sys);
        store.actor().tell(Put(1, 2));
        store.expect::<Get>().await;
    });
    let message = report.bugs()[0].message();
    assert!(
        message.contains("`Get` was expected, and Put(1, 2) came"),
        "{message}"
    );
}

/// Sends an event after a second.
struct Slow(Recipient<Tick>);

#[derive(Debug)]
struct Late;

#[actor]
impl Slow {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Late);
    }

    #[on]
    fn late(&mut self, _: Late) {
        self.0.tell(Tick(1));
    }
}

#[test]
fn quiet_is_a_matter_of_time() {
    every(|sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        sys.spawn(Slow(ticks.recipient()));
        ticks.expect_none_for(Duration::from_millis(500)).await;
        ticks.expect::<Tick>().await;
    });
    let report = all(|sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        sys.spawn(Slow(ticks.recipient()));
        ticks.expect_none_for(Duration::from_secs(2)).await;
    });
    let message = report.bugs()[0].message();
    assert!(
        message.contains("nothing was expected, and Tick(1) came"),
        "{message}"
    );
}
