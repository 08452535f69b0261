//! Futures beside an actor.

use std::time::Duration;

use crate::support::{Journal, idle};
use actor_core::prelude::*;

#[derive(Debug)]
struct Fetch(u64);
#[derive(Debug)]
struct Explode;
#[derive(Debug)]
struct Fetched(u64);
#[derive(Debug)]
struct Halt;

/// Notes that it was dropped.
struct Token(Journal);

impl Drop for Token {
    fn drop(&mut self) {
        self.0.note("token dropped");
    }
}

struct Fetcher {
    journal: Journal,
}

#[actor]
impl Fetcher {
    #[on]
    fn fetch(&mut self, fetch: Fetch, cx: &mut Context<Self>) {
        self.journal.note("fetch");
        let token = Token(self.journal.clone());
        let seconds = fetch.0;
        let future = async move {
            let _token = token;
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            seconds
        };
        cx.pipe_to_self(future, Fetched);
    }

    #[on]
    fn explode(&mut self, _: Explode, cx: &mut Context<Self>) {
        cx.pipe_to_self(async { panic!("exploded") }, |()| Fetched(0));
    }

    #[on]
    fn fetched(&mut self, fetched: Fetched) {
        self.journal.note(format!("fetched {}", fetched.0));
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn fetcher(sys: &System) -> (ActorRef<Fetcher>, Journal) {
    let journal = Journal::new();
    let fetcher = sys.spawn(Fetcher {
        journal: journal.clone(),
    });
    (fetcher, journal)
}

#[tokio::test(start_paused = true)]
async fn the_actor_goes_on_meanwhile() {
    let sys = System::new();
    let (fetcher, journal) = fetcher(&sys);
    fetcher.tell(Fetch(2));
    fetcher.tell(Fetch(1));
    sys.sleep(Duration::from_secs(3)).await;
    let order = [
        "fetch",
        "fetch",
        "token dropped",
        "fetched 1",
        "token dropped",
        "fetched 2",
    ];
    journal.expect(order);
}

#[tokio::test(start_paused = true)]
async fn the_future_is_dropped_with_the_actor() {
    let sys = System::new();
    let (fetcher, journal) = fetcher(&sys);
    fetcher.tell(Fetch(2));
    idle().await;
    fetcher.tell(Halt);
    idle().await;
    journal.expect(["fetch", "token dropped"]);
    sys.sleep(Duration::from_secs(3)).await;
    assert_eq!(sys.as_live().unwrap().dead_letters(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_future_is_reported_and_the_actor_goes_on() {
    let sys = System::new();
    let (fetcher, journal) = fetcher(&sys);
    let noted = journal.clone();
    let live = sys.as_live().unwrap();
    live.on_failure(move |failure| noted.note(format!("{:?} {}", failure.kind, failure.message)));
    fetcher.tell(Explode);
    idle().await;
    journal.expect(["Background exploded"]);
    assert_eq!(fetcher.ask(Fetched(7)).await, Ok(()));
}
