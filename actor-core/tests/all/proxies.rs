//! Proxies in production.

use actor_core::monitor;
use actor_core::prelude::*;
use actor_core::services::{Pool, Proxy};

use crate::support::Journal;

#[derive(Debug)]
struct Add(u32);
#[derive(Debug)]
struct Total;

#[derive(Default)]
struct Sum(u32);

#[actor]
impl Sum {
    #[on]
    fn add(&mut self, add: Add) {
        self.0 += add.0;
    }

    #[on]
    fn total(&mut self, _: Total) -> u32 {
        self.0
    }
}

fn boot(node: &System) {
    let spawner = node.spawner().name("sum").registered();
    spawner.spawn(Sum::default());
}

#[tokio::test]
async fn a_proxy_finds_who_has_the_name_after_a_restart() {
    let sys = System::new();
    sys.node("n1", boot);
    let sum = sys.spawn(Proxy::<Sum>::new("n1/sum"));
    for number in 1..=4 {
        sum.tell(Add(number));
    }
    assert_eq!(sum.ask(Total).await, Ok(10));
    sys.faults().restart("n1");
    let mut total = sum.ask(Total).await;
    while total == Err(AskError::Disconnected) {
        total = sum.ask(Total).await;
    }
    assert_eq!(total, Ok(0));
    sys.shutdown().await.unwrap();
}

#[tokio::test]
async fn what_nobody_is_found_for_is_a_dead_letter_with_its_reason() {
    let sys = System::new();
    sys.node("n1", boot);
    let (live, lost) = (sys.as_live().unwrap(), Journal::new());
    let noted = lost.clone();
    live.on_dead_letter(move |letter| noted.note(format!("{:?}: {}", letter.event, letter.reason)));
    let nobody = sys.spawn(Proxy::<Sum>::new("n1/product"));
    nobody.tell(Add(1));
    assert_eq!(nobody.ask(Total).await, Err(AskError::Stopped));
    sys.faults().crash("n1");
    let sum = sys.spawn(Proxy::<Sum>::new("n1/sum"));
    assert_eq!(sum.ask(Total).await, Err(AskError::Disconnected));
    lost.expect([
        "Add(1): no actor has the name",
        "Total: no actor has the name",
        "Total: the node of that name is down",
    ]);
    assert_eq!(live.dead_letters(), 3);
}

#[tokio::test]
async fn a_node_that_does_not_exist_is_reported() {
    let sys = System::new();
    sys.node("n1", boot);
    let reported = Journal::new();
    let note = reported.clone();
    let live = sys.as_live().unwrap();
    live.on_failure(move |failure| note.note(failure.message.clone()));
    let sum = sys.spawn(Proxy::<Sum>::new("m1/sum"));
    assert_eq!(sum.ask(Total).await, Err(AskError::Stopped));
    reported.expect(["the proxy of `m1/sum`: there is no node `m1`, only `n1`"]);
}

/// Checks that each event is observed as sent once and as handled once.
#[derive(Default)]
struct Once(u32, u32);

#[monitor(cold(Watching))]
impl Once {
    #[on]
    fn add(&mut self, _: &Add) {
        self.0 += 1;
        assert!(self.0 <= 1, "sent twice");
    }

    #[on(handled)]
    fn added(&mut self, _: &Add) {
        self.1 += 1;
        assert!(self.1 <= 1, "handled twice");
    }
}

#[tokio::test]
async fn monitors_see_what_a_relay_hands_on_once() {
    async fn is_kept(send: impl AsyncFn(&System)) {
        let (sys, violated) = (System::new(), Journal::new());
        let noted = violated.clone();
        let live = sys.as_live().unwrap();
        live.on_violation(move |violation| noted.note(violation.message.clone()));
        sys.monitor::<Once>();
        boot(&sys);
        send(&sys).await;
        sys.shutdown().await.unwrap();
        violated.expect::<&str>([]);
    }
    is_kept(async |sys| {
        let sum = sys.spawn(Proxy::<Sum>::new("sum"));
        sum.tell(Add(1));
        assert_eq!(sum.ask(Total).await, Ok(1));
    })
    .await;
    for make in [
        || Pool::round_robin(1, |_| Sum::default()),
        || Pool::least_busy(1, |_| Sum::default()),
    ] {
        is_kept(async |sys| {
            let sum = sys.spawn(make());
            sum.tell(Add(1));
            assert_eq!(sum.ask(Total).await, Ok(1));
        })
        .await;
    }
}
