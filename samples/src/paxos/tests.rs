use actor_test::{Tester, actor_test};

use super::*;

/// Two proposers with one ballot each: what one of them gets decided, the other must not undo.
const DUEL: Group = Group {
    proposers: 2,
    acceptors: 3,
    ballots: Some(1),
    copies: 0,
};

/// Nobody gives up.
const STUBBORN: Group = Group {
    ballots: None,
    ..DUEL
};

/// Three proposers, who try again once.
const CROWD: Group = Group {
    proposers: 3,
    ballots: Some(2),
    ..DUEL
};

/// Two answers of each acceptor may come twice.
const ECHO: Group = Group { copies: 2, ..DUEL };

#[actor_test]
fn one_value_is_decided(sys: &System) {
    sys.monitor::<Decision>();
    set_up(sys, STUBBORN, None);
}

#[actor_test]
fn repeated_answers_change_nothing(sys: &System) {
    sys.monitor::<Decision>();
    set_up(
        sys,
        Group {
            copies: 3,
            ..STUBBORN
        },
        None,
    );
}

/// Found in three schedules of five.
#[actor_test(expect_bug = "are decided")]
fn a_promise_must_be_kept(sys: &System) {
    set_up(sys, DUEL, Some(Bug::NoPromiseCheck));
}

/// Found in one schedule of fourteen.
#[actor_test(iterations = 1000, expect_bug = "are decided")]
fn an_accepted_value_must_be_taken_over(sys: &System) {
    set_up(sys, DUEL, Some(Bug::OwnValue));
}

/// Found in nine schedules of ten.
#[actor_test(expect_bug = "are decided")]
fn a_ballot_belongs_to_one_proposer(sys: &System) {
    set_up(sys, DUEL, Some(Bug::SameBallot));
}

/// Found in one schedule of ten.
#[actor_test(iterations = 1000, expect_bug = "are decided")]
fn half_is_no_majority(sys: &System) {
    set_up(sys, DUEL, Some(Bug::HalfQuorum));
}

/// It is not found where a handler's sends leave in one step: all acceptors hear the two proposers
/// in the same order then, as if there were only one.
#[actor_test(iterations = 1000, atomic_handlers)]
fn half_is_enough_for_atomic_broadcasts(sys: &System) {
    set_up(sys, DUEL, Some(Bug::HalfQuorum));
}

/// Found in two random schedules of a thousand, and in seven weighted ones of 10 000. With one ballot
/// for each it would be one schedule of 10 000.
#[test]
fn the_newest_proposal_binds() {
    two_values_are_decided(CROWD, Bug::LowestBallot);
}

/// Found in one schedule of 200.
#[test]
fn an_acceptor_has_one_vote() {
    two_values_are_decided(ECHO, Bug::DupCount);
}

/// For bugs so rare that a run of all actor tests with a hundred iterations would miss them.
fn two_values_are_decided(group: Group, bug: Bug) {
    let report = Tester::new().iterations(10_000).run(|sys| {
        set_up(sys, group, Some(bug));
    });
    let found = report.bugs().first().map(|bug| bug.message());
    assert!(
        found.is_some_and(|message| message.contains("are decided")),
        "{found:?}"
    );
}
