//! Supervision: restarts, strategies, intensities, stops, links, and shutdowns in order.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::supervision::{Backoff, Restart, Unread};
use actor_test::settings::Search;
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::{Break, Halt, Tick};
use behaviour::harness::{
    Journal, bug, contract, expect_bug, first_bug, in_production, journals, outcomes,
    some_outcomes, strategy, whole,
};

fn supervised() -> Tester {
    Tester::new().supervised(true)
}

/// A tester whose timers fire only when nothing else can happen.
fn patient() -> Tester {
    supervised().patient_timers(true)
}

/// Returns the journals of all schedules of a clean program.
fn every(program: impl Fn(&System, &Journal) + Sync) -> BTreeSet<Vec<String>> {
    let seen = journals(&whole("dfs").supervised(true), program);
    seen.into_keys().collect()
}

const HOUR: Duration = Duration::from_secs(3_600);

#[derive(Debug)]
struct Refuse;
#[derive(Debug)]
struct Note(&'static str);
#[derive(Debug)]
struct Await;
#[derive(Debug)]
struct Life;

/// Records the events of its lifecycle.
pub(super) struct Child {
    name: &'static str,
    life: u32,
    journal: Journal,
}

#[actor(states(First, Second), receive(Tick))]
impl Child {
    #[start]
    fn start(&mut self) {
        self.journal.note(format!("{} starts", self.name));
    }

    #[on]
    fn smash(&mut self, _: Break, cx: &mut Context<Self>) {
        cx.goto(ChildState::Second);
        panic!("ouch");
    }

    #[on]
    fn refuse(&mut self, _: Refuse) -> Result<(), String> {
        Err("no luck".into())
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn note(&mut self, note: Note, cx: &mut Context<Self>) {
        self.journal
            .note(format!("{} {} in {:?}", self.name, note.0, cx.state()));
    }

    #[on]
    async fn wait(&mut self, _: Await, cx: &mut Context<Self>) {
        self.journal.note(format!("{} waits", self.name));
        cx.receive::<Tick>().await;
    }

    #[on]
    fn life(&mut self, _: Life) -> u32 {
        self.life
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

pub(super) fn factory(
    name: &'static str,
    journal: &Journal,
) -> impl FnMut() -> Child + Send + 'static {
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

/// Spawns a child that may be brought back, and whose life nobody notes.
fn child(sys: &System) -> ActorRef<Child> {
    sys.spawn_with(factory("a", &Journal::default()))
}

/// Spawns one that is never brought back.
fn alone(sys: &System) -> ActorRef<Child> {
    sys.spawn(factory("a", &Journal::default())())
}

#[test]
fn a_failure_is_a_bug_unless_it_is_part_of_the_story() {
    let fails = |sys: System| child(&sys).tell(Break);
    let panic = (BugKind::Panic, "`Child` panicked: ouch".to_owned());
    assert_eq!(bug(&Tester::new(), fails), panic);
    supervised().run(fails).assert_clean();
    assert_eq!(bug(&supervised(), |sys| alone(&sys).tell(Break)), panic);
}

#[test]
fn a_child_is_brought_back_with_its_inbox() {
    let expected =
        "a starts, a drops, a starts, a reads on in First, a stops, a drops: Ok(2) Halted";
    contract(&[expected], async |sys| {
        let journal = Journal::default();
        let child = sys.spawner().name("a").spawn_with(factory("a", &journal));
        let id = child.id();
        child.tell(Break);
        child.tell(Note("reads on"));
        let life = child.ask(Life).await;
        assert_eq!((child.id(), format!("{child:?}")), (id, "a".into()));
        child.tell(Halt);
        let end = child.stopped().await;
        format!("{}: {life:?} {end:?}", journal.take().join(", "))
    });
}

#[test]
fn an_err_that_nobody_receives_is_a_failure() {
    let expected =
        "a starts, a drops, a starts, a stops, a drops: Ok(Err(\"no luck\")) Ok(1) Ok(2)";
    contract(&[expected], async |sys| {
        let journal = Journal::default();
        let child = sys.spawn_with(factory("a", &journal));
        let received = child.ask(Refuse).await;
        let before = child.ask(Life).await;
        child.tell(Refuse);
        let after = child.ask(Life).await;
        child.tell(Halt);
        child.stopped().await;
        let noted = journal.take().join(", ");
        format!("{noted}: {received:?} {before:?} {after:?}")
    });
    let (kind, message) = bug(&Tester::new(), |sys| child(&sys).tell(Refuse));
    assert_eq!(kind, BugKind::UnreceivedError);
    assert!(message.contains("`Child`") && message.contains("no luck"));
}

#[test]
fn an_inbox_may_be_dropped() {
    let seen = every(|sys, journal| {
        let spawner = sys.spawner().on_restart(Unread::Drop);
        let child = spawner.spawn_with(factory("a", journal));
        child.tell(Break);
        child.tell(Note("reads on"));
    });
    let reads = |noted: &Vec<String>| noted.contains(&"a reads on in First".to_owned());
    assert!(seen.iter().any(reads));
    assert!(!seen.iter().all(reads));
}

#[test]
fn who_asked_in_vain_before_a_restart_hears_of_a_failure() {
    contract(&["Err(Failed)", "Ok(2)"], async |sys| {
        let spawner = sys.spawner().on_restart(Unread::Drop);
        let child = spawner.spawn_with(factory("a", &Journal::default()));
        child.tell(Break);
        format!("{:?}", child.ask(Life).await)
    });
}

#[test]
fn each_kind_of_child_comes_back_after_its_kind_of_end() {
    let (back, gone) = ("Ok(2)", "Err(Stopped)");
    type End = fn(&ActorRef<Child>);
    for (restart, after_a_halt, after_a_failure) in [
        (Restart::Permanent, back, back),
        (Restart::Transient, gone, back),
        (Restart::Temporary, gone, gone),
    ] {
        let ends: [(End, &str); 2] = [
            (|child| child.tell(Halt), after_a_halt),
            (|child| child.tell(Break), after_a_failure),
        ];
        for (end, after) in ends {
            contract(&[after], move |sys| async move {
                let spawner = sys.spawner().restart(restart);
                let child = spawner.spawn_with(factory("a", &Journal::default()));
                end(&child);
                format!("{:?}", child.ask(Life).await)
            });
        }
    }
}

/// Asserts that a supervised program gives up, for a reason that has this part.
#[track_caller]
fn gives_up(part: &str, program: impl Fn(System) + Sync) {
    expect_bug(&supervised(), BugKind::Exhausted, &[part], program);
}

/// Runs a child that fails this number of times, at this interval.
fn failing(times: u64, apart: Duration) -> Report {
    patient().iterations(50).run(move |sys| async move {
        let child = child(&sys);
        for _ in 0..times {
            child.tell(Break);
            sys.sleep(apart).await;
        }
    })
}

#[test]
fn the_system_gives_up_at_the_fourth_failure_within_five_seconds() {
    failing(3, Duration::ZERO).assert_clean();
    failing(20, Duration::from_secs(2)).assert_clean();
    for report in [
        failing(4, Duration::ZERO),
        failing(4, Duration::from_millis(1_600)),
    ] {
        let message = "`Child` is given up: restarted 3 times within 5s, it has ended once more; \
                       at last, `Child` panicked: ouch";
        assert_eq!(first_bug(&report), (BugKind::Exhausted, message));
    }
}

/// Records the times of its starts, and fails six times, the last time after a rest.
struct Clock(Arc<Mutex<Vec<u64>>>);
#[actor]
impl Clock {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let mut starts = self.0.lock().expect("no one panics while noting");
        starts.push(cx.now().as_secs());
        match starts.len() {
            ..7 => cx.me().tell(Break),
            _ => cx.halt(),
        }
    }
    #[on]
    async fn smash(&mut self, _: Break, cx: &mut Context<Self>) {
        let starts = self.0.lock().expect("no one panics while noting").len();
        if starts == 6 {
            cx.sleep(Duration::from_secs(11)).await;
        }
        panic!("ouch");
    }
}

#[test]
fn a_child_waits_longer_each_time_in_virtual_time() {
    let scenario = |sys: System| async move {
        let backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(10)).factor(3.0);
        let starts: Arc<Mutex<Vec<u64>>> = Arc::default();
        let noted = Arc::clone(&starts);
        let spawner = sys.spawner().backoff(backoff);
        let clock = spawner.spawn_with(move || Clock(Arc::clone(&noted)));
        clock.stopped().await;
        let starts = starts.lock().expect("no one panics while noting");
        starts.clone()
    };
    // The last wait is the first again, since the child has lived for longer than the longest.
    let expected = [0, 2, 8, 18, 28, 38, 51];
    let (_, starts) = some_outcomes(&supervised().iterations(100), scenario);
    assert_eq!(starts[0], expected);
    // A timer may be late, and never early.
    let waits =
        |starts: &[u64]| -> Vec<u64> { starts.windows(2).map(|two| two[1] - two[0]).collect() };
    for late in &starts {
        let mut pairs = waits(late).into_iter().zip(waits(&expected));
        assert!(pairs.all(|(wait, least)| wait >= least), "{late:?}");
    }
    assert_eq!(in_production(scenario), expected);
}

/// Answers with the time.
struct Late;
#[actor]
impl Late {
    #[on]
    fn smash(&mut self, _: Break) {
        panic!("ouch");
    }
    #[on]
    fn time(&mut self, _: Life, cx: &mut Context<Self>) -> Duration {
        cx.now()
    }
}

#[test]
fn jitter_is_a_recorded_choice_of_three() {
    let (_, times) = outcomes(&whole("dfs").supervised(true), async |sys| {
        let second = Duration::from_secs(1);
        let backoff = Backoff::new(second, second).jitter(0.25);
        let spawner = sys.spawner().backoff(backoff);
        let late = spawner.spawn_with(|| Late);
        late.tell(Break);
        let time = late.ask(Life).await;
        time.expect("it is brought back").as_millis()
    });
    assert_eq!(times, [750, 1_000, 1_250]);
}

struct Parent {
    supervision: Supervision,
    journal: Journal,
    children: Vec<ActorRef<Child>>,
}

/// Does something to the parent, or to the child with this number.
#[derive(Clone, Copy, Debug)]
enum Order {
    Fail,
    Halt,
    FailIn(usize),
    WaitIn(usize),
    NoteIn(usize),
}

#[derive(Debug)]
struct Children;

#[actor]
impl Parent {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.journal.note("parent starts");
        cx.supervise(self.supervision);
        for name in ["a", "b", "c"] {
            let child = cx.spawn_with(factory(name, &self.journal));
            self.children.push(child);
        }
    }

    #[on]
    fn order(&mut self, order: Order, cx: &mut Context<Self>) {
        match order {
            Order::Fail => panic!("parent"),
            Order::Halt => cx.halt(),
            Order::FailIn(child) => self.children[child].tell(Break),
            Order::WaitIn(child) => self.children[child].tell(Await),
            Order::NoteIn(child) => self.children[child].tell(Note("reads on")),
        }
    }

    #[on]
    fn children(&mut self, _: Children) -> Vec<ActorRef<Child>> {
        self.children.clone()
    }

    #[stop]
    fn stop(&mut self) {
        self.journal.note("parent stops");
    }
}

impl Drop for Parent {
    fn drop(&mut self) {
        self.journal.note("parent drops");
    }
}

fn parent(sys: &System, journal: &Journal, supervision: Supervision) -> ActorRef<Parent> {
    let journal = journal.clone();
    sys.spawn_with(move || Parent {
        supervision,
        journal: journal.clone(),
        children: Vec::new(),
    })
}

const ONE_FOR_ONE: Supervision = Supervision::one_for_one();

/// Returns the journals that may follow the last of these orders in random schedules, a second after the
/// order before. Production has one of them.
fn may_follow(supervision: Supervision, orders: &'static [Order]) -> Vec<String> {
    let scenario = move |sys: System| async move {
        let journal = Journal::default();
        let parent = parent(&sys, &journal, supervision);
        for order in orders {
            sys.sleep(Duration::from_secs(1)).await;
            journal.take();
            parent.tell(*order);
        }
        sys.sleep(Duration::from_secs(1)).await;
        journal.take().join(", ")
    };
    let tester = patient().iterations(300).strategy(strategy("random"));
    let (_, seen) = some_outcomes(&tester, scenario);
    let noted = in_production(scenario);
    assert!(seen.contains(&noted), "{noted:?} in production: {seen:#?}");
    seen
}

/// Asserts that nothing else can follow the last of the orders.
#[track_caller]
fn follows(supervision: Supervision, orders: &'static [Order], expected: &str) {
    assert_eq!(may_follow(supervision, orders), [expected]);
}

/// The same up to the restart of the three children, which start in any order.
#[track_caller]
fn follows_first(supervision: Supervision, orders: &'static [Order], expected: &str) {
    let seen = may_follow(supervision, orders);
    assert_eq!(seen.len(), 6, "in each order: {seen:#?}");
    for noted in seen {
        let (before, _starts) =
            noted.split_at(noted.len() - ", a starts, b starts, c starts".len());
        assert_eq!(before, expected);
    }
}

#[test]
fn one_for_one() {
    follows(ONE_FOR_ONE, &[Order::FailIn(1)], "b drops, b starts");
}

#[test]
fn one_for_all_stops_in_reverse_order_and_starts_in_order() {
    let expected = "b drops, c stops, c drops, a stops, a drops, a starts, b starts, c starts";
    follows(Supervision::one_for_all(), &[Order::FailIn(1)], expected);
}

#[test]
fn rest_for_one_leaves_those_before_alone() {
    let expected = "b drops, c stops, c drops, b starts, c starts";
    follows(Supervision::rest_for_one(), &[Order::FailIn(1)], expected);
    // A child that waits is dropped without its stop hook, and keeps its inbox.
    let waits = &[Order::WaitIn(2), Order::NoteIn(2), Order::FailIn(1)];
    let expected = "b drops, c drops, b starts, c starts, c reads on in First";
    follows(Supervision::rest_for_one(), waits, expected);
}

#[test]
fn children_end_before_a_supervisor_that_halts() {
    let expected =
        "parent stops, c stops, c drops, b stops, b drops, a stops, a drops, parent drops";
    follows(ONE_FOR_ONE, &[Order::Halt], expected);
    // A child reads what comes before it is stopped.
    let scenario = |sys: System| async move {
        let journal = Journal::default();
        let parent = parent(&sys, &journal, ONE_FOR_ONE);
        let children = parent.ask(Children).await.expect("it has children");
        sys.sleep(Duration::from_secs(1)).await;
        journal.take();
        parent.tell(Order::Halt);
        children[0].tell(Note("reads on"));
        sys.sleep(Duration::from_secs(1)).await;
        journal.take().join(", ")
    };
    let tester = patient().iterations(300).strategy(strategy("random"));
    let reads = "a reads on in First, ";
    for noted in some_outcomes(&tester, scenario).1 {
        assert_eq!(noted.replace(reads, ""), expected);
        assert!(noted.find(reads) <= noted.find("a stops"), "{noted}");
    }
    let noted = in_production(scenario);
    assert_eq!(noted.replace(reads, ""), expected);
    assert!(noted.contains(reads) && noted.find(reads) < noted.find("a stops"));
}

#[test]
fn children_are_stopped_before_a_supervisor_that_fails() {
    let expected =
        "c stops, c drops, b stops, b drops, a stops, a drops, parent drops, parent starts";
    follows_first(ONE_FOR_ONE, &[Order::Fail], expected);
    let expected = "c stops, c drops, b drops, a stops, a drops, parent drops, parent starts";
    follows_first(ONE_FOR_ONE, &[Order::WaitIn(1), Order::Fail], expected);
}

#[test]
fn a_supervisor_that_gives_up_fails_and_is_brought_back() {
    let never = ONE_FOR_ONE.intensity(0, Duration::from_secs(5));
    let expected = "b drops, c stops, c drops, a stops, a drops, parent drops, parent starts";
    follows_first(never, &[Order::FailIn(1)], expected);
    let once = ONE_FOR_ONE.intensity(1, Duration::from_secs(5));
    let expected = "c drops, b stops, b drops, a stops, a drops, parent drops, parent starts";
    follows_first(once, &[Order::FailIn(0), Order::FailIn(2)], expected);
}

#[test]
fn a_supervisor_without_a_supervisor_that_gives_up_is_a_bug() {
    gives_up("restarted 1 time within 5s", |sys| {
        let parent = sys.spawn(Parent {
            supervision: ONE_FOR_ONE.intensity(1, Duration::from_secs(5)),
            journal: Journal::default(),
            children: Vec::new(),
        });
        parent.tell(Order::FailIn(0));
        parent.tell(Order::FailIn(1));
    });
}

/// Fails in its first incarnations: in the start hook, then in the factory.
struct Reluctant(Journal, u32);

#[actor]
impl Reluctant {
    #[start]
    fn start(&mut self) {
        self.0.note(format!("{} starts", self.1));
        assert!(self.1 != 1, "in the start hook");
    }
}

#[test]
fn a_start_hook_or_a_factory_that_panics_counts() {
    struct Root(Journal, Supervision);
    #[actor]
    impl Root {
        #[start]
        fn start(&mut self, cx: &mut Context<Self>) {
            cx.supervise(self.1);
            let (journal, mut lives) = (self.0.clone(), 0);
            cx.spawn_with(move || {
                lives += 1;
                assert!(lives != 2, "in the factory");
                Reluctant(journal.clone(), lives)
            });
        }
    }
    let reluctant = |sys: &System, journal: &Journal, most| {
        let supervision = ONE_FOR_ONE.intensity(most, HOUR);
        sys.spawn(Root(journal.clone(), supervision));
    };
    let noted = every(|sys, journal| reluctant(sys, journal, 2));
    assert_eq!(Vec::from_iter(noted), [["1 starts", "3 starts"]]);
    gives_up("in the factory", |sys| {
        reluctant(&sys, &Journal::default(), 1);
    });
}

#[test]
fn a_handler_that_waits_is_dropped_with_its_group() {
    struct Root(Journal);
    #[actor]
    impl Root {
        #[start]
        fn start(&mut self, cx: &mut Context<Self>) {
            cx.supervise(Supervision::one_for_all());
            let spawner = cx.spawner().restart(Restart::Temporary);
            let waits = spawner.spawn_with(factory("a", &self.0));
            let fails = cx.spawn_with(factory("b", &self.0));
            waits.tell(Await);
            fails.tell(Break);
        }
    }
    let seen = every(|sys, journal| {
        sys.spawn(Root(journal.clone()));
    });
    let count = |noted: &[String], what: &str| {
        let same = noted.iter().filter(|entry| *entry == what);
        same.count()
    };
    for noted in &seen {
        let at = |what: &str| noted.iter().position(|entry| entry == what);
        assert!(at("b drops") < at("a drops"), "{noted:#?}");
        assert_eq!(count(noted, "a drops"), 1, "{noted:#?}");
        // The stop hook runs if the actor is idle, and not if it waits or has not started.
        let rested = count(noted, "a starts") > count(noted, "a waits");
        assert_eq!(count(noted, "a stops") == 1, rested, "{noted:#?}");
    }
    assert!(seen.iter().any(|noted| count(noted, "a waits") == 1));
    assert!(seen.iter().any(|noted| count(noted, "a stops") == 1));
}

#[test]
fn what_a_failed_step_told_goes_out_first() {
    struct Loud(ActorRef<Child>);
    #[actor]
    impl Loud {
        #[on]
        fn smash(&mut self, _: Break) {
            self.0.tell(Note("heard"));
            panic!("ouch");
        }
    }
    contract(
        &["a starts, a heard in First, a stops, a drops"],
        async |sys| {
            let journal = Journal::default();
            let child = sys.spawn(factory("a", &journal)());
            let hears = child.clone();
            let loud = sys.spawn_with(move || Loud(hears.clone()));
            loud.tell(Break);
            loud.stop().await;
            child.stop().await;
            journal.take().join(", ")
        },
    );
}

#[test]
fn a_model_injects_failures_by_choice() {
    struct Flaky(Journal);
    #[actor]
    impl Flaky {
        #[on]
        fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
            assert!(!cx.choose_bool(), "as chosen");
            self.0.note("done");
        }
    }
    let seen = every(|sys, journal| {
        journal.note("begin");
        let noted = journal.clone();
        let flaky = sys.spawn_with(move || Flaky(noted.clone()));
        flaky.tell(Tick);
        flaky.tell(Tick);
    });
    let done: BTreeSet<usize> = seen.iter().map(Vec::len).collect();
    assert_eq!(done, BTreeSet::from([1, 2, 3]));
}

#[test]
fn stop_comes_after_what_was_sent_before_and_kill_ahead_of_it() {
    contract(
        &["a starts, a before in First, a stops, a drops"],
        async |sys| {
            let journal = Journal::default();
            let spawner = sys.spawner().restart(Restart::Permanent);
            let child = spawner.spawn_with(factory("a", &journal));
            child.tell(Note("before"));
            child.stop();
            child.tell(Note("after"));
            child.stopped().await;
            journal.take().join(", ")
        },
    );
    // Killed before it starts, after it has read, or in between.
    let killed = [
        "a drops",
        "a starts, a before in First, a drops",
        "a starts, a drops",
    ];
    contract(&killed, async |sys| {
        let journal = Journal::default();
        let spawner = sys.spawner().restart(Restart::Permanent);
        let child = spawner.spawn_with(factory("a", &journal));
        child.tell(Note("before"));
        child.kill();
        child.stopped().await;
        journal.take().join(", ")
    });
}

#[test]
fn a_handler_that_waits_is_ended_at_the_deadline() {
    contract(&["Aborted after 3 s"], async |sys| {
        let child = alone(&sys);
        let before = sys.now();
        child.tell(Await);
        child.stop().within(Duration::from_secs(3));
        let end = child.stopped().await;
        format!("{end:?} after {} s", (sys.now() - before).as_secs())
    });
    let (kind, _) = bug(&Tester::new(), |sys| {
        let child = alone(&sys);
        child.tell(Await);
        child.stop();
    });
    assert_eq!(kind, BugKind::Deadlock);
}

#[test]
fn a_child_that_waits_to_be_brought_back_can_be_stopped() {
    let orders: [fn(&ActorRef<Child>); 2] =
        [|child| drop(child.stop()), |child| drop(child.kill())];
    for order in orders {
        let scenario = move |sys: System| async move {
            let spawner = sys.spawner().backoff(Backoff::new(HOUR, HOUR));
            let child = spawner.spawn_with(factory("a", &Journal::default()));
            child.tell(Break);
            sys.sleep(Duration::from_secs(1)).await;
            order(&child);
            assert_eq!(child.ask(Life).await, Err(AskError::Stopped));
            assert!(sys.now() < HOUR);
        };
        patient().iterations(100).run(scenario).assert_clean();
        in_production(scenario);
    }
}

/// Links itself to a child, and traps its failure or shares it.
struct Linked {
    other: ActorRef<Child>,
    traps: bool,
    journal: Journal,
}

impl Linked {
    /// Returns a factory of actors that link themselves to this child, and share its failure.
    fn to(other: &ActorRef<Child>, journal: &Journal) -> impl FnMut() -> Self + Send + 'static {
        let (other, journal) = (other.clone(), journal.clone());
        move || Self {
            other: other.clone(),
            traps: false,
            journal: journal.clone(),
        }
    }
}

#[actor]
impl Linked {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if self.traps {
            cx.trap_links();
        }
        cx.link(&self.other);
        self.journal.note("links");
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.journal.note(format!("hears {:?}", end.reason));
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("ouch");
    }
}

/// An actor that is linked to a child shares or traps the child's failure, and nothing else. The link is made
/// before the end of the child, or `late`.
#[test]
fn a_failure_is_shared_by_who_is_linked() {
    for late in [false, true] {
        a_failure_is_shared(late);
    }
}

fn a_failure_is_shared(late: bool) {
    for (traps, fails, expected) in [
        (false, true, "links, ends Linked"),
        (false, false, "links, lives"),
        (true, true, "links, hears Failed, lives"),
        (true, false, "links, lives"),
    ] {
        let scenario = move |sys: System| async move {
            let journal = Journal::default();
            let restart = match late {
                true => Restart::Temporary,
                false => Restart::Transient,
            };
            let spawner = sys.spawner().restart(restart);
            let other = spawner.spawn_with(factory("a", &Journal::default()));
            let end = |child: &ActorRef<Child>| match fails {
                true => child.tell(Break),
                false => child.tell(Halt),
            };
            if late {
                end(&other);
                sys.sleep(Duration::from_secs(1)).await;
                assert!(!other.is_alive());
            }
            let linked = sys.spawn(Linked {
                other: other.clone(),
                traps,
                journal: journal.clone(),
            });
            sys.sleep(Duration::from_secs(1)).await;
            if !late {
                end(&other);
                sys.sleep(Duration::from_secs(1)).await;
            }
            journal.note(match linked.is_alive() {
                true => "lives".to_owned(),
                false => format!("ends {:?}", linked.stopped().await),
            });
            journal.take().join(", ")
        };
        let (_, seen) = some_outcomes(&patient().iterations(200), scenario);
        assert_eq!(seen, [expected]);
        assert_eq!(in_production(scenario), expected);
    }
}

/// Two actors link to each other at their start, and restart once for one failure.
#[test]
fn a_link_goes_both_ways_and_costs_one_restart_each() {
    let seen = every(|sys, journal| {
        let child = child(sys);
        sys.spawn_with(Linked::to(&child, journal)).tell(Break);
    });
    assert_eq!(Vec::from_iter(seen), [["links", "links"]]);
}

#[derive(Debug)]
struct Work;

/// Passes on its input; the last stage counts.
struct Stage {
    next: Option<ActorRef<Stage>>,
    done: Arc<Mutex<u32>>,
}

#[actor]
impl Stage {
    #[on]
    fn work(&mut self, work: Work) {
        match &self.next {
            Some(next) => next.tell(work),
            None => *self.done.lock().expect("no one panics here") += 1,
        }
    }
}

fn pipeline(sys: &System, done: &Arc<Mutex<u32>>) -> [ActorRef<Stage>; 2] {
    let stage = |next| Stage {
        next,
        done: done.clone(),
    };
    let sink = sys.spawn(stage(None));
    let source = sys.spawn(stage(Some(sink.clone())));
    source.tell(Work);
    source.tell(Work);
    [source, sink]
}

#[test]
fn a_pipeline_ends_from_its_source_to_its_sink() {
    let run = |from_the_source: bool| {
        let tester = Tester::new().iterations(200).search(Search::Portfolio);
        tester.run(move |sys| async move {
            let done = Arc::default();
            let [source, sink] = pipeline(&sys, &done);
            let end = match from_the_source {
                true => sys.shutdown_from(&source).then(&sink),
                false => sys.shutdown_from(&sink).then(&source),
            };
            end.await.expect("it ends");
            assert_eq!(*done.lock().expect("no one panics here"), 2);
            assert!(!source.is_alive() && !sink.is_alive());
        })
    };
    run(true).assert_clean();
    // In the opposite order, the messages of the source are lost.
    run(false).assert_bug("left == right");
}

#[test]
fn the_second_value_is_linked_to_the_second() {
    let scenario = |sys: System| async move {
        let journal = Journal::default();
        let child = sys.spawn_with(factory("a", &journal));
        let linked = sys.spawn_with(Linked::to(&child, &Journal::default()));
        for _ in 0..3 {
            linked.tell(Break);
            sys.sleep(Duration::from_secs(1)).await;
        }
        let noted = journal.take();
        let drops = noted.iter().filter(|entry| *entry == "a drops");
        assert_eq!(drops.count(), 3, "{noted:?}");
    };
    patient().iterations(200).run(scenario).assert_clean();
    in_production(scenario);
}
