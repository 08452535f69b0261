//! Checks the races that the tester names as causes of the samples' bugs.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

use crate::{
    coffee_machine, german, lite_event, multi_paxos, paxos, status_reply, two_phase_commit,
};

fn tester() -> Tester {
    let tester = Tester::new().strategy(StrategySpec::Random);
    tester
        .iterations(1_000)
        .minimize(1_000_000)
        .explain(2_000_000)
}

/// Asserts that the bug needs one of these two races, with
/// `first` before `second`, in an inbox with this name.
fn needs(report: &Report, first: &str, second: &str, at: &str) {
    let bug = report.bugs().first().expect("a bug is found");
    let causes = bug.causes.as_ref().expect("its causes are looked for");
    let races = &causes.races.needed;
    let found = races.iter().any(|race| {
        race.first.event.starts_with(first)
            && race.second.event.starts_with(second)
            && race.at.starts_with(at)
    });
    assert!(found, "no {first} before {second} at {at}: {races:?}");
}

/// One waiter disposes of the kernel event, and the other blocks on it; no happens-before order exists.
#[test]
fn a_wait_needs_that_the_event_is_disposed_of_before_it_blocks() {
    let report = tester().run(async |sys: System| {
        let bug = lite_event::Bug::DisposedByTheFirst;
        lite_event::everyone_waits(&lite_event::set_up(&sys, 2, Some(bug))).await;
    });
    needs(&report, "Dispose", "Block(", "LiteEvent");
}

/// The cache has asked for the exclusive copy before it receives the invalidation.
#[test]
fn an_upgrade_needs_that_another_ones_request_comes_first() {
    let bug = german::Bug::OneWaitingState;
    let report = tester().max_steps(1_000).run(|sys| {
        german::set_up(&sys, 2, 2, Some(bug));
    });
    needs(&report, "ReqExclusive", "ReqExclusive", "Home");
    needs(&report, "Write", "Invalidate", "Cache");
}

/// The grinder's timer empties the hopper below zero before the new machine switches the grinder on.
#[test]
fn an_empty_hopper_needs_a_tick_before_the_button() {
    let bug = coffee_machine::Bug::HopperEqZero;
    let report = tester().max_steps(1_000).run(|sys| {
        coffee_machine::set_up(&sys, Some(bug));
    });
    needs(&report, "GrinderTick", "GrinderButton", "Grinder");
}

/// The time is over before the coordinator, which has all votes, stops the clock.
#[test]
fn a_late_time_out_needs_the_votes_before_it_and_the_clock_before_its_stop() {
    let scenario = two_phase_commit::Scenario {
        participants: 2,
        clients: 4,
        writes: 2,
        crash: false,
    };
    let bug = two_phase_commit::Bug::TimerRace;
    let report = tester().max_steps(1_000).run(|sys| {
        two_phase_commit::set_up(&sys, scenario, Some(bug));
    });
    needs(&report, "Vote", "Timeout", "Coordinator");
    needs(&report, "Fired", "CancelTimer", "Clock");
}

/// The last reply of a quorum comes before the lease expires; a later reply then finds it expired.
#[test]
fn a_stale_reply_needs_a_quorum_before_the_lease_expires() {
    let report = tester().run(async |sys: System| {
        let bug = status_reply::Bug::NoStateCheck;
        let observer = status_reply::set_up(&sys, Some(bug));
        let _ = observer.ask(status_reply::WhoIsNext).await;
    });
    needs(&report, "StatusReply", "LeaseExpired", "Replica");
}

/// The acceptors have promised a newer ballot than that of the proposal.
#[test]
fn a_broken_promise_needs_that_it_was_given_first() {
    let duel = paxos::Group {
        proposers: 2,
        acceptors: 3,
        ballots: Some(1),
        copies: 0,
    };
    let report = tester().run(|sys| {
        paxos::set_up(&sys, duel, Some(paxos::Bug::NoPromiseCheck));
    });
    needs(&report, "Prepare", "Accept", "Acceptor");
}

/// An old leader uses a slot that no acceptor has promised to a new one.
#[test]
fn a_promise_for_each_slot_needs_the_new_leader_before_the_old_ones_command() {
    let rivals = multi_paxos::Group {
        nodes: 3,
        clients: 2,
        commands: 2,
        patience: Duration::from_millis(100),
        retries: 0,
        lossy: false,
    };
    let bug = multi_paxos::Bug::PromisePerSlot;
    let report = tester().run(|sys| {
        multi_paxos::set_up(&sys, rivals, Some(bug));
    });
    needs(&report, "Prepare", "Accept", "Node");
}
