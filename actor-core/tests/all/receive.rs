//! `receive`: waiting for one kind of event within a handler.

use std::future::Future;
use std::pin::pin;
use std::task::{Context as TaskContext, Waker};

use crate::support::{Journal, idle, journaled};
use actor_core::forever;
use actor_core::prelude::*;

#[derive(Debug)]
struct Pay;
#[derive(Debug)]
struct Coin(u32);
#[derive(Debug)]
struct Other(u32);
#[derive(Debug)]
struct Wait;
#[derive(Debug)]
struct Unlock;

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
    fn unlock(&mut self, _: Unlock, cx: &mut Context<Self>) {
        cx.goto(TillState::Unlocked);
    }
}

/// The `forever` mark has no effect in production.
#[tokio::test(start_paused = true)]
async fn a_wait_that_may_last_for_ever_ends_as_any_other() {
    let (_sys, till, journal) = journaled(Till);
    till.tell(Wait);
    till.tell(Other(1));
    idle().await;
    journal.expect::<&str>([]);
    till.tell(Coin(5));
    idle().await;
    journal.expect(["waited for 5", "other 1"]);
}

#[tokio::test(start_paused = true)]
async fn others_stay_in_the_inbox_in_their_order() {
    let (_sys, till, journal) = journaled(Till);
    till.tell(Pay);
    till.tell(Other(1));
    till.tell(Coin(1));
    till.tell(Other(2));
    idle().await;
    journal.expect(["pay"]);
    till.tell(Other(3));
    till.tell(Coin(2));
    till.tell(Other(4));
    idle().await;
    journal.expect(["paid 1 2", "other 1", "other 2", "other 3", "other 4"]);
}

#[tokio::test(start_paused = true)]
async fn deferred_events_are_received_first() {
    let (_sys, till, journal) = journaled(Till);
    till.tell(Coin(1)); // deferred
    till.tell(Coin(2)); // deferred
    till.tell(Coin(3)); // deferred
    till.tell(Pay);
    till.tell(Coin(4));
    till.tell(Unlock);
    idle().await;
    journal.expect(["pay", "paid 1 2", "coin 3", "coin 4"]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_waits_behind_a_receive() {
    let (sys, till, journal) = journaled(Till);
    till.tell(Pay);
    idle().await;
    let (done, ()) = tokio::join!(sys.shutdown(), async {
        till.tell(Coin(1));
        till.tell(Coin(2));
    });
    done.unwrap();
    journal.expect(["pay", "paid 1 2"]);
}

#[tokio::test(start_paused = true)]
async fn deferred_events_keep_their_order_while_others_come() {
    let (_sys, till, journal) = journaled(Till);
    for round in 1..=4 {
        till.tell(Coin(round)); // deferred
        till.tell(Other(round));
        till.tell(Other(round + 10));
        idle().await;
    }
    journal.expect([
        "other 1", "other 11", "other 2", "other 12", "other 3", "other 13", "other 4", "other 14",
    ]);
    till.tell(Unlock);
    idle().await;
    journal.expect(["coin 1", "coin 2", "coin 3", "coin 4"]);
}

#[derive(Debug)]
struct Peek;
#[derive(Debug)]
struct PeekByHand;

/// Begins to wait for a coin, and cancels the wait at once; by hand, the wait has a waker of its own, as a
/// collection of futures has.
struct Impatient(Journal);

#[actor(receive(Coin))]
impl Impatient {
    #[on]
    async fn peek(&mut self, _: Peek, cx: &mut Context<Self>) {
        tokio::select! {
            biased;
            coin = cx.receive::<Coin>() => self.0.note(format!("coin {}", coin.0)),
            () = std::future::ready(()) => self.0.note("no coin"),
        }
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
}

#[tokio::test(start_paused = true)]
async fn a_receive_may_be_given_up() {
    let (_sys, impatient, journal) = journaled(Impatient);
    impatient.tell(Peek);
    impatient.tell(Other(1));
    impatient.tell(Pay);
    impatient.tell(Other(2));
    idle().await;
    impatient.tell(Coin(1));
    idle().await;
    journal.expect(["no coin", "other 1", "paid 1", "other 2"]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_with_a_waker_of_its_own_leaves_the_actor_awake() {
    let (_sys, impatient, journal) = journaled(Impatient);
    for _ in 0..3 {
        impatient.tell(PeekByHand);
        idle().await;
        journal.expect(["no coin"]);
    }
}

#[derive(Debug)]
struct Move;
#[derive(Debug)]
struct Parcel(u32);
#[derive(Debug)]
struct Key;

/// Needs a key for every other parcel.
struct Cellar(Journal);

#[actor(
    states(Upstairs(defer(Key, Parcel)), Downstairs(defer(Key))),
    receive(Key)
)]
impl Cellar {
    #[on(Upstairs)]
    fn go_down(&mut self, _: Move, cx: &mut Context<Self>) {
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

/// The key is before both parcels, and taking it must not hide the second.
#[tokio::test(start_paused = true)]
async fn taking_a_deferred_event_leaves_those_behind_it_in_sight() {
    let (_sys, cellar, journal) = journaled(Cellar);
    cellar.tell(Key);
    cellar.tell(Parcel(1));
    cellar.tell(Parcel(2));
    cellar.tell(Move);
    idle().await;
    journal.expect(["parcel 1", "parcel 2"]);
}
