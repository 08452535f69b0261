use actor_core::prelude::*;
use actor_test::actor_test;

use super::{AddStock, Bug, Crash, Layout, Reserve, Stock, Store, set_up};

const LAYOUT: Layout = Layout {
    shards: 2,
    mailbox: 4,
};

/// An event for the monitors: a customer sends a request.
#[derive(Debug)]
struct Asked;
/// An event for the monitors: the customer's request has an outcome.
#[derive(Debug)]
struct Answered;
/// An event for the monitors: this amount was added.
#[derive(Debug)]
struct Added(u64);
/// An event for the monitors: this amount was confirmed to a customer.
#[derive(Debug)]
struct Confirmed(u64);

// ANCHOR: monitors
/// A liveness property: every request gets an answer.
#[derive(Default)]
struct Service {
    open: u32,
}

#[monitor(hot, cold)]
impl Service {
    #[on]
    fn asked(&mut self, _: &Asked, cx: &mut MonitorContext<Self>) {
        self.open += 1;
        cx.goto(ServiceState::Hot);
    }

    #[on]
    fn answered(&mut self, _: &Answered, cx: &mut MonitorContext<Self>) {
        self.open -= 1;
        if self.open == 0 {
            cx.goto(ServiceState::Cold);
        }
    }
}

/// A safety property: the shards never confirm more than was added.
#[derive(Default)]
struct Honesty {
    added: u64,
    confirmed: u64,
}

#[monitor]
impl Honesty {
    #[on]
    fn added(&mut self, added: &Added) {
        self.added += added.0;
    }

    #[on]
    fn confirmed(&mut self, confirmed: &Confirmed) {
        self.confirmed += confirmed.0;
        assert!(
            self.confirmed <= self.added,
            "{} promised of {}",
            self.confirmed,
            self.added
        );
    }
}
// ANCHOR_END: monitors

#[derive(Debug)]
struct Buy;

/// Reserves one tea at a time, a number of times.
struct Customer {
    store: Store,
    times: u32,
}

#[actor]
impl Customer {
    #[on]
    async fn buy(&mut self, _: Buy, cx: &mut Context<Self>) {
        for _ in 0..self.times {
            cx.announce(Asked);
            if let Ok(Ok(_)) = reserve(&self.store, 1).await {
                cx.announce(Confirmed(1));
            }
            cx.announce(Answered);
        }
    }
}

async fn reserve(store: &Store, amount: u64) -> Result<Result<u64, super::Refusal>, AskError> {
    let item = "tea".to_owned();
    store.shard_of("tea").ask(Reserve { item, amount }).await
}

async fn stocked(sys: &System, amount: u64, bug: Option<Bug>) -> Store {
    sys.monitor::<Service>();
    sys.monitor::<Honesty>();
    let store = set_up(sys, LAYOUT, bug).await.expect("the system runs");
    let item = "tea".to_owned();
    sys.announce(Added(amount));
    let tea = store.shard_of("tea");
    assert_eq!(tea.ask(AddStock { item, amount }).await, Ok(amount));
    store
}

// ANCHOR: crowd
/// Two customers want more than there is, while the shard crashes.
async fn crowd(sys: &System, crashes: u32, bug: Option<Bug>) {
    let store = stocked(sys, 4, bug).await;
    let customers = [(); 2].map(|()| {
        let store = store.clone();
        sys.spawn(Customer { store, times: 4 })
    });
    let done = customers.each_ref().map(|customer| customer.ask(Buy));
    for _ in 0..crashes {
        store.shard_of("tea").tell(Crash);
    }
    for done in done {
        assert_eq!(done.await, Ok(()));
    }
}

#[actor_test(supervised, crashes in [0, 1, 2])]
async fn no_more_is_promised_than_there_is(sys: &System, crashes: u32) {
    crowd(sys, crashes, None).await;
}

#[actor_test(supervised, iterations = 1000, expect_bug = "5 promised of 4")]
async fn what_is_not_written_is_sold_again(sys: &System) {
    crowd(sys, 1, Some(Bug::WriteBehind)).await;
}
// ANCHOR_END: crowd

#[actor_test]
async fn without_a_crash_it_may_write_behind(sys: &System) {
    crowd(sys, 0, Some(Bug::WriteBehind)).await;
}

#[actor_test(supervised)]
async fn a_shard_comes_back_with_what_it_has_written(sys: &System) {
    let store = stocked(sys, 5, None).await;
    assert_eq!(reserve(&store, 1).await, Ok(Ok(4)));
    let tea = store.shard_of("tea");
    tea.tell(Crash);
    assert_eq!(reserve(&store, 1).await, Err(AskError::Failed));
    // The restarted shard drops the events in its mailbox.
    let known = loop {
        match tea.ask(Stock("tea".into())).await {
            Err(AskError::Failed) => {}
            known => break known,
        }
    };
    assert_eq!(known, Ok(Some(3)));
    assert_eq!(tea.ask(Stock("coffee".into())).await, Ok(None));
}

#[test]
fn each_loss_has_its_status() {
    for (error, status) in [
        (AskError::Full, 503),
        (AskError::Stopped, 503),
        (AskError::TimedOut, 504),
        (AskError::Failed, 500),
        (AskError::Dropped, 500),
    ] {
        assert_eq!(super::web::status(error).as_u16(), status, "{error}");
    }
}
