use actor_test::actor_test;

use super::*;

#[actor_test]
fn caches_are_coherent(sys: &System) {
    set_up(sys, 3, 4, None);
}

/// Found in nine schedules of ten.
#[actor_test(expect_bug = "incoherent: ")]
fn a_sent_invalidation_is_no_acknowledgement(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::ClearOnSend));
}

/// Found in one schedule of twelve, and in one of five with three caches.
#[actor_test(iterations = 1000, expect_bug = "incoherent: ")]
fn an_acknowledgement_is_somebodys(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::CountAcks));
}

/// Found in one schedule of eleven.
#[actor_test(
    iterations = 1000,
    expect_bug = "in state `AwaitingExclusive` neither handles, defers nor ignores `Invalidate`"
)]
fn an_upgrade_may_be_overtaken(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::OneWaitingState));
}

/// Found in one schedule of eleven, and in six of seven with three caches.
#[actor_test(
    iterations = 1000,
    expect_bug = "monitor `Service` is hot in `Waiting`"
)]
fn a_request_may_come_at_any_time(sys: &System) {
    set_up(sys, 2, 2, Some(Bug::DropRequests));
}
