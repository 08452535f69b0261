//! The programs in this project.

mod counters;
mod lock;
mod paxos;
mod philosophers;
mod ring;
mod two_phase;

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::strategy::{Gap, StrategySpec};
use actor_test::{Report, Tester};

use crate::Explored;
use crate::limits::Limits;
use crate::programs::Program;

/// Explores the program by the strategy of this name.
pub(crate) fn explore(program: Program, search: &str, limits: Limits) -> Option<Explored> {
    let strategy: StrategySpec = search.parse().ok()?;
    let tester = Tester::new()
        .iterations(u64::MAX)
        .check_every(0)
        .samples_beside_proof(0)
        .time_limit(Duration::from_secs(limits.seconds))
        .strategy(strategy);
    let report = tester.run(|sys| set_up(&sys, program));
    report.assert_clean();
    let is_proof = report.verdict.is_exhaustive();
    // `dpor` also has a limit of its own, on the histories that it stores.
    let is_cut = |gap: &Gap| matches!(gap, Gap::Time | Gap::Histories { .. });
    let gaps = &report.verdict.gaps;
    assert!(is_proof || gaps.iter().any(is_cut), "no proof: {gaps:?}");
    Some(Explored {
        count: count(&report),
        is_proof,
    })
}

fn set_up(sys: &System, program: Program) {
    match program {
        Program::FanIn(senders, messages) => counters::fan_in(sys, senders, messages),
        Program::Calls(clients, calls) => counters::calls(sys, clients, calls),
        Program::TwoPhase(participants) => two_phase::set_up(sys, participants),
        Program::Paxos(proposers, acceptors) => paxos::set_up(sys, proposers, acceptors),
        Program::Lock(clients) => lock::set_up(sys, clients),
        Program::Philosophers(philosophers) => philosophers::set_up(sys, philosophers),
        Program::Ring(nodes) => ring::set_up(sys, nodes),
    }
}

fn count(report: &Report) -> u64 {
    let verdict = &report.verdict;
    let all = verdict.behaviours().or(verdict.states());
    all.unwrap_or(report.executions)
}
