use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, set_up};

// ANCHOR: tests
#[actor_test(faults(stop = 1))]
fn updates_survive_the_loss_of_a_node(sys: &System) {
    set_up(sys, 3, None);
}

#[actor_test(
    faults(stop = 1),
    expect_bug = "monitor `Answered` is hot in `Waiting`"
)]
fn a_new_primary_leaves_a_hole(sys: &System) {
    set_up(sys, 3, Some(Bug::NoRequeue));
}
// ANCHOR_END: tests

/// Without the loss of a node, the bug does not show.
#[actor_test]
fn the_hole_needs_a_fault(sys: &System) {
    set_up(sys, 3, Some(Bug::NoRequeue));
}
