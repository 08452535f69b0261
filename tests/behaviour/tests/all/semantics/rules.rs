//! The fourteen rules of an execution, each with tests named after it.

use std::time::Duration;

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::{actor, forever, monitor};
use actor_test::strategy::{StepKind, StrategySpec};
use actor_test::{BodyOutput, BugKind, Report, Tester};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{self, Journal, all, bug, journals, whole};

/// Runs one execution of a clean program.
fn once<R: BodyOutput<K>, K>(program: impl Fn(System) -> R + Sync) -> Report {
    let report = Tester::new().iterations(1).run(program);
    report.assert_clean();
    report
}

/// Runs one execution of a clean program; returns its notes, too.
fn noted(program: impl Fn(&System, &Journal) + Sync) -> (Report, Vec<String>) {
    let journal = Journal::default();
    let report = once(|sys| {
        journal.take();
        program(&sys, &journal);
    });
    (report, journal.take())
}

/// Asserts that a program has a bug of this kind, and that its message has these parts.
fn expect_bug(kind: BugKind, parts: &[&str], program: impl Fn(System) + Sync) {
    harness::expect_bug(&Tester::new(), kind, parts, program);
}

fn steps(report: &Report) -> u64 {
    report.steps_total / report.executions
}

#[derive(Debug)]
struct Inner(u32);
#[derive(Debug)]
struct Line(&'static str);

/// Records the received lines.
struct Listener(Journal);

#[actor]
impl Listener {
    #[on]
    fn line(&mut self, line: Line) {
        self.0.note(line.0);
    }
}

struct Ordered {
    to: ActorRef<Listener>,
}

#[actor(states(First, Second))]
impl Ordered {
    #[on(First)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) -> u32 {
        self.to.tell(Line("handler"));
        cx.goto(OrderedState::Second);
        7
    }

    #[exit(First)]
    fn leave(&mut self) {
        self.to.tell(Line("exit"));
    }

    #[entry(Second)]
    fn enter(&mut self, cx: &mut Context<Self>) {
        self.to.tell(Line("entry"));
        cx.raise(Inner(0));
    }

    #[on(Second)]
    fn inner(&mut self, _: Inner) {
        self.to.tell(Line("raised"));
    }
}

#[test]
fn rule_01_order_inside_a_handle_step() {
    let (report, notes) = noted(|sys, journal| {
        let to = sys.spawn(Listener(journal.clone()));
        sys.spawn(Ordered { to }).tell(Go);
    });
    assert_eq!(notes, ["handler", "exit", "entry", "raised"]);
    // body, 2 spawns, send and handle Go, 4 sends, 4 handled
    assert_eq!(steps(&report), 1 + 2 + 2 + 8);
}

/// Raises an event for ever, or 999 times more.
struct Circle {
    for_ever: bool,
}

#[actor]
impl Circle {
    #[on]
    fn inner(&mut self, inner: Inner, cx: &mut Context<Self>) {
        if self.for_ever || inner.0 < 999 {
            cx.raise(Inner(inner.0 + 1));
        }
    }
}

#[test]
fn rule_01_a_chain_of_raises_has_a_bound() {
    once(|sys| sys.spawn(Circle { for_ever: false }).tell(Inner(0)));
    expect_bug(BugKind::EndlessChain, &["`Circle`", "1000"], |sys| {
        sys.spawn(Circle { for_ever: true }).tell(Inner(0))
    });
}

/// Raises an event that its state does not handle.
struct Rash;

#[actor(states(Quiet, Loud))]
impl Rash {
    #[on(Quiet)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.raise(Inner(3));
    }

    #[on(Loud)]
    fn inner(&mut self, _: Inner, cx: &mut Context<Self>) {
        cx.goto(RashState::Loud);
    }
}

#[test]
fn rule_01_a_raised_event_must_be_handled() {
    expect_bug(BugKind::Unhandled, &["Inner(3)", "Quiet"], |sys| {
        sys.spawn(Rash).tell(Go)
    });
}

/// Defers `Inner` and ignores `Tick` until it receives `Go`.
struct Patient(Journal);

#[actor(states(Waiting(defer(Inner), ignore(Tick)), Going))]
impl Patient {
    #[on(Waiting)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0.note("go");
        cx.goto(PatientState::Going);
    }

    #[on(Going)]
    fn inner(&mut self, inner: Inner) {
        self.0.note(format!("inner {}", inner.0));
    }

    #[on(Going)]
    fn tick(&mut self, _: Tick) {
        self.0.note("tick");
    }
}

#[test]
fn rule_02_the_next_event_is_the_first_that_is_not_deferred() {
    let (report, notes) = noted(|sys, journal| {
        let patient = sys.spawn(Patient(journal.clone()));
        patient.tell(Inner(1));
        patient.tell(Tick);
        patient.tell(Inner(2));
        patient.tell(Go);
    });
    assert_eq!(notes, ["go", "inner 1", "inner 2"]);
    // body, spawn, 4 sends; the ignored tick is a step, too
    assert_eq!(steps(&report), 2 + 4 + 4);
}

#[test]
fn rule_02_an_event_deferred_for_ever_is_a_bug() {
    expect_bug(BugKind::DeferredForever, &["`Waiting`", "`Inner`"], |sys| {
        sys.spawn(Patient(Journal::default())).tell(Inner(1))
    });
}

/// Waits for a `Line`, without a liveness obligation or with one, and halts at a `Tick`; defers `Inner` meanwhile.
#[derive(Default)]
struct Waits {
    is_owed: bool,
}

#[actor(states(Shut(defer(Inner)), Open), receive(Line))]
impl Waits {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        match self.is_owed {
            true => cx.receive::<Line>().await,
            false => forever(cx.receive::<Line>()).await,
        };
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.halt();
    }
    #[on(Open)]
    fn inner(&mut self, _: Inner) {}
}

const OWED: Waits = Waits { is_owed: true };

#[test]
fn rule_02_who_may_wait_for_ever_and_who_has_ended_defers_nothing_for_ever() {
    for waits in [true, false] {
        all(|sys| {
            let closed = sys.spawn(Waits::default());
            closed.tell(Inner(1));
            match waits {
                true => closed.tell(Go),
                false => closed.tell(Tick),
            }
        });
    }
}

struct WithStart;
#[actor]
impl WithStart {
    #[start]
    fn start(&mut self) {}
    #[on]
    fn go(&mut self, _: Go) {}
}

struct WithoutStart;
#[actor]
impl WithoutStart {
    #[on]
    fn go(&mut self, _: Go) {}
}

struct WithEntry;
#[actor(states(Here))]
impl WithEntry {
    #[entry(Here)]
    fn enter(&mut self) {}
    #[on]
    fn go(&mut self, _: Go) {}
}

#[test]
fn rule_03_starting_is_a_step_where_there_is_a_hook() {
    let events = once(|sys| sys.spawn(WithoutStart).tell(Go));
    // The body and the spawn, then the message.
    assert_eq!(steps(&events), 2 + 2);
    assert_eq!(steps(&once(|sys| drop(sys.spawn(WithStart)))), 3);
    assert_eq!(steps(&once(|sys| drop(sys.spawn(WithEntry)))), 3);
}

#[derive(Debug)]
struct Word(&'static str);

/// Announces before and after a send.
struct Announcer(ActorRef<WithoutStart>);
#[actor]
impl Announcer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Word("first"));
        self.0.tell(Go);
        cx.announce(Word("second"));
        self.0.tell(Go);
        cx.after(Duration::from_secs(1), Tick);
    }
    #[on]
    fn tick(&mut self, _: Tick) {}
}

/// Checks the order of announcements and sends.
#[derive(Default)]
struct Heard(Vec<&'static str>);
#[monitor]
impl Heard {
    #[on]
    fn word(&mut self, word: &Word) {
        self.0.push(word.0);
        self.check();
    }
    #[on]
    fn go(&mut self, _: &Go) {
        self.0.push("go");
        self.check();
    }
    fn check(&self) {
        let expected = ["first", "go", "second", "go"];
        assert_eq!(self.0, expected[..self.0.len()]);
    }
}

#[test]
fn rule_04_announcements_and_timers_ride_along() {
    let report = all(|sys| {
        sys.monitor::<Heard>();
        let to = sys.spawn(WithoutStart);
        sys.spawn(Announcer(to));
    });
    // body, 2 spawns, start, 2 sends, 2 handled, timer, tick handled: none for announcements
    assert_eq!(steps(&report), 1 + 2 + 1 + 4 + 2);
    assert!(report.vacuous.is_empty(), "{:?}", report.vacuous);
}

/// A send is observed when it reaches the inbox: the sends of two senders are observed in
/// the order of their flushes, so a monitor never observes an order that no inbox has.
#[derive(Default)]
struct SeesSends(u32);
#[monitor]
impl SeesSends {
    #[on]
    fn sent(&mut self, _: &Go) {
        self.0 += 1;
    }
    #[on(handled)]
    fn handled(&mut self, _: &Go) {
        assert!(self.0 > 0, "an event is handled before it is sent");
    }
}

#[test]
fn rule_04_monitors_observe_sends_at_the_flush() {
    all(|sys| {
        sys.monitor::<SeesSends>();
        let to = sys.spawn(WithoutStart);
        to.tell(Go);
        to.tell(Go);
    });
}

/// Halts on request, with a last message.
struct Halts(ActorRef<Listener>);
#[actor]
impl Halts {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0.tell(Line("going"));
        cx.halt();
        self.0.tell(Line("halted"));
    }
    #[stop]
    fn stop(&mut self) {
        self.0.tell(Line("stopped"));
    }
}

/// Watches an actor, and reports its end.
struct Watches {
    whom: ActorRef<Halts>,
    to: ActorRef<Listener>,
    has_heard: bool,
}
fn watch(sys: &System, whom: &ActorRef<Halts>, to: &ActorRef<Listener>) {
    sys.spawn(Watches {
        whom: whom.clone(),
        to: to.clone(),
        has_heard: false,
    });
}
#[actor]
impl Watches {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.whom);
    }
    #[on]
    fn terminated(&mut self, terminated: Terminated) {
        assert_eq!(terminated.actor, self.whom.id());
        self.has_heard = true;
        self.to.tell(Line("watched"));
    }
}

#[test]
fn rule_05_halt_is_the_last_effect() {
    let (report, notes) = noted(|sys, journal| {
        let to = sys.spawn(Listener(journal.clone()));
        let halts = sys.spawn(Halts(to.clone()));
        watch(sys, &halts, &to);
        halts.tell(Go);
        halts.tell(Go);
    });
    assert_eq!(notes, ["going", "halted", "stopped", "watched"]);
    assert_eq!(report.dead_letters, 1, "the second Go");
}

/// A supervisor with a child.
struct Supervises(ActorRef<Listener>);

#[actor]
impl Supervises {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let to = self.0.clone();
        cx.spawn_with(move || Named("child", to.clone()));
    }

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.halt();
    }
}

impl Drop for Supervises {
    fn drop(&mut self) {
        self.0.tell(Line("supervisor"));
    }
}

/// Sends its name when it is dropped.
struct Named(&'static str, ActorRef<Listener>);

#[actor]
impl Named {}

impl Drop for Named {
    fn drop(&mut self) {
        self.1.tell(Line(self.0));
    }
}

#[test]
fn rule_05_children_end_before_their_supervisor() {
    let journal = Journal::default();
    // Both use one channel to the listener: the child's message is flushed before its end is known.
    let report = all(|sys| {
        let noted = journal.take();
        let at = |name: &str| noted.iter().position(|line| line == name);
        assert!(at("supervisor").is_none() || at("child").is_some());
        let to = sys.spawn(Listener(journal.clone()));
        sys.spawn(Supervises(to)).tell(Go);
    });
    assert!(report.executions > 1);
    assert_eq!(journal.take().len(), 2);
}

#[test]
fn rule_02_a_kill_goes_ahead_of_the_inbox() {
    let journal = Journal::default();
    let report = all(|sys| {
        let noted = journal.take();
        assert!(noted.len() <= 2, "{noted:?}");
        let to = sys.spawn(Listener(journal.clone()));
        to.tell(Line("first"));
        to.tell(Line("second"));
        to.kill();
    });
    // Zero, one or two events may be handled before the kill, and each may be handled between the sends.
    assert_eq!(report.executions, 5);
    let report = all(|sys| {
        journal.take();
        let to = sys.spawn(Listener(journal.clone()));
        to.tell(Line("first"));
        to.tell(Line("second"));
        to.stop();
    });
    assert!(report.executions > 1);
    assert_eq!(journal.take(), ["first", "second"]);
}

#[test]
fn rule_05_watchers_hear_of_it_in_every_schedule() {
    let report = Tester::new().iterations(3_000).run(|sys| {
        let to = sys.spawn(Listener(Journal::default()));
        let halts = sys.spawn(Halts(to.clone()));
        for _ in 0..2 {
            watch(&sys, &halts, &to);
        }
        halts.tell(Go);
        sys.eventually("both watchers hear", |w| {
            w.all::<Watches>().filter(|one| one.has_heard).count() == 2
        });
    });
    report.assert_clean();
}

struct Panics;
#[actor]
impl Panics {
    #[on]
    fn go(&mut self, _: Go) {
        panic!("as it should");
    }
}

#[test]
fn rule_06_a_panic_is_a_bug_at_once() {
    let report = Tester::new().run(|sys| {
        let panics = sys.spawn(Panics);
        panics.tell(Go);
        panics.tell(Go);
    });
    let bug = report.assert_bug("as it should");
    assert_eq!(bug.kind(), BugKind::Panic);
    let location = bug.finding.location.as_deref();
    assert!(location.is_some_and(|at| at.contains("rules.rs")));
    let story = &bug.trace.story;
    let last = story.steps.last().expect("a story has steps");
    let last = (story.name(last.who), last.kind);
    assert_eq!(last, ("Panics", StepKind::Handle));
}

/// Sends a message, and then fails; its next value knows the number of its incarnation.
struct Fails {
    to: ActorRef<Listener>,
    lives: u32,
}

#[actor]
impl Fails {
    #[on]
    fn go(&mut self, _: Go) {
        if self.lives == 1 {
            self.to.tell(Line("before the failure"));
            panic!("as it should");
        }
        self.to.tell(Line("the next value"));
    }
}

impl Drop for Fails {
    fn drop(&mut self) {
        self.to.tell(Line("the value is dropped"));
    }
}

fn fails(to: &ActorRef<Listener>) -> impl FnMut() -> Fails + Send + 'static {
    let (to, mut lives) = (to.clone(), 0);
    move || {
        lives += 1;
        Fails {
            to: to.clone(),
            lives,
        }
    }
}

#[test]
fn rule_06_a_supervised_failure_may_be_part_of_the_story() {
    let journal = Journal::default();
    let program = |sys: System| {
        journal.take();
        let to = sys.spawn(Listener(journal.clone()));
        let fails = sys.spawn_with(fails(&to));
        fails.tell(Go);
        fails.tell(Go);
    };
    expect_bug(BugKind::Panic, &[], program);
    let tester = Tester::new().iterations(1).supervised(true);
    let report = tester.run(program);
    report.assert_clean();
    journal.expect([
        "before the failure",
        "the value is dropped",
        "the next value",
    ]);
    // The body, two starts, two sends; the first event, its send, the drop, the send of
    // the drop, the restart; the second event, its send; and three lines are handled.
    assert_eq!(steps(&report), 1 + 2 + 2 + 5 + 2 + 3);
}

/// Cancels its timer on request; a tick after that is a bug.
#[derive(Default)]
struct Cancels {
    timer: Option<Timer>,
    cancelled: bool,
}
#[actor]
impl Cancels {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.timer = Some(cx.after(Duration::from_secs(1), Tick));
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
        self.cancelled = true;
    }
    #[on]
    fn tick(&mut self, _: Tick) {
        assert!(!self.cancelled, "a cancelled timer's event was handled");
    }
}

#[test]
fn rule_07_cancelling_removes_the_fired_unread_event() {
    let report = all(|sys| sys.spawn(Cancels::default()).tell(Go));
    let seen = report.behaviours.seen;
    assert_eq!(seen, 2, "the tick is handled before Go, or never");
}

/// Records which of its timers fires first.
struct Timed {
    journal: Journal,
    delays: Vec<u64>,
}
#[actor]
impl Timed {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for delay in &self.delays {
            cx.after(Duration::from_millis(*delay), Inner(*delay as u32));
        }
    }
    #[on]
    fn inner(&mut self, inner: Inner, cx: &mut Context<Self>) {
        let due = Duration::from_millis(inner.0.into());
        assert!(cx.now() >= due, "no timer fires early");
        self.journal.note(inner.0.to_string());
    }
    #[on]
    fn go(&mut self, _: Go) {
        self.journal.note("go");
    }
}

fn orders(error_ms: u64, delays: &[u64]) -> Vec<Vec<String>> {
    let tester = whole("dfs").clock_error(Duration::from_millis(error_ms));
    let seen = journals(&tester, |sys, journal| {
        let (journal, delays) = (journal.clone(), delays.to_vec());
        sys.spawn(Timed { journal, delays });
    });
    seen.into_keys().collect()
}

#[test]
fn rule_07_timers_due_within_the_clock_error_race() {
    let rows: [(_, _, &[[&str; 2]], _); 3] = [
        (
            5,
            [10, 15],
            &[["10", "15"], ["15", "10"]],
            "at the error, either is first",
        ),
        (4, [10, 15], &[["10", "15"]], "beyond it, time decides"),
        (4, [15, 10], &[["10", "15"]], "whatever the order of arming"),
    ];
    for (error_ms, delays, expected, rule) in rows {
        assert_eq!(orders(error_ms, &delays), expected, "{rule}");
    }
    // The clock error is counted from the earliest pending deadline, and not between neighbours.
    let chain = orders(5, &[10, 14, 18]);
    let is_seen = |order: [&str; 3]| chain.iter().any(|seen| *seen == order);
    assert!(!is_seen(["18", "10", "14"]), "{chain:?}");
    assert!(is_seen(["14", "10", "18"]), "{chain:?}");
}

#[test]
fn rule_07_patient_timers_wait_for_messages() {
    let journal = Journal::default();
    let tester = Tester::new().iterations(200).patient_timers(true);
    let report = tester.run(|sys| {
        let noted = journal.take();
        assert!(noted.is_empty() || noted == ["go", "1"], "{noted:?}");
        let (journal, delays) = (journal.clone(), vec![1]);
        sys.spawn(Timed { journal, delays }).tell(Go);
    });
    report.assert_clean();
}

/// An unread message is work, even while a patient periodic timer is held back.
#[test]
fn rule_07_a_held_back_timer_is_no_idle_round() {
    let tester = Tester::new().iterations(50).patient_timers(true);
    let report = tester.run(|sys| {
        sys.spawn(Ticks::default());
        let counts = sys.spawn(Counter(0));
        (0..10).for_each(|_| counts.tell(Inner(1)));
        sys.sometimes("everything is counted", move |w| {
            w.get(&counts).is_some_and(|counts| counts.0 == 10)
        });
    });
    report.assert_clean();
    assert!(report.vacuous.is_empty(), "{:?}", report.vacuous);
    let steps = report.steps.expect("every execution ends by itself");
    // body, 2 spawns, start, 10 sent, 10 handled, and three rounds of a tick
    assert_eq!([steps.min, steps.max], [1 + 2 + 1 + 20 + 6; 2]);
}

/// Ticks for ever.
#[derive(Default)]
struct Ticks(u32);
#[actor]
impl Ticks {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Tick);
    }
    #[on]
    fn tick(&mut self, _: Tick) {
        self.0 += 1;
    }
}

#[test]
fn rule_07_a_periodic_timer_does_not_keep_a_run_alive() {
    let report = Tester::new().iterations(50).run(|sys| {
        sys.spawn(Ticks::default());
    });
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 0, "each run ends by itself");
    let idle = whole("dfs").iterations(1).run(|sys| {
        sys.spawn(Ticks::default());
    });
    // body, spawn, start, and three rounds of a timer that fires and a tick that is handled
    assert_eq!(steps(&idle), 3 + 3 * 2);
    // With a pending obligation, the execution continues.
    let report = Tester::new().iterations(5).run(|sys| {
        let ticks = sys.spawn(Ticks::default());
        sys.eventually("ten ticks", move |w| {
            w.get(&ticks).is_some_and(|ticks| ticks.0 == 10)
        });
    });
    report.assert_clean();
}

#[derive(Debug)]
struct HowMany;

struct Counter(u64);
#[actor]
impl Counter {
    #[on]
    fn how_many(&mut self, _: HowMany) -> u64 {
        self.0
    }
    #[on]
    fn add(&mut self, add: Inner) {
        self.0 += u64::from(add.0);
    }
}

struct Asker {
    counter: ActorRef<Counter>,
    journal: Journal,
}
#[actor]
impl Asker {
    #[start]
    async fn start(&mut self, _: &mut Context<Self>) {
        let reply = self.counter.ask(HowMany);
        // The question is already sent, so this event is counted after it.
        self.counter.tell(Inner(5));
        self.journal.note(format!("{:?}", reply.await));
    }
}

#[test]
fn rule_08_ask_sends_when_it_is_called() {
    let (report, notes) = noted(|sys, journal| {
        let counter = sys.spawn(Counter(1));
        let journal = journal.clone();
        sys.spawn(Asker { counter, journal });
    });
    assert_eq!(notes, ["Ok(1)"]);
    // body, 2 spawns, start; 2 sends, 2 handled; the reply, and the resumption
    assert_eq!(steps(&report), 1 + 2 + 1 + 4 + 2);
}

/// Asks, and drops the ask.
struct Forgets(ActorRef<Counter>);
#[actor]
impl Forgets {
    #[start]
    fn start(&mut self) {
        drop(self.0.ask(HowMany));
    }
}

#[test]
fn rule_08_a_reply_to_nobody_is_silent() {
    let report = once(|sys| {
        let counter = sys.spawn(Counter(1));
        sys.spawn(Forgets(counter));
    });
    // body, 2 spawns, start, send, handle: no step for the reply
    assert_eq!(steps(&report), 1 + 2 + 1 + 2);
}

/// Pipes a reply to itself, and handles other events meanwhile.
struct Pipes {
    counter: ActorRef<Counter>,
    journal: Journal,
}
#[actor]
impl Pipes {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let reply = self.counter.ask(HowMany);
        cx.pipe_to_self(reply, |reply| Inner(reply.map_or(99, |count| count as u32)));
    }
    #[on]
    fn inner(&mut self, inner: Inner) {
        self.journal.note(format!("piped {}", inner.0));
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.journal.note("go");
        cx.halt();
    }
}

#[test]
fn rule_08_a_piped_future_is_an_operation_that_dies_with_its_actor() {
    let seen = journals(&whole("dfs"), |sys, journal| {
        let counter = sys.spawn(Counter(3));
        let journal = journal.clone();
        sys.spawn(Pipes { counter, journal }).tell(Go);
    });
    let piped = vec!["piped 3".to_owned(), "go".to_owned()];
    assert!(seen.contains_key(&piped), "{seen:?}");
    assert!(seen.contains_key(&piped[1..]), "{seen:?}");
}

/// A pending piped future ends with its actor, and does not keep the execution going.
#[test]
fn rule_08_nobody_awaits_what_died_with_its_actor() {
    let report = Tester::new().iterations(20).run(|sys| {
        sys.spawn(Ticks::default());
        sys.spawn(PipesForEver).tell(Go);
    });
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 0, "each run ends by itself");
}

struct PipesForEver;
#[actor]
impl PipesForEver {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.pipe_to_self(std::future::pending::<()>(), |()| Go);
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Sends lines, and waits for capacity.
struct Reciter {
    to: ActorRef<Listener>,
    lines: &'static [&'static str],
}
#[actor]
impl Reciter {
    #[start]
    async fn start(&mut self) {
        for line in self.lines {
            let sent = self.to.send(Line(line)).await;
            sent.expect("the listener lives");
        }
    }
}

#[test]
fn rule_08_a_send_asks_for_room_and_waits_in_line() {
    let program = |sys: &System, journal: &Journal| {
        let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
        let to = spawner.spawn(Listener(journal.clone()));
        let lines = &["one", "two"];
        sys.spawn(Reciter { to, lines });
    };
    let recited = journals(&whole("dfs"), program);
    let recited: Vec<_> = recited.into_keys().collect();
    assert_eq!(recited, [["one", "two"]]);
    let report = all(|sys| program(&sys, &Journal::default()));
    // body, 2 spawns, start; each line: request of capacity, send after the resumption, handling
    assert_eq!(steps(&report), 1 + 2 + 1 + 2 * 4);
}

#[test]
fn rule_08_a_wait_may_last_for_ever_where_it_says_so() {
    expect_bug(BugKind::Deadlock, &[], |sys| sys.spawn(OWED).tell(Go));
    all(|sys| sys.spawn(Waits::default()).tell(Go));
    // An event that comes is taken, and the next wait is a pending obligation again.
    all(|sys| {
        let patient = sys.spawn(Waits::default());
        patient.tell(Go);
        patient.tell(Line("taken"));
    });
    let parts = ["nothing can run: `AsksOnce` awaits the reply of `Waits` to `Go` at"];
    expect_bug(BugKind::Deadlock, &parts, |sys| {
        let patient = sys.spawn(Waits::default());
        patient.tell(Go);
        sys.spawn(AsksOnce(patient)).tell(Go);
    });
}

/// Asks an actor that waits for another event.
struct AsksOnce(ActorRef<Waits>);
#[actor]
impl AsksOnce {
    #[on]
    async fn go(&mut self, _: Go) {
        let _ = self.0.ask(Go).await;
    }
}

#[test]
fn rule_09_the_test_body_is_one_step() {
    let report = once(|_| {});
    assert_eq!(steps(&report), 1);
    let report = once(|sys| {
        // Registrations take effect at once, and are no steps.
        sys.monitor::<Heard>();
        sys.sometimes("nothing", |_| false);
    });
    assert_eq!(steps(&report), 1);
    assert_eq!(report.vacuous.len(), 2, "{:?}", report.vacuous);
}

#[test]
fn rule_09_what_an_async_body_has_sent_is_handled() {
    let set_up = |sys: &System, journal: &Journal| {
        let to = sys.spawn(Listener(journal.clone()));
        sys.spawn(Ordered { to }).tell(Go);
    };
    let (sync, heard) = noted(set_up);
    let journal = Journal::default();
    let asynchronous = once(|sys| {
        journal.take();
        set_up(&sys, &journal);
        std::future::ready(())
    });
    assert_eq!(heard.len(), 4);
    assert_eq!(journal.take(), heard);
    assert_eq!(steps(&asynchronous), steps(&sync));
}

/// Each check at the end of an execution applies to sync and async bodies.
#[test]
fn rule_09_an_async_body_is_judged_at_the_end_as_a_sync_one() {
    type Program = fn(&System);
    let programs: [(Program, BugKind); 4] = [
        (|sys| sys.spawn(Panics).tell(Go), BugKind::Panic),
        (|sys| sys.spawn(OWED).tell(Go), BugKind::Deadlock),
        (
            |sys| sys.spawn(Patient(Journal::default())).tell(Inner(1)),
            BugKind::DeferredForever,
        ),
        (
            |sys| {
                let to = sys.spawn(Listener(Journal::default()));
                to.tell(Line("heard"));
                sys.eventually("pigs fly", |_| false);
            },
            BugKind::HotAtEnd,
        ),
    ];
    for (program, kind) in programs {
        let (sync, message) = bug(&Tester::new(), |sys| program(&sys));
        assert_eq!(sync, kind, "{message}");
        let found = bug(&Tester::new(), move |sys| async move { program(&sys) });
        assert_eq!(found, (kind, message));
    }
}

/// Never stops, and answers with its number of turns.
#[derive(Default)]
struct Mill(u64);
#[derive(Debug)]
struct Turns;
#[actor]
impl Mill {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0 += 1 + cx.choose(2) as u64;
        cx.me().tell(Go);
    }
    #[on]
    fn turns(&mut self, _: Turns) -> u64 {
        self.0
    }
}

#[test]
fn rule_09_finish_ends_what_never_rests() {
    let mill = |sys: &System| {
        let mill = sys.spawn(Mill::default());
        mill.tell(Go);
        mill
    };
    let tester = || Tester::new().iterations(20).max_steps(100);
    let report = tester().run(move |sys| async move {
        let mill = mill(&sys);
        while mill.ask(Turns).await.expect("it lives") < 3 {}
        sys.finish();
        // This ask comes too late: the execution ends first.
        let turns = mill.ask(Turns).await.expect("it lives");
        assert!(turns < 3, "after the end");
    });
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.unfair_at_bound), (0, 0));
    // The next turn is in the inbox or in flight.
    assert_eq!(report.unread.count, 20);
    // Without `finish`, the execution continues to the bound.
    let report = tester()
        .strategy(StrategySpec::Random)
        .run(move |sys| async move {
            let mill = mill(&sys);
            while mill.ask(Turns).await.expect("it lives") < 3 {}
        });
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.unread.count), (20, 0));
}

/// The earlier effects of the step that calls `finish` are carried out. No actor
/// has handled them by then, and a test in which no actor ever takes a step fails.
#[test]
fn rule_09_finish_comes_after_what_was_sent_before() {
    let sent = Journal::default();
    let program = |sys: &System| {
        sys.monitor_with(Sent(sent.clone()));
        let to = sys.spawn(Listener(Journal::default()));
        to.tell(Line("sent"));
        sys.finish();
        to.tell(Line("not sent"));
    };
    let report = Tester::new().iterations(20).run(|sys| {
        program(&sys);
        std::future::ready(())
    });
    // One additional execution checks for nondeterminism.
    assert_eq!(sent.take(), ["sent"; 21]);
    assert_eq!(report.unread.count, 20);
    let unread = "`Listener` with 1 unread event, `Line` first";
    assert_eq!(report.unread.example.as_deref(), Some(unread));
    let kind = report.assert_bug("no actor took a step").kind();
    assert_eq!(kind, BugKind::Idle);
    // In a sync body, `finish` ends the execution, too.
    let report = Tester::new().iterations(20).run(|sys| program(&sys));
    assert_eq!((sent.take().len(), report.unread.count), (21, 20));
}

/// Records the sent lines.
struct Sent(Journal);
#[monitor]
impl Sent {
    #[on]
    fn line(&mut self, line: &Line) {
        self.0.note(line.0);
    }
}

/// Goes from one hot state to another.
#[derive(Default)]
struct Heats;
#[monitor(hot(Hot, Hotter), cold(Cold))]
impl Heats {
    #[on(Cold)]
    fn first(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        cx.goto(HeatsState::Hotter);
        cx.goto(HeatsState::Hot);
    }
    #[on(Hot, Hotter)]
    fn more(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        cx.goto(match cx.state() {
            HeatsState::Hot => HeatsState::Hotter,
            _ => HeatsState::Hot,
        });
    }
}

/// Announces a tick at each of its steps, for ever.
struct Oven;
#[actor]
impl Oven {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.announce(Tick);
        cx.me().tell(Go);
    }
}

#[test]
fn rule_10_hot_to_hot_does_not_reset_the_heat() {
    let tester = Tester::new().iterations(1).max_steps(100).lasso(false);
    let report = tester.run(|sys| {
        sys.monitor::<Heats>();
        sys.spawn(Oven).tell(Go);
    });
    let bug = report.assert_bug("monitor `Heats` is hot");
    assert_eq!(bug.kind(), BugKind::Liveness);
    assert!(bug.message().contains("for 501 steps"), "{}", bug.message());
}

#[test]
fn rule_11_a_message_is_two_steps() {
    for messages in [1, 2, 10] {
        let report = once(|sys| {
            let to = sys.spawn(WithoutStart);
            (0..messages).for_each(|_| to.tell(Go));
        });
        assert_eq!(steps(&report), 2 + 2 * messages);
    }
}

#[test]
fn rule_11_choices_are_no_steps() {
    let report = once(|sys| {
        for bound in 1..10 {
            assert!(sys.choose(bound) < bound);
        }
    });
    assert_eq!(steps(&report), 1);
}

/// Counts up before and after a wait.
#[derive(Default)]
struct Sleeper(u32);
#[actor]
impl Sleeper {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0 = 1;
        cx.sleep(Duration::from_secs(1)).await;
        self.0 = 2;
    }
}

#[test]
fn rule_12_predicates_see_an_actor_that_waits_as_absent() {
    let (_, seen) = noted(|sys, journal| {
        let sleeper = sys.spawn(Sleeper::default());
        sleeper.tell(Go);
        let journal = journal.clone();
        sys.always("one is never seen", move |w| {
            let count = w.get(&sleeper).map(|sleeper| sleeper.0);
            journal.note(format!("{count:?}"));
            count != Some(1)
        });
    });
    // after the body, the spawn, the suspension, and the resumption
    let one_run = ["None", "Some(0)", "None", "Some(2)"];
    assert_eq!(seen[..4], one_run, "{seen:?}");
}

struct Random(ActorRef<Listener>);
#[actor]
impl Random {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let mut rng = cx.rng();
        let first = rand_core::Rng::next_u64(&mut rng);
        let second = rand_core::Rng::next_u64(&mut rng);
        assert_ne!(first, second);
        assert_ne!(first % 64, 63, "found in one of 64 seeds");
        self.0.tell(Line("random"));
    }
}

#[test]
fn rule_13_a_generator_is_one_recorded_choice() {
    let report = Tester::new().iterations(5_000).run(|sys| {
        let to = sys.spawn(Listener(Journal::default()));
        sys.spawn(Random(to));
    });
    let bug = report.assert_bug("found in one of 64 seeds");
    let steps = bug.trace.story.steps.iter();
    let choices = steps.flat_map(|step| step.choices()).count();
    assert_eq!(choices, 1, "the seed, and nothing for the numbers");
}

/// Sends when it is dropped, and panics if `panics` is set.
#[derive(Debug)]
struct Mischief {
    to: ActorRef<Listener>,
    panics: bool,
}
impl Drop for Mischief {
    fn drop(&mut self) {
        self.to.tell(Line("dropped"));
        assert!(!self.panics, "from a destructor");
    }
}

/// Stores a mischief until its end.
struct Holds(Vec<Mischief>);
#[actor(states(Only(ignore(Go))))]
impl Holds {
    #[on]
    fn mischief(&mut self, mischief: Mischief) {
        self.0.push(mischief);
    }
}

#[derive(Debug)]
struct Carries(#[expect(dead_code, reason = "it is dropped")] Mischief);

struct Ignores;
#[actor(states(Only(ignore(Carries)), Other))]
impl Ignores {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(IgnoresState::Other);
    }
}

#[test]
fn rule_14_a_users_drop_may_send() {
    let journal = Journal::default();
    let report = Tester::new().iterations(200).run(|sys| {
        let noted = journal.take();
        assert!(noted.is_empty() || noted == ["dropped"], "{noted:?}");
        let to = sys.spawn(Listener(journal.clone()));
        let panics = false;
        // Dropped when it is ignored: its message is delivered.
        let ignored = Mischief {
            to: to.clone(),
            panics,
        };
        sys.spawn(Ignores).tell(Carries(ignored));
        // Dropped after the end: its message goes nowhere.
        sys.spawn(Holds(Vec::new())).tell(Mischief { to, panics });
    });
    report.assert_clean();
}

#[test]
fn rule_14_a_users_drop_may_panic() {
    for ignored in [true, false] {
        let report = Tester::new().iterations(5).run(|sys| {
            let to = sys.spawn(Listener(Journal::default()));
            let mischief = Mischief { to, panics: true };
            if ignored {
                sys.spawn(Ignores).tell(Carries(mischief));
            } else {
                sys.spawn(Holds(Vec::new())).tell(mischief);
            }
        });
        let bug = report.assert_bug("from a destructor");
        assert_eq!(bug.kind(), BugKind::Panic);
    }
}

/// Two destructors that panic are two bugs, and no abort: each value is dropped separately.
#[test]
fn rule_14_a_users_drop_may_panic_twice() {
    fn two(sys: &System) -> ActorRef<Ignores> {
        let to = sys.spawn(Listener(Journal::default()));
        let ignores = sys.spawn(Ignores);
        for _ in 0..2 {
            let to = to.clone();
            ignores.tell(Carries(Mischief { to, panics: true }));
        }
        ignores
    }
    let tester = || Tester::new().iterations(5);
    // Unread when the receiver is killed, or when the execution ends.
    let killed = tester().run(|sys| drop(two(&sys).kill()));
    let unread = tester().run(|sys| async move {
        two(&sys);
        sys.finish();
    });
    // Values of two actors.
    let actors = tester().run(|sys| {
        let to = sys.spawn(Listener(Journal::default()));
        for _ in 0..2 {
            let to = to.clone();
            sys.spawn(Holds(vec![Mischief { to, panics: true }]));
        }
    });
    for report in [killed, unread, actors] {
        let bug = report.assert_bug("from a destructor");
        assert_eq!(bug.kind(), BugKind::Panic);
    }
}
