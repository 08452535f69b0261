//! Watches and links: notifications of an actor's end.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
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
#[derive(Debug)]
struct Unwatch(ActorRef<Mortal>);
#[derive(Debug)]
struct Link(ActorRef<Mortal>);
#[derive(Debug)]
struct Unlink(ActorRef<Mortal>);

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
    fn unwatch(&mut self, unwatch: Unwatch, cx: &mut Context<Self>) {
        cx.unwatch(&unwatch.0);
    }

    #[on]
    fn link(&mut self, link: Link, cx: &mut Context<Self>) {
        cx.link(&link.0);
    }

    #[on]
    fn unlink(&mut self, unlink: Unlink, cx: &mut Context<Self>) {
        cx.unlink(&unlink.0);
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

/// The mourner belongs to another system, so it still lives when the mortal is aborted.
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

/// Polls a future once; returns `None` if it is pending.
async fn now<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let polled = poll_fn(|task| Poll::Ready(future.as_mut().poll(task))).await;
    match polled {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

fn quietly() -> System {
    let sys = System::new();
    sys.as_live().unwrap().on_failure(|_| {});
    sys
}

#[tokio::test(start_paused = true)]
async fn who_awaits_an_end_is_told_the_reason() {
    let sys = quietly();
    let [halts, fails, stops, dies] = [(); 4].map(|()| sys.spawn(Mortal));
    let ends = [&halts, &fails, &stops, &dies].map(|mortal| (mortal.stopped(), mortal.clone()));
    assert!(now(dies.stopped()).await.is_none());
    assert!(dies.is_alive());
    halts.tell(Halt);
    fails.tell(Break);
    stops.stop();
    dies.tell(Stuck);
    idle().await;
    dies.kill();
    let reasons = ["Halted", "Failed", "Stopped", "Aborted"];
    for ((end, mortal), reason) in ends.into_iter().zip(reasons) {
        assert_eq!(format!("{:?}", end.await), reason);
        assert!(!mortal.is_alive());
        let late = now(mortal.stopped()).await;
        assert_eq!(late.map(|end| format!("{end:?}")).as_deref(), Some(reason));
    }
}

#[tokio::test(start_paused = true)]
async fn stop_and_wait_handles_what_was_sent_before() {
    let sys = System::new();
    let (mourner, journal) = mourner(&sys);
    let mortal = sys.spawn(Mortal);
    mourner.tell(Watch(mortal.clone()));
    idle().await;
    mortal.tell(Halt);
    assert_eq!(mortal.stop().await, StopReason::Halted);
    assert_eq!(mourner.stop().await, StopReason::Stopped);
    journal.expect(["Halted"]);
}

#[tokio::test(start_paused = true)]
async fn who_is_brought_back_has_not_stopped() {
    let sys = quietly();
    let mortal = sys.spawn_with(|| Mortal);
    let mut end = pin!(mortal.stopped());
    for _ in 0..3 {
        mortal.tell(Break);
        idle().await;
        assert!(now(end.as_mut()).await.is_none());
        assert!(mortal.is_alive());
    }
    mortal.tell(Break);
    assert_eq!(end.await, StopReason::Exhausted);
}

#[tokio::test(start_paused = true)]
async fn an_end_comes_with_the_end_of_the_system() {
    let sys = System::new();
    let mortal = sys.spawn(Mortal);
    mortal.tell(Stuck);
    idle().await;
    let end = mortal.stopped();
    drop(sys);
    assert_eq!(end.await, StopReason::Aborted);
}

#[cfg(feature = "futures")]
#[test]
fn an_end_may_be_awaited_outside_the_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let _entered = runtime.enter();
    let sys = System::new();
    let mortal = sys.spawn_named("mortal", Mortal);
    assert_eq!(mortal.name(), "mortal");
    assert_eq!(mortal.recipient::<Halt>().name(), "mortal");
    let end = mortal.recipient::<Halt>().stopped();
    mortal.tell(Halt);
    assert_eq!(futures_executor::block_on(end), StopReason::Halted);
}

#[tokio::test(start_paused = true)]
async fn who_watches_no_more_is_not_told_and_may_watch_again() {
    let sys = System::new();
    let (mourner, journal) = mourner(&sys);
    let [forgotten, kept, again] = [(); 3].map(|()| sys.spawn(Mortal));
    for mortal in [&forgotten, &forgotten, &kept, &again] {
        mourner.tell(Watch(mortal.clone()));
    }
    mourner.tell(Unwatch(forgotten.clone()));
    mourner.tell(Unwatch(again.clone()));
    mourner.tell(Watch(again.clone()));
    idle().await;
    forgotten.tell(Halt);
    idle().await;
    journal.expect::<&str>([]);
    kept.tell(Halt);
    again.tell(Halt);
    idle().await;
    journal.expect(["Halted", "Halted"]);
}

/// After an unlink, a failure of either actor does not affect the other.
#[tokio::test(start_paused = true)]
async fn a_link_that_was_ended_shares_nothing() {
    let sys = quietly();
    let (unlinked, _) = mourner(&sys);
    let (linked, _) = mourner(&sys);
    let mortal = sys.spawn(Mortal);
    unlinked.tell(Link(mortal.clone()));
    linked.tell(Link(mortal.clone()));
    unlinked.tell(Unlink(mortal.clone()));
    idle().await;
    mortal.tell(Break);
    assert_eq!(linked.stopped().await, StopReason::Linked);
    idle().await;
    assert!(unlinked.is_alive());
}
