//! Tests: a leader that counts replicas of entries of earlier terms loses what it has committed.

use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, set_up};

// ANCHOR: tests
#[actor_test(faults(crash = 1))]
fn committed_entries_are_kept(sys: &System) {
    set_up(sys, None);
}

#[actor_test(
    faults(crash = 1),
    iterations = 10_000,
    expect_bug = "which was committed in term"
)]
fn an_entry_of_an_earlier_term_is_lost(sys: &System) {
    set_up(sys, Some(Bug::CountsEarlierTerms));
}
// ANCHOR_END: tests
