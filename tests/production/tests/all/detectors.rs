//! Detectors of stuck actors and of deep mailboxes.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use crate::support::{Journal, idle, live};
use actor_core::forever;
use actor_core::observability::StuckActor;
use actor_core::prelude::*;

#[derive(Debug)]
struct Rest(Duration);
#[derive(Debug)]
struct Raise(Duration);
#[derive(Debug)]
struct Nod;
#[derive(Debug)]
struct Open;

#[derive(Default)]
struct Sleeper {
    start: Duration,
    stop: Duration,
}

#[actor(states(Awake, Busy))]
impl Sleeper {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.sleep(self.start).await;
    }

    #[on(Awake, Busy)]
    async fn rest(&mut self, rest: Rest, cx: &mut Context<Self>) {
        cx.sleep(rest.0).await;
    }

    #[on(Awake)]
    fn raise(&mut self, raise: Raise, cx: &mut Context<Self>) {
        cx.raise(Rest(raise.0));
    }

    #[on(Awake)]
    fn nod(&mut self, _: Nod, cx: &mut Context<Self>) {
        cx.goto(SleeperState::Busy);
    }

    #[stop]
    async fn stop(&mut self, cx: &mut Context<Self>) {
        cx.sleep(self.stop).await;
    }
}

#[derive(Default)]
struct Gate;

#[actor(states(Closed(defer(Nod)), Opened))]
impl Gate {
    #[on(Closed)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(GateState::Opened);
    }

    #[on(Opened)]
    fn nod(&mut self, _: Nod) {}
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Reports to the journal each actor that is stuck for four seconds.
fn watch_stuck(sys: &System) -> Journal {
    let journal = Journal::new();
    let noted = journal.clone();
    live(sys).on_stuck(move |stuck| noted.note(stuck.to_string()));
    live(sys).watch_stuck(seconds(4));
    journal
}

fn watched() -> (System, Journal) {
    let sys = System::new();
    let journal = watch_stuck(&sys);
    (sys, journal)
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_too_long_is_reported_once() {
    let (sys, journal) = watched();
    let sleeper = sys.spawn_named("sleeper", Sleeper::default());
    idle().await;
    sleeper.tell(Nod);
    sleeper.tell(Rest(seconds(60)));
    sys.sleep(Duration::from_millis(3_900)).await;
    journal.expect::<&str>([]);
    sys.sleep(Duration::from_millis(1_200)).await;
    journal.expect(["sleeper has awaited in Rest in state Busy for 4s"]);
    sys.sleep(seconds(50)).await;
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn the_next_handler_is_another() {
    let (sys, journal) = watched();
    let sleeper = sys.spawn_named("sleeper", Sleeper::default());
    for _ in 0..20 {
        sleeper.tell(Rest(seconds(3)));
    }
    sys.sleep(seconds(59)).await;
    journal.expect::<&str>([]);
    sleeper.tell(Rest(seconds(6)));
    sleeper.tell(Rest(seconds(6)));
    sys.sleep(seconds(14)).await;
    journal.expect(["sleeper has awaited in Rest in state Awake for 4s"; 2]);
}

#[tokio::test(start_paused = true)]
async fn hooks_and_raised_events_count() {
    let (sys, journal) = watched();
    let [start, stop] = [seconds(6); 2];
    let late = sys.spawn_named("late", Sleeper { start, stop });
    sys.sleep(seconds(7)).await;
    journal.expect(["late has awaited in #[start] in state Awake for 4s"]);
    late.tell(Raise(seconds(6)));
    sys.sleep(seconds(7)).await;
    journal.expect(["late has awaited in Raise in state Awake for 4s"]);
    late.stop();
    sys.sleep(seconds(7)).await;
    journal.expect(["late has awaited in #[stop] in state Awake for 4s"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_from_before_the_limit_is_found() {
    let sys = System::new();
    let sleeper = sys.spawn_named("sleeper", Sleeper::default());
    sleeper.tell(Nod);
    sleeper.tell(Rest(seconds(1)));
    sleeper.tell(Rest(seconds(60)));
    sys.sleep(seconds(2)).await;
    let journal = watch_stuck(&sys);
    sys.sleep(seconds(6)).await;
    journal.expect(["sleeper has awaited in Rest in state Busy for 4s"]);
}

#[tokio::test(start_paused = true)]
async fn idle_actors_are_not_stuck() {
    let (sys, journal) = watched();
    let sleepers: Vec<_> = (0..3000).map(|_| sys.spawn(Sleeper::default())).collect();
    sleepers[2999].tell(Rest(seconds(1)));
    sys.sleep(seconds(30)).await;
    journal.expect::<&str>([]);
    sleepers[2999].tell(Rest(seconds(5)));
    sys.sleep(seconds(6)).await;
    let id = sleepers[2999].id();
    journal.expect([format!(
        "Sleeper{id} has awaited in Rest in state Awake for 4s"
    )]);
}

#[derive(Debug)]
struct Serve;
#[derive(Debug)]
struct Job;

struct Server(Duration);

#[actor(receive(Job))]
impl Server {
    #[on]
    async fn serve(&mut self, _: Serve, cx: &mut Context<Self>) {
        loop {
            forever(cx.receive::<Job>()).await;
            cx.sleep(self.0).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_may_wait_for_ever_is_not_stuck() {
    let (sys, journal) = watched();
    let server = sys.spawn_named("server", Server(seconds(3)));
    server.tell(Serve);
    sys.sleep(seconds(30)).await;
    server.tell(Job);
    sys.sleep(seconds(30)).await;
    journal.expect::<&str>([]);
    let slow = sys.spawn_named("slow", Server(seconds(6)));
    slow.tell(Serve);
    sys.sleep(seconds(30)).await;
    slow.tell(Job);
    sys.sleep(seconds(30)).await;
    journal.expect(["slow has awaited in Serve for 4s"]);
}

/// An actor whose `forever` wait ends with the handler, before the wait is over.
struct Impatient;

#[actor]
impl Impatient {
    #[on]
    async fn serve(&mut self, _: Serve, cx: &mut Context<Self>) {
        tokio::select! {
            () = cx.sleep(seconds(1)) => {}
            () = forever(std::future::pending::<()>()) => {}
        }
    }

    #[on]
    async fn rest(&mut self, rest: Rest, cx: &mut Context<Self>) {
        cx.sleep(rest.0).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_handler_may_not_wait_for_ever() {
    let (sys, journal) = watched();
    let impatient = sys.spawn_named("impatient", Impatient);
    impatient.tell(Serve);
    impatient.tell(Rest(seconds(6)));
    sys.sleep(seconds(30)).await;
    journal.expect(["impatient has awaited in Rest for 4s"]);
}

#[derive(Debug)]
struct Block;

/// Blocks a thread until it receives a message.
struct Blocker(Mutex<mpsc::Receiver<()>>);

#[actor]
impl Blocker {
    #[on]
    fn block(&mut self, _: Block) {
        self.0.lock().unwrap().recv().unwrap();
    }
}

#[test]
fn who_keeps_a_thread_is_told_from_who_waits() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let sys = System::new();
        let live = live(&sys);
        let (report, mut reports) = tokio::sync::mpsc::unbounded_channel::<StuckActor>();
        live.on_stuck(move |stuck| report.send(stuck.clone()).unwrap());
        live.watch_stuck(Duration::from_millis(1));
        let (release, released) = mpsc::channel();
        let blocker = sys.spawn_named("blocker", Blocker(Mutex::new(released)));
        blocker.tell(Block);
        let stuck = reports.recv().await.unwrap();
        release.send(()).unwrap();
        assert_eq!((&*stuck.name, stuck.event), ("blocker", "Block"));
        assert_eq!((stuck.state, stuck.waits), (None, false));
        sys.shutdown().await.unwrap();
    });
}

/// Creates a system that reports to the journal each actor with more than ten unread events.
fn gauged() -> (System, Journal) {
    let (sys, journal) = (System::new(), Journal::new());
    let noted = journal.clone();
    live(&sys).on_depth(move |deep| noted.note(deep.to_string()));
    live(&sys).watch_depth(10);
    (sys, journal)
}

#[tokio::test(start_paused = true)]
async fn a_deep_mailbox_is_reported_once_until_it_is_half_empty() {
    let (sys, journal) = gauged();
    let sleeper = sys.spawn_named("sleeper", Sleeper::default());
    let rest = |times| (0..times).for_each(|_| sleeper.tell(Rest(seconds(1))));
    rest(1);
    idle().await;
    rest(10);
    sys.sleep(Duration::from_millis(850)).await;
    journal.expect::<&str>([]);
    rest(1);
    sys.sleep(Duration::from_millis(90)).await;
    journal.expect(["sleeper has 11 unread events"]);
    // The depth sinks to five, and rises again.
    sys.sleep(seconds(6)).await;
    rest(10);
    sys.sleep(Duration::from_millis(500)).await;
    journal.expect::<&str>([]);
    // The depth sinks to four, and rises again.
    sys.sleep(seconds(11)).await;
    rest(10);
    sys.sleep(Duration::from_millis(500)).await;
    journal.expect(["sleeper has 13 unread events"]);
}

#[tokio::test(start_paused = true)]
async fn deferred_events_are_unread() {
    let (sys, journal) = gauged();
    let gate = sys.spawn_named("gate", Gate);
    for _ in 0..12 {
        gate.tell(Nod);
    }
    sys.sleep(seconds(1)).await;
    journal.expect(["gate has 12 unread events"]);
    gate.tell(Open);
    // The sleep ends between two checks, and the next twelve events are not unread for long.
    sys.sleep(Duration::from_millis(1_050)).await;
    for _ in 0..12 {
        gate.tell(Nod);
    }
    sys.sleep(seconds(1)).await;
    journal.expect::<&str>([]);
}
