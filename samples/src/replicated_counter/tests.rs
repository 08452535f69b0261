//! Tests: one crash loses no acknowledged amount.

use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Add, Bug, Counts, NODES, Replica, set_up, total};

// ANCHOR: scenario
/// Adds on a node that crashes after its answer, and checks the counts of the others.
async fn add_and_crash(sys: &System, bug: Option<Bug>) {
    set_up(sys, bug);
    let replica = sys.at::<Replica>("n1/replica");
    if replica.ask(Add(1)).await.is_err() {
        return;
    }
    sys.faults().crash("n1");
    // One of the two other replicas has the amount.
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

#[actor_test(iterations = 2_000, expect_bug = "an acknowledged 1 is lost")]
async fn an_early_answer_loses_what_it_acknowledged(sys: &System) {
    add_and_crash(sys, Some(Bug::EarlyAnswer)).await;
}
// ANCHOR_END: scenario

// ANCHOR: anywhere
/// Adds 1 on each node, and counts the acknowledgements.
#[derive(Default)]
struct Client {
    acknowledged: u64,
}

#[actor]
impl Client {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        for node in NODES {
            let replica = cx.at::<Replica>(format!("{node}/replica"));
            if replica.ask(Add(1)).await.is_ok() {
                self.acknowledged += 1;
            }
        }
    }
}

/// Returns true if some node that is up knows all that was acknowledged.
fn is_known(world: &World<'_>) -> bool {
    let acknowledged = world.all::<Client>().map(|client| client.acknowledged);
    let mut known = Counts::new();
    for (node, count) in world.all::<Replica>().flat_map(Replica::counts) {
        let most = known.entry(node.clone()).or_default();
        *most = (*most).max(*count);
    }
    known.values().sum::<u64>() >= acknowledged.sum()
}

fn add_on_each_node(sys: &System, bug: Option<Bug>) {
    set_up(sys, bug);
    sys.spawn(Client::default());
    sys.always("what is acknowledged is known", is_known);
}

#[actor_test(faults(crash = 1))]
fn nothing_is_lost_whoever_crashes(sys: &System) {
    add_on_each_node(sys, None);
}

#[actor_test(
    iterations = 2_000,
    faults(crash = 1),
    expect_bug = "what is acknowledged is known"
)]
fn a_crash_takes_an_early_answer_with_it(sys: &System) {
    add_on_each_node(sys, Some(Bug::EarlyAnswer));
}
// ANCHOR_END: anywhere

/// Without a crash nothing is lost.
#[actor_test]
fn an_early_answer_needs_a_crash(sys: &System) {
    add_on_each_node(sys, Some(Bug::EarlyAnswer));
}

/// A restarted replica gets its counts back from the others.
#[actor_test]
async fn a_restarted_replica_catches_up(sys: &System) {
    set_up(sys, None);
    let replica = sys.at::<Replica>("n1/replica");
    if replica.ask(Add(1)).await.is_ok() {
        sys.faults().restart("n1");
        sys.eventually("the new replica knows it", |w| {
            let mut restarted = w.all::<Replica>().filter(|replica| replica.node == "n1");
            restarted.any(|replica| replica.total_now() == 1)
        });
    }
}
