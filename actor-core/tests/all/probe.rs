//! Probes (mock actors), in production.

use std::time::Duration;

use crate::support::{Journal, idle};
use actor_core::Reply;
use actor_core::prelude::*;
use actor_core::services::Probe;

#[derive(Debug)]
struct Get(u32);
#[derive(Debug, PartialEq)]
struct Put(u32, u32);

#[protocol]
trait Store {
    fn get(get: Get) -> Option<u32>;
    fn put(put: Put);
}

#[tokio::test]
async fn events_are_taken_in_their_order() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::new(&sys);
    let store: StoreRef = probe.actor();
    assert_eq!(format!("{store:?}"), "Store");
    store.tell(Put(1, 2));
    store.tell(Put(3, 4));
    assert_eq!(probe.expect::<Put>().await, Put(1, 2));
    assert_eq!(probe.expect::<Put>().await, Put(3, 4));
    probe.expect_none().await;
}

#[tokio::test]
async fn a_test_waits_for_what_is_to_come() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::named(&sys, "store");
    let first = probe.receive::<Get>();
    let puts = probe.recipient::<Put>();
    puts.tell(Put(1, 2));
    probe.actor().tell(Get(7));
    assert_eq!(first.await.0, 7);
    assert_eq!(probe.expect::<Put>().await, Put(1, 2));
}

#[tokio::test]
async fn who_asks_gets_the_reply() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::new(&sys);
    let store = probe.actor();
    let ask = store.ask(Get(7));
    assert_eq!(probe.answer::<Get>(Some(49)).await.0, 7);
    assert_eq!(ask.await, Ok(Some(49)));
    let ask = store.ask(Get(8));
    let (_, reply): (_, Reply<_>) = probe.expect_ask::<Get>().await;
    reply.send(None);
    assert_eq!(ask.await, Ok(None));
    let ask = store.ask(Get(9));
    let _ = probe.expect::<Get>().await;
    assert_eq!(ask.await, Err(AskError::Dropped));
}

#[tokio::test(start_paused = true)]
async fn what_comes_too_early_is_told() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::new(&sys);
    let store = probe.actor();
    probe.expect_none_for(Duration::from_secs(1)).await;
    store.tell(Put(1, 2));
    idle().await;
    let quiet = probe.expect_none_for(Duration::from_secs(1));
    let message = failure(quiet).await;
    assert!(
        message.contains("nothing was expected, and Put(1, 2) came"),
        "{message}"
    );
    assert!(message.contains("probe.rs"), "{message}");
}

#[tokio::test]
async fn another_event_is_told() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::new(&sys);
    probe.actor().tell(Put(1, 2));
    let get = probe.expect::<Get>();
    let message = failure(async { _ = get.await }).await;
    assert!(
        message.contains("`Get` was expected, and Put(1, 2) came"),
        "{message}"
    );
}

#[tokio::test]
async fn an_event_that_was_told_waits_for_no_reply() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::new(&sys);
    probe.actor().tell(Get(1));
    let get = probe.expect_ask::<Get>();
    let message = failure(async { _ = get.await }).await;
    assert!(
        message.contains("nobody waits for the reply to Get(1)"),
        "{message}"
    );
}

/// Returns the message of the panic that ends the future.
async fn failure(future: impl Future<Output = ()> + Send + 'static) -> String {
    let error = tokio::spawn(future).await.unwrap_err();
    let payload = error.into_panic();
    payload.downcast_ref::<String>().unwrap().clone()
}

struct Guard(Journal, StoreRef);

#[actor]
impl Guard {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.1);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.0.note(format!("{:?}", end.reason));
    }
}

#[tokio::test(start_paused = true)]
async fn it_stops_when_told() {
    let sys = System::new();
    let probe = Probe::<dyn Store>::new(&sys);
    let journal = Journal::new();
    sys.spawn(Guard(journal.clone(), probe.actor()));
    idle().await;
    probe.stop();
    idle().await;
    journal.expect(["Halted"]);
    assert_eq!(probe.actor().ask(Get(1)).await, Err(AskError::Stopped));
}
