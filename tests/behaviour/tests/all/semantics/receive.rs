//! `receive`: waiting for one kind of event within a handler, on both executors.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use actor_core::forever;
use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::story::{Effect, Selection, Step};
use behaviour::harness::events::Go;
use behaviour::harness::{Journal, assert_contains, contract, failure_text, in_production};
use futures_util::future::join;

use super::follows;

#[derive(Debug)]
struct Pay;
#[derive(Debug)]
struct Coin(u32);
#[derive(Debug)]
struct Other(u32);
#[derive(Debug)]
struct Wait;

/// Defers coins until `Go`.
struct Till(Journal);

#[actor(states(Locked(defer(Coin)), Unlocked))]
impl Till {
    #[on]
    async fn pay(&mut self, _: Pay, cx: &mut Context<Self>) {
        self.0.note("pay");
        let first = cx.receive::<Coin>().await;
        let second = cx.receive::<Coin>().await;
        self.0.note(format!("paid {} {}", first.0, second.0));
    }

    #[on]
    async fn wait(&mut self, _: Wait, cx: &mut Context<Self>) {
        let coin = forever(cx.receive::<Coin>()).await;
        self.0.note(format!("waited for {}", coin.0));
    }

    #[on(Unlocked)]
    fn coin(&mut self, coin: Coin) {
        self.0.note(format!("coin {}", coin.0));
    }

    #[on]
    fn other(&mut self, other: Other) {
        self.0.note(format!("other {}", other.0));
    }

    #[on]
    fn unlock(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(TillState::Unlocked);
    }
}

#[test]
fn a_till_takes_the_coins_that_it_waits_for() {
    follows(
        Till,
        &[
            (
                "a wait that may last for ever ends as any other",
                |till| {
                    till.tell(Wait);
                    till.tell(Other(1));
                    till.tell(Coin(5));
                },
                "waited for 5, other 1",
            ),
            (
                "others stay in the inbox in their order",
                |till| {
                    till.tell(Pay);
                    till.tell(Other(1));
                    till.tell(Coin(1));
                    till.tell(Other(2));
                    till.tell(Other(3));
                    till.tell(Coin(2));
                    till.tell(Other(4));
                },
                "pay, paid 1 2, other 1, other 2, other 3, other 4",
            ),
            (
                "deferred events are received first",
                |till| {
                    (1..=3).for_each(|coin| till.tell(Coin(coin)));
                    till.tell(Pay);
                    till.tell(Coin(4));
                    till.tell(Go);
                },
                "pay, paid 1 2, coin 3, coin 4",
            ),
        ],
    );
}

#[test]
fn a_shutdown_waits_behind_a_receive() {
    contract(&["pay, paid 1 2"], async |sys| {
        let journal = Journal::default();
        let till = sys.spawn(Till(journal.clone()));
        till.tell(Pay);
        let coins = async { (1..=2).for_each(|coin| till.tell(Coin(coin))) };
        let (done, ()) = join(sys.shutdown(), coins).await;
        done.expect("it stops");
        journal.take().join(", ")
    });
}

/// The actor has read all events of a round before the next one; under test, there are too many orders.
#[test]
fn deferred_events_keep_their_order_while_others_come() {
    let notes = in_production(async |sys| {
        let journal = Journal::default();
        let till = sys.spawn(Till(journal.clone()));
        for round in 1..=4 {
            till.tell(Coin(round)); // deferred
            till.tell(Other(round));
            till.tell(Other(round + 10));
            sys.sleep(Duration::from_nanos(1)).await;
        }
        journal.expect([
            "other 1", "other 11", "other 2", "other 12", "other 3", "other 13", "other 4",
            "other 14",
        ]);
        till.tell(Go);
        till.stop().await;
        journal.take()
    });
    assert_eq!(notes, ["coin 1", "coin 2", "coin 3", "coin 4"]);
}

#[derive(Debug)]
struct Peek;
#[derive(Debug)]
struct PeekByHand;

/// Begins to wait for a coin, and cancels the wait at once; by hand, the wait has a waker of its own, as a
/// collection of futures has.
struct Impatient(Journal);

#[actor]
impl Impatient {
    #[on]
    async fn peek(&mut self, _: Peek, cx: &mut Context<Self>) {
        {
            let mut coin = pin!(cx.receive::<Coin>());
            let taken = poll_fn(|task| Poll::Ready(coin.as_mut().poll(task).is_ready())).await;
            self.0.note(if taken { "coin" } else { "no coin" });
        }
        cx.sleep(Duration::from_millis(1)).await;
    }

    #[on]
    async fn peek_by_hand(&mut self, _: PeekByHand, cx: &mut Context<Self>) {
        let mut coin = pin!(cx.receive::<Coin>());
        let mut own = TaskContext::from_waker(Waker::noop());
        assert!(coin.as_mut().poll(&mut own).is_pending());
        self.0.note("no coin");
    }

    #[on]
    async fn pay(&mut self, _: Pay, cx: &mut Context<Self>) {
        let coin = cx.receive::<Coin>().await;
        self.0.note(format!("paid {}", coin.0));
    }

    #[on]
    fn other(&mut self, other: Other) {
        self.0.note(format!("other {}", other.0));
    }

    #[on]
    fn coin(&mut self, _: Coin) {
        self.0.note("coin");
    }
}

#[test]
fn a_receive_may_be_given_up() {
    contract(&["no coin, other 1, paid 1, other 2"], async |sys| {
        let journal = Journal::default();
        let impatient = sys.spawn(Impatient(journal.clone()));
        impatient.ask(Peek).await.expect("it answers");
        impatient.tell(Other(1));
        impatient.tell(Pay);
        impatient.tell(Other(2));
        impatient.tell(Coin(1));
        impatient.stop().await;
        journal.take().join(", ")
    });
    // The event remains for the next handler.
    contract(&["1 coin"], async |sys| {
        let journal = Journal::default();
        let impatient = sys.spawn(Impatient(journal.clone()));
        impatient.tell(Peek);
        impatient.tell(Coin(1));
        impatient.stop().await;
        let notes = journal.take();
        let coins = notes.iter().filter(|note| *note == "coin");
        format!("{} coin", coins.count())
    });
}

#[test]
fn who_waits_with_a_waker_of_its_own_leaves_the_actor_awake() {
    let notes = in_production(async |sys| {
        let journal = Journal::default();
        let impatient = sys.spawn(Impatient(journal.clone()));
        for _ in 0..3 {
            impatient.tell(PeekByHand);
            sys.sleep(Duration::from_nanos(1)).await;
        }
        journal.take()
    });
    assert_eq!(notes, ["no coin"; 3]);
}

#[derive(Debug)]
struct Parcel(u32);
#[derive(Debug)]
struct Key;

/// Goes down at `Go`, and needs a key for every other parcel.
struct Cellar(Journal);

#[actor(
    states(Upstairs(defer(Key, Parcel)), Downstairs(defer(Key))),
    receive(Key)
)]
impl Cellar {
    #[on(Upstairs)]
    fn go_down(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(CellarState::Downstairs);
    }

    #[on(Downstairs)]
    async fn parcel(&mut self, parcel: Parcel, cx: &mut Context<Self>) {
        if parcel.0 == 1 {
            cx.receive::<Key>().await;
        }
        self.0.note(format!("parcel {}", parcel.0));
    }
}

#[test]
fn taking_a_deferred_event_leaves_those_behind_it_in_sight() {
    let key_first: fn(&ActorRef<Cellar>) = |cellar| {
        cellar.tell(Key);
        cellar.tell(Parcel(1));
        cellar.tell(Parcel(2));
        cellar.tell(Go);
    };
    let rule = "the key is before both parcels";
    follows(Cellar, &[(rule, key_first, "parcel 1, parcel 2")]);
}

/// Counts the coins that are taken, whether a handler awaited them or not.
#[derive(Debug, Default)]
struct Counted {
    coins: u32,
}

#[monitor(cold(Quiet))]
impl Counted {
    #[on(handled)]
    fn coin(&mut self, _: &Coin) {
        self.coins += 1;
        assert!(self.coins < 3, "the third coin");
    }
}

fn three_coins(sys: &System) {
    let till = sys.spawn(Till(Journal::default()));
    till.tell(Pay);
    till.tell(Coin(1));
    till.tell(Coin(2));
    till.tell(Go);
    till.tell(Coin(3));
}

/// A monitor of handled events sees those that `receive` takes, as in production; and the story says where each
/// was from.
#[test]
fn what_is_received_is_handled() {
    let report = Tester::new().iterations(50).run(|sys| {
        sys.monitor::<Counted>();
        three_coins(&sys);
    });
    let story = &report.assert_bug("the third coin").trace.story;
    let received = |step: &&Step| {
        step.effects
            .iter()
            .any(|effect| matches!(effect, Effect::Received { .. }))
    };
    let number = story
        .steps
        .iter()
        .rfind(received)
        .expect("a coin is received")
        .number;
    let mut causes = Selection::default();
    causes.causes_of = Some(number);
    let led = causes.of(story).expect("the step is there");
    assert!(
        led.steps.iter().any(|step| step.sent().next().is_some()),
        "{led:?}"
    );
    assert_contains(
        &failure_text(&report),
        &["receives Coin(1) of step ", "receives Coin(2) of step "],
    );
}
