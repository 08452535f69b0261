use actor_core::prelude::*;
use actor_test::actor_test;

use super::{AllOrNone, Bug, both_work, set_up};

async fn one_side_has_all(sys: &System, tasks: u64, bug: Option<Bug>) {
    let (receiver, canceller) = set_up(sys, tasks, bug);
    let (received, cancelled) = both_work(&receiver, &canceller).await;
    let (all, none) = ((0..tasks).collect::<Vec<_>>(), Vec::new());
    assert!(
        (&received, &cancelled) == (&all, &none) || (&received, &cancelled) == (&none, &all),
        "received: {received:?}, cancelled: {cancelled:?}"
    );
}

#[actor_test]
async fn tasks_are_received_or_cancelled(sys: &System) {
    sys.monitor::<AllOrNone>();
    one_side_has_all(sys, 2, None).await;
}

/// Seven of ten schedules find this.
#[actor_test(expect_bug = "the tasks are divided")]
async fn a_cancellation_that_is_not_noted_divides_the_tasks(sys: &System) {
    sys.monitor::<AllOrNone>();
    one_side_has_all(sys, 2, Some(Bug::FlagNotSet)).await;
}

/// The deadlock that remains visible without a monitor.
#[actor_test(expect_bug = "`Receiver` awaits an event `Posted`")]
async fn the_receiver_waits_for_its_share(sys: &System) {
    one_side_has_all(sys, 2, Some(Bug::FlagNotSet)).await;
}

/// One task can't be divided.
#[actor_test(iterations = 1000)]
async fn one_task_hides_the_bug(sys: &System) {
    sys.monitor::<AllOrNone>();
    one_side_has_all(sys, 1, Some(Bug::FlagNotSet)).await;
}
