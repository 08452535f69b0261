use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, Scenario, nothing_gets_lost, set_up, set_up_on_nodes};

/// Nobody fails.
const CALM: Scenario = Scenario {
    servers: 3,
    clients: 2,
    requests: 4,
    failures: 0,
    pings: 0,
};

/// One server fails, at any moment.
const FAILURE: Scenario = Scenario {
    failures: 1,
    ..CALM
};

/// Nobody fails, but servers are slow to answer.
const SUSPICION: Scenario = Scenario { pings: 2, ..CALM };

/// Nobody fails, and many updates are on their way.
const CROWD: Scenario = Scenario { clients: 4, ..CALM };

/// All but one fail, or are taken for dead.
const DISASTER: Scenario = Scenario {
    servers: 4,
    failures: 3,
    pings: 2,
    ..CALM
};

/// Two servers fail, maybe neighbours, maybe at once.
const DOUBLE: Scenario = Scenario {
    servers: 4,
    clients: 1,
    requests: 2,
    failures: 2,
    pings: 0,
};

fn clean(sys: &System, scenario: Scenario) {
    let chain = set_up(sys, scenario, None);
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

#[actor_test(max_steps = 1000)]
fn a_chain_survives_a_failure(sys: &System) {
    clean(sys, FAILURE);
}

#[actor_test(max_steps = 1000)]
fn a_chain_survives_suspicion(sys: &System) {
    clean(sys, SUSPICION);
}

#[actor_test(max_steps = 1000)]
fn one_server_of_four_survives(sys: &System) {
    clean(sys, DISASTER);
}

#[actor_test(max_steps = 1000)]
fn a_chain_serves_many(sys: &System) {
    clean(sys, CROWD);
}

/// Found in one schedule of nine.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "a history is not sorted"
)]
fn a_successor_is_sent_what_it_has(sys: &System) {
    set_up(sys, FAILURE, Some(Bug::ResendNoDedup));
}

/// Found in one random schedule of four, and in one weighted one of nine. A single client waits for
/// the update that was lost; where there are more, later updates show that histories differ.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Progress` is hot"
)]
fn a_successor_is_not_sent_what_it_lacks(sys: &System) {
    let one_client = Scenario {
        clients: 1,
        ..FAILURE
    };
    set_up(sys, one_client, Some(Bug::LoseInflight));
}

/// Found in one random schedule of five, and in one weighted one of nine.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Progress` is hot"
)]
fn a_new_tail_is_silent(sys: &System) {
    set_up(sys, FAILURE, Some(Bug::NewTailSilent));
}

/// Found in one random schedule of six, and in one weighted one of nine.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "a history is not sorted"
)]
fn a_new_head_counts_from_one(sys: &System) {
    set_up(sys, FAILURE, Some(Bug::HeadSeqReset));
}

/// Found in one random schedule of six, and in one weighted one of sixty: a client has to ask around,
/// and the update that it finds has to be on its way until somebody else has asked the tail. With
/// two clients, that is six random schedules of a thousand, and one weighted one.
#[actor_test(iterations = 1000, max_steps = 1000, expect_bug = "was known")]
fn anybody_answers_queries(sys: &System) {
    set_up(sys, CROWD, Some(Bug::QueryAny));
}

/// Found in five random schedules of six, and in one weighted one of four.
#[actor_test(max_steps = 1000, expect_bug = "a history is not")]
fn anybody_takes_updates(sys: &System) {
    set_up(sys, CALM, Some(Bug::StaleHead));
}

/// Found in four schedules of five.
#[actor_test(max_steps = 1000, expect_bug = "was known")]
fn the_head_replies_too_early(sys: &System) {
    set_up(sys, CALM, Some(Bug::EarlyReply));
}

/// Found in one random schedule of three, and in one weighted one of six.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Progress` is hot"
)]
fn neighbours_are_not_linked(sys: &System) {
    set_up(sys, FAILURE, Some(Bug::WrongHandler));
}

/// Found in one random schedule of five, and in one weighted one of eighteen.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Wholeness` is hot"
)]
fn a_server_without_a_history_is_silent(sys: &System) {
    set_up(sys, FAILURE, Some(Bug::EmptyHistNoInfo));
}

/// Found in one random schedule of three, and in one weighted one of fifteen.
#[actor_test(iterations = 1000, max_steps = 1000, expect_bug = "was known")]
fn a_slow_server_goes_on_as_the_tail(sys: &System) {
    set_up(sys, SUSPICION, Some(Bug::FalseSuspicion));
}

#[actor_test(max_steps = 1000)]
fn a_chain_survives_two_failures(sys: &System) {
    clean(sys, DOUBLE);
}

/// Found in three random schedules of ten, and in one weighted one of ten: the second server fails
/// while the master mends what the first has left, and needs the second for it.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Wholeness` is hot"
)]
fn the_second_failure_has_to_wait(sys: &System) {
    set_up(sys, DOUBLE, Some(Bug::OneFailureAtATime));
}

/// The nodes fail that the tester chooses, and not those of the power switch.
const ON_NODES: Scenario = Scenario {
    failures: 0,
    ..DOUBLE
};

// ANCHOR: on_nodes
#[actor_test(max_steps = 1000, faults(stop = 2))]
async fn a_chain_survives_the_loss_of_two_nodes(sys: &System) {
    let chain = set_up_on_nodes(sys, ON_NODES, None).await;
    sys.always("nothing gets lost", move |world| {
        nothing_gets_lost(world, &chain.servers)
    });
}

#[actor_test(
    max_steps = 1000,
    faults(stop = 2),
    expect_bug = "monitor `Wholeness` is hot"
)]
async fn the_loss_of_a_second_node_has_to_wait(sys: &System) {
    set_up_on_nodes(sys, ON_NODES, Some(Bug::OneFailureAtATime)).await;
}
// ANCHOR_END: on_nodes
