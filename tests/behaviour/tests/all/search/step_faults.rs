//! Faults within a step in exhaustive searches: each is a choice of its step, and all share a budget.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::strategy::Reduction;
use behaviour::closures::{at_start, handler};
use behaviour::harness::events::Go;
use behaviour::harness::{outcomes, whole};
use behaviour::players::FeatureProgram;

use crate::search::{programs, reduction};

/// The budget of so many failing calls.
fn calls(most: u16) -> FaultBudgets {
    FaultBudgets::none().with(FaultKind::Call, most)
}

/// The number of ways to choose `some` of `all`.
fn choose(all: u64, some: u64) -> u64 {
    (0..some).fold(1, |ways, number| ways * (all - number) / (number + 1))
}

/// The orders in which so many actors are spawned, one after the other, and each makes its call: one more
/// actor is spawned last of all, and its call comes at any later place.
fn orders(actors: u64) -> u64 {
    (0..actors).map(|number| 2 * number + 1).product()
}

/// All calls share the budget: each order of the calls counts, also once the budget is spent, and in each
/// order any calls up to the budget fail.
#[test]
fn any_calls_within_the_budget_fail_in_any_order() {
    for (actors, most) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 4)] {
        let tester = whole("dpor").check_every(0).faults(calls(most));
        let report = tester.run(|sys| {
            sys.fails("call", || ());
            for _ in 0..actors {
                at_start(&sys, |cx| _ = cx.fallible("call", || Ok::<_, ()>(())));
            }
        });
        assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
        let failing: u64 = (0..=actors.min(u64::from(most)))
            .map(|some| choose(actors, some))
            .sum();
        let Reduction::Steps { behaviours, .. } = reduction(&report) else {
            panic!("{:?}", report.verdict);
        };
        assert_eq!(
            *behaviours,
            orders(actors) * failing,
            "{actors} actors, {most} faults"
        );
    }
}

/// A call can fail once the test body has supplied the error, which comes later.
#[test]
fn a_call_comes_before_or_after_its_error_is_supplied() {
    let explore = |name: &str| {
        let program = async |sys: System| {
            let caller = handler(|_: Go, cx: &mut Context<_>| {
                u64::from(cx.fallible("call", || Ok::<_, ()>(())).is_ok())
            });
            let called = sys.spawn(caller).ask(Go);
            sys.sleep(Duration::from_millis(1)).await;
            sys.fails("call", || ());
            called.await.expect("it answers")
        };
        outcomes(&whole(name).check_every(0).faults(calls(1)), program).1
    };
    assert_eq!(explore("dfs"), [0, 1]);
    assert_eq!(explore("dpor"), [0, 1]);
}

/// Compares random programs with their enumeration over all schedules and faults. Returns the number of
/// programs that were compared.
fn compared(programs: u64, schedules_max: u64) -> u64 {
    let compared = (0..programs).filter(|number| {
        let play = FeatureProgram::faulty(*number);
        let (all, dfs) = play.explore("dfs", schedules_max);
        if !dfs.verdict.is_exhaustive() {
            return false;
        }
        let (found, dpor) = play.explore("dpor", u64::MAX);
        if !dpor.verdict.is_exhaustive() {
            return false;
        }
        assert_eq!(found, all, "program {number}: {play:#?}");
        dpor.faults.iter().any(|faults| faults.struck > 0)
    });
    compared.count() as u64
}

#[test]
fn random_programs_with_faults_end_as_in_all_schedules() {
    let count = programs("DPOR", 60);
    let compared = compared(count, 1_000);
    assert!(compared > count / 8, "{compared}");
}
