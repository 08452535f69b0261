//! Minimisation of failing executions: the remaining steps, and the budget.

use std::collections::BTreeSet;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Bug, BugKind, Report, Tester};
use behaviour::closures::{Machine, handles, machine};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::same_for_workers;

use super::{Asker, Meet, client};

/// Runs a program with two bugs: a seven after a three, and a nine.
fn clients(sys: &System, numbers: &[u64], times: u64) {
    let mut last = 0;
    let sum = handles(sys, move |number: u64, _| {
        assert!((last, number) != (3, 7), "a seven after a three");
        assert!(number != 9, "a nine");
        last = number;
    });
    let spawn = |&number: &u64| client(sys, &sum, number, times);
    let clients: Vec<_> = numbers.iter().map(spawn).collect();
    for client in clients {
        client.tell(Go);
    }
}

fn tester(seed: u64) -> Tester {
    let tester = Tester::new().strategy(StrategySpec::Random);
    tester.seed(seed).iterations(1_000)
}

fn eight_clients(seed: u64, budget: u64) -> Report {
    let tester = tester(seed).minimize(budget);
    tester.run(|sys| clients(&sys, &[1, 2, 3, 4, 5, 6, 7, 8], 5))
}

fn steps(bug: &Bug) -> usize {
    bug.trace.story.steps.len()
}

/// The bug needs two of eight clients, and one message of each. The test body takes one step
/// for each spawn; then each of the two starts and sends once, and the sum handles both.
#[test]
fn only_what_the_bug_needs_is_left() {
    for seed in 0..5 {
        let report = eight_clients(seed, 1_000_000);
        let bug = report.assert_bug("a seven after a three");
        let minimized = bug.minimized.as_ref().expect("it is shorter");
        assert!(minimized.before.steps > minimized.after.steps);
        assert_eq!(minimized.after.actors, 3);
        assert_eq!(minimized.after.messages, 4);
        assert_eq!(minimized.after.steps as usize, steps(bug));
        assert!(!minimized.is_cut);
    }
}

/// The minimised execution is a recording like any other: the same bug, at its last step.
#[test]
fn the_bug_stays_the_same() {
    let mut kinds = BTreeSet::new();
    for seed in 0..40 {
        let body = |sys: &System| clients(sys, &[3, 7, 9], 2);
        let found = tester(seed).run(|sys| body(&sys));
        let minimized = tester(seed).minimize(1_000_000).run(|sys| body(&sys));
        let (found, minimal) = (&found.bugs()[0], &minimized.bugs()[0]);
        assert_eq!(found.finding.location, minimal.finding.location);
        assert_eq!(found.kind(), BugKind::Panic);
        assert_eq!(found.message(), minimal.message());
        assert!(steps(minimal) <= steps(found));
        assert_eq!(minimal.step() as usize, steps(minimal));
        kinds.insert(minimal.message().to_owned());
    }
    assert_eq!(kinds.len(), 2, "both bugs are found in some: {kinds:?}");
}

/// The result is the same with any number of workers, and for every run.
#[test]
fn what_is_left_is_always_the_same() {
    let (_, minimized) = same_for_workers(&[1, 1, 2, 4], |workers| {
        let tester = tester(3).workers(workers).minimize(300_000);
        let report = tester.run(|sys| clients(&sys, &[1, 2, 3, 4, 7], 4));
        let bug = report.bugs()[0].clone();
        (bug.trace, bug.minimized)
    });
    assert!(minimized.is_some());
}

/// With any budget, the result is a failing execution.
#[test]
fn a_small_budget_leaves_the_best_so_far() {
    let mut sizes = Vec::new();
    for budget in [1, 50, 200, 1_000, 5_000, 100_000] {
        let report = eight_clients(1, budget);
        let bug = report.assert_bug("a seven after a three");
        assert_eq!(bug.step() as usize, steps(bug));
        let minimized = bug.minimized.as_ref().expect("what came of it is told");
        let is_shorter = minimized.after != minimized.before;
        assert!(minimized.is_cut || is_shorter, "{minimized:?}");
        assert!(is_shorter || minimized.steps >= budget, "{minimized:?}");
        sizes.push(steps(bug));
    }
    assert!(sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
    assert!(sizes[0] > sizes[5]);
}

/// A cycle of asks is detected when it closes, so no other activity is needed.
#[test]
fn a_circle_needs_those_who_are_in_it() {
    let report = tester(0).minimize(1_000_000).run(|sys| {
        let askers = [3; 2].map(|noise| sys.spawn(Asker::new(noise)));
        askers[0].tell(Meet(askers[1].clone()));
        askers[1].tell(Meet(askers[0].clone()));
        askers[0].tell(Go);
        askers[1].tell(Go);
    });
    let bug = report.assert_bug("a cycle of asks");
    let minimized = bug.minimized.as_ref().expect("it has fewer switches");
    assert!(minimized.after.switches < minimized.before.switches);
    assert_eq!(minimized.after.messages, 4);
}

/// Counts for ever, in ever new states; another event makes it lose something.
fn counter(sys: &System) -> ActorRef<Machine<(u64, bool), bool>> {
    let counter = machine(sys, (0, false), |(ticks, is_lost), loses, cx| {
        if loses {
            *is_lost = true;
        } else {
            *ticks += 1;
            cx.me().tell(false);
        }
    });
    counter.tell(false);
    counter
}

/// The program loses its obligation after some steps and never
/// ends: of 5 000 steps, only the few that lead there remain.
#[test]
fn of_an_endless_story_the_beginning_is_left() {
    let bug = endless(1);
    assert_eq!(bug.kind(), BugKind::Liveness);
    let minimized = bug.minimized.as_ref().expect("it is shorter");
    assert!(minimized.before.steps > 5_000, "{minimized:?}");
    // The body starts, spawns and sends twice; one tick is
    // handled and sends another, before the obligation is lost.
    assert_eq!(minimized.after.steps, 7, "{minimized:?}");
    let dead = minimized.dead.as_ref().expect("it was seen to stay lost");
    assert_eq!(dead.from, minimized.after.steps);
    assert!(dead.continuations >= 70);
    assert_eq!(steps(&bug) as u64, dead.from);
    assert!(bug.step() > 5_000);
    // This search has enough work for several workers.
    let together = endless(3);
    assert_eq!(together.minimized, bug.minimized);
    assert_eq!(together.trace, bug.trace);
}

/// If the budget does not pay for continuations as long as those that
/// confirmed the bug, they are shorter, and the report says so. If
/// they would be too short to be significant, nothing is minimised.
#[test]
fn what_a_small_budget_pays_for_is_what_is_proved() {
    let of = |budget| {
        let report = lost_for_ever(tester(0).iterations(1).max_steps(1_000).minimize(budget));
        let bug = report.assert_bug("nothing is lost").clone();
        let dead = bug.minimized.and_then(|minimized| minimized.dead);
        dead.map(|dead| (dead.continuations, dead.horizon))
    };
    let (continuations, horizon) = of(300_000).expect("it pays for short ones");
    assert!((2_000..5_000).contains(&horizon), "{horizon}");
    assert_eq!(continuations, 71, "there are as many");
    assert_eq!(of(2_000_000), Some((71, 5_000)));
    assert_eq!(of(100_000), None);
}

/// A program that was seen to recover late is confirmed by long continuations. The minimised
/// execution needs equally long ones: if the budget pays only for shorter ones, nothing is minimised.
#[test]
fn a_slow_program_is_continued_as_long_as_when_it_was_confirmed() {
    let of = |budget| {
        let tester = Tester::new().iterations(40).max_steps(200).lasso(false);
        let tester = tester.strategy(StrategySpec::Random).seed(3);
        let report = tester.minimize(budget).run(|sys| {
            // Is busy until its 300th tick, or for ever, by a choice at the first one.
            let late = machine(&sys, (0, false), |(ticks, is_lost), _: Tick, cx| {
                *is_lost |= *ticks == 0 && cx.choose(4) == 0;
                *ticks += 1;
                if *is_lost || *ticks < 300 {
                    cx.me().tell(Tick);
                }
            });
            late.tell(Tick);
            sys.always_eventually("it is done", move |world| {
                world.get(&late).is_some_and(|late| late.state.0 == 300)
            });
        });
        let bug = report.assert_bug("it is done").clone();
        let confirmed = bug.confirmation.expect("it was suspected").horizon;
        assert!(confirmed > 4_000, "one recovers before: {confirmed}");
        let dead = bug.minimized.and_then(|minimized| minimized.dead);
        dead.map(|dead| (dead.continuations, dead.horizon == confirmed))
    };
    assert_eq!(of(2_000_000), Some((71, true)));
    // This budget would pay for 71 continuations of 3 000 steps.
    assert_eq!(of(300_000), None);
}

/// The longer the path to the lost obligation, the more a continuation costs.
/// The execution is still minimised, and the budget for the final proof is kept.
#[test]
fn what_a_long_way_leads_to_is_shortened_with_a_small_budget() {
    // Half of the remaining budget would not pay for the proof, so more is reserved for it.
    for (ticks, budget) in [(100, 600_000), (1_000, 560_000), (1_000, 580_000)] {
        let tester = tester(0).iterations(1).max_steps(1_000).minimize(budget);
        let report = tester.run(|sys| {
            let counter = counter(&sys);
            sys.always_eventually("it counts no further", move |world| {
                let counter = world.get(&counter);
                counter.is_none_or(|counter| counter.state.0 < ticks)
            });
        });
        let bug = report.assert_bug("it counts no further");
        let minimized = bug.minimized.as_ref().expect("it is shorter");
        // The body starts, spawns and sends, and each tick is handled and sends another.
        assert_eq!(minimized.after.steps, 3 + 2 * ticks - 1, "{minimized:?}");
        let dead = minimized.dead.as_ref().expect("it was seen to stay so");
        assert!((2_000..=5_000).contains(&dead.horizon), "{dead:?}");
    }
}

fn endless(workers: usize) -> Bug {
    let tester = tester(0).max_steps(1_000).minimize(5_000_000);
    let report = lost_for_ever(tester.workers(workers));
    report.assert_bug("nothing is lost").clone()
}

fn lost_for_ever(tester: Tester) -> Report {
    tester.run(|sys| {
        let counter = counter(&sys);
        counter.tell(true);
        sys.always_eventually("nothing is lost", move |world| {
            world.get(&counter).is_none_or(|counter| !counter.state.1)
        });
    })
}
