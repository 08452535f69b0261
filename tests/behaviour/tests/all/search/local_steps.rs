//! Searches that take local steps first, against all schedules: the same end states and the same bugs.

use actor_test::strategy::StrategySpec;
use behaviour::players::FeatureProgram;

fn strategy(name: &str) -> StrategySpec {
    name.parse().expect("the name of a strategy")
}

/// The number of programs; `LOCAL_STEPS` raises it for a nightly run.
fn programs() -> u64 {
    let given = std::env::var("LOCAL_STEPS").ok();
    given.map_or(120, |given| given.parse().expect("a number"))
}

const SCHEDULES_MAX: u64 = 1_000;

#[test]
fn local_first_finds_what_all_schedules_find() {
    let (mut compared, mut schedules, mut reduced) = (0, 0, 0);
    for number in 0..programs() {
        let play = FeatureProgram::random(number);
        let (all, report) = play.explore(&strategy("dfs"), SCHEDULES_MAX);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (found, local) = play.explore(&strategy("dfs:local"), u64::MAX);
        assert!(local.verdict.is_exhaustive(), "program {number}");
        assert_eq!(found, all, "program {number}: {play:#?}");
        compared += 1;
        schedules += report.executions;
        reduced += local.executions;
    }
    println!("{compared} programs, {schedules} schedules, {reduced} with local steps first");
}
