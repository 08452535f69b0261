//! Probes: the test plays an actor, and checks the received events in every schedule.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::time::Duration;

use actor_core::Reply;
use actor_core::prelude::*;
use actor_core::services::Probe;
use actor_test::settings::Deny;
use actor_test::{BugKind, Tester};
use behaviour::harness::{
    Journal, assert_contains, bug, contract, exhaust, expect_bug, first_bug, in_production, whole,
};

/// Returns a tester that runs each schedule, and demands that each handler is reached.
fn dfs() -> Tester {
    whole("dfs").deny(Deny::default().with_unreached())
}

#[derive(Debug)]
struct Get(u32);
#[derive(Debug, PartialEq)]
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
    exhaust(&dfs(), |sys| async move {
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
    let report = exhaust(&dfs(), |sys| async move {
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
    let (kind, _) = bug(&dfs(), |sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        for number in [1, 2] {
            sys.spawn(Relay(ticks.recipient())).tell(Tick(number));
        }
        assert_eq!(ticks.expect::<Tick>().await.0, 1);
    });
    assert_eq!(kind, BugKind::Panic);
}

#[test]
fn what_never_comes_is_a_deadlock() {
    expect_bug(&dfs(), BugKind::Deadlock, &["`Store`"], |sys| async move {
        let store = Probe::<dyn Store>::new(&sys);
        store.expect::<Get>().await;
    });
}

type Expectation = fn(Probe<dyn Store>) -> Pin<Box<dyn Future<Output = ()>>>;

/// The test fails, in either executor, with the event that came and the place of the expectation.
#[test]
fn what_is_not_expected_is_named() {
    let rows: [(Expectation, &str); 3] = [
        (
            |store| {
                store.actor().tell(Put(1, 2));
                Box::pin(async move { _ = store.expect::<Get>().await })
            },
            "`Get` was expected, and Put(1, 2) came",
        ),
        (
            |store| {
                Box::pin(async move {
                    store.expect_none_for(Duration::from_secs(1)).await;
                    store.actor().tell(Put(1, 2));
                    store.expect_none_for(Duration::from_secs(1)).await;
                })
            },
            "nothing was expected, and Put(1, 2) came",
        ),
        (
            |store| {
                store.actor().tell(Get(1));
                Box::pin(async move { _ = store.expect_ask::<Get>().await })
            },
            "nobody waits for the reply to Get(1)",
        ),
    ];
    for (expectation, expected) in rows {
        let scenario = move |sys: System| async move { expectation(Probe::new(&sys)).await };
        let report = dfs().run(scenario);
        let (_, message) = first_bug(&report);
        assert!(message.contains(expected), "{message}");
        let panic = catch_unwind(AssertUnwindSafe(|| in_production(scenario)));
        let payload = panic.expect_err("it fails in production");
        let message = payload.downcast_ref::<String>().expect("a message");
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("probes.rs"), "{message}");
    }
}

#[test]
fn events_are_taken_in_their_order() {
    contract(&["Put(1, 2) Put(3, 4)"], |sys| async move {
        let probe = Probe::<dyn Store>::new(&sys);
        let store: StoreRef = probe.actor();
        assert_eq!(format!("{store:?}"), "Store");
        store.tell(Put(1, 2));
        store.tell(Put(3, 4));
        let puts = (probe.expect::<Put>().await, probe.expect::<Put>().await);
        probe.expect_none().await;
        format!("{:?} {:?}", puts.0, puts.1)
    });
}

#[test]
fn a_test_waits_for_what_is_to_come() {
    contract(&["Get(7) Put(1, 2)"], |sys| async move {
        let probe = Probe::<dyn Store>::named(&sys, "store");
        let first = probe.receive::<Get>();
        let puts = probe.recipient::<Put>();
        puts.tell(Put(1, 2));
        probe.actor().tell(Get(7));
        format!("{:?} {:?}", first.await, probe.expect::<Put>().await)
    });
}

#[test]
fn who_asks_gets_the_reply() {
    let replies = "Ok(Some(49)) Ok(None) Err(Dropped)";
    contract(&[replies], |sys| async move {
        let probe = Probe::<dyn Store>::new(&sys);
        let store = probe.actor();
        let answered = store.ask(Get(7));
        assert_eq!(probe.answer::<Get>(Some(49)).await.0, 7);
        let answered = answered.await;
        let kept = store.ask(Get(8));
        let (_, reply): (_, Reply<_>) = probe.expect_ask::<Get>().await;
        reply.send(None);
        let kept = kept.await;
        let dropped = store.ask(Get(9));
        let _ = probe.expect::<Get>().await;
        format!("{answered:?} {kept:?} {:?}", dropped.await)
    });
}

/// Notes the end of a store, and halts then.
struct Guard(Journal, StoreRef);

#[actor]
impl Guard {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.1);
    }

    #[on]
    fn terminated(&mut self, end: Terminated, cx: &mut Context<Self>) {
        self.0.note(format!("{:?}", end.reason));
        cx.halt();
    }
}

#[test]
fn it_stops_when_told() {
    contract(&["Halted Err(Stopped)"], |sys| async move {
        let (probe, journal) = (Probe::<dyn Store>::new(&sys), Journal::default());
        let guard = sys.spawn(Guard(journal.clone(), probe.actor()));
        assert!(guard.started().await.is_ok());
        probe.stop();
        guard.stopped().await;
        let asked = probe.actor().ask(Get(1)).await;
        format!("{} {asked:?}", journal.take().join(" "))
    });
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
    exhaust(&dfs(), |sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        sys.spawn(Slow(ticks.recipient()));
        ticks.expect_none_for(Duration::from_millis(500)).await;
        ticks.expect::<Tick>().await;
    });
    let (_, message) = bug(&dfs(), |sys| async move {
        let ticks = Probe::<dyn Ticks>::new(&sys);
        sys.spawn(Slow(ticks.recipient()));
        ticks.expect_none_for(Duration::from_secs(2)).await;
    });
    assert_contains(&message, &["nothing was expected, and Tick(1) came"]);
}
