//! Supervised children, as far as production alone has them: reported failures, dead letters, exact times.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Journal, Mortal, Wait, fallible, idle, later, live, system};
use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::supervision::{Backoff, Decision, Failure, Unread};

#[derive(Debug)]
struct Break(&'static str);
#[derive(Debug)]
struct Note(&'static str);
#[derive(Debug)]
struct Life;
#[derive(Debug)]
struct Tick;
#[derive(Debug)]
struct Children;

struct Child {
    name: &'static str,
    life: u32,
    journal: Journal,
}

#[actor(states(First, Second))]
impl Child {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.journal.note(format!("{} starts", self.name));
        cx.after(Duration::from_secs(100), Tick);
    }

    #[entry(First)]
    fn first(&mut self) {}

    #[on]
    fn smash(&mut self, cause: Break, cx: &mut Context<Self>) {
        cx.goto(ChildState::Second);
        panic!("{}", cause.0);
    }

    #[on]
    fn note(&mut self, note: Note) {
        self.journal.note(format!("{} {}", self.name, note.0));
    }

    #[on]
    fn life(&mut self, _: Life, cx: &mut Context<Self>) -> (u32, ChildState) {
        (self.life, cx.state())
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.journal.note(format!("{} ticks", self.name));
    }

    #[stop]
    fn stop(&mut self) {
        self.journal.note(format!("{} stops", self.name));
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.journal.note(format!("{} drops", self.name));
    }
}

fn factory(name: &'static str, journal: &Journal) -> impl FnMut() -> Child + Send + 'static {
    let (journal, mut life) = (journal.clone(), 0);
    move || {
        life += 1;
        Child {
            name,
            life,
            journal: journal.clone(),
        }
    }
}

/// Asserts the number of the child's incarnation, which is in its first state.
async fn assert_life(child: &ActorRef<Child>, life: u32) {
    assert_eq!(child.ask(Life).await, Ok((life, ChildState::First)));
}

const EXHAUSTED: &str = "Exhausted: restarted 3 times within 5s, it has ended once more";

#[tokio::test(start_paused = true)]
async fn timers_end_with_the_value_that_armed_them() {
    let (sys, journal) = system();
    let child = sys.spawn_with(factory("a", &journal));
    later(99).await;
    child.tell(Break("ouch"));
    idle().await;
    journal.expect(["a starts", "Panicked: ouch", "a drops", "a starts"]);
    later(99).await;
    journal.expect::<&str>([]);
    later(2).await;
    journal.expect(["a ticks"]);
}

#[tokio::test(start_paused = true)]
async fn unread_events_are_dropped_where_told() {
    let (sys, journal) = system();
    journal.note_dead_letters(&sys);
    let spawner = sys.spawner().on_restart(Unread::Drop);
    let child = spawner.spawn_with(factory("a", &journal));
    child.tell(Break("ouch"));
    child.tell(Note("reads on"));
    idle().await;
    child.tell(Note("reads"));
    idle().await;
    journal.expect([
        "a starts",
        "Panicked: ouch",
        "a drops",
        "lost Note(\"reads on\"): Restarted",
        "a starts",
        "a reads",
    ]);
}

#[tokio::test(start_paused = true)]
async fn the_system_gives_up_at_the_fourth_failure_within_five_seconds() {
    let (sys, journal) = system();
    let child = sys.spawn_with(factory("a", &journal));
    // There are three failures at once, and three more six seconds later: never four within five seconds.
    for pause in [0, 0, 0, 6, 0, 0] {
        later(pause).await;
        child.tell(Break("ouch"));
        idle().await;
    }
    assert_life(&child, 7).await;
    journal.take();
    child.tell(Break("ouch"));
    idle().await;
    journal.expect(["Panicked: ouch", "a drops", EXHAUSTED]);
    assert_eq!(child.ask(Life).await, Err(AskError::Stopped));
    assert_eq!(live(&sys).actor_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_waits_to_be_brought_back_ends_with_its_system() {
    let (sys, journal) = system();
    let hour = Duration::from_secs(3_600);
    let [first, second] = ["a", "b"].map(|name| {
        let spawner = sys.spawner().backoff(Backoff::new(hour, hour));
        spawner.spawn_with(factory(name, &journal))
    });
    first.tell(Break("ouch"));
    second.tell(Break("ouch"));
    idle().await;
    assert_eq!(live(&sys).actor_count(), 2);
    first.kill();
    idle().await;
    assert_eq!(live(&sys).actor_count(), 1);
    sys.shutdown().await.unwrap();
    assert_eq!(second.ask(Life).await, Err(AskError::Stopped));
}

#[derive(Debug)]
struct NoDisk;

/// The result of a start hook.
type Start = fn() -> Result<(), NoDisk>;

struct Reluctant(Journal, Start);

#[actor]
impl Reluctant {
    #[start]
    fn start(&mut self) -> Result<(), NoDisk> {
        self.0.note("starts");
        (self.1)()
    }

    #[on]
    fn smash(&mut self, cause: Break) {
        panic!("{}", cause.0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_hook_or_a_factory_that_fails_counts() {
    let (sys, journal) = system();
    let (noted, mut lives) = (journal.clone(), 0);
    let child = sys.spawn_with(move || {
        lives += 1;
        assert!(lives != 3, "in the factory");
        let start: Start = match lives {
            2 => || panic!("in the start hook"),
            _ => || Ok(()),
        };
        Reluctant(noted.clone(), start)
    });
    child.tell(Break("ouch"));
    idle().await;
    journal.expect([
        "starts",
        "Panicked: ouch",
        "starts",
        "Panicked: in the start hook",
        "Panicked: in the factory",
        "starts",
    ]);
    child.tell(Break("ouch"));
    idle().await;
    journal.expect(["Panicked: ouch", EXHAUSTED]);

    let (noted, mut start) = (journal.clone(), (|| Err(NoDisk)) as Start);
    let store = sys.spawn_with(move || {
        let start = std::mem::replace(&mut start, || Ok(()));
        Reluctant(noted.clone(), start)
    });
    let error = "Error: `Reluctant` did not start: Err(NoDisk)";
    idle().await;
    journal.expect(["starts", error, "starts"]);
    assert!(store.is_alive());
    let alone = sys.spawn(Reluctant(journal.clone(), || Err(NoDisk)));
    assert_eq!(alone.stopped().await, StopReason::Failed);
    journal.expect(["starts", error]);
}

/// Events from before and after the failure are handled once and in order, on every worker.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn nothing_is_lost_but_the_event_that_failed() {
    #[derive(Debug)]
    struct Add(u32);
    #[derive(Debug)]
    struct Seen;
    struct Counts(Arc<Mutex<Vec<u32>>>);
    #[actor]
    impl Counts {
        #[on]
        fn add(&mut self, add: Add) {
            assert!(add.0 % 100 != 99, "each hundredth");
            self.0.lock().unwrap().push(add.0);
        }
        #[on]
        fn seen(&mut self, _: Seen) -> usize {
            self.0.lock().unwrap().len()
        }
    }
    struct Root(Arc<Mutex<Vec<u32>>>);
    #[actor]
    impl Root {
        #[on]
        fn child(&mut self, _: Children, cx: &mut Context<Self>) -> ActorRef<Counts> {
            cx.supervise(Supervision::one_for_all().intensity(u32::MAX, Duration::ZERO));
            let seen = self.0.clone();
            cx.spawn_with(move || Counts(seen.clone()))
        }
    }
    let sys = fallible();
    let seen = Arc::default();
    let root = sys.spawn(Root(Arc::clone(&seen)));
    let child = root.ask(Children).await.unwrap();
    for number in 0..2_000 {
        child.tell(Add(number));
    }
    assert_eq!(child.ask(Seen).await, Ok(1_980));
    let expected: Vec<u32> = (0..2_000).filter(|number| number % 100 != 99).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
    sys.shutdown().await.unwrap();
    assert_eq!(live(&sys).actor_count(), 0);
}

struct Linked(ActorRef<Child>, Journal);

#[actor]
impl Linked {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.1.note("linked starts");
        cx.link(&self.0);
    }

    #[on]
    async fn wait(&mut self, _: Wait) {
        std::future::pending::<()>().await;
    }

    #[on]
    fn smash(&mut self, cause: Break) {
        panic!("{}", cause.0);
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        self.1.note("linked drops");
    }
}

/// A handler that waits is dropped with its actor. The last failure exhausts the restarts of both.
#[tokio::test(start_paused = true)]
async fn a_link_goes_both_ways() {
    let (sys, journal) = system();
    let child = sys.spawn_with(factory("a", &journal));
    let (other, noted) = (child.clone(), journal.clone());
    let linked = sys.spawn_with(move || Linked(other.clone(), noted.clone()));
    idle().await;
    journal.expect(["a starts", "linked starts"]);
    for waits in [false, true] {
        if waits {
            linked.tell(Wait);
            idle().await;
        }
        child.tell(Break("ouch"));
        idle().await;
        journal.expect([
            "Panicked: ouch",
            "a drops",
            "a starts",
            "linked drops",
            "linked starts",
        ]);
    }
    linked.tell(Break("linked"));
    idle().await;
    journal.expect([
        "Panicked: linked",
        "linked drops",
        "linked starts",
        "a drops",
        "a starts",
    ]);
    // Both have been restarted three times.
    linked.tell(Break("linked"));
    idle().await;
    let linked_first = ["Panicked: linked", "linked drops", EXHAUSTED];
    journal.expect([&linked_first[..], &["a drops", EXHAUSTED]].concat());
}

/// The longest possible delay, made longer by jitter. No child is lost by it.
#[tokio::test(start_paused = true)]
async fn no_wait_is_too_long() {
    let sys = fallible();
    let patience = Backoff::new(Duration::MAX, Duration::MAX).jitter(1.0);
    let children = [(); 20].map(|()| sys.spawner().backoff(patience).spawn_with(|| Mortal));
    for child in &children {
        child.tell(crate::support::Break);
    }
    idle().await;
    // All children are down and wait for their back-off.
    assert_eq!(live(&sys).actor_count(), children.len());
    for child in &children {
        child.stop();
    }
    sys.shutdown().await.unwrap();
}

/// Without a time driver no wait is possible: that is reported, and the child is restarted at once.
#[test]
fn a_wait_needs_a_clock() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.build().unwrap().block_on(async {
        let (sys, journal) = system();
        let patience = Backoff::new(Duration::from_secs(1), Duration::from_secs(1));
        let fragile = sys.spawner().backoff(patience).spawn_with(|| Mortal);
        for _ in 0..2 {
            let failed = fragile.ask(crate::support::Break).await;
            assert_eq!(failed, Err(AskError::Failed));
        }
        let noted = journal.noted();
        let kinds = noted.iter().filter_map(|note| note.split(':').next());
        let expected = ["Panicked", "Background", "Panicked", "Background"];
        assert!(kinds.eq(expected), "{noted:?}");
    });
}

/// Takes a second to decide, by the message of the failure.
struct Judge {
    journal: Journal,
    children: Vec<ActorRef<Child>>,
}

#[actor]
impl Judge {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.decide_failures();
        for name in ["a", "b"] {
            let child = cx.spawner().name(name);
            let child = child.spawn_with(factory(name, &self.journal));
            self.children.push(child);
        }
    }

    #[on]
    fn children(&mut self, _: Children) -> Vec<ActorRef<Child>> {
        self.children.clone()
    }

    #[on]
    async fn failed(&mut self, failure: Failure, cx: &mut Context<Self>) -> Decision {
        self.journal.note(format!("asked: {failure}"));
        cx.sleep(Duration::from_secs(1)).await;
        match &*failure.message {
            "stop" => Decision::Stop,
            "escalate" => Decision::Escalate,
            "lose your mind" => panic!("it can't decide"),
            _ => Decision::Restart,
        }
    }
}

/// Spawns a judge that may be brought back; returns it with its children.
async fn judge(sys: &System, journal: &Journal) -> (ActorRef<Judge>, Vec<ActorRef<Child>>) {
    let noted = journal.clone();
    let judge = sys.spawner().name("judge").spawn_with(move || Judge {
        journal: noted.clone(),
        children: Vec::new(),
    });
    let children = judge.ask(Children).await.unwrap();
    idle().await;
    journal.expect(["a starts", "b starts"]);
    (judge, children)
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_decides() {
    let (sys, journal) = system();
    let (judge, children) = judge(&sys, &journal).await;
    // The child is down until the supervisor has decided, and events to it wait.
    children[0].tell(Break("ouch"));
    assert_life(&children[0], 2).await;
    journal.expect([
        "Panicked: ouch",
        "a drops",
        "asked: a panicked: ouch",
        "a starts",
    ]);
    children[0].tell(Break("stop"));
    assert_eq!(children[0].stopped().await, StopReason::Failed);
    journal.expect(["Panicked: stop", "a drops", "asked: a panicked: stop"]);
    assert_life(&children[1], 1).await;
    children[1].tell(Break("escalate"));
    assert_eq!(children[1].stopped().await, StopReason::Exhausted);
    idle().await;
    // The supervisor is restarted, and spawns its children again.
    journal.expect([
        "Panicked: escalate",
        "b drops",
        "asked: b panicked: escalate",
        "Exhausted: its supervisor has decided to fail with it",
        "a starts",
        "b starts",
    ]);
    let children = judge.ask(Children).await.unwrap();
    assert_life(&children[0], 1).await;
    assert!(judge.is_alive());
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_fails_while_it_decides_is_the_one_that_has_failed() {
    let (sys, journal) = system();
    let (judge, children) = judge(&sys, &journal).await;
    children[0].tell(Break("lose your mind"));
    // The children end with the supervisor; there was no decision about the one that is down.
    assert_eq!(children[0].stopped().await, StopReason::Failed);
    assert_eq!(children[1].stopped().await, StopReason::Stopped);
    let children = judge.ask(Children).await.unwrap();
    idle().await;
    journal.expect([
        "Panicked: lose your mind",
        "a drops",
        "asked: a panicked: lose your mind",
        "Panicked: it can't decide",
        "b stops",
        "b drops",
        "a starts",
        "b starts",
    ]);
    assert_life(&children[0], 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_told_to_stop_while_it_is_down_stays_stopped() {
    let (sys, journal) = system();
    let (judge, children) = judge(&sys, &journal).await;
    children[0].tell(Break("ouch"));
    idle().await;
    assert_eq!(children[0].stop().await, StopReason::Stopped);
    // The decision comes too late.
    later(2).await;
    assert!(!children[0].is_alive());
    judge.stop().await;
    sys.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_group_of_the_system_is_given_up_as_a_whole() {
    let (sys, journal) = system();
    let apart = sys.spawn_with(factory("apart", &journal));
    sys.supervise(Supervision::one_for_all().intensity(1, Duration::from_secs(5)));
    let group = ["a", "b"].map(|name| sys.spawn_with(factory(name, &journal)));
    idle().await;
    journal.expect(["apart starts", "a starts", "b starts"]);
    group[0].tell(Break("ouch"));
    idle().await;
    journal.expect([
        "Panicked: ouch",
        "a drops",
        "b stops",
        "b drops",
        "a starts",
        "b starts",
    ]);
    group[1].tell(Break("ouch"));
    assert_eq!(group[1].stopped().await, StopReason::Exhausted);
    assert_eq!(group[0].stopped().await, StopReason::Stopped);
    journal.take();
    assert_life(&apart, 1).await;
    // Children that are spawned later form a new group.
    let again = ["c", "d"].map(|name| sys.spawn_with(factory(name, &journal)));
    again[0].tell(Break("ouch"));
    assert_life(&again[1], 2).await;
    sys.shutdown().await.unwrap();
}
