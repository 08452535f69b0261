use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, Client, Server, set_up};

// ANCHOR: predicates
/// The predicates beside the monitor, for three clients with five rounds each.
fn expectations(sys: &System, server: &ActorRef<Server>) {
    let watched = server.clone();
    sys.always("the server serves no more than it is asked", move |world| {
        world.get(&watched).is_none_or(|server| server.served <= 15)
    });
    sys.eventually("every client is served", |world| {
        let served = world
            .all::<Client>()
            .filter(|client| client.rounds_left == 0);
        served.count() == 3
    });
    let watched = server.clone();
    sys.sometimes("two clients wait at once", move |world| {
        world
            .get(&watched)
            .is_some_and(|server| server.askers.len() >= 2)
    });
}
// ANCHOR_END: predicates

// ANCHOR: clean
#[actor_test]
fn every_ping_is_answered(sys: &System) {
    let server = set_up(sys, 3, 5, None);
    expectations(sys, &server);
}
// ANCHOR_END: clean

/// Nearly every schedule finds this: three clients rarely take turns five times.
// ANCHOR: buggy
#[actor_test(expect_bug = "monitor `Answered` is hot in `Pending`")]
fn one_asker_is_not_enough(sys: &System) {
    set_up(sys, 3, 5, Some(Bug::OneAsker));
}
// ANCHOR_END: buggy
