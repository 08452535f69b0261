//! Groups, topics and pools: their guarantees hold in every schedule.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::mailbox::{Mailbox, Overflow};
use actor_core::monitor;
use actor_core::prelude::*;
use actor_core::services::{Group, Pool, Probe, Topics};
use actor_test::settings::Deny;
use actor_test::{BugKind, Tester};
use behaviour::harness::events::Halt;
use behaviour::harness::{
    assert_contains, exhaust, first_bug, in_production, outcomes, reported, some_outcomes,
    strategy, whole,
};

/// Returns a tester that runs each schedule, and demands that each handler is reached.
fn dfs() -> Tester {
    whole("dfs").deny(Deny::default().with_unreached())
}

/// Runs a program in every schedule under test, and once in production.
fn everywhere<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) {
    exhaust(&dfs(), &program);
    in_production(program);
}

#[derive(Clone, Debug)]
struct Say(u32);

#[protocol]
trait Listener {
    fn say(say: Say);
}

// ANCHOR: group
/// Sends to all members.
struct Speaker(Group<Say>, u32);

#[actor]
impl Speaker {
    #[start]
    fn start(&mut self) {
        self.0.broadcast(Say(self.1));
    }
}
// ANCHOR_END: group

// ANCHOR: hear
/// Two speakers send at the same time: both listeners receive the messages in the same order.
#[test]
fn all_members_hear_the_same_order() {
    static HEARD: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
    let report = Tester::new().iterations(300).run(|sys| async move {
        let group = Group::new(&sys);
        let probes = [(); 2].map(|()| Probe::<dyn Listener>::new(&sys));
        probes.iter().for_each(|probe| group.join(&probe.actor()));
        for number in [1, 2] {
            sys.spawn(Speaker(group.clone(), number));
        }
        let first = probes[0].expect::<Say>().await.0;
        assert_eq!(probes[1].expect::<Say>().await.0, first);
        HEARD.lock().expect("no one panics here").insert(first);
    });
    report.assert_clean();
    assert_eq!(HEARD.lock().expect("no one panics here").len(), 2);
}
// ANCHOR_END: hear

struct Mayfly;

#[actor]
impl Mayfly {
    #[on]
    fn say(&mut self, _: Say) {}

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

#[test]
fn who_is_known_to_have_stopped_has_left() {
    exhaust(&dfs(), |sys| async move {
        let group = Group::<Say>::new(&sys);
        let mayfly = sys.spawn(Mayfly);
        group.join(&mayfly);
        assert_eq!(mayfly.ask(Say(0)).await, Ok(()));
        mayfly.tell(Halt);
        assert_eq!(mayfly.ask(Halt).await, Err(AskError::Stopped));
        assert_eq!(group.members().await, []);
    });
}

#[test]
fn whoever_understands_it_may_join() {
    everywhere(|sys| async move {
        let (group, probe) = (Group::new(&sys), Probe::<dyn Listener>::new(&sys));
        group.join(&probe.actor());
        group.broadcast(Say(7));
        assert_eq!(probe.expect::<Say>().await.0, 7);
    });
}

/// A monitor observes each message once per member, and not on its way to the group.
#[derive(Default)]
struct Counted(u32);

#[monitor]
impl Counted {
    #[on]
    fn say(&mut self, _: &Say) {
        self.0 += 1;
        assert!(self.0 <= 2, "said to more than two");
    }
}

#[test]
fn a_monitor_sees_a_broadcast_at_the_members() {
    exhaust(&dfs(), |sys| {
        sys.monitor::<Counted>();
        let group = Group::new(&sys);
        let probes = [(); 2].map(|()| Probe::<dyn Listener>::new(&sys));
        probes.iter().for_each(|probe| group.join(&probe.actor()));
        group.broadcast(Say(7));
    });
}

// ANCHOR: topics
/// A message under a topic reaches the subscribers of that topic.
#[test]
fn a_subscriber_hears_its_topic_in_order() {
    everywhere(|sys| async move {
        let news = Topics::new(&sys);
        let fan = Probe::<dyn Listener>::new(&sys);
        news.subscribe("sport", &fan.actor());
        news.publish("sport", Say(1));
        news.publish("weather", Say(2));
        news.publish("sport", Say(3));
        assert_eq!(fan.expect::<Say>().await.0, 1);
        assert_eq!(fan.expect::<Say>().await.0, 3);
    });
}
// ANCHOR_END: topics

/// Two authors publish under one topic: both listeners receive the messages in the same order.
#[test]
fn all_subscribers_hear_the_same_order() {
    struct Author(Topics<u8, Say>, u32);

    #[actor]
    impl Author {
        #[start]
        fn start(&mut self) {
            self.0.publish(7, Say(self.1));
        }
    }

    let (_, heard) = some_outcomes(&Tester::new().iterations(300), |sys| async move {
        let news = Topics::named(&sys, "news");
        let probes = [(); 2].map(|()| Probe::<dyn Listener>::new(&sys));
        for probe in &probes {
            news.subscribe(7, &probe.actor());
        }
        for number in [1, 2] {
            sys.spawn(Author(news.clone(), number));
        }
        let first = probes[0].expect::<Say>().await.0;
        assert_eq!(probes[1].expect::<Say>().await.0, first);
        first
    });
    assert_eq!(heard, [1, 2]);
}

/// A subscriber that has left or stopped receives nothing more; one that subscribes twice receives once.
#[test]
fn who_leaves_a_topic_or_stops_is_forgotten() {
    everywhere(|sys| async move {
        let news = Topics::new(&sys);
        let stays = Probe::<dyn Listener>::new(&sys);
        let leaves = Probe::<dyn Listener>::new(&sys);
        news.subscribe(1, &stays.actor());
        news.subscribe(1, &leaves.actor());
        news.subscribe(1, &stays.actor());
        let both = [stays.actor().id(), leaves.actor().id()];
        assert_eq!(news.subscribers(1).await, both);
        news.unsubscribe(1, &leaves.actor());
        news.unsubscribe(2, &leaves.actor());
        news.publish(1, Say(1));
        news.publish(2, Say(2));
        assert_eq!(stays.expect::<Say>().await.0, 1);
        assert_eq!(news.subscribers(1).await, [stays.actor().id()]);
        assert_eq!(news.subscribers(2).await, []);
    });
}

#[derive(Debug)]
struct Work;

struct Worker(usize);

#[actor]
impl Worker {
    #[on]
    fn work(&mut self, _: Work) -> usize {
        self.0
    }
}

// ANCHOR: pool
#[test]
fn workers_take_turns() {
    everywhere(|sys| async move {
        let pool = sys.spawn(Pool::round_robin(2, Worker));
        assert_eq!(pool.ask(Work).await, Ok(0));
        assert_eq!(pool.ask(Work).await, Ok(1));
        assert_eq!(pool.ask(Work).await, Ok(0));
    });
}
// ANCHOR_END: pool

#[derive(Debug)]
struct Job(u32);

/// Fails at jobs with an even number; or at its start, except in its first incarnation.
struct Weak {
    starts: bool,
}

#[actor]
impl Weak {
    #[start]
    fn start(&mut self) {
        assert!(self.starts, "it can't start");
    }

    #[on]
    fn job(&mut self, job: Job) -> u32 {
        assert_ne!(job.0 % 2, 0, "a bad job");
        job.0
    }
}

/// Explores every order of the job, the failure and the restart.
#[test]
fn a_good_job_behind_a_bad_one_is_handled() {
    exhaust(&dfs().supervised(true), |sys| async move {
        let pool = sys.spawn(Pool::round_robin(1, |_| Weak { starts: true }));
        pool.tell(Job(0));
        assert_eq!(pool.ask(Job(1)).await, Ok(1));
    });
}

/// Asks for bad and good jobs in turn; bad ones are lost for a reason that depends on the kind of pool.
async fn good_jobs(sys: System, kind: u32, jobs: u32) {
    let make = |_| Weak { starts: true };
    let keyed = || Pool::keyed(2, make).by(|job: &Job| job.0 / 2 % 2);
    let (pool, lost) = match kind {
        0 => (Pool::round_robin(2, make), AskError::Failed),
        1 => (Pool::least_busy(2, make), AskError::Dropped),
        2 => (keyed(), AskError::Failed),
        _ => (keyed().resizable(), AskError::Dropped),
    };
    let pool = sys.spawn(pool);
    let answers: Vec<_> = (0..jobs).map(|number| pool.ask(Job(number))).collect();
    for (number, answer) in (0..).zip(answers) {
        let expected = if number % 2 == 0 {
            Err(lost)
        } else {
            Ok(number)
        };
        assert_eq!(answer.await, expected, "{number}");
    }
    assert!(pool.is_alive());
}

/// There are more failures than the default restart intensity of a supervisor allows.
#[test]
fn good_jobs_behind_bad_ones_are_handled_in_every_kind() {
    for kind in 0..2 {
        let tester = Tester::new().iterations(500).supervised(true);
        let report = tester.run(move |sys| good_jobs(sys, kind, 12));
        report.assert_clean();
    }
    for kind in 0..4 {
        let failures = reported(|sys| good_jobs(sys, kind, 60));
        assert_eq!(failures.len(), 30);
    }
}

/// A worker that can't start is not restarted for ever: the execution ends.
#[test]
fn a_worker_that_cannot_start_stays_down() {
    exhaust(&dfs().supervised(true), |sys| async move {
        let mut made = 0;
        let pool = sys.spawn(Pool::round_robin(1, move |_| {
            made += 1;
            Weak { starts: made == 1 }
        }));
        let bad = pool.ask(Job(0));
        let behind = pool.ask(Job(1));
        assert_eq!(bad.await, Err(AskError::Failed));
        assert_eq!(behind.await, Err(AskError::Stopped));
    });
}

/// The second job may find the first one still counted, since its completion is an event.
#[test]
fn the_least_busy_gets_the_next() {
    let (_, seconds) = outcomes(&dfs(), |sys| async move {
        let pool = sys.spawn(Pool::least_busy(2, Worker));
        assert_eq!(pool.ask(Work).await, Ok(0));
        pool.ask(Work).await.expect("it is answered")
    });
    assert_eq!(seconds, [0, 1]);
}

struct Faulty;

#[actor]
impl Faulty {
    #[on]
    fn work(&mut self, _: Work) -> Result<(), &'static str> {
        Err("broken")
    }
}

#[test]
fn a_failure_that_nobody_receives_is_found_in_every_kind() {
    let kinds = [
        || Pool::round_robin(2, |_| Faulty),
        || Pool::least_busy(2, |_| Faulty),
    ];
    for pool in kinds {
        let report = dfs().run(|sys| sys.spawn(pool()).tell(Work));
        let (kind, message) = first_bug(&report);
        assert_eq!(kind, BugKind::UnreceivedError);
        assert_contains(message, &["with Err(\"broken\"), and nobody receives it"]);
    }
}

// ANCHOR: resize
#[derive(Debug)]
struct Deposit {
    account: u8,
    number: u32,
}

/// Handles the deposits of each account in their order, or fails.
struct Teller {
    next: Arc<Mutex<[u32; 2]>>,
}

#[actor]
impl Teller {
    #[on]
    fn deposit(&mut self, deposit: Deposit) {
        let mut next = self.next.lock().expect("no one panics here");
        let next = &mut next[usize::from(deposit.account)];
        assert_eq!(deposit.number, *next, "in their order");
        *next += 1;
    }
}

/// The order is kept for every size, and for every time of a change.
#[test]
fn the_events_of_a_key_keep_their_order_when_a_pool_is_resized() {
    let report = Tester::new().iterations(2_000).run(|sys| async move {
        let next = Arc::new(Mutex::new([0; 2]));
        let shared = next.clone();
        let make = move |_| Teller {
            next: shared.clone(),
        };
        let pool = Pool::keyed(2, make).by(|deposit: &Deposit| deposit.account);
        let pool = sys.spawn(pool.resizable());
        for (number, size) in [(0, 3), (1, 1), (2, 2)] {
            for account in 0..2 {
                pool.tell(Deposit { account, number });
            }
            pool.resize(size);
        }
        pool.stop().await;
        assert_eq!(*next.lock().expect("no one panics here"), [3, 3]);
    });
    report.assert_clean();
}
// ANCHOR_END: resize

/// A key changes its worker between two events: the second event
/// waits for the first, or the first was handled before the change.
#[test]
fn a_key_that_moves_waits_for_its_former_worker() {
    struct Teller(usize, Arc<Mutex<Vec<(usize, u32)>>>);

    #[actor]
    impl Teller {
        #[on]
        fn deposit(&mut self, deposit: Deposit) {
            let mut handled = self.1.lock().expect("no one panics here");
            handled.push((self.0, deposit.number));
        }
    }

    let (_, seen) = some_outcomes(&Tester::new().iterations(1_000), |sys| async move {
        let handled = Arc::new(Mutex::new(Vec::new()));
        let shared = handled.clone();
        let make = move |index| Teller(index, shared.clone());
        let pool = Pool::keyed(2, make).by(|deposit: &Deposit| deposit.account);
        let pool = sys.spawn(pool.resizable());
        // One of the accounts belongs to the last worker.
        for number in 0..2 {
            for account in 0..2 {
                pool.tell(Deposit { account, number });
            }
            if number == 0 {
                pool.resize(1);
            }
        }
        pool.stop().await;
        handled.lock().expect("no one panics here").clone()
    });
    let of_the_second = |handled: &[(usize, u32)]| -> BTreeSet<usize> {
        let handled = handled.iter().filter(|(_, number)| *number == 1);
        handled.map(|(worker, _)| *worker).collect()
    };
    // The key moved in some executions; in others the pool ended before.
    assert!(seen.iter().any(|all| of_the_second(all) == [0].into()));
    assert!(seen.iter().all(|all| all.len() == 4), "{seen:?}");
}

/// Sends four jobs to an elastic pool with this mailbox, of which one worker is left at last.
fn elastic(sys: &System, mailbox: Mailbox) -> ActorRef<Pool<Worker>> {
    let pool = Pool::least_busy(1, Worker).elastic(3, Duration::from_secs(1));
    let pool = sys.spawner().mailbox(mailbox).spawn(pool);
    let shrunk = pool.clone();
    sys.always_eventually("one is left", move |w| {
        w.get(&shrunk).is_some_and(|pool| pool.workers() == 1)
    });
    (0..4).for_each(|_| pool.tell(Work));
    pool
}

/// Grows while all are busy, shrinks while the last one is idle, and keeps its minimum size.
#[test]
fn an_elastic_pool_stays_within_its_bounds() {
    let tester = Tester::new().iterations(500).strategy(strategy("random"));
    let tester = tester.deny(Deny::default().with_unreached());
    let report = tester.run(|sys| {
        let within = elastic(&sys, Mailbox::unbounded());
        let grown = within.clone();
        sys.always("within its bounds", move |w| {
            w.get(&within).is_none_or(|pool| pool.workers() <= 3)
        });
        sys.sometimes("three at once", move |w| {
            w.get(&grown).is_some_and(|pool| pool.workers() == 3)
        });
    });
    report.assert_clean();
}

/// The pool's own events take no capacity of its mailbox, so the pool never loses count.
#[test]
fn an_elastic_pool_with_a_bounded_mailbox_keeps_count() {
    let tester = Tester::new().iterations(500).strategy(strategy("random"));
    let mailbox = Mailbox::bounded(1).overflow(Overflow::DropNewest);
    let report = tester.run(|sys| drop(elastic(&sys, mailbox)));
    report.assert_clean();
    assert!(report.dead_letters > 0, "there was no room for all");
}

/// When the pool stops, pending asks get their answers, and its own events are no dead letters.
#[test]
fn a_pool_that_is_stopped_leaves_no_dead_letters_of_its_own() {
    let report = Tester::new().iterations(500).run(|sys| async move {
        let pool = sys.spawn(Pool::least_busy(1, Worker));
        let asked = [pool.ask(Work), pool.ask(Work)];
        pool.stop();
        for ask in asked {
            assert_eq!(ask.await, Ok(0));
        }
    });
    report.assert_clean();
    assert_eq!(report.dead_letters, 0);
}

/// Counts the replies, which never exceed the number of asks.
#[derive(Default)]
struct Replies {
    is_live: bool,
    seen: u32,
}

#[monitor]
impl Replies {
    #[on(replied)]
    fn replied(&mut self, worker: &usize, cx: &mut MonitorContext<Self>) {
        self.seen += 1;
        assert_eq!((self.seen, *worker), (1, 0), "one is asked for");
        assert!(!self.is_live || cx.target().is_none(), "no actor asked");
    }

    #[on]
    fn asked(&mut self, _: &Say, _: &mut MonitorContext<Self>) {
        assert_eq!(self.seen, 1, "it is seen before the asker has it");
    }
}

async fn ask_and_tell(sys: System, kind: u32) {
    let pool = match kind {
        0 => Pool::round_robin(1, Worker),
        1 => Pool::least_busy(1, Worker),
        _ => Pool::keyed(1, Worker).resizable(),
    };
    let is_live = sys.as_live().is_some();
    sys.monitor_with(Replies { is_live, seen: 0 });
    let pool = sys.spawn(pool);
    pool.tell(Work);
    assert_eq!(pool.ask(Work).await, Ok(0));
    sys.announce(Say(0));
}

#[test]
fn a_monitor_sees_a_reply_through_a_pool_once() {
    for kind in 0..3 {
        let report = Tester::new()
            .iterations(300)
            .run(move |sys| ask_and_tell(sys, kind));
        report.assert_clean();
        assert_eq!(reported(|sys| ask_and_tell(sys, kind)), [""; 0]);
    }
}
