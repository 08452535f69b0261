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
        cx.state_timeout(Duration::from_secs(10), LeftOpen);
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
        cx.event_timeout(Duration::from_secs(3), Quiet);
    }

    #[on]
    fn quiet(&mut self, _: Quiet, cx: &mut Context<Self>) {
        self.note("quiet", cx.now());
    }

    #[on]
    async fn wait(&mut self, _: Await, cx: &mut Context<Self>) {
        cx.event_timeout(Duration::from_secs(3), Quiet);
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
        cx.named_timeout("rest", Duration::from_secs(20), Quiet);
    }

    #[on(Idle)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(ClientState::Asking);
    }

    #[entry(Asking)]
    fn ask(&mut self, cx: &mut Context<Self>) {
        cx.named_state_timeout("give up", Duration::from_secs(10), GiveUp);
        cx.named_state_timeout("retry", Duration::from_secs(3), Retry);
    }

    #[on(Asking)]
    fn retry(&mut self, _: Retry, cx: &mut Context<Self>) {
        self.note("retry", cx.now());
        cx.named_state_timeout("retry", Duration::from_secs(3), Retry);
    }

    #[on(Asking)]
    fn pause(&mut self, _: Pause, cx: &mut Context<Self>) {
        cx.cancel_timeout("retry");
        cx.cancel_timeout("unknown");
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
