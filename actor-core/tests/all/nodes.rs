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
    node.spawner()
        .name("sum")
        .registered()
        .spawn(Sum::default());
}

#[tokio::test]
async fn a_node_is_restarted_under_its_name_with_new_actors() {
    let sys = System::new();
    sys.node("n1", boot);
    let old = sys.lookup::<Sum>("n1/sum").await.unwrap();
    assert_eq!(old.name(), "n1/sum");
    old.tell(Add(2));
    assert_eq!(old.ask(Total).await, Ok(2));
    sys.faults().restart("n1");
    let new = sys.lookup::<Sum>("n1/sum").await.unwrap();
    assert_ne!(new, old);
    assert_eq!(new.ask(Total).await, Ok(0));
    assert_eq!(old.ask(Total).await, Err(AskError::Disconnected));
    sys.faults().crash("n1");
    let none = sys.lookup::<Sum>("n1/sum").await;
    assert_eq!(none, Err(LookupError::Unreachable));
    assert_eq!(new.stopped().await, StopReason::Disconnected);
    sys.faults().restart("n1");
    let newer = sys.lookup::<Sum>("n1/sum").await.unwrap();
    assert_eq!(newer.ask(Total).await, Ok(0));
    sys.shutdown().await.unwrap();
    assert!(!newer.is_alive());
}

#[tokio::test]
async fn names_are_those_of_a_node() {
    let sys = System::new();
    sys.node("n1", boot);
    sys.node("n2", boot);
    let one = sys.lookup::<Sum>("n1/sum").await.unwrap();
    let other = sys.lookup::<Sum>("n2/sum").await.unwrap();
    assert_ne!(one, other);
    assert_eq!(sys.lookup::<Sum>("sum").await, Err(LookupError::Unknown));
    let none = sys.lookup::<Sum>("n3/sum").await;
    let known = vec!["n1".into(), "n2".into()];
    let node = "n3".into();
    assert_eq!(none, Err(LookupError::UnknownNode { node, known }));
    sys.shutdown().await.unwrap();
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
    let none = sys.lookup::<Sum>("n2/sum").await;
    assert_eq!(none, Err(LookupError::Unreachable));
    sys.faults().crash("n3");
    sys.faults().crash("n2");
    let whole = sys.clone();
    sys.node("n4", move |_| whole.faults().restart("n4"));
    let none = sys.lookup::<Sum>("n4/sum").await;
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
    sys.node("n1", boot);
    let seen = Arc::new(AtomicU32::new(0));
    sys.monitor_with(Seen(seen.clone()));
    sys.lookup::<Sum>("n1/sum").await.unwrap().tell(Add(1));
    sys.faults().restart("n1");
    sys.lookup::<Sum>("n1/sum").await.unwrap().tell(Add(2));
    sys.shutdown_within(Duration::from_secs(5)).await.unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 3);
}
