//! Supervised children, as far as production alone has them: reported failures, dead letters, exact times.

use std::time::Duration;

use crate::support::{Journal, idle, system};
use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::supervision::{Backoff, Unread};

#[derive(Debug)]
struct Panic;
#[derive(Debug)]
struct Err_;
#[derive(Debug)]
struct Note(&'static str);
#[derive(Debug)]
struct Wait;
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
    fn panic(&mut self, _: Panic, cx: &mut Context<Self>) {
        cx.goto(ChildState::Second);
        panic!("ouch");
    }

    #[on]
    fn err(&mut self, _: Err_) -> Result<(), String> {
        Err("no luck".into())
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
    let journal = journal.clone();
    let mut life = 0;
    move || {
        life += 1;
        Child {
            name,
            life,
            journal: journal.clone(),
        }
    }
}

async fn later(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_child_of_the_system_is_brought_back() {
    let (sys, journal) = system();
    let child = sys.spawner().name("a").spawn_with(factory("a", &journal));
    let id = child.id();
    idle().await;
    journal.expect(["a starts"]);
    child.tell(Panic);
    child.tell(Note("reads on"));
    idle().await;
    journal.expect(["Panicked: ouch", "a drops", "a starts", "a reads on"]);
    assert_eq!(child.ask(Life).await, Ok((2, ChildState::First)));
    assert_eq!((child.id(), format!("{child:?}")), (id, "a".into()));
    assert_eq!(sys.as_live().unwrap().actor_count(), 1);
    sys.shutdown().await.unwrap();
    journal.expect(["a stops", "a drops"]);
}

#[tokio::test(start_paused = true)]
async fn timers_end_with_the_value_that_armed_them() {
    let (sys, journal) = system();
    let child = sys.spawn_with(factory("a", &journal));
    later(99).await;
    child.tell(Panic);
    idle().await;
    journal.expect(["a starts", "Panicked: ouch", "a drops", "a starts"]);
    later(99).await;
    journal.expect::<&str>([]);
    later(2).await;
    journal.expect(["a ticks"]);
}

#[tokio::test(start_paused = true)]
async fn an_err_that_nobody_receives_is_a_failure() {
    let (sys, journal) = system();
    let child = sys.spawn_with(factory("a", &journal));
    assert_eq!(child.ask(Err_).await, Ok(Err("no luck".into())));
    assert_eq!(child.ask(Life).await, Ok((1, ChildState::First)));
    child.tell(Err_);
    assert_eq!(child.ask(Life).await, Ok((2, ChildState::First)));
    journal.expect([
        "a starts",
        "Error: `Child` answered `Err_` with Err(\"no luck\"), and nobody receives it",
        "a drops",
        "a starts",
    ]);
    let plain = sys.spawn(factory("b", &journal)());
    plain.tell(Err_);
    assert_eq!(plain.ask(Life).await, Err(AskError::Stopped));
}

#[tokio::test(start_paused = true)]
async fn unread_events_are_dropped_where_told() {
    let (sys, journal) = system();
    let letters = journal.clone();
    sys.as_live().unwrap().on_dead_letter(move |letter| {
        letters.note(format!("dead {:?}", letter.event));
    });
    let spawner = sys.spawner().on_restart(Unread::Drop);
    let child = spawner.spawn_with(factory("a", &journal));
    child.tell(Panic);
    child.tell(Note("reads on"));
    idle().await;
    child.tell(Note("reads"));
    idle().await;
    journal.expect([
        "a starts",
        "Panicked: ouch",
        "a drops",
        "dead Note(\"reads on\")",
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
        child.tell(Panic);
        idle().await;
    }
    assert_eq!(child.ask(Life).await, Ok((7, ChildState::First)));
    journal.take();
    child.tell(Panic);
    idle().await;
    journal.expect([
        "Panicked: ouch",
        "a drops",
        "Exhausted: restarted 3 times within 5s, it has ended once more",
    ]);
    assert_eq!(child.ask(Life).await, Err(AskError::Stopped));
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_waits_to_be_brought_back_ends_with_its_system() {
    let (sys, journal) = system();
    let hour = Duration::from_secs(3_600);
    let spawn = |name| {
        let spawner = sys.spawner().backoff(Backoff::new(hour, hour));
        spawner.spawn_with(factory(name, &journal))
    };
    let (first, second) = (spawn("a"), spawn("b"));
    first.tell(Panic);
    second.tell(Panic);
    idle().await;
    assert_eq!(sys.as_live().unwrap().actor_count(), 2);
    first.kill();
    idle().await;
    assert_eq!(sys.as_live().unwrap().actor_count(), 1);
    sys.shutdown().await.unwrap();
    assert_eq!(second.ask(Life).await, Err(AskError::Stopped));
}

struct Reluctant {
    journal: Journal,
    fails: bool,
}

#[actor]
impl Reluctant {
    #[start]
    fn start(&mut self) {
        self.journal.note("starts");
        assert!(!self.fails, "in the start hook");
    }

    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("ouch");
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_hook_or_a_factory_that_panics_counts() {
    let (sys, journal) = system();
    let noted = journal.clone();
    let mut lives = 0;
    let child = sys.spawn_with(move || {
        lives += 1;
        assert!(lives != 3, "in the factory");
        Reluctant {
            journal: noted.clone(),
            fails: lives == 2,
        }
    });
    child.tell(Panic);
    idle().await;
    journal.expect([
        "starts",
        "Panicked: ouch",
        "starts",
        "Panicked: in the start hook",
        "Panicked: in the factory",
        "starts",
    ]);
    child.tell(Panic);
    idle().await;
    journal.expect([
        "Panicked: ouch",
        "Exhausted: restarted 3 times within 5s, it has ended once more",
    ]);
}

#[derive(Debug)]
struct NoDisk;

struct Store {
    journal: Journal,
    fails: bool,
}

#[actor]
impl Store {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> Result<(), NoDisk> {
        cx.sleep(Duration::from_secs(1)).await;
        if self.fails {
            return Err(NoDisk);
        }
        self.journal.note("started");
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_hook_that_returns_an_error_counts() {
    let (sys, journal) = system();
    let (noted, mut lives) = (journal.clone(), 0);
    let factory = move || {
        lives += 1;
        Store {
            journal: noted.clone(),
            fails: lives == 1,
        }
    };
    let store = sys.spawn_with(factory);
    tokio::time::sleep(Duration::from_secs(10)).await;
    journal.expect(["Error: `Store` did not start: Err(NoDisk)", "started"]);
    assert!(store.is_alive());
    let noted = journal.clone();
    let alone = sys.spawn(Store {
        journal: noted,
        fails: true,
    });
    assert_eq!(alone.stopped().await, StopReason::Failed);
    journal.expect(["Error: `Store` did not start: Err(NoDisk)"]);
}

/// Events from before and after the failure are handled once and in order, on every worker.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn nothing_is_lost_but_the_event_that_failed() {
    #[derive(Debug)]
    struct Add(u32);
    #[derive(Debug)]
    struct Seen;
    struct Counts(std::sync::Arc<std::sync::Mutex<Vec<u32>>>);
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
    struct Root(
        std::sync::Arc<std::sync::Mutex<Vec<u32>>>,
        Option<ActorRef<Counts>>,
    );
    #[actor]
    impl Root {
        #[start]
        fn start(&mut self, cx: &mut Context<Self>) {
            cx.supervise(Supervision::one_for_all().intensity(u32::MAX, Duration::ZERO));
            let seen = self.0.clone();
            self.1 = Some(cx.spawn_with(move || Counts(seen.clone())));
        }
        #[on]
        fn children(&mut self, _: Children) -> ActorRef<Counts> {
            self.1.clone().unwrap()
        }
    }
    let (sys, _journal) = system();
    let seen = std::sync::Arc::default();
    let root = sys.spawn(Root(std::sync::Arc::clone(&seen), None));
    let child = root.ask(Children).await.unwrap();
    for number in 0..2_000 {
        child.tell(Add(number));
    }
    assert_eq!(child.ask(Seen).await, Ok(1_980));
    let expected: Vec<u32> = (0..2_000).filter(|number| number % 100 != 99).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
    sys.shutdown().await.unwrap();
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
}

struct Linked {
    other: ActorRef<Child>,
    journal: Journal,
}

#[actor]
impl Linked {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.journal.note("linked starts");
        cx.link(&self.other);
    }

    #[on]
    async fn wait(&mut self, _: Wait) {
        std::future::pending::<()>().await;
    }

    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("linked");
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        self.journal.note("linked drops");
    }
}

/// A handler that waits is dropped with its actor. The last failure exhausts the restarts of both.
#[tokio::test(start_paused = true)]
async fn a_link_goes_both_ways() {
    let (sys, journal) = system();
    let child = sys.spawn_with(factory("a", &journal));
    let (other, noted) = (child.clone(), journal.clone());
    let linked = sys.spawn_with(move || Linked {
        other: other.clone(),
        journal: noted.clone(),
    });
    idle().await;
    journal.expect(["a starts", "linked starts"]);
    child.tell(Panic);
    idle().await;
    let shared = [
        "Panicked: ouch",
        "a drops",
        "a starts",
        "linked drops",
        "linked starts",
    ];
    journal.expect(shared);
    linked.tell(Wait);
    idle().await;
    child.tell(Panic);
    idle().await;
    journal.expect(shared);
    linked.tell(Panic);
    idle().await;
    journal.expect([
        "Panicked: linked",
        "linked drops",
        "linked starts",
        "a drops",
        "a starts",
    ]);
    // Both have been restarted three times.
    linked.tell(Panic);
    idle().await;
    journal.expect([
        "Panicked: linked",
        "linked drops",
        "Exhausted: restarted 3 times within 5s, it has ended once more",
        "a drops",
        "Exhausted: restarted 3 times within 5s, it has ended once more",
    ]);
}

/// The longest possible delay, made longer by jitter. No child is lost by it.
#[tokio::test(start_paused = true)]
async fn no_wait_is_too_long() {
    let sys = System::new();
    sys.as_live().unwrap().on_failure(|_| {});
    let patience = Backoff::new(Duration::MAX, Duration::MAX).jitter(1.0);
    let spawn = || {
        sys.spawner()
            .backoff(patience)
            .spawn_with(factory("a", &Journal::new()))
    };
    let children: Vec<_> = (0..20).map(|_| spawn()).collect();
    for child in &children {
        child.tell(Panic);
    }
    idle().await;
    // All children are down and wait for their back-off.
    assert_eq!(sys.as_live().unwrap().actor_count(), children.len());
    for child in &children {
        child.stop();
    }
    sys.shutdown().await.unwrap();
}

/// Without a time driver no wait is possible: that is reported, and the child is restarted at once.
#[test]
fn a_wait_needs_a_clock() {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.build().unwrap();
    runtime.block_on(async {
        let sys = System::new();
        let journal = Journal::new();
        let noted = journal.clone();
        let live = sys.as_live().unwrap();
        live.on_failure(move |failure| noted.note(format!("{:?}", failure.kind)));
        let patience = Backoff::new(Duration::from_secs(1), Duration::from_secs(1));
        let fragile = sys.spawner().backoff(patience).spawn_with(|| Fragile);
        assert_eq!(fragile.ask(Panic).await, Err(AskError::Failed));
        assert_eq!(fragile.ask(Panic).await, Err(AskError::Failed));
        journal.expect(["Panicked", "Background", "Panicked", "Background"]);
    });
}

struct Fragile;

#[actor]
impl Fragile {
    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("ouch");
    }
}
