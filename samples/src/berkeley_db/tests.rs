use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, set_up, somebody_is_master};

const PUTS: u32 = 3;

async fn serve(sys: &System, bug: Option<Bug>) {
    sys.always_eventually("somebody is master", somebody_is_master);
    set_up(sys, PUTS, bug).await;
}

// ANCHOR: tests
#[actor_test(timers = patient, max_steps = 1000, faults(break = 1, stop = 1))]
async fn a_master_is_elected(sys: &System) {
    serve(sys, None).await;
}

#[actor_test(timers = patient, max_steps = 1000, faults(break = 1), expect_bug = "an update is requested of")]
async fn two_masters_and_a_late_request(sys: &System) {
    serve(sys, Some(Bug::UnexpectedUpdateReq)).await;
}

#[actor_test(timers = patient, max_steps = 1000, faults(stop = 1), expect_bug = "somebody is master")]
async fn nobody_may_stand(sys: &System) {
    serve(sys, Some(Bug::RecoveringNotElectable)).await;
}
// ANCHOR_END: tests

/// Without faults, neither bug shows.
#[actor_test(timers = patient, max_steps = 1000)]
async fn both_need_a_fault(sys: &System) {
    serve(sys, Some(Bug::UnexpectedUpdateReq)).await;
}
