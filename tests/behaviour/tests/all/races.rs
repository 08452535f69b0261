//! Where steps reach more than inboxes, `dpor` takes what it can't follow as dependent on everything: the
//! same end states and the same bugs as all schedules.

use actor_test::strategy::{Reduction, StrategySpec};
use actor_test::{Report, Searched};
use behaviour::players::Play;
use behaviour::talkers::{Talk, Uses};

use crate::dpor::{ALL_USES, kinds, programs};

/// Inboxes were not all that there was to it.
fn is_by_steps(report: &Report) -> bool {
    matches!(
        report.verdict.searched,
        Searched::Systematic {
            reduction: Reduction::Steps { .. },
            ..
        }
    )
}

/// Compares so many random programs with what all schedules come to, where these are at most so many.
/// Tells how many were compared, and how many were not followed.
fn assert_as_brute_force(
    program: fn(u64) -> Play,
    programs: u64,
    schedules_max: u64,
) -> (u64, u64) {
    let spec = |name: &str| -> StrategySpec { name.parse().expect("a strategy") };
    let (mut compared, mut outside) = (0, 0);
    let (mut schedules, mut run, mut behaviours) = (0, 0, 0);
    for number in 0..programs {
        let play = program(number);
        let (all, report) = play.explore(&spec("dfs"), schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (found, dpor) = play.explore(&spec("dpor"), u64::MAX);
        if !is_by_steps(&dpor) {
            continue;
        }
        if !dpor.verdict.is_exhaustive() {
            println!("{number}: {:?}", dpor.verdict.gaps);
            outside += 1;
            continue;
        }
        assert_eq!(found, all, "program {number}: {play:#?}");
        compared += 1;
        schedules += report.executions;
        run += dpor.executions;
        behaviours += dpor.verdict.behaviours().unwrap_or_default();
    }
    println!(
        "{compared} programs, {schedules} schedules, {run} executions, {behaviours} behaviours; {outside} outside"
    );
    (compared, outside)
}

#[test]
fn random_programs_end_as_in_all_schedules() {
    let (compared, outside) = assert_as_brute_force(Play::random, programs(150), 1_000);
    assert!(compared > outside && compared > programs(150) / 8);
}

#[test]
fn random_programs_of_all_kinds_end_as_in_all_schedules() {
    let (compared, outside) = assert_as_brute_force(Play::wide, programs(150), 1_000);
    assert!(compared > outside && compared > programs(150) / 8);
}

/// The same of programs in which somebody watches another from the first step on, whatever else they use.
fn assert_watching_as_brute_force(uses: Uses, programs: u64, schedules_max: u64) -> u64 {
    let spec = |name: &str| -> StrategySpec { name.parse().expect("a strategy") };
    let uses = Uses {
        watches: true,
        ..uses
    };
    let (mut compared, mut schedules, mut run) = (0, 0, 0);
    for number in 0..programs {
        let talk = Talk::random(number, uses);
        let (mut all, report) = talk.explore(&spec("dfs-local"), schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (mut found, dpor) = talk.explore(&spec("dpor"), u64::MAX);
        if !is_by_steps(&dpor) {
            continue;
        }
        assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
        all.ends.dedup();
        found.ends.dedup();
        assert_eq!(found.ends, all.ends, "{talk:?}");
        assert_eq!(kinds(&found), kinds(&all), "{talk:?}");
        compared += 1;
        schedules += report.executions;
        run += dpor.executions;
    }
    println!("{uses:?}: {compared} programs, {schedules} schedules, {run} executions");
    compared
}

#[test]
fn who_watches_ends_as_in_all_schedules() {
    let all = ALL_USES.map(|uses| assert_watching_as_brute_force(uses, programs(12), 300));
    assert!(all.iter().sum::<u64>() > programs(12), "{all:?}");
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn ten_thousand_random_programs_end_as_in_all_schedules() {
    let count = programs(5_000);
    for program in [Play::random, Play::wide] {
        let (compared, outside) = assert_as_brute_force(program, count, 5_000);
        assert!(compared > outside && compared > count / 4);
    }
    let all = ALL_USES.map(|uses| assert_watching_as_brute_force(uses, programs(250), 2_000));
    assert!(all.iter().sum::<u64>() > programs(250), "{all:?}");
}
