//! Timers, timeouts and `sleep`, on a paused clock that advances only when everything waits.

use std::time::Duration;

use crate::support::{Halt, Journal, idle, journaled, live, system, tasks};
use actor_core::prelude::*;

#[derive(Debug)]
struct Arm(&'static str, u64);
#[derive(Debug)]
struct Repeat(&'static str, u64);
#[derive(Debug)]
struct Cancel;
#[derive(Debug)]
struct Nap(u64);
#[derive(Debug, Clone)]
struct Tick(&'static str);

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn note(journal: &Journal, what: &str, now: Duration) {
    journal.note(format!("{} {what}", now.as_secs()));
}

/// A rule; a script, each step of which sends events and lets seconds pass; and the notes, with the time.
type Row<'a, A> = (&'a str, &'a [(fn(&ActorRef<A>), u64)], &'a [&'a str]);

/// Asserts that actors that follow these scripts note this.
async fn follow<A: Actor>(make: fn(Journal) -> A, rows: &[Row<'_, A>]) {
    for (rule, script, expected) in rows {
        let (sys, actor, journal) = journaled(make);
        for (tell, passes) in *script {
            tell(&actor);
            sys.sleep(seconds(*passes)).await;
        }
        assert_eq!(journal.noted(), *expected, "{rule}");
        let passed = script.iter().map(|(_, passes)| *passes).sum();
        assert!(sys.now() >= seconds(passed), "{rule}");
    }
}

struct Clock {
    journal: Journal,
    timer: Option<Timer>,
}

#[actor]
impl Clock {
    #[on]
    fn arm(&mut self, arm: Arm, cx: &mut Context<Self>) {
        self.timer = Some(cx.after(seconds(arm.1), Tick(arm.0)));
    }

    #[on]
    fn repeat(&mut self, repeat: Repeat, cx: &mut Context<Self>) {
        self.timer = Some(cx.every(seconds(repeat.1), Tick(repeat.0)));
    }

    #[on]
    fn cancel(&mut self, _: Cancel, cx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
    }

    #[on]
    async fn nap(&mut self, nap: Nap, cx: &mut Context<Self>) {
        cx.sleep(seconds(nap.0)).await;
        note(&self.journal, "awake", cx.now());
    }

    #[on]
    fn tick(&mut self, tick: Tick, cx: &mut Context<Self>) {
        note(&self.journal, tick.0, cx.now());
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

impl Clock {
    fn new(journal: Journal) -> Self {
        let timer = None;
        Self { journal, timer }
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_fires_when_it_is_due_until_it_is_cancelled() {
    let rows: [Row<'_, Clock>; 6] = [
        (
            "in the order of deadlines",
            &[
                (|clock| clock.tell(Arm("late", 3)), 0),
                (|clock| clock.tell(Arm("early", 1)), 5),
            ],
            &["1 early", "3 late"],
        ),
        (
            "a periodic one until it is cancelled",
            &[
                (|clock| clock.tell(Repeat("tick", 2)), 7),
                (|clock| clock.tell(Cancel), 7),
            ],
            &["2 tick", "4 tick", "6 tick"],
        ),
        (
            "a cancelled one never",
            &[
                (|clock| clock.tell(Arm("never", 1)), 0),
                (|clock| clock.tell(Cancel), 5),
            ],
            &[],
        ),
        (
            "while the actor naps, first the cancel and then the timer's event enter its inbox",
            &[
                (|clock| clock.tell(Arm("unread", 2)), 0),
                (|clock| clock.tell(Nap(4)), 0),
                (|clock| clock.tell(Cancel), 10),
            ],
            &["4 awake"],
        ),
        (
            "what fires during a nap waits in the inbox",
            &[
                (|clock| clock.tell(Arm("waited", 2)), 0),
                (|clock| clock.tell(Nap(4)), 10),
            ],
            &["4 awake", "4 waited"],
        ),
        (
            "a slow actor has one unread tick",
            &[
                (|clock| clock.tell(Repeat("tick", 2)), 0),
                (|clock| clock.tell(Nap(9)), 13),
            ],
            &["9 awake", "9 tick", "10 tick", "12 tick"],
        ),
    ];
    follow(Clock::new, &rows).await;
}

#[derive(Debug)]
struct Later;
#[derive(Debug)]
struct Sleepy;

/// Keeps a deferred event, while a timer fires that will be cancelled.
struct Sleeper(Journal);

#[actor(states(Asleep(defer(Later)), Awake))]
impl Sleeper {
    #[on(Asleep)]
    async fn sleepy(&mut self, _: Sleepy, cx: &mut Context<Self>) {
        let cancelled = cx.after(seconds(1), Tick("cancelled"));
        cx.after(seconds(1), Tick("due"));
        cx.sleep(seconds(2)).await;
        cx.cancel(cancelled);
    }

    #[on]
    fn tick(&mut self, tick: Tick, cx: &mut Context<Self>) {
        self.0.note(tick.0);
        cx.goto(SleeperState::Awake);
    }

    #[on(Awake)]
    fn later(&mut self, _: Later) {
        self.0.note("later");
    }
}

#[tokio::test(start_paused = true)]
async fn cancel_removes_the_fired_event_behind_a_deferred_one() {
    let (sys, sleeper, journal) = journaled(Sleeper);
    sleeper.tell(Later);
    sleeper.tell(Sleepy);
    sys.sleep(seconds(10)).await;
    journal.expect(["due", "later"]);
}

#[tokio::test(start_paused = true)]
async fn timers_end_with_their_actor_and_are_no_dead_letters() {
    let (sys, journal) = (System::new(), Journal::new());
    let of_the_system = tasks();
    let clock = sys.spawn(Clock::new(journal.clone()));
    clock.tell(Arm("never", 1));
    clock.tell(Repeat("neither", 1));
    clock.tell(Nap(3));
    clock.tell(Halt);
    sys.sleep(seconds(5)).await;
    journal.expect(["3 awake"]);
    idle().await;
    assert_eq!(live(&sys).dead_letters(), 0);
    assert_eq!(tasks(), of_the_system);
}

#[derive(Debug)]
struct Explode;

impl Clone for Explode {
    fn clone(&self) -> Self {
        panic!("can't be copied");
    }
}

/// Has a periodic event that can't be copied, and the longest possible periods and delays.
struct Fuse;

#[actor]
impl Fuse {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(seconds(1), Explode);
        for period in [Duration::MAX, Duration::MAX - Duration::from_nanos(1)] {
            cx.every(period, Tick("all time has passed"));
            cx.after(period, Tick("all time has passed"));
        }
    }

    #[on]
    fn explode(&mut self, _: Explode) {}

    #[on]
    fn tick(&mut self, tick: Tick) {
        panic!("{}", tick.0);
    }

    #[on]
    fn halt(&mut self, _: Halt) {}
}

#[tokio::test(start_paused = true)]
async fn an_event_that_can_t_be_copied_is_reported_and_no_period_is_too_long() {
    let (sys, failures) = system();
    let fuse = sys.spawn(Fuse);
    sys.sleep(seconds(1_000_000)).await;
    failures.expect(["Background: can't be copied"]);
    assert_eq!(fuse.ask(Halt).await, Ok(()));
}

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
        cx.timer().until_state_left().after(seconds(10), LeftOpen);
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
        note(&self.0, "left open", cx.now());
        cx.goto(DoorState::Closed);
    }

    #[on]
    fn knock(&mut self, _: Knock, cx: &mut Context<Self>) {
        cx.timer().until_event().after(seconds(3), Quiet);
    }

    #[on]
    fn quiet(&mut self, _: Quiet, cx: &mut Context<Self>) {
        note(&self.0, "quiet", cx.now());
    }

    #[on]
    async fn wait(&mut self, _: Await, cx: &mut Context<Self>) {
        self.knock(Knock, cx);
        cx.receive::<Delivery>().await;
    }

    #[on]
    fn delivery(&mut self, _: Delivery) {}
}

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_with_its_state_or_the_next_event() {
    let rows: [Row<'_, Door>; 5] = [
        (
            "that of a state ends with its state",
            &[
                (|door| door.tell(Open), 6),
                (|door| door.tell(Close), 0),
                (|door| door.tell(Open), 12),
            ],
            &["16 left open"],
        ),
        (
            "that of a state begins anew if the same state is entered again",
            &[(|door| door.tell(Open), 6), (|door| door.tell(Again), 20)],
            &["16 left open"],
        ),
        (
            "that between events fires if nothing is handled: the second event is ignored",
            &[(|door| door.tell(Knock), 2), (|door| door.tell(Close), 2)],
            &["3 quiet"],
        ),
        (
            "that between events ends with the next event; \
             the door was opened at 2, and the last knock's timeout comes before the door's",
            &[
                (|door| door.tell(Knock), 2),
                (|door| door.tell(Open), 4),
                (|door| door.tell(Knock), 2),
                (|door| door.tell(Knock), 10),
            ],
            &["11 quiet", "12 left open"],
        ),
        (
            "that between events ends with an event that is received",
            &[
                (|door| door.tell(Await), 1),
                (|door| door.tell(Delivery), 10),
            ],
            &[],
        ),
    ];
    follow(Door, &rows).await;
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
        cx.timer().named("rest").after(seconds(20), Quiet);
    }

    #[on(Idle)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(ClientState::Asking);
    }

    #[entry(Asking)]
    fn ask(&mut self, cx: &mut Context<Self>) {
        let give_up = cx.timer().named("give up").until_state_left();
        give_up.after(seconds(10), GiveUp);
        self.wait(cx);
    }

    fn wait(&mut self, cx: &mut Context<Self>) {
        let retry = cx.timer().named("retry").until_state_left();
        retry.after(seconds(3), Retry);
    }

    #[on(Asking)]
    fn retry(&mut self, _: Retry, cx: &mut Context<Self>) {
        note(&self.0, "retry", cx.now());
        self.wait(cx);
    }

    #[on(Asking)]
    fn pause(&mut self, _: Pause, cx: &mut Context<Self>) {
        cx.cancel("retry");
        cx.cancel("unknown");
    }

    #[on(Asking)]
    fn give_up(&mut self, _: GiveUp, cx: &mut Context<Self>) {
        note(&self.0, "give up", cx.now());
        cx.goto(ClientState::Idle);
    }

    #[on(Asking)]
    fn answer(&mut self, _: Answer, cx: &mut Context<Self>) {
        cx.goto(ClientState::Idle);
    }

    #[on]
    fn quiet(&mut self, _: Quiet, cx: &mut Context<Self>) {
        note(&self.0, "rest", cx.now());
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_has_several_timeouts_by_name() {
    let rows: [Row<'_, Client>; 3] = [
        (
            "each fires at its time",
            &[(|client| client.tell(Open), 30)],
            &["3 retry", "6 retry", "9 retry", "10 give up", "20 rest"],
        ),
        (
            "they end with their state, and others do not",
            &[
                (|client| client.tell(Open), 5),
                (|client| client.tell(Answer), 30),
            ],
            &["3 retry", "20 rest"],
        ),
        (
            "one is cancelled by its name",
            &[
                (|client| client.tell(Open), 1),
                (|client| client.tell(Pause), 30),
            ],
            &["10 give up", "20 rest"],
        ),
    ];
    follow(Client, &rows).await;
}

/// A tick that has fired while the actor was busy is removed when the timer ends.
struct Busy(Journal);

#[actor(states(First, Second))]
impl Busy {
    #[on(First)]
    async fn nap(&mut self, nap: Nap, cx: &mut Context<Self>) {
        let tick = cx.timer().named("tick").until_state_left();
        tick.every(seconds(1), Tick("tick"));
        cx.sleep(seconds(nap.0)).await;
        cx.goto(BusyState::Second);
    }

    #[on]
    fn tick(&mut self, tick: Tick, cx: &mut Context<Self>) {
        note(&self.0, tick.0, cx.now());
    }
}

#[tokio::test(start_paused = true)]
async fn an_unread_tick_ends_with_its_timer() {
    let rule = "there is none in the next state";
    follow(Busy, &[(rule, &[(|busy| busy.tell(Nap(5)), 10)], &[])]).await;
}
