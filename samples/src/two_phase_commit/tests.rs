use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, Scenario, set_up};

/// Several clients, so that one transaction closely follows the other.
const SCENARIO: Scenario = Scenario {
    participants: 2,
    clients: 4,
    writes: 2,
    crash: false,
};

const CRASH: Scenario = Scenario {
    crash: true,
    ..SCENARIO
};

#[actor_test(max_steps = 1000)]
fn all_or_none_commit(sys: &System) {
    set_up(sys, SCENARIO, None);
}

#[actor_test(max_steps = 1000)]
fn all_or_none_commit_around_a_crash(sys: &System) {
    set_up(sys, CRASH, None);
}

// ANCHOR: parameters
#[actor_test(participants in 1..=4, clients in 1..=3, crash in [false, true], pairwise, max_steps = 1000)]
fn all_or_none_commit_in_any_group(sys: &System, participants: usize, clients: u32, crash: bool) {
    let scenario = Scenario {
        participants,
        clients,
        writes: 2,
        crash,
    };
    set_up(sys, scenario, None);
}
// ANCHOR_END: parameters

/// One of nine random schedules finds this, and one of thirty weighted ones: a participant must
/// sleep through a whole transaction, and vote in time for the next. With two clients, one of
/// thirty and one of a hundred find it; with one client, which reads in between, none does.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "commits without a vote of everybody"
)]
fn a_late_vote_counts_for_the_next(sys: &System) {
    set_up(sys, SCENARIO, Some(Bug::StaleVote));
}

/// Nearly all schedules find this. In most, the time-out reaches the coordinator in a wrong
/// state. In the others it aborts the next transaction, and the clock is started twice.
#[actor_test(max_steps = 1000, expect_bug = "neither handles, defers nor ignores")]
fn the_clock_is_stopped_too_late(sys: &System) {
    set_up(sys, SCENARIO, Some(Bug::TimerRace));
}

/// Nearly all schedules find this: time-outs race with everything else.
#[actor_test(
    max_steps = 1000,
    expect_bug = "is committed for some and aborted for others"
)]
fn a_participant_in_doubt_aborts(sys: &System) {
    set_up(sys, SCENARIO, Some(Bug::UnilateralAbort));
}

/// One of fourteen schedules finds this: the crash must come while the log is being written.
#[actor_test(
    iterations = 1000,
    max_steps = 1000,
    expect_bug = "is committed for some and aborted for others"
)]
fn a_promise_is_not_in_the_log(sys: &System) {
    set_up(sys, CRASH, Some(Bug::DecideUnlogged));
}
