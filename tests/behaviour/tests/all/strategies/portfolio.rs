//! The portfolio, partitions and saturation: the results depend on the seed alone.

use actor_core::prelude::*;
use actor_test::report::MergeError;
use actor_test::settings::{Partition, Search};
use actor_test::{Report, Tester};
use behaviour::closures::{at_start, handles, machine};
use behaviour::harness::events::Go;
use behaviour::harness::{same_for_workers, strategy, timeless};
use behaviour::programs;

fn tester(search: Search, iterations: u64) -> Tester {
    let tester = Tester::new().iterations(iterations).check_every(0);
    tester.search(search)
}

fn explore(tester: Tester, program: impl Fn(&System) + Sync) -> Report {
    timeless(tester.run(|sys| program(&sys)))
}

fn one(name: &str) -> Search {
    Search::Strategies(vec![strategy(name)])
}

fn searches() -> Vec<Search> {
    ["random", "prob", "pos:local", "surw"].map(one).to_vec()
}

/// Strategies that use the lengths of earlier executions.
fn with_lengths() -> Vec<Search> {
    let mut all = ["pct", "fair-pct", "delay", "ss"].map(one).to_vec();
    all.push(Search::Strategies(vec![
        strategy("pct"),
        strategy("random"),
    ]));
    all
}

fn partition(text: &str) -> Partition {
    text.parse().expect("a part")
}

#[test]
fn the_number_of_workers_changes_nothing_in_any_portfolio() {
    let portfolios = [
        Search::Portfolio,
        Search::FairPortfolio,
        Search::RoundRobin,
        Search::Coyote,
    ];
    for search in with_lengths().into_iter().chain(portfolios) {
        let one = same_for_workers(&[1, 2, 3], |workers| {
            let tester = tester(search.clone(), 900).workers(workers);
            explore(tester, |sys| programs::paxos(sys, 2, 2))
        });
        assert_eq!(one.executions, 900);
    }
}

#[test]
fn the_bandit_gives_more_turns_to_what_shows_more_and_some_to_all() {
    let report = explore(tester(Search::Portfolio, 3_000), |sys| {
        programs::flood(sys, 4)
    });
    let turns = |name: &str| {
        let such = report
            .strategies
            .iter()
            .filter(|one| one.name.ends_with(name));
        such.map(|one| one.executions).sum::<u64>()
    };
    // On this program, partial order sampling with local steps first finds
    // by far the most behaviours, and the probabilistic walk the fewest.
    let (best, least) = (turns("pos:local"), turns("prob"));
    assert!(best > 3_000 * 2 / 5, "{:?}", report.strategies);
    assert!(least > 3_000 * 3 / 10 / 9 / 2, "{:?}", report.strategies);
    assert!(best > 4 * least, "{:?}", report.strategies);
}

type Setup = fn(&System);

/// If the strategies differ much, the portfolio finds nearly as many behaviours as
/// the best of them with all turns, although the best one is unknown beforehand.
#[test]
fn the_bandit_comes_close_to_the_best_strategy() {
    let programs: [(&str, u64, Setup); 3] = [
        ("pos:local", 3_000, |sys| programs::flood(sys, 4)),
        ("surw", 2_000, |sys| programs::fan_in(sys, 2, 6)),
        ("surw", 3_000, |sys| programs::two_phase_commit(sys, 5)),
    ];
    for (best, iterations, program) in programs {
        let seen = |search: Search| {
            let seen = |seed| {
                let tester = tester(search.clone(), iterations).seed(seed);
                explore(tester, program).behaviours.seen
            };
            (0..3).map(seen).sum::<u64>() as f64
        };
        let alone = seen(one(best));
        let share = seen(Search::Portfolio) / alone;
        assert!(share > 0.8, "{share} of {best}");
    }
}

/// A program with two bugs, one of them rare.
fn buggy(sys: &System) {
    let mut order = Vec::new();
    let sink = handles(sys, move |mark: u32, _| {
        order.push(mark);
        assert!(order != [3, 1], "three before one");
        assert!(order != [2, 3, 1, 0], "a rare order");
    });
    for number in 0..4 {
        let sink = sink.clone();
        at_start(sys, move |_| sink.tell(number));
    }
}

#[test]
fn parts_of_a_search_add_up_to_the_whole() {
    for search in searches() {
        let tester = tester(search.clone(), 600).keep_going();
        let whole = explore(tester.clone(), buggy);
        for of in [1, 2, 5] {
            let part = |number| {
                let part = partition(&format!("{number}/{of}"));
                explore(tester.clone().partition(part), buggy)
            };
            let merged = Report::merge((1..=of).rev().map(part)).expect("all parts");
            assert_eq!(merged.bugs, whole.bugs, "{search:?} in {of} parts");
            assert_eq!(merged, whole, "{search:?} in {of} parts");
        }
    }
}

#[test]
fn a_part_of_a_portfolio_is_reproducible_by_itself() {
    let part = same_for_workers(&[1, 2], |workers| {
        let tester = tester(Search::Portfolio, 2_000).workers(workers);
        let tester = tester.partition(partition("2/3"));
        explore(tester, |sys| programs::paxos(sys, 2, 2))
    });
    assert_eq!(part.executions, 667);
}

/// Each part learns the length of executions by itself, and so is reproducible by itself.
#[test]
fn a_part_that_is_told_lengths_is_reproducible_by_itself() {
    for search in with_lengths() {
        let all = [1, 2, 3].map(|number| {
            same_for_workers(&[1, 4], |workers| {
                let tester = tester(search.clone(), 600).keep_going();
                let part = partition(&format!("{number}/3"));
                explore(tester.workers(workers).partition(part), buggy)
            })
        });
        let merged = Report::merge(all).expect("all parts");
        assert_eq!(merged.executions, 600, "{search:?}");
        assert_eq!(merged.bugs.len(), 2, "{search:?}");
    }
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let part = |part: &str, seed| {
        let tester = tester(searches().remove(0), 50).seed(seed);
        tester.partition(partition(part)).run(|sys| buggy(&sys))
    };
    let error = |parts: Vec<Report>| Report::merge(parts).expect_err("an error").to_string();
    assert_eq!(Report::merge([]), Err(MergeError::Nothing));
    let without_two = vec![part("1/3", 0), part("3/3", 0)];
    assert_eq!(error(without_two), "test: part 2/3 is missing");
    assert_eq!(error(vec![part("1/2", 0)]), "test: part 2/2 is missing");
    let twice = vec![part("2/2", 0), part("2/2", 0), part("1/2", 0)];
    assert_eq!(error(twice), "test: part 2/2 is there twice");
    let seeds = error(vec![part("1/2", 0), part("2/2", 1)]);
    let expected = "test: parts 1/2 and 2/2 differ in their seed: 0 and 1";
    assert_eq!(seeds, expected);
    let numbers = error(vec![part("1/2", 0), part("2/3", 0)]);
    let expected = "differ in their number of parts: 2 and 3";
    assert!(numbers.contains(expected), "{numbers}");
    let tester = tester(searches().remove(0), 50).partition(partition("2/2"));
    let other = tester.run(|sys| programs::fan_in(&sys, 2, 2));
    let programs = error(vec![part("1/2", 0), other]);
    assert!(programs.contains("build"), "{programs}");
    let whole = Tester::new().iterations(1).run(|sys| buggy(&sys));
    assert!(error(vec![whole]).contains("is not that of a part"));
}

#[test]
fn partitions_have_a_form() {
    for wrong in ["3/2", "0/2", "1", "1/0", "x/y"] {
        let error = wrong.parse::<Partition>().expect_err("no partition");
        assert!(error.to_string().starts_with("expected K/N"), "{wrong}");
    }
}

#[test]
fn a_saturated_search_ends_by_itself() {
    let run = |iterations| {
        let tester = tester(Search::Portfolio, iterations).until_saturated();
        explore(tester, |sys| programs::fan_in(sys, 2, 2))
    };
    let report = run(u64::MAX);
    assert_eq!((report.executions, report.behaviours.seen), (1_000, 6));
    assert_eq!(run(999).executions, 999);
    assert_eq!(run(1_001).executions, 1_000);
}

#[test]
fn an_unsaturated_search_goes_on() {
    let tester = tester(Search::Portfolio, 3_000).until_saturated();
    let report = explore(tester, |sys| programs::flood(sys, 4));
    // There are 1 296 behaviours, of which half are seen.
    assert_eq!(report.executions, 3_000);
}

/// Six independent lamps are lit: one behaviour. But in one of some thousand executions,
/// a predicate sees only the last lamp lit, so the search is not saturated before.
#[test]
fn what_predicates_tell_apart_is_not_saturated() {
    let tester = tester(searches().remove(0), u64::MAX);
    let report = explore(tester.until_saturated().seed(1), |sys| {
        let lamp = |_| machine(sys, false, |is_lit, _: Go, _| *is_lit = true);
        let all: Vec<_> = (0..6).map(lamp).collect();
        for one in &all {
            one.tell(Go);
        }
        sys.always("others are lit, too", move |w| {
            let mut lit = all
                .iter()
                .map(|one| w.get(one).is_some_and(|one| one.state));
            !(lit.by_ref().take(5).all(|is| !is) && lit.all(|is| is))
        });
    });
    let bug = report.assert_bug("others are lit, too");
    assert!(bug.iteration > 1_000, "{}: no test of it", bug.iteration);
    // One of the behaviours is that of the execution that the bug ends early.
    assert_eq!(report.behaviours.seen, 2);
}

#[test]
fn bounds_are_found_that_fit() {
    let calibrated =
        |program: fn(&System)| explore(tester(Search::Portfolio, 10).calibrate(), program).bounds;
    // 31 steps each: less than the least bound.
    let short = calibrated(|sys| programs::fan_in(sys, 3, 3));
    assert_eq!((short.unfair(), short.fair()), (200, 2_000));
    // One behaviour of constant length: a start, and two steps for each of 3 + 2 * 2 000 messages.
    let long = calibrated(|sys| programs::ping_pong(sys, 2_000));
    let steps = Tester::new()
        .iterations(1)
        .run(|sys| programs::ping_pong(&sys, 2_000))
        .steps_total;
    assert_eq!(long.unfair(), 2 * steps);
}

fn budget(steps: u64, search: Search) -> Tester {
    tester(search, u64::MAX).step_budget(steps)
}

/// Each execution of an empty test takes one step, and its start counts for twenty.
#[test]
fn a_budget_of_steps_pays_for_so_many_executions() {
    let run = |steps| explore(budget(steps, one("random")), |_| ());
    // A hundred at least.
    for (steps, executions) in [
        (0, 100),
        (21 * 100, 100),
        (21 * 100 + 1, 101),
        (21 * 5_000, 5_000),
        (21 * 5_000 + 1, 5_001),
    ] {
        assert_eq!(run(steps).executions, executions, "{steps} steps");
    }
    let report = run(21 * 300);
    let gap = actor_test::strategy::Gap::Budget { steps: 6_300 };
    assert_eq!(report.verdict.gaps, [gap]);
}

/// The budget pays for the same executions, with the same results, for any number of workers.
#[test]
fn a_budget_of_steps_is_spent_alike_by_any_number_of_workers() {
    for search in [searches(), with_lengths()].concat() {
        let alone = same_for_workers(&[1, 2, 5], |workers| {
            let tester = budget(60_000, search.clone()).workers(workers);
            explore(tester, |sys| programs::flood(sys, 3))
        });
        let spent = alone.steps_total + 20 * alone.executions;
        assert!(spent >= 60_000, "{spent}");
    }
}
