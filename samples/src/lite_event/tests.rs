use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, everyone_waits, set_up};

#[actor_test]
async fn every_waiter_goes_on(sys: &System) {
    everyone_waits(&set_up(sys, 3, None)).await;
}

/// One of seven schedules finds this.
#[actor_test(expect_bug = "blocked on a kernel event that was disposed of")]
async fn the_first_disposes_of_what_the_second_blocks_on(sys: &System) {
    everyone_waits(&set_up(sys, 2, Some(Bug::DisposedByTheFirst))).await;
}

/// The intended use, with one waiter.
#[actor_test(iterations = 1000)]
async fn one_waiter_hides_the_bug(sys: &System) {
    everyone_waits(&set_up(sys, 1, Some(Bug::DisposedByTheFirst))).await;
}
