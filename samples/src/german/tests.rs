use actor_test::actor_test;

use super::*;

#[actor_test]
fn caches_are_coherent(sys: &System) {
    set_up(sys, 3, 4, None);
}

/// Nine of ten schedules find this.
#[actor_test(expect_bug = "incoherent: ")]
fn a_sent_invalidation_is_no_acknowledgement(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::ClearOnSend));
}

/// One of twelve schedules finds this, and one of five with three caches.
#[actor_test(iterations = 1000, expect_bug = "incoherent: ")]
fn an_acknowledgement_is_somebodys(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::CountAcks));
}

/// One of eleven schedules finds this.
#[actor_test(
    iterations = 1000,
    expect_bug = "in state `AwaitingExclusive` neither handles, defers nor ignores `Invalidate`"
)]
fn an_upgrade_may_be_overtaken(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::OneWaitingState));
}

/// One of eleven schedules finds this, and six of seven with three caches.
#[actor_test(
    iterations = 1000,
    expect_bug = "monitor `Service` is hot in `Waiting`"
)]
fn a_request_may_come_at_any_time(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::DropRequests));
}
