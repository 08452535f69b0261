//! Watches, waits for ends and waits for starts, as far as production alone has them.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::support::{Break, Halt, Journal, Mortal, Wait, fallible, idle, later, live};
use actor_core::prelude::*;
use actor_core::supervision::Backoff;
use tokio::time::Instant;

#[derive(Debug)]
struct Watch(ActorRef<Mortal>);

struct Mourner(Journal);

#[actor]
impl Mourner {
    #[on]
    fn watch(&mut self, watch: Watch, cx: &mut Context<Self>) {
        cx.watch(&watch.0);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.0.note(format!("{:?}", end.reason));
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn mourner(sys: &System) -> (ActorRef<Mourner>, Journal) {
    let journal = Journal::new();
    (sys.spawn(Mourner(journal.clone())), journal)
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
    assert_eq!(live(&sys).dead_letters(), 0);
}

/// The mourner belongs to another system, so it still lives when the mortal is aborted.
#[tokio::test(start_paused = true)]
async fn a_watcher_hears_of_an_abort() {
    let sys = System::new();
    let other = System::new();
    let (mourner, journal) = mourner(&other);
    let mortal = sys.spawn(Mortal);
    mortal.tell(Wait);
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
    poll_fn(|task| match future.as_mut().poll(task) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_over_when_a_handler_that_waits_is_killed() {
    let sys = System::new();
    let mortal = sys.spawn(Mortal);
    let end = mortal.stopped();
    mortal.tell(Wait);
    idle().await;
    assert_eq!(now(mortal.stopped()).await, None);
    mortal.kill();
    assert_eq!(end.await, StopReason::Aborted);
    assert_eq!(now(mortal.stopped()).await, Some(StopReason::Aborted));
}

/// Under test, an actor that the system gives up is a bug.
#[tokio::test(start_paused = true)]
async fn who_is_given_up_has_stopped() {
    let sys = fallible();
    let (mourner, journal) = mourner(&sys);
    let mortal = sys.spawn_with(|| Mortal);
    mourner.tell(Watch(mortal.clone()));
    let mut end = pin!(mortal.stopped());
    for _ in 0..3 {
        mortal.tell(Break);
        idle().await;
        assert!(now(end.as_mut()).await.is_none());
        assert!(mortal.is_alive());
    }
    mortal.tell(Break);
    assert_eq!(end.await, StopReason::Exhausted);
    idle().await;
    journal.expect(["Exhausted"]);
}

#[tokio::test(start_paused = true)]
async fn an_end_comes_with_the_end_of_the_system() {
    let sys = System::new();
    let mortal = sys.spawn(Mortal);
    mortal.tell(Wait);
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

/// An actor whose start takes a second, and may fail.
struct Slow {
    fails: bool,
}

#[actor]
impl Slow {
    #[start]
    async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), &'static str> {
        cx.sleep(Duration::from_secs(1)).await;
        if self.fails { Err("not yet") } else { Ok(()) }
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_tried_again_is_waited_for_each_time() {
    let sys = System::new();
    let wait = Duration::from_secs(10);
    let mut tries = 0;
    let begin = Instant::now();
    let spawner = sys.spawner().backoff(Backoff::new(wait, wait));
    let actor = spawner.spawn_with(move || {
        tries += 1;
        Slow { fails: tries < 3 }
    });
    assert_eq!(actor.started().await, Ok(()));
    assert_eq!(begin.elapsed(), Duration::from_secs(3 + 2 * 10));

    // The actor is down again: a wait from here on is for its next incarnation.
    actor.tell(Break);
    later(5).await;
    let begin = Instant::now();
    assert_eq!(actor.started().await, Ok(()));
    assert_eq!(begin.elapsed(), Duration::from_secs(6));
    assert_eq!(actor.ask(Break).await, Err(AskError::Failed));
    sys.shutdown().await.unwrap();
}
