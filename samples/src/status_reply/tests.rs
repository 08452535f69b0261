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
async fn a_late_reply_is_no_news(sys: &System) {
    the_next_primary_knows_everything(sys, None).await;
}

#[actor_test(
    iterations = 10000,
    expect_bug = "from Stable to Preparing, without learning"
)]
async fn a_late_reply_ends_no_learning(sys: &System) {
    the_next_primary_knows_everything(sys, Some(Bug::NoStateCheck)).await;
}
