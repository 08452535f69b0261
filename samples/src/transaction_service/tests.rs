use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, set_up, the_books_balance};

const TRANSFERS: u32 = 2;

// ANCHOR: tests
#[actor_test(max_steps = 1000, faults(stop = 1))]
fn transfers_survive_the_loss_of_a_node(sys: &System) {
    set_up(sys, TRANSFERS, None);
    sys.always_eventually("the books balance", the_books_balance);
}

#[actor_test(
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "is carried out twice"
)]
fn a_decision_that_is_told_again_is_carried_out_again(sys: &System) {
    set_up(sys, TRANSFERS, Some(Bug::ApplyTwice));
}

#[actor_test(
    max_steps = 1000,
    faults(stop = 1),
    iterations = 5_000,
    expect_bug = "is committed and aborted"
)]
fn a_decision_is_told_before_it_is_backed_up(sys: &System) {
    set_up(sys, TRANSFERS, Some(Bug::DecideBeforeReplicate));
}

#[actor_test(max_steps = 1000, faults(stop = 1), expect_bug = "transfer ")]
fn a_new_coordinator_counts_from_one(sys: &System) {
    set_up(sys, TRANSFERS, Some(Bug::TransactionIdRestart));
}

/// The rarest of the bugs: one of a thousand executions finds it, so this test has enough of them.
#[actor_test(
    iterations = 20_000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "monitor `Answered` is hot in `Waiting`"
)]
fn a_lock_is_kept_for_ever(sys: &System) {
    set_up(sys, TRANSFERS, Some(Bug::LockLeak));
}
// ANCHOR_END: tests
