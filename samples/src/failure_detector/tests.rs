use actor_test::actor_test;

use super::*;

/// Time-outs race with everything else, so the detector may suspect live nodes.
/// The detector promises only completeness here: every failure is reported.
#[actor_test(max_steps = 1000)]
fn every_failure_is_reported(sys: &System) {
    set_up(sys, 2, Timing::default(), None);
}

/// With time-outs that are long compared to everything else, the detector suspects no live node.
#[actor_test(max_steps = 1000, timers = patient)]
fn only_failures_are_reported(sys: &System) {
    sys.monitor::<Accuracy>();
    set_up(sys, 2, Timing::default(), None);
}

/// A detector whose pause is shorter than the answer of a slow node.
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

/// Three of four schedules find this, because time-outs are long compared to messages, so that only
/// slow nodes fall behind, round after round. If time-outs race with messages, random schedules
/// declare the nodes dead much earlier: none of 10 000 found it, and 190 of 10 000 weighted ones.
#[actor_test(max_steps = 1000, timers = patient, expect_bug = "a node is 4 answers behind")]
fn a_pong_counts_in_any_round(sys: &System) {
    sys.monitor::<Backlog>();
    set_up(sys, 2, hurry(), Some(Bug::CountPings));
}

/// Two of five weighted schedules find this, and one of fifty random ones: an
/// impatient detector suspects slow nodes before any client is registered.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "monitor `Completeness` is hot in `Wait`"
)]
fn a_late_client_never_hears(sys: &System) {
    set_up(sys, 2, hurry(), Some(Bug::LateRegister));
}

/// All but four of a thousand schedules find this: one slow answer is enough.
#[actor_test(max_steps = 1000, timers = patient, expect_bug = "a live node is reported as failed")]
fn one_timeout_is_no_verdict(sys: &System) {
    sys.monitor::<Accuracy>();
    set_up(sys, 2, Timing::default(), Some(Bug::EarlyVerdict));
}
