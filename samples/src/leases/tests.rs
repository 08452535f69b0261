//! Tests: fences keep the ledger right, and a margin keeps two cashiers from being on duty at once.

use actor_core::prelude::*;
use actor_core::services::LeaseTerms;
use actor_test::actor_test;

use super::{Bug, Cashier, TIME_TO_LIVE, set_up, set_up_cashiers};

// ANCHOR: tests
#[actor_test(max_steps = 1_000, faults(pause = 2, slow = 1))]
fn no_deposit_is_lost(sys: &System) {
    set_up(sys, None);
}

#[actor_test(
    max_steps = 1_000,
    faults(pause = 2, slow = 1),
    iterations = 10_000,
    expect_bug = "a deposit is lost"
)]
fn without_a_fence_a_deposit_is_lost(sys: &System) {
    set_up(sys, Some(Bug::NoFence));
}

#[actor_test(
    max_steps = 1_000,
    faults(pause = 2, slow = 1),
    iterations = 30_000,
    expect_bug = "a deposit is lost"
)]
fn a_read_has_to_show_its_fence(sys: &System) {
    set_up(sys, Some(Bug::FenceOfWrites));
}

#[actor_test(
    max_steps = 1_000,
    faults(pause = 2, slow = 1),
    iterations = 10_000,
    expect_bug = "a deposit is lost"
)]
fn a_new_lease_is_not_for_old_work(sys: &System) {
    set_up(sys, Some(Bug::OldWork));
}
// ANCHOR_END: tests

/// Restarts of the store forget who has a lease, but neither how long nor which fences were granted.
#[actor_test(faults(pause = 1, crash = 1, restart = 1))]
fn a_store_may_restart(sys: &System) {
    set_up(sys, None);
    for node in ["ledger", "n1", "n2"] {
        sys.faults().spare(node);
    }
}

// ANCHOR: margin
fn cashiers(sys: &System, drift_ppm: u32) {
    let terms = LeaseTerms::new(TIME_TO_LIVE).drift_ppm(drift_ppm);
    set_up_cashiers(sys, terms);
    sys.always("one cashier is on duty", |w| {
        w.all::<Cashier>().count() <= 1
    });
}

#[actor_test(clocks(drift = 0.01), timers = patient, max_steps = 500, faults(partition = 2))]
fn with_a_margin_one_cashier_is_on_duty(sys: &System) {
    cashiers(sys, 10_000);
}

#[actor_test(
    clocks(drift = 0.01),
    timers = patient, max_steps = 500,
    faults(partition = 2),
    iterations = 10_000,
    expect_bug = "one cashier is on duty"
)]
fn without_a_margin_two_are(sys: &System) {
    cashiers(sys, 0);
}

/// A margin is no protection from a pause. The work of a cashier that others depend on needs a fence.
#[actor_test(
    timers = patient, max_steps = 500,
    faults(pause = 1),
    iterations = 10_000,
    expect_bug = "one cashier is on duty"
)]
fn after_a_pause_two_are(sys: &System) {
    cashiers(sys, 10_000);
}
// ANCHOR_END: margin
