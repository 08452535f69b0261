//! What was acknowledged is not lost by one crash.

use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Add, Bug, Replica, set_up, total};

// ANCHOR: scenario
/// Adds on a node that crashes after it has answered, and looks at the others.
async fn add_and_crash(sys: &System, bug: Option<Bug>) {
    set_up(sys, bug);
    let replica = sys.lookup::<Replica>("n1/replica").await;
    let replica = replica.expect("the node has booted");
    if replica.ask(Add(1)).await.is_err() {
        return;
    }
    sys.faults().crash("n1");
    // One of two in three has it.
    let known = [total(sys, "n2").await, total(sys, "n3").await];
    assert!(
        known.contains(&Some(1)),
        "an acknowledged 1 is lost: {known:?}"
    );
}

#[actor_test]
async fn nothing_acknowledged_is_lost(sys: &System) {
    add_and_crash(sys, None).await;
}

#[actor_test(expect_bug = "an acknowledged 1 is lost")]
async fn an_early_answer_loses_what_it_acknowledged(sys: &System) {
    add_and_crash(sys, Some(Bug::EarlyAnswer)).await;
}
// ANCHOR_END: scenario

/// A replica that was restarted hears from the others what it had known.
#[actor_test]
async fn a_restarted_replica_catches_up(sys: &System) {
    set_up(sys, None);
    let replica = sys.lookup::<Replica>("n1/replica").await;
    let replica = replica.expect("the node has booted");
    if replica.ask(Add(1)).await.is_ok() {
        sys.faults().restart("n1");
        sys.eventually("the new replica knows it", |w| {
            let mut restarted = w.all::<Replica>().filter(|replica| replica.node == "n1");
            restarted.any(|replica| replica.total_now() == 1)
        });
    }
}
