//! State timeouts and timeouts between events: in no schedule does one fire after its scope has ended.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Piped, actor, monitor};
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Search, Tester};

const SECOND: Duration = Duration::from_secs(1);

fn every(program: impl Fn(&System) + Sync) -> Report {
    let tester = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None));
    let report = tester.run(|sys| program(&sys));
    assert!(report.verdict.is_exhaustive() || !report.bugs().is_empty());
    report
}

#[derive(Debug)]
struct Answer;
#[derive(Debug)]
struct TooLate;

/// Waits for an answer; `set` sets the timeout. There is no handler for `TooLate` afterwards.
struct Asker {
    set: fn(&mut Context<Self>),
    ends: &'static Mutex<BTreeSet<&'static str>>,
}

#[actor(states(Waiting, Answered, GaveUp(ignore(Answer))))]
impl Asker {
    #[entry(Waiting)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        (self.set)(cx);
    }

    #[on(Waiting)]
    fn answer(&mut self, _: Answer, cx: &mut Context<Self>) {
        cx.goto(AskerState::Answered);
    }

    #[on(Waiting)]
    fn too_late(&mut self, _: TooLate, cx: &mut Context<Self>) {
        cx.goto(AskerState::GaveUp);
    }

    #[entry(Answered)]
    fn answered(&mut self) {
        self.end("answered");
    }

    #[entry(GaveUp)]
    fn gave_up(&mut self) {
        self.end("gave up");
    }
}

impl Asker {
    fn end(&self, how: &'static str) {
        self.ends.lock().expect("no one panics here").insert(how);
    }
}

/// Explores every schedule of an answer and a timeout; returns the outcomes.
fn race(set: fn(&mut Context<Asker>)) -> (Report, Vec<&'static str>) {
    let ends: &'static Mutex<BTreeSet<&'static str>> = Box::leak(Box::default());
    let report = every(move |sys| sys.spawn(Asker { set, ends }).tell(Answer));
    let ends = ends.lock().expect("no one panics here");
    (report, ends.iter().copied().collect())
}

#[test]
fn a_timer_outlives_its_state() {
    let (report, _) = race(|cx| drop(cx.after(SECOND, TooLate)));
    assert_eq!(report.bugs()[0].kind(), BugKind::Unhandled);
}

#[test]
fn a_state_timeout_does_not() {
    let (report, ends) = race(|cx| cx.state_timeout(SECOND, TooLate));
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn an_event_timeout_does_not() {
    let (report, ends) = race(|cx| cx.event_timeout(SECOND, TooLate));
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn a_timeout_that_is_set_again_fires_once() {
    let (report, ends) = race(|cx| {
        cx.state_timeout(SECOND, TooLate);
        cx.state_timeout(SECOND, TooLate);
    });
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn a_named_timeout_outlives_its_state_and_one_of_the_state_does_not() {
    let (report, _) = race(|cx| cx.named_timeout("late", SECOND, TooLate));
    assert_eq!(report.bugs()[0].kind(), BugKind::Unhandled);
    let (report, ends) = race(|cx| cx.named_state_timeout("late", SECOND, TooLate));
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn one_name_is_one_timeout() {
    let (report, ends) = race(|cx| {
        cx.named_timeout("late", SECOND, TooLate);
        cx.named_state_timeout("late", SECOND, TooLate);
    });
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
    let (report, _) = race(|cx| {
        cx.named_timeout("later", SECOND, TooLate);
        cx.named_state_timeout("late", SECOND, TooLate);
    });
    assert_eq!(report.bugs()[0].kind(), BugKind::Unhandled);
}

/// Has no handler for `TooLate` after it has cancelled the timeout.
struct Hasty;

#[actor(states(Waiting, Calm))]
impl Hasty {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.named_timeout("late", SECOND, TooLate);
    }

    #[on(Waiting)]
    fn answer(&mut self, _: Answer, cx: &mut Context<Self>) {
        cx.cancel_timeout("late");
        cx.goto(HastyState::Calm);
    }

    #[on(Waiting)]
    fn too_late(&mut self, _: TooLate) {}
}

#[test]
fn a_timeout_that_is_cancelled_by_name_is_gone_even_where_it_has_fired() {
    every(|sys| sys.spawn(Hasty).tell(Answer)).assert_clean();
}

#[derive(Debug)]
struct Next;

/// A liveness property: every light is followed by another.
#[derive(Default)]
struct Changes;

#[monitor(hot, cold)]
impl Changes {
    #[on]
    fn next(&mut self, _: &Next, cx: &mut MonitorContext<Self>) {
        cx.goto(ChangesState::Hot);
    }
}

// ANCHOR: light
#[derive(Hash)]
struct Light;

#[actor(states(Red, Green))]
impl Light {
    #[entry(Red, Green)]
    fn shine(&mut self, cx: &mut Context<Self>) {
        cx.state_timeout(SECOND, Next);
    }

    #[on]
    fn next(&mut self, _: Next, cx: &mut Context<Self>) {
        cx.goto(match cx.state() {
            LightState::Red => LightState::Green,
            LightState::Green => LightState::Red,
        });
    }
}
// ANCHOR_END: light

/// The states repeat, timeouts included, so the tester finds a lasso without waiting for the temperature.
#[test]
fn a_machine_of_timeouts_comes_back_to_its_states() {
    let report = Tester::new().run(|sys| {
        sys.monitor::<Changes>();
        sys.spawn(Light);
    });
    let bug = &report.bugs()[0];
    assert!(bug.is_liveness(), "{bug:?}");
    assert!(report.steps_total < 1_000, "{}", report.steps_total);
}

#[derive(Debug)]
struct Dial(u32);
#[derive(Debug)]
struct Connected(u32);
#[derive(Debug)]
struct DialLimit;

/// Answers some time later.
struct Far;

#[actor]
impl Far {
    #[on]
    fn dial(&mut self, dial: Dial) -> u32 {
        dial.0
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Pipes {
    ToSelf,
    ToState,
    Cancelled,
}

/// Dials, and dials again if the answer takes too long.
struct Connection {
    far: ActorRef<Far>,
    dials: u32,
    pipes: Pipes,
    running: Option<Piped>,
}

#[actor(states(Connecting, Open))]
impl Connection {
    #[entry(Connecting)]
    fn dial(&mut self, cx: &mut Context<Self>) {
        self.dials += 1;
        if self.dials < 3 {
            cx.state_timeout(Duration::from_secs(1), DialLimit);
        }
        let dial = self.far.ask(Dial(self.dials));
        let connected = |answer: Result<u32, AskError>| Connected(answer.expect("it answers"));
        match self.pipes {
            Pipes::ToSelf => cx.pipe_to_self(dial, connected),
            Pipes::ToState => cx.pipe_to_state(dial, connected),
            Pipes::Cancelled => self.running = Some(cx.pipe(dial, connected)),
        }
    }

    #[on(Connecting)]
    fn limit_is_over(&mut self, _: DialLimit, cx: &mut Context<Self>) {
        if let Some(running) = self.running.take() {
            cx.cancel_pipe(running);
        }
        cx.goto(ConnectionState::Connecting);
    }

    #[on(Connecting)]
    fn connected(&mut self, connected: Connected, cx: &mut Context<Self>) {
        assert_eq!(connected.0, self.dials, "the answer of another dial");
        cx.goto(ConnectionState::Open);
    }

    #[on(Open)]
    fn connected_late(&mut self, _: Connected) {}
}

fn connecting(pipes: Pipes) -> Report {
    Tester::new()
        .iterations(2_000)
        .search(Search::Portfolio)
        .run(move |sys| {
            let far = sys.spawn(Far);
            sys.spawn(Connection {
                far,
                dials: 0,
                pipes,
                running: None,
            });
        })
}

#[test]
fn a_piped_future_that_ends_with_its_state_is_never_answered_later() {
    connecting(Pipes::ToState).assert_clean();
    connecting(Pipes::Cancelled).assert_clean();
    // A pipe that is not tied to its state fails.
    connecting(Pipes::ToSelf).assert_bug("the answer of another dial");
}
