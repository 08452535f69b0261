//! Word of an actor's end.

use std::time::Duration;

use crate::support::{Journal, idle};
use actor_core::prelude::*;

#[derive(Debug)]
struct Halt;
#[derive(Debug)]
struct Break;
#[derive(Debug)]
struct Stuck;

struct Mortal;

#[actor]
impl Mortal {
    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }

    #[on]
    async fn stuck(&mut self, _: Stuck) {
        std::future::pending::<()>().await;
    }
}

#[derive(Debug)]
struct Watch(ActorRef<Mortal>);

struct Mourner {
    journal: Journal,
}

#[actor]
impl Mourner {
    #[on]
    fn watch(&mut self, watch: Watch, cx: &mut Context<Self>) {
        cx.watch(&watch.0);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.journal.note(format!("{:?}", end.reason));
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn mourner(sys: &System) -> (ActorRef<Mourner>, Journal) {
    let journal = Journal::new();
    let mourner = sys.spawn(Mourner {
        journal: journal.clone(),
    });
    (mourner, journal)
}

#[tokio::test(start_paused = true)]
async fn a_watcher_hears_of_a_halt() {
    let sys = System::new();
    let (mourner, journal) = mourner(&sys);
    let mortal = sys.spawn(Mortal);
    mourner.tell(Watch(mortal.clone()));
    idle().await;
    journal.expect::<&str>([]);
    mortal.tell(Halt);
    idle().await;
    journal.expect(["Halted"]);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_hears_of_a_panic() {
    let sys = System::new();
    let (mourner, journal) = mourner(&sys);
    let mortal = sys.spawn(Mortal);
    mourner.tell(Watch(mortal.clone()));
    idle().await;
    mortal.tell(Break);
    idle().await;
    journal.expect(["Failed"]);
}

#[tokio::test(start_paused = true)]
async fn a_late_watcher_hears_at_once() {
    let sys = System::new();
    let (mourner, journal) = mourner(&sys);
    let mortal = sys.spawn(Mortal);
    mortal.tell(Halt);
    idle().await;
    mourner.tell(Watch(mortal));
    idle().await;
    journal.expect(["Halted"]);
}

#[tokio::test(start_paused = true)]
async fn every_watcher_hears_and_one_that_is_gone_does_not() {
    let sys = System::new();
    let (first, first_journal) = mourner(&sys);
    let (second, second_journal) = mourner(&sys);
    let mortal = sys.spawn(Mortal);
    first.tell(Watch(mortal.clone()));
    second.tell(Watch(mortal.clone()));
    first.tell(Halt);
    idle().await;
    mortal.tell(Halt);
    idle().await;
    first_journal.expect::<&str>([]);
    second_journal.expect(["Halted"]);
    assert_eq!(sys.as_live().unwrap().dead_letters(), 0);
}

/// The mourner is of another system, so it is still there when the mortal is aborted.
#[tokio::test(start_paused = true)]
async fn a_watcher_hears_of_an_abort() {
    let sys = System::new();
    let other = System::new();
    let (mourner, journal) = mourner(&other);
    let mortal = sys.spawn(Mortal);
    mortal.tell(Stuck);
    mourner.tell(Watch(mortal));
    idle().await;
    sys.shutdown_within(Duration::from_secs(1))
        .await
        .unwrap_err();
    idle().await;
    journal.expect(["Aborted"]);
}
