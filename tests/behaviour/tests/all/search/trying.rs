//! Proof attempts beside sampling: a test that can be proved is proved.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::report::{BehaviourStatistics, ProofAttempt};
use actor_test::strategy::Gap;
use actor_test::{Report, Tester};
use behaviour::closures::{Handles, Machine, at_start, handles, machine, volley};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{exhaust, only_bug, same_for_workers, strategy, whole};
use behaviour::programs;

use crate::search::{Here, callers};

const BUDGET: u64 = 400_000;

/// A tester with the settings of a test without settings: a budget, and a quarter of it for proofs.
fn tester() -> Tester {
    let tester = Tester::new().iterations(u64::MAX).step_budget(BUDGET);
    tester.prove(BUDGET / 4).samples_beside_proof(100)
}

/// Spawns an actor that fails if two other callers come before the first one, and counts these of them.
fn late(sys: &System, mut others: u32) -> ActorRef<Handles<Here>> {
    handles(sys, move |here: Here, _| match here.0 {
        0 => assert!(others < 2, "it came late"),
        _ => others += 1,
    })
}

#[test]
fn a_small_test_is_proved() {
    let report = exhaust(&tester(), |sys| programs::fan_in(&sys, 4, 1));
    assert_eq!((report.executions, report.behaviours.seen), (24, 24));
    assert!(report.tried.is_empty());
}

#[test]
fn a_bug_that_is_found_while_trying_ends_the_test() {
    // Five callers come in reverse order, but one delay can't reverse five.
    let report = tester().strategy(strategy("delay:rtc/1")).run(|sys| {
        let mut order = Vec::new();
        let to = handles(&sys, move |here: Here, _| {
            order.push(here.0);
            assert_ne!(order, [4, 3, 2, 1, 0], "the last one first");
        });
        callers(&sys, &to, 0..5);
    });
    let bug = only_bug(&report);
    assert!(bug.message().contains("the last one first"), "{bug:?}");
    assert_eq!(bug.strategy, "dpor");
    assert_eq!(report.verdict.gaps, [Gap::Bug]);
    let token = format!("dpor@0-{}-", bug.iteration);
    assert!(bug.token.starts_with(&token), "{}", bug.token);
    assert!(!bug.trace.decisions.is_empty());
    // The samples before the bug are counted.
    let [dpor, samples] = &report.strategies[..] else {
        panic!("{:?}", report.strategies);
    };
    let names = [&dpor.name, &samples.name];
    assert_eq!(names, ["dpor", "delay:rtc/1"]);
    assert!(dpor.executions > 0 && samples.executions > 0);
    assert_eq!(report.executions, dpor.executions + samples.executions);
}

/// The first sample runs before any search.
#[test]
fn the_first_sample_comes_first() {
    let report = tester().run(|sys| {
        late(&sys, 2).tell(Here(0));
        programs::fan_in(&sys, 5, 4);
    });
    assert_eq!(report.executions, 1);
    assert!(report.tried.is_empty(), "{:?}", report.tried);
}

#[test]
fn who_goes_on_after_a_bug_is_told_of_all() {
    let report = tester().keep_going().run(|sys| {
        callers(&sys, &late(&sys, 0), 0..3);
    });
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    // The first caller comes last in two of six orders.
    assert_eq!(report.bugs()[0].seen, 2);
}

/// Asserts that the searches end for these reasons. The samples are the same as without
/// the searches, the budget pays for both, and the number of workers changes nothing.
#[track_caller]
fn assert_sampled_beside(tries: &[&dyn Fn(&Gap) -> bool], program: impl Fn(&System) + Sync) {
    same_for_workers(&[1, 3], |workers| {
        let report = tester().workers(workers).run(|sys| program(&sys));
        assert_eq!(report.tried.len(), tries.len(), "{:?}", report.tried);
        for (ProofAttempt { gaps, .. }, is_why) in report.tried.iter().zip(tries) {
            assert!(gaps.iter().all(is_why) && gaps.len() == 1, "{gaps:?}");
        }
        let steps: u64 = report.tried.iter().map(|tried| tried.steps).sum();
        assert!(steps > 0 && steps <= BUDGET / 4 + 100, "{steps}");
        let spent = report.steps_total + 20 * report.executions + steps;
        assert!(spent.abs_diff(BUDGET) < BUDGET / 20, "{spent}");
        let some = Tester::new().iterations(500).samples_beside_proof(100);
        let without = some.workers(workers);
        let beside = without.clone().prove(BUDGET / 4).run(|sys| program(&sys));
        let without = without.run(|sys| program(&sys));
        assert!(without.tried.is_empty());
        assert_eq!(sampled(&beside), sampled(&without));
        (sampled(&report), report.verdict, report.tried)
    });
}

type Sampled = (u64, BehaviourStatistics, Vec<(String, u64, u64)>);

fn sampled(report: &Report) -> Sampled {
    let strategies = report.strategies.iter();
    let turns = strategies
        .map(|of| (of.name.clone(), of.executions, of.new_behaviours))
        .collect();
    (report.steps_total, report.behaviours, turns)
}

#[test]
fn a_large_test_is_given_up_early_and_sampled() {
    // 20!/(4!)^5, about three hundred million.
    let is_large = |gap: &Gap| matches!(gap, Gap::TooMany { about } if *about > 100_000);
    let is_modelled = |gap: &Gap| matches!(gap, Gap::TooMany { .. } | Gap::NoEnd { .. });
    assert_sampled_beside(&[&is_large, &is_modelled], |sys| {
        programs::fan_in(sys, 5, 4);
    });
}

#[test]
fn a_test_that_is_just_too_large_has_all_of_its_share() {
    let half = BUDGET / 8;
    let is_spent = |gap: &Gap| matches!(gap, Gap::Budget { steps } if steps.abs_diff(half) < 100);
    assert_sampled_beside(&[&is_spent, &is_spent], |sys| programs::fan_in(sys, 3, 3));
}

#[test]
fn what_one_search_can_not_prove_the_next_one_tries() {
    // The first execution in which the ticks are cut ends the search.
    let are_cut = |gap: &Gap| matches!(gap, Gap::Ticks { executions: 1, .. });
    let is_endless = |gap: &Gap| matches!(gap, Gap::NoEnd { .. });
    assert_sampled_beside(&[&are_cut, &is_endless], |sys| {
        sys.spawn(Ticker);
        programs::fan_in(sys, 3, 2);
    });
}

/// A search in slices gives the same result as in one go.
#[test]
fn what_goes_round_is_proved_by_its_states() {
    let program = |sys: &System| {
        // Two clocks that cycle through their states.
        let [one, other] = [3, 4].map(|hands| {
            machine(sys, 0, move |at, tock: Tock, cx| {
                tock.0.tell(Tock(cx.recipient()));
                *at = (*at + 1) % hands;
            })
        });
        one.tell(Tock(other.recipient()));
        other.tell(Tock(one.recipient()));
    };
    let report = tester().run(|sys| program(&sys));
    report.assert_clean();
    let alone = exhaust(&whole("states"), |sys| program(&sys));
    assert_eq!(report.verdict, alone.verdict);
    assert_eq!(report.executions, alone.executions);
    assert_eq!(report.behaviours, alone.behaviours);
}

#[derive(Debug, Hash)]
struct Tock(Recipient<Tock>);

struct Ticker;

#[actor]
impl Ticker {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {}
}

#[test]
fn one_seed_of_many_proves_nothing() {
    let is_seed = |gap: &Gap| *gap == Gap::Seeds { executions: 1 };
    assert_sampled_beside(&[&is_seed, &is_seed], |sys| {
        at_start(sys, |cx| _ = rand_core::Rng::next_u64(&mut cx.rng()));
        programs::fan_in(sys, 3, 1);
    });
}

#[test]
fn what_does_not_end_is_sampled() {
    let is_bound = |gap: &Gap| matches!(gap, Gap::Steps { executions: 1, .. } | Gap::Budget { .. });
    let tester = tester().strategy(strategy("random")).max_steps(300);
    let report = tester.run(|sys| volley(&sys));
    report.assert_clean();
    assert_eq!(report.tried.len(), 2, "{:?}", report.tried);
    for tried in &report.tried {
        assert!(tried.gaps.iter().all(is_bound), "{tried:?}");
    }
}

static IS_DONE: AtomicBool = AtomicBool::new(false);

fn doer(sys: &System) -> ActorRef<Machine<(), Go>> {
    machine(sys, (), |(), _: Go, _| {
        IS_DONE.store(true, Ordering::SeqCst)
    })
}

/// One actor fails if another has acted, or if it has not.
fn in_secret(sys: &System, expects: bool) {
    IS_DONE.store(false, Ordering::SeqCst);
    let checker = machine(sys, expects, |expects, _: Go, _| {
        let is_done = IS_DONE.load(Ordering::SeqCst);
        assert_eq!(is_done, *expects, "what is shared");
    });
    checker.tell(Go);
    doer(sys).tell(Go);
}

/// Two actors share memory that the tester does not see: the search regards
/// their steps as independent and runs one order; samples run the other.
#[test]
fn what_is_shared_in_secret_is_not_proved_away() {
    for expects in [false, true] {
        let report = tester().run(|sys| in_secret(&sys, expects));
        assert!(!report.bugs().is_empty(), "{expects}: {:?}", report.verdict);
        assert!(!report.verdict.is_exhaustive());
    }
}

/// The same with an explicit search: each search with a reduction runs one
/// order, and without the samples one of the two programs is proved wrongly.
#[test]
fn what_is_shared_in_secret_is_not_proved_away_by_a_search_that_was_asked_for() {
    let of = |strategy: &str, samples| {
        let tester = whole(strategy).samples_beside_proof(samples);
        [false, true].map(|expects| tester.run(|sys| in_secret(&sys, expects)))
    };
    for strategy in ["dpor", "states", "states:order=breadth", "dfs:local", "dfs"] {
        for report in of(strategy, 100) {
            assert!(!report.bugs().is_empty(), "{strategy}");
            assert!(!report.verdict.is_exhaustive(), "{strategy}");
        }
        let missed = of(strategy, 0);
        let missed = missed.iter().filter(|report| report.bugs().is_empty());
        assert_eq!(missed.count() == 0, strategy == "dfs", "{strategy}");
    }
    for report in of("dpor", 100) {
        let bug = &report.bugs()[0];
        let is_refuted = report.verdict.gaps == [Gap::Refuted];
        assert_eq!(bug.strategy == "random", is_refuted);
        let executions = report.strategies.iter().map(|strategy| strategy.executions);
        assert_eq!(report.executions, executions.sum::<u64>());
    }
}

/// A correct proof survives the samples, without additional executions in the count.
#[test]
fn a_proof_that_is_doubted_stays() {
    for strategy in ["dpor", "states"] {
        let tester = whole(strategy).samples_beside_proof(100);
        let doubted = exhaust(&tester, |sys| {
            doer(&sys).tell(Go);
            doer(&sys).tell(Go);
        });
        assert_eq!(doubted.strategies.len(), 1, "{strategy}");
    }
}
