use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, Load, everyone_works, set_up};

/// The load of Coyote's test.
const LOAD: Load = Load {
    capacity: 1,
    producers: 1,
    puts: 10,
    consumers: 2,
    takes: 5,
};

/// The smallest load with a lost wake-up.
const SMALLEST: Load = Load {
    puts: 2,
    takes: 1,
    ..LOAD
};

/// A single consumer: waking one client is enough here.
const ONE_CONSUMER: Load = Load {
    producers: 2,
    puts: 1,
    consumers: 1,
    takes: 2,
    ..LOAD
};

// ANCHOR: test
async fn every_item_arrives(sys: &System, load: Load, bug: Option<Bug>) {
    let clients = set_up(sys, load, bug);
    let taken = everyone_works(&clients).await;
    let items = load.producers * load.puts;
    assert_eq!(taken, (0..items).collect::<Vec<_>>());
}

#[actor_test]
async fn waking_all_loses_nothing(sys: &System) {
    every_item_arrives(sys, LOAD, None).await;
}

/// Three of ten schedules find the bug.
#[actor_test(expect_bug = "`Producer` awaits an event `Wake`")]
async fn waking_one_loses_a_wake_up(sys: &System) {
    every_item_arrives(sys, LOAD, Some(Bug::WakeOne)).await;
}
// ANCHOR_END: test

/// One of twenty schedules finds the bug.
#[actor_test(iterations = 1000, expect_bug = "`Producer` awaits an event `Wake`")]
async fn two_items_and_three_clients_are_enough(sys: &System) {
    every_item_arrives(sys, SMALLEST, Some(Bug::WakeOne)).await;
}

#[actor_test]
async fn one_consumer_needs_one_wake_up(sys: &System) {
    every_item_arrives(sys, ONE_CONSUMER, Some(Bug::WakeOne)).await;
}
