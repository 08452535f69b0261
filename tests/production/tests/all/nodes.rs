//! Nodes within one process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::support::{Journal, live};
use actor_core::monitor;
use actor_core::names::LookupError;
use actor_core::prelude::*;

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
    let (sys, failures) = (System::new(), Journal::new());
    let noted = failures.clone();
    live(&sys).on_failure(move |failure| noted.note(format!("{:?}: {failure}", failure.kind)));
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
    let unheard = |node: &str, why: &str| {
        format!("Unheard: node {node} has a failure to report that nobody receives: {why}")
    };
    failures.expect([
        unheard("n1", "the system has a node of that name already"),
        "Panicked: node n2 panicked: its boot code failed: no disk".into(),
        unheard("n3", "there is no node of that name, only `n1`, `n2`"),
        unheard("n4", "its boot code restarts it, or two restarts meet"),
    ]);
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
