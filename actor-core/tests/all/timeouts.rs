//! Timeouts of states and between events, on a paused clock that advances only when everything waits.

use std::time::Duration;

use crate::support::{Journal, idle};
use actor_core::prelude::*;

#[derive(Debug)]
struct Open;
#[derive(Debug)]
struct Close;
#[derive(Debug)]
struct Again;
#[derive(Debug)]
struct Knock;
#[derive(Debug)]
struct LeftOpen;
#[derive(Debug)]
struct Quiet;
#[derive(Debug)]
struct Await;
#[derive(Debug)]
struct Delivery;

/// Closes after ten seconds, and falls asleep after three seconds without a knock.
struct Door(Journal);

#[actor(states(Closed(ignore(Close, LeftOpen)), Opened(ignore(Open))))]
impl Door {
    #[on(Closed)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(DoorState::Opened);
    }

    #[entry(Opened)]
    fn opened(&mut self, cx: &mut Context<Self>) {
        cx.timer()
            .until_state_left()
            .after(Duration::from_secs(10), LeftOpen);
    }

    #[on(Opened)]
    fn close(&mut self, _: Close, cx: &mut Context<Self>) {
        cx.goto(DoorState::Closed);
    }

    #[on(Opened)]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        cx.goto(DoorState::Opened);
    }

    #[on(Opened)]
    fn left_open(&mut self, _: LeftOpen, cx: &mut Context<Self>) {
        self.note("left open", cx.now());
        cx.goto(DoorState::Closed);
    }

    #[on]
    fn knock(&mut self, _: Knock, cx: &mut Context<Self>) {
        cx.timer()
            .until_event()
            .after(Duration::from_secs(3), Quiet);
    }

    #[on]
    fn quiet(&mut self, _: Quiet, cx: &mut Context<Self>) {
        self.note("quiet", cx.now());
    }

    #[on]
    async fn wait(&mut self, _: Await, cx: &mut Context<Self>) {
        cx.timer()
            .until_event()
            .after(Duration::from_secs(3), Quiet);
        cx.receive::<Delivery>().await;
    }

    #[on]
    fn delivery(&mut self, _: Delivery) {}
}

impl Door {
    fn note(&self, what: &str, now: Duration) {
        self.0.note(format!("{} {what}", now.as_secs()));
    }
}

fn door(sys: &System) -> (ActorRef<Door>, Journal) {
    let journal = Journal::new();
    (sys.spawn(Door(journal.clone())), journal)
}

async fn seconds(sys: &System, seconds: u64) {
    sys.sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_state_timeout_fires_where_the_state_lasts() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Open);
    seconds(&sys, 20).await;
    journal.expect(["10 left open"]);
}

#[tokio::test(start_paused = true)]
async fn a_state_timeout_ends_with_its_state() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Open);
    seconds(&sys, 6).await;
    door.tell(Close);
    door.tell(Open);
    seconds(&sys, 6).await;
    journal.expect::<&str>([]);
    seconds(&sys, 6).await;
    journal.expect(["16 left open"]);
}

#[tokio::test(start_paused = true)]
async fn entering_the_same_state_again_begins_anew() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Open);
    seconds(&sys, 6).await;
    door.tell(Again);
    seconds(&sys, 20).await;
    journal.expect(["16 left open"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_timeout_fires_where_nothing_is_handled() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Knock);
    seconds(&sys, 2).await;
    // The event is ignored, so it is not handled.
    door.tell(Close);
    seconds(&sys, 2).await;
    journal.expect(["3 quiet"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_timeout_ends_with_the_next_event() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Knock);
    seconds(&sys, 2).await;
    door.tell(Open);
    seconds(&sys, 4).await;
    journal.expect::<&str>([]);
    door.tell(Knock);
    seconds(&sys, 2).await;
    door.tell(Knock);
    seconds(&sys, 10).await;
    // The door was opened at 2; its timeout is an event as well, but the last knock's came first.
    journal.expect(["11 quiet", "12 left open"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_received_ends_an_event_timeout() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Await);
    idle().await;
    door.tell(Delivery);
    seconds(&sys, 10).await;
    journal.expect::<&str>([]);
}

#[derive(Debug)]
struct Retry;
#[derive(Debug)]
struct GiveUp;
#[derive(Debug)]
struct Answer;
#[derive(Debug)]
struct Pause;

/// Asks every three seconds, for ten seconds in all, and pauses every twenty.
struct Client(Journal);

#[actor(states(Idle(ignore(Answer)), Asking(ignore(Open))))]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.timer()
            .named("rest")
            .after(Duration::from_secs(20), Quiet);
    }

    #[on(Idle)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(ClientState::Asking);
    }

    #[entry(Asking)]
    fn ask(&mut self, cx: &mut Context<Self>) {
        cx.timer()
            .named("give up")
            .until_state_left()
            .after(Duration::from_secs(10), GiveUp);
        cx.timer()
            .named("retry")
            .until_state_left()
            .after(Duration::from_secs(3), Retry);
    }

    #[on(Asking)]
    fn retry(&mut self, _: Retry, cx: &mut Context<Self>) {
        self.note("retry", cx.now());
        cx.timer()
            .named("retry")
            .until_state_left()
            .after(Duration::from_secs(3), Retry);
    }

    #[on(Asking)]
    fn pause(&mut self, _: Pause, cx: &mut Context<Self>) {
        cx.cancel("retry");
        cx.cancel("unknown");
    }

    #[on(Asking)]
    fn give_up(&mut self, _: GiveUp, cx: &mut Context<Self>) {
        self.note("give up", cx.now());
        cx.goto(ClientState::Idle);
    }

    #[on(Asking)]
    fn answer(&mut self, _: Answer, cx: &mut Context<Self>) {
        cx.goto(ClientState::Idle);
    }

    #[on]
    fn quiet(&mut self, _: Quiet, cx: &mut Context<Self>) {
        self.note("rest", cx.now());
    }
}

impl Client {
    fn note(&self, what: &str, now: Duration) {
        self.0.note(format!("{} {what}", now.as_secs()));
    }
}

fn client(sys: &System) -> (ActorRef<Client>, Journal) {
    let journal = Journal::new();
    (sys.spawn(Client(journal.clone())), journal)
}

#[tokio::test(start_paused = true)]
async fn a_state_has_several_timeouts_by_name() {
    let sys = System::new();
    let (client, journal) = client(&sys);
    client.tell(Open);
    seconds(&sys, 30).await;
    journal.expect(["3 retry", "6 retry", "9 retry", "10 give up", "20 rest"]);
}

#[tokio::test(start_paused = true)]
async fn they_end_with_their_state_and_others_do_not() {
    let sys = System::new();
    let (client, journal) = client(&sys);
    client.tell(Open);
    seconds(&sys, 5).await;
    client.tell(Answer);
    seconds(&sys, 30).await;
    journal.expect(["3 retry", "20 rest"]);
}

#[tokio::test(start_paused = true)]
async fn one_is_cancelled_by_its_name() {
    let sys = System::new();
    let (client, journal) = client(&sys);
    client.tell(Open);
    seconds(&sys, 1).await;
    client.tell(Pause);
    seconds(&sys, 30).await;
    journal.expect(["10 give up", "20 rest"]);
}

#[derive(Clone, Debug)]
struct Tick;
#[derive(Debug)]
struct Poke;

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
            timer = timer.named("tick");
        }
        if self.until_state_left {
            timer = timer.until_state_left();
        }
        if self.until_event {
            timer = timer.until_event();
        }
        match self.is_periodic {
            true => timer.every(Duration::from_secs(3), Tick),
            false => timer.after(Duration::from_secs(3), Tick),
        }
    }

    /// Returns when the timer fires in ten seconds, if it does not end before its first event.
    fn fires(self) -> &'static [&'static str] {
        match self.is_periodic {
            // The first tick is an event that is handled.
            true if self.until_event => &["3"],
            true => &["3", "6", "9"],
            false => &["3"],
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

/// Arms a timer in its first state, and notes when it fires.
struct Wanderer {
    options: TimerOptions,
    course: Course,
    journal: Journal,
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
            Course::CancelsByName => cx.cancel("tick"),
        }
    }

    #[on]
    fn poke(&mut self, _: Poke) {}

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.journal.note(cx.now().as_secs().to_string());
    }
}

/// Returns when the timer fires in ten seconds.
async fn fired(options: TimerOptions, course: Course, is_poked: bool) -> Vec<String> {
    let sys = System::new();
    let journal = Journal::new();
    let wanderer = sys.spawn(Wanderer {
        options,
        course,
        journal: journal.clone(),
    });
    seconds(&sys, 2).await;
    if is_poked {
        wanderer.tell(Poke);
    }
    seconds(&sys, 8).await;
    journal.noted()
}

#[tokio::test(start_paused = true)]
async fn timers_end_as_each_combination_of_their_options_says() {
    for options in TimerOptions::all() {
        let fires_unless = |ends| match ends {
            true => &[],
            false => options.fires(),
        };
        let waits = fired(options, Course::Waits, false).await;
        assert_eq!(waits, options.fires(), "{options:?}");
        let poked = fired(options, Course::Waits, true).await;
        assert_eq!(poked, fires_unless(options.until_event), "{options:?}");
        let leaves = fired(options, Course::LeavesState, false).await;
        assert_eq!(
            leaves,
            fires_unless(options.until_state_left),
            "{options:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn timers_with_a_name_or_an_end_are_replaced() {
    for options in TimerOptions::all() {
        let has_place = options.is_named || options.until_state_left || options.until_event;
        let each = match has_place {
            true => 1,
            false => 2,
        };
        let twice = fired(options, Course::ArmsTwice, false).await;
        let expected = options.fires().iter().flat_map(|time| vec![*time; each]);
        assert_eq!(twice, expected.collect::<Vec<_>>(), "{options:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn timers_are_cancelled_by_handle_and_by_name() {
    for options in TimerOptions::all() {
        let by_handle = fired(options, Course::CancelsByHandle, false).await;
        assert_eq!(by_handle, [""; 0], "{options:?}");
        let by_name = fired(options, Course::CancelsByName, false).await;
        let expected = match options.is_named {
            true => &[],
            false => options.fires(),
        };
        assert_eq!(by_name, expected, "{options:?}");
    }
}

/// A tick that has fired while the actor was busy is removed when the timer ends.
struct Busy(Journal);

#[actor(states(First, Second))]
impl Busy {
    #[on(First)]
    async fn poke(&mut self, _: Poke, cx: &mut Context<Self>) {
        cx.timer()
            .named("tick")
            .until_state_left()
            .every(Duration::from_secs(1), Tick);
        cx.sleep(Duration::from_secs(5)).await;
        cx.goto(BusyState::Second);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.0.note(cx.now().as_secs().to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn an_unread_tick_ends_with_its_timer() {
    let sys = System::new();
    let journal = Journal::new();
    sys.spawn(Busy(journal.clone())).tell(Poke);
    seconds(&sys, 10).await;
    journal.expect::<&str>([]);
}
