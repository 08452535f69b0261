//! Inbox-DPOR runs each behaviour once, and leaves none out.

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use behaviour::programs::*;

fn explore(program: impl Fn(&System) + Sync) -> Report {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dpor)
        .run(program);
    report.assert_clean();
    report
}

/// How many behaviours there are, each of which was run once.
fn count(program: impl Fn(&System) + Sync) -> u64 {
    let report = explore(program);
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(report.executions, report.behaviours.seen, "one twice");
    report.executions
}

#[test]
fn known_programs_have_as_many_behaviours_as_they_should() {
    assert_eq!(count(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count(|sys| fan_in(sys, 4, 1)), 24);
    assert_eq!(count(|sys| fan_in(sys, 5, 1)), 120);
    assert_eq!(count(|sys| fan_in(sys, 2, 3)), 20);
    assert_eq!(count(|sys| fan_in(sys, 2, 4)), 70);
    assert_eq!(count(|sys| fan_in(sys, 3, 2)), 90);
    assert_eq!(count(|sys| fan_in(sys, 2, 6)), 924);
    assert_eq!(count(|sys| pairs(sys, 3)), 1);
    assert_eq!(count(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count(|sys| two_phase_commit(sys, 3)), 48);
    assert_eq!(count(|sys| two_phase_commit(sys, 4)), 384);
    assert_eq!(count(|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count(|sys| client_server(sys, 2, 4)), 70);
    assert_eq!(count(|sys| client_server(sys, 3, 2)), 90);
    assert_eq!(count(|sys| ping_pong(sys, 5)), 1);
    assert_eq!(count(|sys| triangle(sys, false)), 1);
    assert_eq!(count(|sys| triangle(sys, true)), 2);
    assert_eq!(count(|sys| readers_writer(sys, 2)), 6);
    assert_eq!(count(|sys| readers_writer(sys, 3)), 24);
    assert_eq!(count(|sys| readers_writer(sys, 4)), 120);
    assert_eq!(count(|sys| flood(sys, 2)), 1);
    assert_eq!(count(|sys| flood(sys, 3)), 8);
    assert_eq!(count(|sys| flood(sys, 4)), 1296);
    assert_eq!(count(|sys| lock_server(sys, 2)), 4);
    assert_eq!(count(|sys| lock_server(sys, 3)), 30);
    assert_eq!(count(|sys| lock_server(sys, 4)), 336);
    assert_eq!(count(|sys| philosophers(sys, 2)), 5);
    assert_eq!(count(|sys| philosophers(sys, 3)), 37);
    assert_eq!(count(|sys| pipeline(sys, 3, 3)), 1);
    assert_eq!(count(|sys| paxos(sys, 1, 3)), 72);
    assert_eq!(count(|sys| paxos(sys, 2, 2)), 100);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn paxos_with_two_proposers_and_three_acceptors() {
    assert_eq!(count(|sys| paxos(sys, 2, 3)), 26_136);
}
