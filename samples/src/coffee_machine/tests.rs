use actor_core::prelude::*;
use actor_test::{Tester, actor_test};

use super::{Bug, set_up};

// ANCHOR: clean
#[actor_test(max_steps = 1000)]
fn failover(sys: &System) {
    set_up(sys, None);
}
// ANCHOR_END: clean

/// One of thirty random schedules finds this, and two of a thousand weighted ones: the grinder
/// must run ahead of the machine that watches it, and then that machine must be killed.
// ANCHOR: buggy
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "the grinder is switched on with an empty hopper"
)]
fn hopper_below_zero(sys: &System) {
    set_up(sys, Some(Bug::HopperEqZero));
}
// ANCHOR_END: buggy

/// One of five random schedules finds this, and one of eight weighted ones.
#[actor_test(
    max_steps = 1000,
    expect_bug = "obeys the machine in charge and no other"
)]
fn two_machines_in_charge(sys: &System) {
    set_up(sys, Some(Bug::NoHaltHandshake));
}

/// One of thirteen random schedules finds this, and one of twenty weighted ones: the
/// beans must run out during an order, in a machine that is not killed afterwards.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Activity` is hot in `Busy`"
)]
fn silent_without_beans(sys: &System) {
    set_up(sys, Some(Bug::RefillSilent));
}

/// Coyote's advice on the step limit: of the schedules that end by
/// themselves, most are longer than 200 steps and few are longer than 1 000.
#[test]
fn most_schedules_exceed_200_steps_and_few_exceed_1000() {
    let schedules = 400;
    let longer_than = |bound: u64| {
        let exceeds = |seed: &u64| {
            let tester = Tester::new().seed(*seed).iterations(1).max_steps(bound);
            let report = tester.run(|sys| {
                set_up(&sys, None);
            });
            report.assert_clean();
            report.steps_total > bound
        };
        (0..schedules).filter(exceeds).count()
    };
    assert!(longer_than(200) > 200);
    assert!(longer_than(1_000) < 60);
}
