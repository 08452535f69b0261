//! Leases: both sides of each limit of time, fences over restarts, and singletons under faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::services::{
    AcquireLease, Fence, Lease, LeaseError, LeaseStore, LeaseTerms, Leases, LeasesRef, Probe,
    ReleaseLease, RenewLease, Singleton,
};
use actor_test::clocks::Clocks;
use actor_test::{Report, Tester};
use behaviour::harness::{in_production, some_outcomes, strategy};
use serde::{Deserialize, Serialize};

use super::{SECOND, boot, booted, patient};

const NS: Duration = Duration::from_nanos(1);
const MS: Duration = Duration::from_millis(1);
const TIME_TO_LIVE: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(30);
const TERMS: LeaseTerms = LeaseTerms::new(TIME_TO_LIVE);

/// Executions in which timers fire when nothing else can happen.
fn sampled() -> Tester {
    patient(Tester::new().strategy(strategy("random")).iterations(300))
}

/// Returns the only outcome of a scenario.
fn only<F: Future<Output = String> + 'static>(scenario: impl Fn(System) -> F + Sync) -> String {
    let (_, seen) = some_outcomes(&sampled(), scenario);
    assert_eq!(seen.len(), 1, "{seen:?}");
    seen.concat()
}

/// Returns the outcome of a scenario in production, with a disk of its own.
fn live<F: Future<Output = String>>(scenario: impl Fn(System) -> F) -> String {
    let data = tempfile::tempdir().expect("a directory");
    in_production(|sys| {
        let system = sys.as_live().expect("a system in production");
        system.disk_at(data.path()).expect("a disk");
        scenario(sys)
    })
}

async fn acquired(sys: &System, store: &LeasesRef, name: &str) -> Lease {
    let lease = Lease::acquire(sys, store, name, TERMS).await;
    lease.expect("nobody else has it")
}

/// Asks for a lease, and renews another one, so long after both were granted.
async fn later(sys: System, time: Duration) -> String {
    let store = LeasesRef::from(sys.spawn(LeaseStore::new(LONGEST)));
    let first = acquired(&sys, &store, "one").await;
    let second = acquired(&sys, &store, "other").await;
    sys.sleep(time).await;
    let third = Lease::acquire(&sys, &store, "one", TERMS).await;
    let renewed = second.renew(&sys).await;
    if let Ok(third) = &third {
        assert!(third.fence() > second.fence() && second.fence() > first.fence());
    }
    if let Ok(renewed) = &renewed {
        assert_eq!(renewed.fence(), second.fence());
        assert_eq!(renewed.until(), sys.now() + TERMS.term());
    }
    let error = |result: Result<Lease, LeaseError>| match result {
        Ok(_) => "Granted".to_owned(),
        Err(error) => format!("{error:?}"),
    };
    format!("{} {}", error(third), error(renewed))
}

#[test]
fn a_lease_is_free_after_its_time_to_live() {
    for (time, expected) in [
        (Duration::ZERO, "Held Granted"),
        (TIME_TO_LIVE, "Held Granted"),
        (TIME_TO_LIVE + NS, "Granted Lost"),
    ] {
        assert_eq!(only(move |sys| later(sys, time)), expected, "{time:?}");
    }
    // Production's timers are those of tokio, by the millisecond.
    assert_eq!(live(|sys| later(sys, TIME_TO_LIVE - MS)), "Held Granted");
    assert_eq!(
        live(|sys| later(sys, TIME_TO_LIVE + 2 * MS)),
        "Granted Lost"
    );
}

#[test]
fn a_holder_has_a_lease_until_its_term_is_over() {
    let held = |time| {
        only(move |sys| async move {
            let store = LeasesRef::from(sys.spawn(LeaseStore::new(LONGEST)));
            let lease = acquired(&sys, &store, "one").await;
            assert_eq!(lease.until(), TERMS.term());
            sys.sleep(time).await;
            format!("{} {:?}", lease.is_held(&sys), lease.left(&sys))
        })
    };
    assert_eq!(held(TERMS.term() - NS), "true 1ns");
    assert_eq!(held(TERMS.term()), "false 0ns");
    assert_eq!(held(TERMS.term() + NS), "false 0ns");
}

/// The term of clocks that may be slow and fast, in whole nanoseconds and one less.
#[test]
fn a_term_is_shorter_by_the_drift_of_two_clocks() {
    let term = |ppm| TERMS.drift_ppm(ppm).term();
    assert_eq!(term(0), TIME_TO_LIVE - NS);
    assert_eq!(term(10_000), TIME_TO_LIVE * 99 / 101 - NS);
    assert_eq!(term(1_000_000), Duration::ZERO);
    assert_eq!(term(u32::MAX), Duration::ZERO);
    assert_eq!(
        LeaseTerms::new(Duration::MAX).drift_ppm(0).term(),
        Duration::MAX - NS
    );
}

#[test]
fn only_leases_of_a_limited_length_are_granted_and_renewed() {
    let longest = |longer: Duration| {
        only(move |sys| async move {
            let store = LeasesRef::from(sys.spawn(LeaseStore::new(LONGEST)));
            let terms = LeaseTerms::new(LONGEST + longer);
            let lease = Lease::acquire(&sys, &store, "one", terms).await;
            format!("{:?}", lease.err())
        })
    };
    assert_eq!(longest(Duration::ZERO), "None");
    assert_eq!(longest(NS), "Some(TooLong)");
}

/// A lease that is given back is free at once; one that somebody else has can't be given back.
#[test]
fn a_lease_is_released_by_its_holder_only() {
    let scenario = |sys: System| async move {
        let store = LeasesRef::from(sys.spawn(LeaseStore::new(LONGEST)));
        let first = acquired(&sys, &store, "one").await;
        let again = first.clone();
        first.release();
        let second = acquired(&sys, &store, "one").await;
        let grows = second.fence() > again.fence() && again.fence() > Fence::default();
        assert_eq!(again.renew(&sys).await.unwrap_err(), LeaseError::Lost);
        again.release();
        let third = Lease::acquire(&sys, &store, "one", TERMS).await;
        sys.sleep(TIME_TO_LIVE - SECOND).await;
        let second = second.renew(&sys).await.expect("it is held");
        sys.sleep(2 * SECOND).await;
        assert!(second.is_held(&sys));
        let fourth = Lease::acquire(&sys, &store, "one", TERMS).await;
        let held = |lease: Result<Lease, LeaseError>| format!("{:?}", lease.unwrap_err());
        format!("{grows}, {}, {}", held(third), held(fourth))
    };
    assert_eq!(only(scenario), "true, Held, Held");
    assert_eq!(live(scenario), "true, Held, Held");
}

/// A shorter renewal that arrives late does not end a lease that was renewed for longer. No other name counts.
#[test]
fn a_lease_stays_with_its_holder() {
    let seen = only(|sys| async move {
        let store = LeasesRef::from(sys.spawn(LeaseStore::new(LONGEST)));
        let mut leases = Vec::new();
        for name in ["one", "two", "three", "four", "five"] {
            leases.push((name, acquired(&sys, &store, name).await));
        }
        for (name, lease) in &leases {
            let renewed = store.ask(RenewLease {
                name: (*name).into(),
                fence: lease.fence(),
                time_to_live: SECOND,
            });
            assert_eq!(renewed.await, Ok(Ok(())));
        }
        sys.sleep(TIME_TO_LIVE).await;
        let mut free = 0;
        for (name, _) in &leases {
            free += u32::from(Lease::acquire(&sys, &store, name, TERMS).await.is_ok());
        }
        free.to_string()
    });
    assert_eq!(seen, "0");
}

/// A store that can't be reached, or is gone, is an answer as well.
#[test]
fn no_answer_is_waited_for_as_long_as_the_term() {
    let seen = only(|sys| async move {
        boot(&sys, "store", "leases", || LeaseStore::new(LONGEST));
        let store = LeasesRef::from(booted::<LeaseStore>(&sys, "store/leases").await);
        let lease = acquired(&sys, &store, "one").await;
        sys.faults().pause("store");
        let renewed = lease.renew(&sys).await;
        let first = (renewed.unwrap_err(), sys.now());
        sys.faults().crash("store");
        let asked = Lease::acquire(&sys, &store, "one", TERMS).await;
        format!("{first:?}, {:?} {:?}", asked.unwrap_err(), sys.now())
    });
    let term = TERMS.term();
    assert_eq!(seen, format!("(NoAnswer, {term:?}), NoAnswer {term:?}"));
}

/// Returns the answer of a store that has restarted, so long afterwards, and whether its fence has grown.
fn after_a_restart(time: Duration) -> String {
    only(move |sys| async move {
        boot(&sys, "store", "leases", || LeaseStore::new(LONGEST));
        let store = LeasesRef::from(booted::<LeaseStore>(&sys, "store/leases").await);
        let before = acquired(&sys, &store, "one").await;
        sys.faults().restart("store");
        let store = LeasesRef::from(booted::<LeaseStore>(&sys, "store/leases").await);
        // The store has started once it answers.
        assert_eq!(before.renew(&sys).await.unwrap_err(), LeaseError::NoAnswer);
        let asked = Lease::acquire(&sys, &store, "one", TERMS).await;
        assert_eq!(asked.unwrap_err(), LeaseError::Held);
        sys.sleep(time).await;
        let after = Lease::acquire(&sys, &store, "one", TERMS).await;
        let grows = after.map(|after| after.fence() > before.fence());
        format!("{grows:?}")
    })
}

/// The store does not know who has its leases, so it waits for the longest time to live.
#[test]
fn after_a_restart_no_lease_is_granted_for_a_while() {
    assert_eq!(after_a_restart(LONGEST - NS), "Err(Held)");
    assert_eq!(after_a_restart(LONGEST), "Ok(true)");
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ask;

/// Holds a lease from its start, and notes when it holds it no more.
struct Holder {
    store: LeasesRef,
    terms: LeaseTerms,
    holds: bool,
}

#[derive(Debug)]
struct Acquired(Result<Lease, LeaseError>);
#[derive(Debug)]
struct Over;

#[actor(remote(Ask))]
impl Holder {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let asked = Lease::acquire(cx, &self.store, "one", self.terms);
        cx.pipe_to_self(asked, Acquired);
    }

    #[on]
    fn acquired(&mut self, Acquired(lease): Acquired, cx: &mut Context<Self>) {
        let left = lease.expect("nobody else has it").left(cx);
        self.holds = true;
        cx.after(left, Over);
    }

    #[on]
    fn over(&mut self, _: Over) {
        self.holds = false;
    }

    #[on]
    fn ask(&mut self, _: Ask) -> bool {
        self.holds
    }
}

/// Returns whether a lease is granted to another one at that time while its holder still has it, in some execution.
/// The holder has asked for it at time zero.
fn overlaps(clocks: &str, drift_ppm: u32, time: Duration) -> (bool, bool) {
    let clocks: Clocks = clocks.parse().expect("clocks");
    let (_, seen) = some_outcomes(&sampled().clocks(clocks), move |sys| async move {
        boot(&sys, "store", "leases", || LeaseStore::new(LONGEST));
        let store = LeasesRef::from(booted::<LeaseStore>(&sys, "store/leases").await);
        let of_holder = store.clone();
        boot(&sys, "holder", "holder", move || Holder {
            store: of_holder.clone(),
            terms: TERMS.drift_ppm(drift_ppm),
            holds: false,
        });
        let holder = booted::<Holder>(&sys, "holder/holder").await;
        sys.sleep(time).await;
        let granted = Lease::acquire(&sys, &store, "one", TERMS).await.is_ok();
        (granted, holder.ask(Ask).await.expect("it answers"))
    });
    let is_granted = seen.iter().any(|(granted, _)| *granted);
    (is_granted, seen.contains(&(true, true)))
}

/// By a clock that is one percent fast, the time to live is over after 9.900 990 099.. s. At 99 percent of the
/// speed, the term of a holder that allows for one part per million less lasts some 20 microseconds longer.
#[test]
fn a_term_that_allows_for_the_drift_ends_first() {
    let (held, free) = (9_900_990_099, 9_900_990_100);
    let at = |ppm, time| overlaps("drift=0.01", ppm, Duration::from_nanos(time));
    assert_eq!(at(0, held), (false, false));
    assert_eq!(at(0, free), (true, true));
    assert_eq!(at(9_999, free), (true, true));
    assert_eq!(at(10_000, free), (true, false));
    assert_eq!(overlaps("exact", 0, TIME_TO_LIVE), (false, false));
    assert_eq!(overlaps("exact", 0, TIME_TO_LIVE + NS), (true, false));
    assert_eq!(overlaps("offset=5s", 0, TIME_TO_LIVE + NS), (true, false));
}

/// The actor of which one is to run.
struct Leader(Fence);

#[actor(remote(Ask))]
impl Leader {
    #[on]
    fn ask(&mut self, _: Ask) -> u64 {
        self.0.number()
    }
}

/// A store and two competitors, each on a node.
fn competitors(sys: &System) {
    boot(sys, "store", "leases", || LeaseStore::new(TIME_TO_LIVE));
    for name in ["n1", "n2"] {
        sys.node(name, |node| {
            let store = node.at::<LeaseStore>("store/leases");
            let terms = TERMS.drift_ppm(10_000);
            Singleton::new(node, &store.into(), "leader", terms, Leader);
        });
    }
    sys.always("at most one leads", |w| w.all::<Leader>().count() <= 1);
}

fn explored(faults: &str, body: impl Fn(&System) + Sync) -> Report {
    let tester = sampled().clocks("drift=0.01".parse().expect("clocks"));
    let tester = tester.faults(faults.parse().expect("faults"));
    tester
        .iterations(100)
        .max_steps(1_000)
        .run(|sys| body(&sys))
}

/// Whatever happens to nodes, links and messages: while timers fire in time, no two run at once. In the end one
/// runs again and again.
#[test]
fn at_most_one_runs_and_in_the_end_one_does() {
    let body = |sys: &System| {
        competitors(sys);
        sys.always_eventually("one leads", |w| w.all::<Leader>().count() == 1);
    };
    for faults in [
        "none",
        "crash=2,restart=2",
        "partition=2,slow=3",
        "drop=3,duplicate=3,delay=3,break=2",
    ] {
        let report = explored(faults, body);
        report.assert_clean();
        assert!(
            report.faults.iter().all(|faults| faults.struck > 15),
            "{faults}"
        );
    }
}

/// A node that is paused goes on as the leader when another one leads.
#[test]
fn a_pause_has_two_run_at_once() {
    let report = explored("pause=1", competitors);
    report.assert_bug("at most one leads");
}

/// The actor is started elsewhere when it ends, with a larger fence.
#[test]
fn a_singleton_that_ends_is_started_again() {
    let scenario = |sys: System| async move {
        let store = LeasesRef::from(sys.spawn(LeaseStore::new(TIME_TO_LIVE)));
        let names = ["here", "there"];
        let singletons = names.map(|_| Singleton::new(&sys, &store, "leader", TERMS, Leader));
        let leader = async || {
            loop {
                let [here, there] = &singletons;
                let running = [here.running().await, there.running().await];
                match running {
                    [Some(one), None] | [None, Some(one)] => break one,
                    [None, None] => sys.sleep(SECOND).await,
                    [Some(_), Some(_)] => panic!("two run at once"),
                }
            }
        };
        let first = leader().await;
        let before = first.ask(Ask).await.expect("it runs");
        sys.sleep(5 * TIME_TO_LIVE).await;
        assert_eq!(first.ask(Ask).await, Ok(before), "the lease was renewed");
        first.kill().await;
        let killed = sys.now();
        let next = leader().await.ask(Ask).await.expect("it runs");
        // Within a third of a term, which is less than a lease lasts that was renewed in another third.
        assert!(
            sys.now() - killed < TIME_TO_LIVE / 2,
            "the lease was released"
        );
        sys.finish();
        assert!(next > before, "{next} after {before}");
        String::new()
    };
    only(scenario);
    live(scenario);
}

/// A store of another kind says that the lease is lost, and the actor is killed at once.
#[test]
fn a_singleton_ends_when_its_lease_is_lost() {
    let scenario = |sys: System| async move {
        let store = Probe::<dyn Leases>::new(&sys);
        let singleton = Singleton::new(&sys, &store.actor(), "leader", TERMS, Leader);
        let asked = store.answer::<AcquireLease>(Ok(Fence::new(7))).await;
        assert_eq!((&*asked.name, asked.time_to_live), ("leader", TIME_TO_LIVE));
        let leader = loop {
            match singleton.running().await {
                Some(leader) => break leader,
                None => sys.sleep(MS).await,
            }
        };
        let (renew, reply) = store.expect_ask::<RenewLease>().await;
        assert_eq!((renew.fence, leader.ask(Ask).await), (Fence::new(7), Ok(7)));
        reply.send(Err(LeaseError::Lost));
        leader.stopped().await;
        assert!(sys.now() < TIME_TO_LIVE / 2, "before its term is over");
        assert!(singleton.running().await.is_none());
        let released = store.receive::<ReleaseLease>().await;
        sys.finish();
        format!("{:?}", released.fence.number())
    };
    assert_eq!(only(scenario), "7");
    assert_eq!(live(scenario), "7");
}

/// The answer to a renewal may come when the lease has been granted anew.
#[test]
fn a_late_renewal_is_not_for_the_next_lease() {
    let seen = only(|sys| async move {
        let store = Probe::<dyn Leases>::new(&sys);
        let singleton = Singleton::new(&sys, &store.actor(), "leader", TERMS, Leader);
        store.answer::<AcquireLease>(Ok(Fence::new(7))).await;
        let (_, late) = store.expect_ask::<RenewLease>().await;
        singleton.running().await.expect("it runs").kill().await;
        store.receive::<ReleaseLease>().await;
        store.answer::<AcquireLease>(Ok(Fence::new(8))).await;
        late.send(Ok(()));
        let renew = store.expect::<RenewLease>().await;
        sys.finish();
        format!("{:?}", renew.fence.number())
    });
    assert_eq!(seen, "8");
}

/// A lease whose term is over when its node goes on after a pause starts nothing.
#[test]
fn a_lease_that_comes_too_late_starts_no_actor() {
    let seen = only(|sys| async move {
        let store = Probe::<dyn Leases>::new(&sys);
        let starts = Arc::new(AtomicU32::new(0));
        let (leases, counted) = (store.actor(), starts.clone());
        sys.node("n1", move |node| {
            let counted = counted.clone();
            Singleton::new(node, &leases, "leader", TERMS, move |fence| {
                counted.fetch_add(1, Ordering::Relaxed);
                Leader(fence)
            });
        });
        let (_, reply) = store.expect_ask::<AcquireLease>().await;
        sys.faults().pause("n1");
        sys.sleep(MS).await;
        reply.send(Ok(Fence::new(7)));
        sys.sleep(TERMS.term()).await;
        sys.faults().resume("n1");
        sys.sleep(SECOND).await;
        sys.finish();
        starts.load(Ordering::Relaxed).to_string()
    });
    assert_eq!(seen, "0");
}
