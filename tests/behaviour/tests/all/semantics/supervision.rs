//! Supervision under the tester: restarts, strategies, intensities, watches and links.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_core::supervision::{Backoff, Restart, Unread};
use actor_core::{Event, Handler, Supervision};
use actor_test::settings::Search;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

/// The events of one execution, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    pub(crate) fn note(&self, entry: impl Into<String>) {
        let mut entries = self.0.lock().expect("no one panics while noting");
        entries.push(entry.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no one panics while noting"))
    }
}

pub(crate) fn supervised() -> Tester {
    Tester::new().supervised(true)
}

/// A tester whose timers fire only when nothing else can happen.
fn patient() -> Tester {
    Tester::new().supervised(true).patient_timers(true)
}

/// Returns the journals of all schedules of a clean program, with the number of schedules for each.
pub(crate) fn every(program: impl Fn(&System, &Journal) + Sync) -> BTreeMap<Vec<String>, u32> {
    let journal = Journal::default();
    let seen = Mutex::new(BTreeMap::new());
    let keep = || {
        let noted = journal.take();
        if !noted.is_empty() {
            let mut seen = seen.lock().expect("no one panics while counting");
            *seen.entry(noted).or_insert(0) += 1;
        }
    };
    let tester = supervised()
        .iterations(100_000)
        .strategy(StrategySpec::Dfs(None));
    let report = tester.run(|sys| {
        keep();
        program(&sys, &journal);
    });
    report.assert_clean();
    assert!(
        report.verdict.is_exhaustive(),
        "{} executions",
        report.executions
    );
    keep();
    seen.into_inner().expect("no one panics while counting")
}

/// Returns the journal, which is the same in every schedule.
fn always(program: impl Fn(&System, &Journal) + Sync) -> Vec<String> {
    let mut seen = every(program);
    assert_eq!(seen.len(), 1, "{seen:#?}");
    seen.pop_first().expect("one journal").0
}

/// Returns the first bug of a program.
fn bug(tester: &Tester, program: impl Fn(&System) + Sync) -> (BugKind, String) {
    let report = tester.run(|sys| program(&sys));
    let bug = report.bugs().first().expect("a bug is found");
    (bug.kind(), bug.message().to_owned())
}

#[derive(Debug)]
struct Panic;
#[derive(Debug)]
struct Refuse;
#[derive(Debug)]
struct Halt;
#[derive(Debug)]
struct Note(&'static str);
#[derive(Debug)]
struct Await;
#[derive(Debug)]
struct Tick;
#[derive(Debug)]
struct Life;

/// Records the events of its lifecycle.
struct Child {
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
    fn panic(&mut self, _: Panic, cx: &mut Context<Self>) {
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

/// Records the answer of a child.
struct Asker {
    child: ActorRef<Child>,
    journal: Journal,
}

#[actor]
impl Asker {
    #[on]
    async fn ask(&mut self, _: Await) {
        let heard = self.child.ask(Life).await;
        self.journal.note(format!("hears {heard:?}"));
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

#[test]
fn a_failure_is_a_bug_unless_it_is_part_of_the_story() {
    let journal = Journal::default();
    let program = |sys: &System| sys.spawn_with(factory("a", &journal)).tell(Panic);
    let (kind, message) = bug(&Tester::new(), program);
    assert_eq!(
        (kind, &*message),
        (BugKind::Panic, "`Child` panicked: ouch")
    );
    supervised().run(|sys| program(&sys)).assert_clean();
    let (kind, message) = bug(&supervised(), |sys| {
        sys.spawn(factory("a", &journal)()).tell(Panic);
    });
    assert_eq!(
        (kind, &*message),
        (BugKind::Panic, "`Child` panicked: ouch")
    );
}

#[test]
fn a_child_is_brought_back_with_its_inbox() {
    let noted = always(|sys, journal| {
        let child = sys.spawn_with(factory("a", journal));
        child.tell(Panic);
        child.tell(Note("reads on"));
        child.tell(Halt);
    });
    assert_eq!(
        noted,
        [
            "a starts",
            "a drops",
            "a starts",
            "a reads on in First",
            "a stops",
            "a drops"
        ]
    );
}

#[test]
fn an_err_that_nobody_receives_is_a_failure() {
    let noted = always(|sys, journal| {
        let child = sys.spawn_with(factory("a", journal));
        child.tell(Refuse);
        child.tell(Halt);
    });
    let expected = ["a starts", "a drops", "a starts", "a stops", "a drops"];
    assert_eq!(noted, expected);
    let (kind, message) = bug(&Tester::new(), |sys| {
        sys.spawn_with(factory("a", &Journal::default()))
            .tell(Refuse);
    });
    assert_eq!(kind, BugKind::UnreceivedError);
    assert!(message.contains("`Child`") && message.contains("no luck"));
}

#[test]
fn an_inbox_may_be_dropped() {
    let seen = every(|sys, journal| {
        let spawner = sys.spawner().on_restart(Unread::Drop);
        let child = spawner.spawn_with(factory("a", journal));
        child.tell(Panic);
        child.tell(Note("reads on"));
    });
    let read = |noted: &[String]| noted.contains(&"a reads on in First".to_owned());
    assert!(seen.keys().any(|noted| read(noted)));
    assert!(seen.keys().any(|noted| !read(noted)));
}

/// The behaviour is the same as in production.
#[test]
fn who_asked_in_vain_before_a_restart_hears_of_a_failure() {
    let heard = every(|sys, journal| {
        let spawner = sys.spawner().on_restart(Unread::Drop);
        let child = spawner.spawn_with(factory("a", journal));
        let asker = Asker {
            child: child.clone(),
            journal: journal.clone(),
        };
        child.tell(Panic);
        sys.spawn(asker).tell(Await);
    });
    let outcomes = ["hears Err(Failed)", "hears Ok(2)"];
    for outcome in outcomes {
        let has = |noted: &Vec<String>| noted.iter().any(|entry| entry == outcome);
        assert!(heard.keys().any(has), "{heard:#?}");
    }
    let stopped = |noted: &Vec<String>| noted.iter().any(|entry| entry.contains("Stopped"));
    assert!(!heard.keys().any(stopped), "{heard:#?}");
}

#[test]
fn each_kind_of_child_comes_back_after_its_kind_of_end() {
    for (restart, after_a_halt, after_a_failure) in [
        (Restart::Permanent, 2, 2),
        (Restart::Transient, 1, 2),
        (Restart::Temporary, 1, 1),
    ] {
        let starts = |failure: bool| {
            let noted = always(|sys, journal| {
                let spawner = sys.spawner().restart(restart);
                let child = spawner.spawn_with(factory("a", journal));
                if failure {
                    child.tell(Panic);
                } else {
                    child.tell(Halt);
                }
            });
            noted.iter().filter(|entry| *entry == "a starts").count()
        };
        assert_eq!(starts(false), after_a_halt, "{restart:?}");
        assert_eq!(starts(true), after_a_failure, "{restart:?}");
    }
}

/// Runs a child that fails this number of times, at this interval.
fn failing(times: u64, apart: Duration) -> Report {
    patient().iterations(50).run(move |sys| async move {
        let child = sys.spawn_with(factory("a", &Journal::default()));
        for _ in 0..times {
            child.tell(Panic);
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
        let bug = report.bugs().first().expect("it is given up");
        assert_eq!(bug.kind(), BugKind::Exhausted);
        assert_eq!(
            bug.message(),
            "`Child` is given up: restarted 3 times within 5s, it has ended once more; at last, \
             `Child` panicked: ouch"
        );
    }
}

#[test]
fn a_child_waits_longer_each_time_in_virtual_time() {
    struct Clock(Arc<Mutex<Vec<u64>>>);
    #[actor]
    impl Clock {
        #[start]
        fn start(&mut self, cx: &mut Context<Self>) {
            let mut starts = self.0.lock().expect("no one panics while noting");
            starts.push(cx.now().as_secs());
            if starts.len() < 6 {
                cx.me().tell(Tick);
            }
        }
        #[on]
        fn tick(&mut self, _: Tick) {
            panic!("ouch");
        }
    }
    let starts: Arc<Mutex<Vec<u64>>> = Arc::default();
    let noted = starts.clone();
    let report = supervised().iterations(10).run(move |sys| {
        noted.lock().expect("no one panics while noting").clear();
        let backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(10)).factor(3.0);
        let noted = noted.clone();
        let spawner = sys.spawner().backoff(backoff);
        spawner.spawn_with(move || Clock(noted.clone()));
    });
    report.assert_clean();
    let starts = starts.lock().expect("no one panics while noting");
    assert_eq!(*starts, [0, 2, 8, 18, 28, 38]);
}

#[test]
fn jitter_is_a_recorded_choice_of_three() {
    let seen: Arc<Mutex<BTreeMap<u64, u32>>> = Arc::default();
    let noted = seen.clone();
    let tester = supervised()
        .iterations(100)
        .strategy(StrategySpec::Dfs(None));
    let report = tester.run(move |sys| {
        struct Late(Arc<Mutex<BTreeMap<u64, u32>>>);
        #[actor]
        impl Late {
            #[on]
            fn panic(&mut self, _: Panic) {
                panic!("ouch");
            }
            #[on]
            fn note(&mut self, _: Note, cx: &mut Context<Self>) {
                let mut seen = self.0.lock().expect("no one panics while noting");
                *seen.entry(cx.now().as_millis() as u64).or_insert(0) += 1;
            }
        }
        let second = Duration::from_secs(1);
        let backoff = Backoff::new(second, second).jitter(0.25);
        let noted = noted.clone();
        let spawner = sys.spawner().backoff(backoff);
        let late = spawner.spawn_with(move || Late(noted.clone()));
        late.tell(Panic);
        late.tell(Note(""));
    });
    report.assert_clean();
    assert!(report.verdict.is_exhaustive());
    let seen = seen.lock().expect("no one panics while noting");
    let times: Vec<u64> = seen.keys().copied().collect();
    assert_eq!(times, [750, 1_000, 1_250]);
}

struct Parent {
    supervision: Supervision,
    journal: Journal,
    children: Vec<ActorRef<Child>>,
}

/// Makes the child with this number fail.
#[derive(Debug)]
struct Fail(usize);

#[actor]
impl Parent {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.supervise(self.supervision);
        for name in ["a", "b", "c"] {
            let child = cx.spawn_with(factory(name, &self.journal));
            self.children.push(child);
        }
    }

    #[on]
    fn fail(&mut self, fail: Fail) {
        self.children[fail.0].tell(Panic);
    }

    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("parent");
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
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

/// Returns the journal after the event in random schedules, with all children started; it is unique.
fn follows<E: Event>(supervision: Supervision, event: impl Fn() -> E + Sync) -> Vec<String>
where
    Parent: Handler<E>,
{
    let mut seen = may_follow(supervision, event);
    assert_eq!(seen.len(), 1, "{seen:#?}");
    seen.pop_first().expect("one journal")
}

/// The same up to the restart of the children, which start in any order.
fn follows_first<E: Event>(supervision: Supervision, event: impl Fn() -> E + Sync) -> Vec<String>
where
    Parent: Handler<E>,
{
    let seen = may_follow(supervision, event);
    assert_eq!(seen.len(), 6, "in each order: {seen:#?}");
    let before = |noted: &Vec<String>| noted[..noted.len() - 3].to_vec();
    let mut before: BTreeSet<_> = seen.iter().map(before).collect();
    assert_eq!(before.len(), 1, "{before:#?}");
    before.pop_first().expect("one journal")
}

/// Returns the possible journals after the event.
fn may_follow<E: Event>(
    supervision: Supervision,
    event: impl Fn() -> E + Sync,
) -> BTreeSet<Vec<String>>
where
    Parent: Handler<E>,
{
    let journal = Journal::default();
    let seen = Mutex::new(BTreeSet::new());
    let keep = || {
        let noted = journal.take();
        let at = |mark: &str| noted.iter().position(|entry| entry == mark);
        if let (Some(begin), Some(end)) = (at("begin"), at("end")) {
            let mut seen = seen.lock().expect("no one panics while noting");
            seen.insert(noted[begin + 1..end].to_vec());
        }
    };
    let tester = patient().iterations(300).strategy(StrategySpec::Random);
    let report = tester.run(|sys| {
        keep();
        let (journal, event) = (journal.clone(), event());
        async move {
            let parent = parent(&sys, &journal, supervision);
            sys.sleep(Duration::from_secs(1)).await;
            journal.note("begin");
            parent.tell(event);
            sys.sleep(Duration::from_secs(1)).await;
            journal.note("end");
        }
    });
    report.assert_clean();
    keep();
    seen.into_inner().expect("no one panics while noting")
}

#[test]
fn one_for_one() {
    let noted = follows(Supervision::one_for_one(), || Fail(1));
    assert_eq!(noted, ["b drops", "b starts"]);
}

#[test]
fn one_for_all_stops_in_reverse_order_and_starts_in_order() {
    let noted = follows(Supervision::one_for_all(), || Fail(1));
    assert_eq!(
        noted,
        [
            "b drops", "c stops", "c drops", "a stops", "a drops", "a starts", "b starts",
            "c starts"
        ]
    );
}

#[test]
fn rest_for_one_leaves_those_before_alone() {
    let noted = follows(Supervision::rest_for_one(), || Fail(1));
    let expected = ["b drops", "c stops", "c drops", "b starts", "c starts"];
    assert_eq!(noted, expected);
}

#[test]
fn children_end_before_a_supervisor_that_halts() {
    let noted = follows(Supervision::one_for_one(), || Halt);
    assert_eq!(
        noted,
        [
            "parent stops",
            "c stops",
            "c drops",
            "b stops",
            "b drops",
            "a stops",
            "a drops",
            "parent drops"
        ]
    );
}

#[test]
fn children_are_stopped_before_a_supervisor_that_fails() {
    let noted = follows_first(Supervision::one_for_one(), || Panic);
    assert_eq!(
        noted,
        [
            "c stops",
            "c drops",
            "b stops",
            "b drops",
            "a stops",
            "a drops",
            "parent drops"
        ]
    );
}

#[test]
fn a_supervisor_that_gives_up_fails_and_is_brought_back() {
    let never = Supervision::one_for_one().intensity(0, Duration::from_secs(5));
    let noted = follows_first(never, || Fail(1));
    assert_eq!(
        noted,
        [
            "b drops",
            "c stops",
            "c drops",
            "a stops",
            "a drops",
            "parent drops"
        ]
    );
}

#[test]
fn a_supervisor_without_a_supervisor_that_gives_up_is_a_bug() {
    let (kind, message) = bug(&supervised(), |sys| {
        let parent = sys.spawn(Parent {
            supervision: Supervision::one_for_one().intensity(1, Duration::from_secs(5)),
            journal: Journal::default(),
            children: Vec::new(),
        });
        parent.tell(Fail(0));
        parent.tell(Fail(1));
    });
    assert_eq!(kind, BugKind::Exhausted);
    assert!(message.contains("restarted 1 time within 5s"), "{message}");
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
    let reluctant = |sys: &System, journal: &Journal, supervision: Supervision| {
        struct Root(Journal);
        #[actor]
        impl Root {
            #[on]
            fn supervised(&mut self, supervision: By, cx: &mut Context<Self>) {
                cx.supervise(supervision.0);
                let (journal, mut lives) = (self.0.clone(), 0);
                cx.spawn_with(move || {
                    lives += 1;
                    assert!(lives != 2, "in the factory");
                    Reluctant(journal.clone(), lives)
                });
            }
        }
        sys.spawn(Root(journal.clone())).tell(By(supervision));
    };
    let hour = Duration::from_secs(3_600);
    let noted = always(|sys, journal| {
        reluctant(sys, journal, Supervision::one_for_one().intensity(2, hour));
    });
    assert_eq!(noted, ["1 starts", "3 starts"]);
    let (kind, message) = bug(&supervised(), |sys| {
        let supervision = Supervision::one_for_one().intensity(1, hour);
        reluctant(sys, &Journal::default(), supervision);
    });
    assert_eq!(kind, BugKind::Exhausted);
    assert!(message.contains("in the factory"), "{message}");
}

/// The kind of supervision.
#[derive(Debug)]
struct By(Supervision);

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
            fails.tell(Panic);
        }
    }
    let seen = every(|sys, journal| {
        sys.spawn(Root(journal.clone()));
    });
    let count = |noted: &[String], what: &str| {
        let same = noted.iter().filter(|entry| *entry == what);
        same.count()
    };
    for noted in seen.keys() {
        let at = |what: &str| noted.iter().position(|entry| entry == what);
        assert!(at("b drops") < at("a drops"), "{noted:#?}");
        assert_eq!(count(noted, "a drops"), 1, "{noted:#?}");
        // The stop hook runs if the actor is idle, and not if it waits or has not started.
        let rested = count(noted, "a starts") > count(noted, "a waits");
        assert_eq!(count(noted, "a stops") == 1, rested, "{noted:#?}");
    }
    assert!(seen.keys().any(|noted| count(noted, "a waits") == 1));
    assert!(seen.keys().any(|noted| count(noted, "a stops") == 1));
}

#[test]
fn what_a_failed_step_told_goes_out_first() {
    struct Loud(ActorRef<Child>);
    #[actor]
    impl Loud {
        #[on]
        fn panic(&mut self, _: Panic) {
            self.0.tell(Note("heard"));
            panic!("ouch");
        }
    }
    let noted = always(|sys, journal| {
        let child = sys.spawn(factory("a", journal)());
        sys.spawn_with(move || Loud(child.clone())).tell(Panic);
    });
    assert_eq!(noted, ["a starts", "a heard in First", "a drops"]);
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
    let done: BTreeSet<usize> = seen.keys().map(Vec::len).collect();
    assert_eq!(done, BTreeSet::from([1, 2, 3]));
}

/// Records the end of another actor.
struct Watcher(Journal);

#[derive(Debug)]
struct Watch(ActorRef<Child>);

#[actor]
impl Watcher {
    #[on]
    fn watch(&mut self, watch: Watch, cx: &mut Context<Self>) {
        cx.watch(&watch.0);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.0.note(format!("{:?}", end.reason));
    }
}

/// Returns the possible reasons that a watcher of one child receives.
fn reasons(program: impl Fn(&System, &ActorRef<Child>) + Sync) -> BTreeSet<Vec<String>> {
    let seen = every(|sys, journal| {
        let child = sys.spawn_with(factory("a", &Journal::default()));
        let watcher = sys.spawn(Watcher(journal.clone()));
        watcher.tell(Watch(child.clone()));
        program(sys, &child);
    });
    seen.into_keys().collect()
}

#[test]
fn watchers_hear_of_the_end_and_not_of_a_restart() {
    let heard = |reason: &str| BTreeSet::from([vec![reason.to_owned()]]);
    let failed = |_: &System, child: &ActorRef<Child>| child.tell(Panic);
    assert_eq!(reasons(failed), BTreeSet::new());
    let halted = |_: &System, child: &ActorRef<Child>| child.tell(Halt);
    assert_eq!(reasons(halted), heard("Halted"));
    let stopped = |_: &System, child: &ActorRef<Child>| drop(child.stop());
    assert_eq!(reasons(stopped), heard("Stopped"));
    let killed = |_: &System, child: &ActorRef<Child>| drop(child.kill());
    assert_eq!(reasons(killed), heard("Aborted"));
}

#[test]
fn stop_comes_after_what_was_sent_before_and_kill_ahead_of_it() {
    let stopped = always(|sys, journal| {
        let child = sys.spawn(factory("a", journal)());
        child.tell(Note("before"));
        child.stop();
        child.tell(Note("after"));
    });
    let expected = ["a starts", "a before in First", "a stops", "a drops"];
    assert_eq!(stopped, expected);
    let killed = every(|sys, journal| {
        journal.note("begin");
        let child = sys.spawn(factory("a", journal)());
        child.tell(Note("before"));
        child.kill();
    });
    let ends: Vec<usize> = killed.keys().map(Vec::len).collect();
    // Killed before it starts, before it reads, or afterwards.
    assert_eq!(ends, [2, 4, 3]);
    assert!(killed.keys().flatten().all(|entry| entry != "a stops"));
}

#[test]
fn a_handler_that_waits_is_ended_at_the_deadline() {
    let report = Tester::new().iterations(100).run(|sys| {
        let child = sys.spawn(factory("a", &Journal::default())());
        child.tell(Await);
        child.stop().within(Duration::from_secs(1));
    });
    report.assert_clean();
    let (kind, _) = bug(&Tester::new(), |sys| {
        let child = sys.spawn(factory("a", &Journal::default())());
        child.tell(Await);
        child.stop();
    });
    assert_eq!(kind, BugKind::Deadlock);
}

#[test]
fn a_child_that_waits_to_be_brought_back_can_be_stopped() {
    let hour = Duration::from_secs(3_600);
    let report = patient().iterations(100).run(move |sys| async move {
        let spawner = sys.spawner().backoff(Backoff::new(hour, hour));
        let child = spawner.spawn_with(factory("a", &Journal::default()));
        child.tell(Panic);
        sys.sleep(Duration::from_secs(1)).await;
        child.stop();
        assert_eq!(child.ask(Life).await, Err(AskError::Stopped));
        assert!(sys.now() < hour);
    });
    report.assert_clean();
}

/// Links itself to a child, and traps its failure or shares it.
struct Linked {
    other: ActorRef<Child>,
    traps: bool,
    journal: Journal,
}

#[actor]
impl Linked {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if self.traps {
            cx.trap_links();
        }
        cx.link(&self.other);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.journal.note(format!("hears {:?}", end.reason));
    }

    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("ouch");
    }

    #[on]
    fn alive(&mut self, _: Alive) {}
}

#[derive(Debug)]
struct Alive;

/// Is notified when the link is made; records the end of the linked actor.
struct Observer {
    journal: Journal,
    linked: ActorRef<Linked>,
}

#[actor]
impl Observer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.linked);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.journal.note(format!("ends {:?}", end.reason));
    }
}

/// Returns the journal of an actor that is linked to a child, which then ends by the event.
fn linked<E: Event>(traps: bool, end: impl Fn() -> E + Sync) -> Vec<String>
where
    Child: Handler<E>,
{
    let journal = Journal::default();
    let seen = Mutex::new(BTreeSet::new());
    let report = patient().iterations(200).run(|sys| {
        let (journal, end) = (journal.clone(), end());
        let noted = journal.take();
        if !noted.is_empty() {
            let mut seen = seen.lock().expect("no one panics while noting");
            seen.insert(noted);
        }
        async move {
            let child = sys.spawn_with(factory("a", &Journal::default()));
            let linked = sys.spawn(Linked {
                other: child.clone(),
                traps,
                journal: journal.clone(),
            });
            sys.spawn(Observer { journal, linked });
            sys.sleep(Duration::from_secs(1)).await;
            child.tell(end);
            sys.sleep(Duration::from_secs(1)).await;
        }
    });
    report.assert_clean();
    let mut seen = seen.into_inner().expect("no one panics while noting");
    assert!(seen.len() < 2, "{seen:#?}");
    seen.pop_first().unwrap_or_default()
}

#[test]
fn a_failure_is_shared_by_who_is_linked() {
    assert_eq!(linked(false, || Panic), ["ends Linked"]);
    assert_eq!(linked(false, || Halt), [""; 0]);
    assert_eq!(linked(true, || Panic), ["hears Failed"]);
    assert_eq!(linked(true, || Halt), [""; 0]);
}

/// Returns the journals of an actor that links itself to a child which has already ended.
fn linked_late<E: Event>(traps: bool, end: impl Fn() -> E + Sync) -> BTreeSet<Vec<String>>
where
    Child: Handler<E>,
{
    let journal = Journal::default();
    let seen = Mutex::new(BTreeSet::new());
    let report = patient().iterations(50).run(|sys| {
        let (journal, end, seen) = (journal.clone(), end(), &seen);
        let noted = journal.take();
        if !noted.is_empty() {
            let mut seen = seen.lock().expect("no one panics while noting");
            seen.insert(noted);
        }
        async move {
            let spawner = sys.spawner().restart(Restart::Temporary);
            let child = spawner.spawn_with(factory("a", &Journal::default()));
            child.tell(end);
            sys.sleep(Duration::from_secs(1)).await;
            assert!(child.ask(Life).await.is_err());
            let linked = sys.spawn(Linked {
                other: child,
                traps,
                journal: journal.clone(),
            });
            sys.spawn(Observer {
                journal: journal.clone(),
                linked: linked.clone(),
            });
            sys.sleep(Duration::from_secs(1)).await;
            let lives = linked.ask(Alive).await.is_ok();
            journal.note(if lives { "lives" } else { "is gone" });
        }
    });
    report.assert_clean();
    seen.into_inner().expect("no one panics while noting")
}

#[test]
fn a_failure_of_long_ago_is_shared_when_the_link_is_made() {
    let noted =
        |entries: &[&str]| BTreeSet::from([entries.iter().map(ToString::to_string).collect()]);
    assert_eq!(
        linked_late(false, || Panic),
        noted(&["ends Linked", "is gone"])
    );
    assert_eq!(linked_late(false, || Halt), noted(&["lives"]));
    assert_eq!(
        linked_late(true, || Panic),
        noted(&["hears Failed", "lives"])
    );
    assert_eq!(linked_late(true, || Halt), noted(&["lives"]));
}

/// Two actors link to each other at their start, and restart once for one failure.
#[test]
fn a_link_goes_both_ways_and_costs_one_restart_each() {
    let seen = every(|sys, journal| {
        let child = sys.spawn_with(factory("a", &Journal::default()));
        let mut lives = 0;
        let (journal, other) = (journal.clone(), child.clone());
        let linked = sys.spawn_with(move || {
            lives += 1;
            journal.note(format!("life {lives}"));
            Linked {
                other: other.clone(),
                traps: false,
                journal: journal.clone(),
            }
        });
        linked.tell(Panic);
    });
    let lives: BTreeSet<_> = seen.into_keys().collect();
    let twice = vec!["life 1".to_owned(), "life 2".to_owned()];
    assert_eq!(lives, BTreeSet::from([twice]));
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
    let tester = || Tester::new().iterations(200).search(Search::Portfolio);
    let in_order = tester().run(|sys| async move {
        let done = Arc::default();
        let [source, sink] = pipeline(&sys, &done);
        sys.shutdown_from(&source)
            .then(&sink)
            .await
            .expect("it ends");
        assert_eq!(*done.lock().expect("no one panics here"), 2);
        assert!(!source.is_alive() && !sink.is_alive());
    });
    in_order.assert_clean();
    // In the opposite order, the messages of the source are lost.
    let out_of_order = tester().run(|sys| async move {
        let done = Arc::default();
        let [source, sink] = pipeline(&sys, &done);
        sys.shutdown_from(&sink)
            .then(&source)
            .await
            .expect("it ends");
        assert_eq!(*done.lock().expect("no one panics here"), 2);
    });
    out_of_order.assert_bug("left == right");
}

#[test]
fn the_second_value_is_linked_to_the_second() {
    let journal = Journal::default();
    let report = patient().iterations(200).run(|sys| {
        let journal = journal.clone();
        async move {
            let _ = journal.take();
            let child = sys.spawn_with(factory("a", &journal));
            let other = child.clone();
            let linked = sys.spawn_with(move || Linked {
                other: other.clone(),
                traps: false,
                journal: Journal::default(),
            });
            for _ in 0..3 {
                linked.tell(Panic);
                sys.sleep(Duration::from_secs(1)).await;
            }
            let noted = journal.take();
            let drops = noted.iter().filter(|entry| *entry == "a drops");
            assert_eq!(drops.count(), 3, "{noted:?}");
        }
    });
    report.assert_clean();
}
