use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, Chain, Scenario, nothing_gets_lost, set_up, set_up_on_nodes};

/// No server fails.
const CALM: Scenario = Scenario {
    servers: 3,
    clients: 2,
    requests: 4,
    pings: 0,
    failures: 0,
};

/// One node may fail at any moment.
const FAILURE: Scenario = Scenario {
    failures: 1,
    ..CALM
};

/// No server fails, but servers are slow to answer.
const SUSPICION: Scenario = Scenario { pings: 2, ..CALM };

/// No server fails, and many updates are in flight.
const CROWD: Scenario = Scenario { clients: 4, ..CALM };

/// All servers but one fail, or are suspected.
const DISASTER: Scenario = Scenario {
    servers: 4,
    failures: 1,
    pings: 2,
    ..CALM
};

/// Two nodes may fail, perhaps neighbours, perhaps at the same time.
const DOUBLE: Scenario = Scenario {
    servers: 4,
    clients: 1,
    requests: 2,
    pings: 0,
    failures: 2,
};

fn clean(sys: &System, scenario: Scenario) {
    keep(sys, set_up(sys, scenario, None));
}

async fn clean_on_nodes(sys: &System, scenario: Scenario) {
    keep(sys, set_up_on_nodes(sys, scenario, None).await);
}

fn keep(sys: &System, chain: Chain) {
    // ANCHOR: always
    sys.always("nothing gets lost", move |world| {
        nothing_gets_lost(world, &chain.servers)
    });
    // ANCHOR_END: always
}

#[actor_test(max_steps = 1000)]
fn a_chain_serves(sys: &System) {
    clean(sys, CALM);
}

#[actor_test(max_steps = 1000, faults(stop = 1))]
async fn a_chain_survives_a_failure(sys: &System) {
    clean_on_nodes(sys, FAILURE).await;
}

#[actor_test(max_steps = 1000)]
fn a_chain_survives_suspicion(sys: &System) {
    clean(sys, SUSPICION);
}

#[actor_test(max_steps = 1000, faults(stop = 1))]
async fn one_server_of_four_survives(sys: &System) {
    clean_on_nodes(sys, DISASTER).await;
}

#[actor_test(max_steps = 1000)]
fn a_chain_serves_many(sys: &System) {
    clean(sys, CROWD);
}

/// The portfolio finds this after 14 executions; the maximum over 21 seeds is 87.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "a history is not sorted"
)]
async fn a_successor_is_sent_what_it_has(sys: &System) {
    set_up_on_nodes(sys, FAILURE, Some(Bug::ResendNoDedup)).await;
}

/// Found after 15 executions, and after 57 at most. A single client waits for the
/// lost update; with more clients, later updates show that the histories differ.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "monitor `Progress` is hot"
)]
async fn a_successor_is_not_sent_what_it_lacks(sys: &System) {
    let one_client = Scenario {
        clients: 1,
        ..FAILURE
    };
    set_up_on_nodes(sys, one_client, Some(Bug::LoseInflight)).await;
}

/// Found after 10 executions, and after 63 at most.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "monitor `Progress` is hot"
)]
async fn a_new_tail_is_silent(sys: &System) {
    set_up_on_nodes(sys, FAILURE, Some(Bug::NewTailSilent)).await;
}

/// Found after 18 executions, and after 59 at most.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "a history is not sorted"
)]
async fn a_new_head_counts_from_one(sys: &System) {
    set_up_on_nodes(sys, FAILURE, Some(Bug::HeadSeqReset)).await;
}

/// One of six random schedules finds this, and one of sixty weighted ones. A client must ask a random
/// server, and the update that it finds must be in flight until another client has asked the tail.
/// With two clients, six of a thousand random schedules find it, and one of a thousand weighted ones.
#[actor_test(iterations = 1000, max_steps = 1000, expect_bug = "was known")]
fn anybody_answers_queries(sys: &System) {
    set_up(sys, CROWD, Some(Bug::QueryAny));
}

/// Five of six random schedules find this, and one of four weighted ones.
#[actor_test(max_steps = 1000, expect_bug = "a history is not")]
fn anybody_takes_updates(sys: &System) {
    set_up(sys, CALM, Some(Bug::StaleHead));
}

/// Four of five schedules find this.
#[actor_test(max_steps = 1000, expect_bug = "was known")]
fn the_head_replies_too_early(sys: &System) {
    set_up(sys, CALM, Some(Bug::EarlyReply));
}

/// Found after 10 executions, and after 30 at most.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "monitor `Progress` is hot"
)]
async fn neighbours_are_not_linked(sys: &System) {
    set_up_on_nodes(sys, FAILURE, Some(Bug::WrongHandler)).await;
}

/// Found after 19 executions, and after 38 at most.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    faults(stop = 1),
    expect_bug = "monitor `Wholeness` is hot"
)]
async fn a_server_without_a_history_is_silent(sys: &System) {
    set_up_on_nodes(sys, FAILURE, Some(Bug::EmptyHistNoInfo)).await;
}

/// One of three random schedules finds this, and one of fifteen weighted ones.
#[actor_test(iterations = 1000, max_steps = 1000, expect_bug = "was known")]
fn a_slow_server_goes_on_as_the_tail(sys: &System) {
    set_up(sys, SUSPICION, Some(Bug::FalseSuspicion));
}

// ANCHOR: on_nodes
#[actor_test(max_steps = 1000, faults(stop = 2))]
async fn a_chain_survives_the_loss_of_two_nodes(sys: &System) {
    let chain = set_up_on_nodes(sys, DOUBLE, None).await;
    sys.always("nothing gets lost", move |world| {
        nothing_gets_lost(world, &chain.servers)
    });
}

/// Found after 25 executions, and after 144 at most: the second server fails while
/// the master needs that server to repair the chain after the first failure.
#[actor_test(
    max_steps = 1000,
    faults(stop = 2),
    expect_bug = "monitor `Wholeness` is hot"
)]
async fn the_loss_of_a_second_node_has_to_wait(sys: &System) {
    set_up_on_nodes(sys, DOUBLE, Some(Bug::OneFailureAtATime)).await;
}
// ANCHOR_END: on_nodes
