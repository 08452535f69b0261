use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, all_know_all, set_up};

// ANCHOR: tests
#[actor_test(timers = patient, max_steps = 1000, faults(restart = 1, crash = 1))]
fn a_restarted_node_joins_again(sys: &System) {
    set_up(sys, None);
    sys.always_eventually("all know all", all_know_all);
}

#[actor_test(
    timers = patient,
    max_steps = 1000,
    faults(restart = 1),
    expect_bug = "monitor `AllJoined` is hot in `Waiting`"
)]
fn its_own_message_comes_back_to_it(sys: &System) {
    set_up(sys, Some(Bug::NoBounce));
}
// ANCHOR_END: tests
