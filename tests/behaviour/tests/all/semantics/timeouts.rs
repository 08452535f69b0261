//! State timeouts and timeouts between events: in no schedule does one fire after its scope has ended.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Piped, actor, monitor};
use actor_test::settings::Search;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

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
#[derive(Clone, Debug)]
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
    let (report, ends) = race(|cx| drop(cx.timer().until_state_left().after(SECOND, TooLate)));
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn an_event_timeout_does_not() {
    let (report, ends) = race(|cx| drop(cx.timer().until_event().after(SECOND, TooLate)));
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn a_timeout_that_is_set_again_fires_once() {
    let (report, ends) = race(|cx| {
        cx.timer().until_state_left().after(SECOND, TooLate);
        cx.timer().until_state_left().after(SECOND, TooLate);
    });
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn a_named_timeout_outlives_its_state_and_one_of_the_state_does_not() {
    let (report, _) = race(|cx| drop(cx.timer().named("late").after(SECOND, TooLate)));
    assert_eq!(report.bugs()[0].kind(), BugKind::Unhandled);
    let (report, ends) = race(|cx| {
        drop(
            cx.timer()
                .named("late")
                .until_state_left()
                .after(SECOND, TooLate),
        )
    });
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

#[test]
fn one_name_is_one_timeout() {
    let (report, ends) = race(|cx| {
        cx.timer().named("late").after(SECOND, TooLate);
        cx.timer()
            .named("late")
            .until_state_left()
            .after(SECOND, TooLate);
    });
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
    let (report, _) = race(|cx| {
        cx.timer().named("later").after(SECOND, TooLate);
        cx.timer()
            .named("late")
            .until_state_left()
            .after(SECOND, TooLate);
    });
    assert_eq!(report.bugs()[0].kind(), BugKind::Unhandled);
}

#[test]
fn a_periodic_timer_ends_with_its_state_if_that_is_its_end() {
    let (report, _) = race(|cx| drop(cx.timer().named("late").every(SECOND, TooLate)));
    assert_eq!(report.bugs()[0].kind(), BugKind::Unhandled);
    let (report, ends) = race(|cx| drop(cx.timer().until_state_left().every(SECOND, TooLate)));
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
    let (report, ends) = race(|cx| {
        cx.timer().named("late").every(SECOND, TooLate);
        cx.timer()
            .named("late")
            .until_event()
            .every(SECOND, TooLate);
    });
    report.assert_clean();
    assert_eq!(ends, ["answered", "gave up"]);
}

/// The options of a timer.
#[derive(Clone, Copy, Debug)]
struct TimerOptions {
    is_named: bool,
    until_state_left: bool,
    until_event: bool,
    is_periodic: bool,
}

impl TimerOptions {
    fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|bits| Self {
            is_named: bits & 1 != 0,
            until_state_left: bits & 2 != 0,
            until_event: bits & 4 != 0,
            is_periodic: bits & 8 != 0,
        })
    }

    fn arm(self, cx: &mut Context<Wanderer>) {
        let mut timer = cx.timer();
        if self.is_named {
            timer = timer.named("late");
        }
        if self.until_state_left {
            timer = timer.until_state_left();
        }
        if self.until_event {
            timer = timer.until_event();
        }
        match self.is_periodic {
            true => timer.every(SECOND, TooLate),
            false => timer.after(SECOND, TooLate),
        };
    }
}

/// A firing of a timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Firing {
    after_answer: bool,
    again: bool,
}

/// Arms a timer in its first state, and notes the first two firings.
struct Wanderer {
    options: TimerOptions,
    leaves: bool,
    is_answered: bool,
    has_fired: bool,
    firings: Arc<Mutex<BTreeSet<Firing>>>,
}

#[actor(states(First, Second))]
impl Wanderer {
    #[entry(First)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        self.options.arm(cx);
        if self.leaves {
            cx.goto(WandererState::Second);
        }
    }

    #[on]
    fn answer(&mut self, _: Answer) {
        self.is_answered = true;
    }

    #[on]
    fn too_late(&mut self, _: TooLate, cx: &mut Context<Self>) {
        self.firings
            .lock()
            .expect("no one panics here")
            .insert(Firing {
                after_answer: self.is_answered,
                again: self.has_fired,
            });
        // Two ticks suffice, and without an end there is no last schedule.
        if self.has_fired {
            cx.halt();
        }
        self.has_fired = true;
    }
}

/// Explores every schedule of a timer; returns the possible firings.
fn firings(options: TimerOptions, leaves: bool) -> BTreeSet<Firing> {
    let firings = Arc::new(Mutex::default());
    let noted = firings.clone();
    let report = every(move |sys| {
        let wanderer = sys.spawn(Wanderer {
            options,
            leaves,
            is_answered: false,
            has_fired: false,
            firings: noted.clone(),
        });
        if !leaves {
            wanderer.tell(Answer);
        }
    });
    report.assert_clean();
    let firings = firings.lock().expect("no one panics here");
    firings.clone()
}

#[test]
fn timers_end_as_each_combination_of_their_options_says() {
    for options in TimerOptions::all() {
        let fires_again = |firing: &Firing| {
            // The first tick is an event that is handled.
            !firing.again || options.is_periodic && !options.until_event
        };
        let expected = |after_answer: &[bool]| {
            let firings = after_answer.iter().flat_map(|after_answer| {
                [false, true].map(|again| Firing {
                    after_answer: *after_answer,
                    again,
                })
            });
            firings.filter(fires_again).collect::<BTreeSet<_>>()
        };
        let waits = firings(options, false);
        let after_answer: &[bool] = match options.until_event {
            true => &[false],
            false => &[false, true],
        };
        assert_eq!(waits, expected(after_answer), "{options:?}");
        let leaves = firings(options, true);
        let after_answer: &[bool] = match options.until_state_left {
            true => &[],
            false => &[false],
        };
        assert_eq!(leaves, expected(after_answer), "{options:?}");
    }
}

/// Has no handler for `TooLate` after it has cancelled the timeout.
struct Hasty;

#[actor(states(Waiting, Calm))]
impl Hasty {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.timer().named("late").after(SECOND, TooLate);
    }

    #[on(Waiting)]
    fn answer(&mut self, _: Answer, cx: &mut Context<Self>) {
        cx.cancel("late");
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
        cx.timer().until_state_left().after(SECOND, Next);
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
            cx.timer()
                .until_state_left()
                .after(Duration::from_secs(1), DialLimit);
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
