//! Exhaustive search visits exactly the number of distinct behaviours that is known for a program.

use actor_core::System;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use behaviour::programs::*;

fn explore(strategy: StrategySpec, program: impl Fn(&System) + Sync) -> Report {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(strategy)
        .run(program);
    report.assert_clean();
    assert!(report.exhausted, "the search ends by itself");
    assert!(report.behaviours.exact, "nothing was forgotten");
    report
}

/// The number of behaviours when steps that concern one actor alone are not interleaved.
fn count(program: impl Fn(&System) + Sync) -> u64 {
    explore(StrategySpec::DfsLocal(None), program)
        .behaviours
        .seen
}

/// The number of behaviours over all schedules whatsoever.
fn count_all(program: impl Fn(&System) + Sync) -> u64 {
    explore(StrategySpec::Dfs(None), program).behaviours.seen
}

#[test]
fn fan_in_counts_interleavings() {
    assert_eq!(count(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count(|sys| fan_in(sys, 4, 1)), 24);
    assert_eq!(count(|sys| fan_in(sys, 5, 1)), 120);
    assert_eq!(count(|sys| fan_in(sys, 2, 3)), 20);
    assert_eq!(count(|sys| fan_in(sys, 2, 4)), 70);
    assert_eq!(count(|sys| fan_in(sys, 3, 2)), 90);
    assert_eq!(count(|sys| fan_in(sys, 2, 6)), 924);
}

#[test]
fn independent_pairs_have_one_behaviour() {
    assert_eq!(count(|sys| pairs(sys, 3)), 1);
    assert_eq!(count_all(|sys| pairs(sys, 2)), 1);
}

#[test]
fn two_phase_commit_counts_votes_and_orders() {
    assert_eq!(count(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count(|sys| two_phase_commit(sys, 3)), 48);
    assert_eq!(count(|sys| two_phase_commit(sys, 4)), 384);
}

#[test]
fn client_server_counts_orders_of_calls() {
    assert_eq!(count(|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count(|sys| client_server(sys, 2, 4)), 70);
    assert_eq!(count(|sys| client_server(sys, 3, 2)), 90);
}

#[test]
fn ping_pong_has_one_behaviour() {
    assert_eq!(count(|sys| ping_pong(sys, 5)), 1);
    assert_eq!(count_all(|sys| ping_pong(sys, 5)), 1);
}

#[test]
fn triangle_tells_a_mailbox_from_channels() {
    assert_eq!(count_all(|sys| triangle(sys, false)), 1);
    assert_eq!(count_all(|sys| triangle(sys, true)), 2);
}

#[test]
fn readers_and_a_writer() {
    assert_eq!(count(|sys| readers_writer(sys, 2)), 6);
    assert_eq!(count(|sys| readers_writer(sys, 3)), 24);
    assert_eq!(count(|sys| readers_writer(sys, 4)), 120);
}

#[test]
fn flood_counts_orders_in_every_inbox() {
    assert_eq!(count(|sys| flood(sys, 2)), 1);
    assert_eq!(count(|sys| flood(sys, 3)), 8);
}

#[test]
fn lock_server_counts_catalan_numbers() {
    assert_eq!(count(|sys| lock_server(sys, 2)), 4);
    assert_eq!(count(|sys| lock_server(sys, 3)), 30);
    assert_eq!(count(|sys| lock_server(sys, 4)), 336);
}

#[test]
fn philosophers_with_fork_actors() {
    assert_eq!(count(|sys| philosophers(sys, 2)), 5);
    assert_eq!(count(|sys| philosophers(sys, 3)), 37);
}

#[test]
fn pipeline_has_one_behaviour() {
    assert_eq!(count(|sys| pipeline(sys, 3, 3)), 1);
}

#[test]
fn paxos_single_decree() {
    assert_eq!(count(|sys| paxos(sys, 1, 3)), 72);
    assert_eq!(count(|sys| paxos(sys, 2, 2)), 100);
}

/// What the local-first order leaves out are schedules, not behaviours.
#[test]
fn local_first_loses_no_behaviour() {
    assert_eq!(count_all(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count_all(|sys| fan_in(sys, 2, 2)), 6);
    assert_eq!(count_all(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count_all(|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count_all(|sys| lock_server(sys, 2)), 4);
}

/// The body spawns `n` actors and tells each once. After the first send, the handling of each event
/// may fall anywhere behind its own send: (2n - 1)!! schedules, all of one behaviour.
#[test]
fn schedules_are_counted_exactly() {
    for (actors, schedules) in [(1, 1), (2, 3), (3, 15), (4, 105), (5, 945)] {
        let report = explore(StrategySpec::Dfs(None), |sys| told_once(sys, actors));
        assert_eq!(report.executions, schedules, "{actors} actors");
        assert_eq!(report.behaviours.seen, 1);
    }
}
