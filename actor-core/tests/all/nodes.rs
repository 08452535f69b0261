//! Nodes within one process.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::monitor;
use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_core::supervision::FailureKind;

#[derive(Debug)]
struct Add(u32);

struct Adder;

#[actor]
impl Adder {
    #[on]
    fn add(&mut self, _: Add) {}
}

#[tokio::test]
async fn mistakes_with_nodes_are_reported() {
    let sys = System::new();
    let failures = Arc::new(Mutex::new(Vec::new()));
    let heard = failures.clone();
    sys.as_live().unwrap().on_failure(move |failure| {
        heard
            .lock()
            .unwrap()
            .push((failure.kind, failure.to_string()));
    });
    let boots = Arc::new(AtomicU32::new(0));
    let count = boots.clone();
    sys.node("n1", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    sys.node("n1", |_| panic!("it is not booted"));
    sys.node("n2", |_| panic!("no disk"));
    let none = sys.lookup::<Adder>("n2/adder").await;
    assert_eq!(none, Err(LookupError::Unreachable));
    sys.faults().crash("n3");
    sys.faults().crash("n2");
    let whole = sys.clone();
    sys.node("n4", move |_| whole.faults().restart("n4"));
    let none = sys.lookup::<Adder>("n4/adder").await;
    assert_eq!(none, Err(LookupError::Unreachable));
    assert_eq!(boots.load(Ordering::Relaxed), 1);
    let failures = failures.lock().unwrap();
    let said: Vec<_> = failures
        .iter()
        .map(|(kind, text)| (*kind, &**text))
        .collect();
    let unheard = "has a failure to report that nobody receives";
    assert_eq!(
        said,
        [
            (
                FailureKind::Unheard,
                &*format!("node n1 {unheard}: the system has a node of that name already")
            ),
            (
                FailureKind::Panicked,
                "node n2 panicked: its boot code failed: no disk"
            ),
            (
                FailureKind::Unheard,
                &*format!("node n3 {unheard}: there is no node of that name, only `n1`, `n2`")
            ),
            (
                FailureKind::Unheard,
                &*format!("node n4 {unheard}: its boot code restarts it, or two restarts meet")
            ),
        ]
    );
}

/// Counts the added values, on any node.
#[derive(Default)]
pub struct Seen(Arc<AtomicU32>);

#[monitor(hot, cold)]
impl Seen {
    #[on]
    fn add(&mut self, add: &Add) {
        self.0.fetch_add(add.0, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn monitors_see_what_happens_on_nodes() {
    let sys = System::new();
    sys.node("n1", |node| {
        node.spawner().name("adder").registered().spawn(Adder);
    });
    let seen = Arc::new(AtomicU32::new(0));
    sys.monitor_with(Seen(seen.clone()));
    sys.lookup::<Adder>("n1/adder").await.unwrap().tell(Add(1));
    sys.faults().restart("n1");
    sys.lookup::<Adder>("n1/adder").await.unwrap().tell(Add(2));
    sys.shutdown_within(Duration::from_secs(5)).await.unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 3);
}
