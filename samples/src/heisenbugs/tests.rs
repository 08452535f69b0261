use actor_core::prelude::*;
use actor_test::actor_test;

use super::{boot, cancel_port, wait_for_event};

#[actor_test]
fn a_port_is_received_or_cancelled(_: &System) {
    cancel_port(3, true);
}

#[actor_test(expect_bug = "a part of the tasks was received, the rest cancelled")]
fn a_port_forgets_that_it_is_cancelled(_: &System) {
    cancel_port(2, false);
}

#[actor_test]
fn every_waiter_goes_on(_: &System) {
    wait_for_event(2, true);
}

#[actor_test(expect_bug = "blocked on a kernel event that was disposed of")]
fn the_first_disposes_of_what_the_second_blocks_on(_: &System) {
    wait_for_event(2, false);
}

/// The intended use, with one waiter.
#[actor_test(iterations = 1000)]
fn one_waiter_hides_the_bug(_: &System) {
    wait_for_event(1, false);
}

#[actor_test]
fn a_processor_that_yields_boots(_: &System) {
    boot(true);
}

#[actor_test(expect_bug = "spins at")]
fn a_processor_that_halts_for_nothing_spins(_: &System) {
    boot(false);
}
