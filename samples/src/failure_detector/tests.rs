use actor_test::actor_test;

use super::*;

/// Time-outs race with everything else, so the detector may be wrong about live nodes: what it
/// promises is that it hears of every failure.
#[actor_test(max_steps = 1000)]
fn every_failure_is_reported(sys: &System) {
    set_up(sys, 2, Timing::default(), None);
}

/// Where time-outs are long compared to everything else, it is right about live nodes, too.
#[actor_test(max_steps = 1000, timers = patient)]
fn only_failures_are_reported(sys: &System) {
    sys.monitor::<Accuracy>();
    set_up(sys, 2, Timing::default(), None);
}

/// A detector in a hurry: its pause is shorter than a slow node takes for an answer.
fn hurry() -> Timing {
    Timing {
        pause: Duration::from_millis(50),
        ..Timing::default()
    }
}

#[actor_test(max_steps = 1000)]
fn no_node_falls_behind(sys: &System) {
    sys.monitor::<Backlog>();
    set_up(sys, 2, hurry(), None);
}

#[actor_test(max_steps = 1000, timers = patient)]
fn no_slow_node_falls_behind(sys: &System) {
    sys.monitor::<Backlog>();
    set_up(sys, 2, hurry(), None);
}

/// Found in three schedules of four, because time-outs are long compared to messages, so that only slow
/// nodes fall behind, round after round. Where time-outs race with messages, random schedules
/// declare the nodes dead long before: none of 10 000 found it, and 190 of 10 000 weighted ones.
#[actor_test(max_steps = 1000, timers = patient, expect_bug = "a node is 4 answers behind")]
fn a_pong_counts_in_any_round(sys: &System) {
    sys.monitor::<Backlog>();
    set_up(sys, 2, hurry(), Some(Bug::CountPings));
}

/// Found in two weighted schedules of five, and in one random one of fifty: a detector in a hurry
/// takes slow nodes for dead ones before anybody listens.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Completeness` is hot in `Wait`"
)]
fn a_late_client_never_hears(sys: &System) {
    set_up(sys, 2, hurry(), Some(Bug::LateRegister));
}

/// Found in all schedules but four of a thousand: it takes one slow answer.
#[actor_test(max_steps = 1000, timers = patient, expect_bug = "a live node is reported as failed")]
fn one_timeout_is_no_verdict(sys: &System) {
    sys.monitor::<Accuracy>();
    set_up(sys, 2, Timing::default(), Some(Bug::EarlyVerdict));
}
