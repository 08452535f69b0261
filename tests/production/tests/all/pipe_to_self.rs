//! Futures that are piped to an actor.

use std::time::Duration;

use crate::support::{Halt, Journal, idle, journaled, later, live};
use actor_core::Piped;
use actor_core::prelude::*;

#[derive(Debug)]
struct Fetch(u64);
#[derive(Debug)]
struct Fetched(u64);
#[derive(Debug)]
struct Explode;

struct Token(Journal);

impl Drop for Token {
    fn drop(&mut self) {
        self.0.note("token dropped");
    }
}

/// Takes these seconds, which it returns, and has a token.
fn slow(journal: &Journal, seconds: u64) -> impl Future<Output = u64> + use<> {
    let token = Token(journal.clone());
    async move {
        let _token = token;
        later(seconds).await;
        seconds
    }
}

struct Fetcher(Journal);

#[actor]
impl Fetcher {
    #[on]
    fn fetch(&mut self, fetch: Fetch, cx: &mut Context<Self>) {
        self.0.note("fetch");
        cx.pipe_to_self(slow(&self.0, fetch.0), Fetched);
    }

    #[on]
    fn explode(&mut self, _: Explode, cx: &mut Context<Self>) {
        cx.pipe_to_self(async { panic!("exploded") }, |()| Fetched(0));
    }

    #[on]
    fn fetched(&mut self, fetched: Fetched) {
        self.0.note(format!("fetched {}", fetched.0));
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

#[tokio::test(start_paused = true)]
async fn the_actor_goes_on_meanwhile() {
    let (sys, fetcher, journal) = journaled(Fetcher);
    fetcher.tell(Fetch(2));
    fetcher.tell(Fetch(1));
    sys.sleep(Duration::from_secs(3)).await;
    let fetched = ["token dropped", "fetched 1", "token dropped", "fetched 2"];
    journal.expect([&["fetch", "fetch"][..], &fetched].concat());
}

#[tokio::test(start_paused = true)]
async fn the_future_is_dropped_with_the_actor() {
    let (sys, fetcher, journal) = journaled(Fetcher);
    fetcher.tell(Fetch(2));
    idle().await;
    fetcher.tell(Halt);
    idle().await;
    journal.expect(["fetch", "token dropped"]);
    sys.sleep(Duration::from_secs(3)).await;
    assert_eq!(live(&sys).dead_letters(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_future_is_reported_and_the_actor_goes_on() {
    let (sys, fetcher, journal) = journaled(Fetcher);
    let noted = journal.clone();
    live(&sys).on_failure(move |failure| {
        noted.note(format!("{:?} {}", failure.kind, failure.message));
    });
    fetcher.tell(Explode);
    idle().await;
    journal.expect(["Background exploded"]);
    assert_eq!(fetcher.ask(Fetched(7)).await, Ok(()));
}

#[derive(Debug)]
struct Dial(u64);
#[derive(Debug)]
struct Connected(u64);
#[derive(Debug)]
struct Again;
#[derive(Debug)]
struct HangUp;
#[derive(Debug)]
struct Nap;

/// Dials in one state; the result of an earlier dial is ignored.
struct Connection(Journal, Option<Piped>);

#[actor(states(Idle, Connecting))]
impl Connection {
    /// Pipes one future within the state that is entered, and one independent of it.
    #[on]
    fn dial(&mut self, dial: Dial, cx: &mut Context<Self>) {
        cx.pipe_to_state(slow(&self.0, dial.0), Connected);
        let beside = slow(&self.0, dial.0);
        self.1 = Some(cx.pipe(beside, |seconds| Connected(seconds + 100)));
    }

    #[on]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        cx.goto(ConnectionState::Connecting);
    }

    #[on]
    fn hang_up(&mut self, _: HangUp, cx: &mut Context<Self>) {
        if let Some(beside) = self.1.take() {
            cx.cancel_pipe(beside);
        }
    }

    /// The results arrive meanwhile, and are not handled yet.
    #[on]
    async fn nap(&mut self, _: Nap, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(2)).await;
        self.0.note("napped");
        self.hang_up(HangUp, cx);
        cx.goto(ConnectionState::Connecting);
    }

    #[on]
    fn connected(&mut self, connected: Connected) {
        self.0.note(format!("connected {}", connected.0));
    }
}

fn connection() -> (System, ActorRef<Connection>, Journal) {
    journaled(|journal| Connection(journal, None))
}

#[tokio::test(start_paused = true)]
async fn a_piped_future_ends_with_its_state_or_is_cancelled() {
    let (sys, connection, journal) = connection();
    connection.tell(Dial(1));
    idle().await;
    connection.tell(Again);
    idle().await;
    journal.expect(["token dropped"]);
    connection.tell(HangUp);
    idle().await;
    journal.expect(["token dropped"]);
    sys.sleep(Duration::from_secs(2)).await;
    journal.expect::<&str>([]);
    // Without a change of state, both results arrive; cancelling a finished pipe has no effect.
    connection.tell(Dial(1));
    sys.sleep(Duration::from_secs(2)).await;
    let mut answers = journal.noted();
    answers.retain(|note| note != "token dropped");
    assert_eq!(answers, ["connected 1", "connected 101"]);
    connection.tell(HangUp);
    connection.tell(Again);
    idle().await;
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_has_come_is_removed_with_its_future() {
    let (sys, connection, journal) = connection();
    connection.tell(Dial(0));
    idle().await;
    let answers = journal.noted();
    assert!(answers.contains(&"connected 0".into()), "{answers:?}");
    connection.tell(Dial(1));
    idle().await;
    connection.tell(Nap);
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect(["token dropped", "token dropped", "napped"]);
    assert_eq!(live(&sys).dead_letters(), 0);
}
