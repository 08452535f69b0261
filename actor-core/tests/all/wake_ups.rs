//! No lost wake-ups: an actor checks its inbox whenever there may be something in it.

use crate::support::{Journal, idle};
use actor_core::prelude::*;
use tokio::sync::oneshot;

#[derive(Debug)]
struct Wait(oneshot::Receiver<()>);
#[derive(Debug)]
struct Note(u32);

#[derive(Debug)]
struct CountDown(u32);

struct Waiter {
    journal: Journal,
}

#[actor]
impl Waiter {
    #[on]
    async fn wait(&mut self, wait: Wait) {
        let _ = wait.0.await;
        self.journal.note("waited");
    }

    #[on]
    fn note(&mut self, note: Note) {
        self.journal.note(format!("note {}", note.0));
    }

    #[on]
    fn count_down(&mut self, left: CountDown, cx: &mut Context<Self>) {
        self.journal.note(format!("{} left", left.0));
        if left.0 > 0 {
            cx.me().tell(CountDown(left.0 - 1));
        }
    }
}

fn waiter(sys: &System) -> (ActorRef<Waiter>, Journal) {
    let journal = Journal::new();
    let waiter = sys.spawn(Waiter {
        journal: journal.clone(),
    });
    (waiter, journal)
}

#[tokio::test(start_paused = true)]
async fn what_comes_while_an_async_handler_waits_is_handled_after_it() {
    let sys = System::new();
    let (waiter, journal) = waiter(&sys);
    let (go_on, wait) = oneshot::channel();
    waiter.tell(Wait(wait));
    idle().await;
    waiter.tell(Note(1));
    idle().await;
    go_on.send(()).unwrap();
    idle().await;
    journal.expect(["waited", "note 1"]);
}

/// An actor begins to send to itself at each inbox length: at some length it yields between two events.
#[tokio::test(start_paused = true)]
async fn what_comes_when_an_actor_lets_others_run_is_handled() {
    for before in 0..300 {
        let sys = System::new();
        let (waiter, journal) = waiter(&sys);
        for number in 0..before {
            waiter.tell(Note(number));
        }
        waiter.tell(CountDown(5));
        idle().await;
        let notes = (0..before).map(|number| format!("note {number}"));
        let counts = (0..=5).rev().map(|left| format!("{left} left"));
        journal.expect(notes.chain(counts).collect::<Vec<_>>());
    }
}
