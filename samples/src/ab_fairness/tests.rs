use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester, actor_test};

use super::{Bug, set_up};

#[actor_test(max_steps = 100)]
fn a_is_stopped(sys: &System) {
    set_up(sys, None);
}

#[actor_test(max_steps = 100, expect_bug = "monitor `Ends` is hot in `Running`")]
fn a_runs_for_ever_without_stop(sys: &System) {
    set_up(sys, Some(Bug::DropStop));
}

fn explore(strategy: &str, bug: Option<Bug>) -> Report {
    let strategy: StrategySpec = strategy.parse().expect("the name of a strategy");
    Tester::new()
        .strategy(strategy)
        .iterations(1_000)
        .max_steps(100)
        .run(move |sys| {
            set_up(&sys, bug);
        })
}

#[test]
fn a_fair_strategy_always_stops_a() {
    for strategy in ["random", "weighted"] {
        let report = explore(strategy, None);
        report.assert_clean();
        assert_eq!(
            (report.fair_at_bound, report.undecided.count),
            (0, 0),
            "{strategy}"
        );
    }
}

#[test]
fn a_fair_strategy_finds_that_stop_is_missing() {
    for strategy in ["random", "weighted"] {
        let report = explore(strategy, Some(Bug::DropStop));
        let bug = &report.bugs()[0];
        assert_eq!(
            (bug.iteration, bug.kind()),
            (1, BugKind::Liveness),
            "{strategy}"
        );
    }
}

/// An unfair strategy may starve B until the step limit. The tester does not
/// report that as a bug, and the report says that liveness could not be judged.
#[test]
fn an_unfair_strategy_is_cut_off() {
    for bug in [None, Some(Bug::DropStop)] {
        let report = explore("dfs:1000", bug);
        report.assert_clean();
        assert!(
            report.unfair_at_bound > 0 && report.liveness_unchecked,
            "{report:?}"
        );
    }
}
