use actor_test::actor_test;

use super::*;

async fn the_next_primary_knows_everything(sys: &System, bug: Option<Bug>) {
    let observer = set_up(sys, bug);
    let next = observer.ask(WhoIsNext).await;
    let (ballot, decrees) = next.expect("the observer does not stop");
    assert!(ballot.round > 1);
    assert_eq!(decrees, 3);
}

#[actor_test]
async fn a_replica_learns_before_it_prepares(sys: &System) {
    the_next_primary_knows_everything(sys, None).await;
}

/// One of five random schedules finds this, and three of a hundred weighted ones.
#[actor_test(
    iterations = 1000,
    expect_bug = "from Stable to Preparing, without learning"
)]
async fn a_late_reply_is_no_reason_to_prepare(sys: &System) {
    the_next_primary_knows_everything(sys, Some(Bug::NoStateCheck)).await;
}
