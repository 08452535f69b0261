//! State timeouts and timeouts between events: in no schedule does one fire after its scope has ended.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Piped, actor, monitor};
use actor_test::strategy::Gap;
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::{Journal, all, bug, in_production, journals, only_bug, whole};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug)]
struct Answer;
#[derive(Clone, Debug)]
struct TooLate;

/// Sets the timeout of an asker.
type SetTimeout = fn(&mut Context<Asker>);

/// Waits for an answer; `set` sets the timeout. There is no handler for `TooLate` afterwards.
struct Asker {
    set: SetTimeout,
    journal: Journal,
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
        self.journal.note("answered");
    }

    #[entry(GaveUp)]
    fn gave_up(&mut self) {
        self.journal.note("gave up");
    }
}

fn ask(sys: &System, set: SetTimeout, journal: &Journal) {
    let journal = journal.clone();
    sys.spawn(Asker { set, journal }).tell(Answer);
}

#[test]
fn a_timer_outlives_its_state() {
    let rows: [(&str, SetTimeout); 4] = [
        ("a plain one", |cx| drop(cx.after(SECOND, TooLate))),
        ("one with a name", |cx| {
            cx.timer().named("late").after(SECOND, TooLate);
        }),
        ("one with another name than that of the state", |cx| {
            cx.timer().named("later").after(SECOND, TooLate);
            let late = cx.timer().named("late");
            late.until_state_left().after(SECOND, TooLate);
        }),
        ("a periodic one", |cx| {
            cx.timer().named("late").every(SECOND, TooLate);
        }),
    ];
    for (timer, set) in rows {
        let (kind, _) = bug(&whole("dfs"), |sys| ask(&sys, set, &Journal::default()));
        assert_eq!(kind, BugKind::Unhandled, "{timer}");
    }
}

/// Of the answer and the timeout, either may be first; the other has no effect then.
#[test]
fn a_timeout_ends_with_its_scope() {
    let rows: [(&str, SetTimeout); 7] = [
        ("of the state", |cx| {
            cx.timer().until_state_left().after(SECOND, TooLate);
        }),
        ("until the next event", |cx| {
            cx.timer().until_event().after(SECOND, TooLate);
        }),
        ("set again", |cx| {
            cx.timer().until_state_left().after(SECOND, TooLate);
            cx.timer().until_state_left().after(SECOND, TooLate);
        }),
        ("with a name", |cx| {
            let late = cx.timer().named("late");
            late.until_state_left().after(SECOND, TooLate);
        }),
        ("in the place of a timer of that name", |cx| {
            cx.timer().named("late").after(SECOND, TooLate);
            let late = cx.timer().named("late");
            late.until_state_left().after(SECOND, TooLate);
        }),
        ("periodic", |cx| {
            cx.timer().until_state_left().every(SECOND, TooLate);
        }),
        ("periodic, in the place of a timer of that name", |cx| {
            cx.timer().named("late").every(SECOND, TooLate);
            let late = cx.timer().named("late");
            late.until_event().every(SECOND, TooLate);
        }),
    ];
    for (timeout, set) in rows {
        let ends = journals(&whole("dfs"), |sys, journal| ask(sys, set, journal));
        let ends: Vec<_> = ends.into_keys().flatten().collect();
        assert_eq!(ends, ["answered", "gave up"], "{timeout}");
    }
}

/// The options of a timer of three seconds.
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

    fn arm(self, cx: &mut Context<Wanderer>) -> Timer {
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
            true => timer.every(3 * SECOND, TooLate),
            false => timer.after(3 * SECOND, TooLate),
        }
    }

    /// Returns when the timer fires in ten seconds, if it does not end before its first event.
    fn fires(self) -> &'static [u64] {
        match self.is_periodic {
            // The first tick is an event that is handled.
            true if self.until_event => &[3],
            true => &[3, 6, 9],
            false => &[3],
        }
    }
}

/// An actor's use of its timer.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Course {
    Waits,
    LeavesState,
    ArmsTwice,
    CancelsByHandle,
    CancelsByName,
}

/// A firing of a timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Firing {
    after_answer: bool,
    again: bool,
}

/// Arms a timer in its first state, and notes its firings, with their seconds.
struct Wanderer {
    options: TimerOptions,
    course: Course,
    /// The number of firings after which it halts.
    most: usize,
    is_answered: bool,
    fired: usize,
    firings: Arc<Mutex<Vec<(u64, Firing)>>>,
}

#[actor(states(First, Second))]
impl Wanderer {
    #[entry(First)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        let timer = self.options.arm(cx);
        match self.course {
            Course::Waits => {}
            Course::LeavesState => cx.goto(WandererState::Second),
            Course::ArmsTwice => drop(self.options.arm(cx)),
            Course::CancelsByHandle => cx.cancel(timer),
            Course::CancelsByName => cx.cancel("late"),
        }
    }

    #[on]
    fn answer(&mut self, _: Answer) {
        self.is_answered = true;
    }

    #[on]
    fn too_late(&mut self, _: TooLate, cx: &mut Context<Self>) {
        let firing = Firing {
            after_answer: self.is_answered,
            again: self.fired > 0,
        };
        let mut firings = self.firings.lock().expect("no one panics here");
        firings.push((cx.now().as_secs(), firing));
        self.fired += 1;
        if self.fired == self.most {
            cx.halt();
        }
    }
}

impl Wanderer {
    fn new(options: TimerOptions, course: Course, most: usize) -> Self {
        Self {
            options,
            course,
            most,
            is_answered: false,
            fired: 0,
            firings: Arc::default(),
        }
    }
}

/// Explores every schedule of a timer; returns the possible firings.
fn firings(options: TimerOptions, course: Course) -> BTreeSet<Firing> {
    let all_firings = Arc::new(Mutex::default());
    let report = whole("dfs").run(|sys| {
        // Two ticks suffice, and without an end there is no last schedule.
        let mut wanderer = Wanderer::new(options, course, 2);
        wanderer.firings = Arc::clone(&all_firings);
        let wanderer = sys.spawn(wanderer);
        if course == Course::Waits {
            wanderer.tell(Answer);
        }
    });
    report.assert_clean();
    // A third tick may come while the actor halts; nobody handles that one, and the search leaves it out.
    let is_tick = |gap: &Gap| matches!(gap, Gap::Ticks { bound: 2, .. });
    assert!(report.verdict.gaps.iter().all(is_tick), "{report:?}");
    let firings = mem::take(&mut *all_firings.lock().expect("no one panics here"));
    firings.into_iter().map(|(_, firing)| firing).collect()
}

/// Returns the seconds at which the timer fires in ten seconds of production.
fn fired(options: TimerOptions, course: Course, is_answered: bool) -> Vec<u64> {
    in_production(|sys| async move {
        let wanderer = Wanderer::new(options, course, usize::MAX);
        let firings = Arc::clone(&wanderer.firings);
        let wanderer = sys.spawn(wanderer);
        sys.sleep(2 * SECOND).await;
        if is_answered {
            wanderer.tell(Answer);
        }
        sys.sleep(8 * SECOND).await;
        let firings = mem::take(&mut *firings.lock().expect("no one panics here"));
        firings.into_iter().map(|(seconds, _)| seconds).collect()
    })
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
        let waits = firings(options, Course::Waits);
        let after_answer: &[bool] = match options.until_event {
            true => &[false],
            false => &[false, true],
        };
        assert_eq!(waits, expected(after_answer), "{options:?}");
        let leaves = firings(options, Course::LeavesState);
        let after_answer: &[bool] = match options.until_state_left {
            true => &[],
            false => &[false],
        };
        assert_eq!(leaves, expected(after_answer), "{options:?}");
    }
}

#[test]
fn timers_fire_in_production_as_their_options_and_their_use_say() {
    for options in TimerOptions::all() {
        let fires = options.fires();
        let has_place = options.is_named || options.until_state_left || options.until_event;
        let each = if has_place { 1 } else { 2 };
        let twice: Vec<u64> = fires.iter().flat_map(|time| vec![*time; each]).collect();
        let unless = |ends| match ends {
            true => &[],
            false => fires,
        };
        for (course, is_answered, expected) in [
            (Course::Waits, false, fires),
            (Course::Waits, true, unless(options.until_event)),
            (Course::LeavesState, false, unless(options.until_state_left)),
            (Course::ArmsTwice, false, &*twice),
            (Course::CancelsByHandle, false, &[]),
            (Course::CancelsByName, false, unless(options.is_named)),
        ] {
            let fired = fired(options, course, is_answered);
            assert_eq!(fired, expected, "{options:?}, {course:?}, {is_answered}");
        }
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
    all(|sys| sys.spawn(Hasty).tell(Answer));
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
    assert!(only_bug(&report).is_liveness(), "{report:?}");
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
    Tester::new().iterations(2_000).run(move |sys| {
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
