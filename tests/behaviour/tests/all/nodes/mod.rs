//! Nodes, links, clocks, disks, and the faults that strike them.

mod across_nodes;
mod aimed;
mod clocks;
mod disks;
mod fault_counts;
mod faults;
mod full_links;
mod half_open;
mod journals;
mod leases;
mod network;
mod pauses;
mod random_programs;
mod reductions;
mod slow_links;
mod timed_faults;

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::{Report, Tester};

const SECOND: Duration = Duration::from_secs(1);

/// Makes a node whose boot code spawns one actor, registered under its name.
fn boot<A: Actor>(
    sys: &System,
    node: &str,
    actor: &'static str,
    make: impl Fn() -> A + Send + 'static,
) {
    sys.node(node, move |node| {
        node.spawner().name(actor).registered().spawn(make());
    });
}

/// Returns the actor of that name, on a node that boots.
async fn booted<A: Actor>(sys: &System, name: &str) -> ActorRef<A> {
    sys.lookup(name).await.expect("it has booted")
}

/// Has timers fire when nothing else can happen.
fn patient(tester: Tester) -> Tester {
    tester.patient_timers(true).clock_error(Duration::ZERO)
}

/// Returns the share of executions that have a bug.
fn share_of_bugs(report: &Report) -> f64 {
    let bugs: u64 = report.bugs.iter().map(|bug| bug.seen).sum();
    bugs as f64 / report.executions as f64
}

/// Asserts that a share is within a factor of 1.5.
#[track_caller]
fn assert_about(seen: f64, odds: f64) {
    assert!(seen > odds / 1.5 && seen < odds * 1.5, "{seen} for {odds}");
}
