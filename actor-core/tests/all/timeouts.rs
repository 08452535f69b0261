//! Timeouts of states and between events, on a paused clock that advances only when everything waits.

use std::time::Duration;

use crate::support::{Journal, journaled};
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
        note(&self.0, "left open", cx.now());
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
        note(&self.0, "quiet", cx.now());
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

fn note(journal: &Journal, what: &str, now: Duration) {
    journal.note(format!("{} {what}", now.as_secs()));
}

/// Sends an event; the seconds pass afterwards.
type Step<A> = (fn(&ActorRef<A>), u64);

/// Follows a script with an actor; returns its journal.
async fn noted<A: Actor>(make: fn(Journal) -> A, script: &[Step<A>]) -> Vec<String> {
    let (sys, actor, journal) = journaled(make);
    for (tell, seconds) in script {
        tell(&actor);
        sys.sleep(Duration::from_secs(*seconds)).await;
    }
    journal.noted()
}

/// A rule, a script, and the journal that it leads to.
type Row<'a, A> = (&'a str, &'a [Step<A>], &'a [&'a str]);

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_with_its_state_or_the_next_event() {
    let rows: [Row<'_, Door>; 6] = [
        (
            "that of a state fires if the state lasts",
            &[(|door| door.tell(Open), 20)],
            &["10 left open"],
        ),
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
    for (rule, script, expected) in rows {
        assert_eq!(noted(Door, script).await, expected, "{rule}");
    }
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
        let retry = cx.timer().named("retry").until_state_left();
        retry.after(Duration::from_secs(3), Retry);
    }

    #[on(Asking)]
    fn retry(&mut self, _: Retry, cx: &mut Context<Self>) {
        note(&self.0, "retry", cx.now());
        let retry = cx.timer().named("retry").until_state_left();
        retry.after(Duration::from_secs(3), Retry);
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
    for (rule, script, expected) in rows {
        assert_eq!(noted(Client, script).await, expected, "{rule}");
    }
}

#[derive(Clone, Debug)]
struct Tick;
#[derive(Debug)]
struct Poke;

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
    assert_eq!(noted(Busy, &[(|busy| busy.tell(Poke), 10)]).await, [""; 0]);
}
