use actor_test::{Tester, actor_test};

use super::*;

/// Two proposers with one ballot each: the second one must not undo a decision of the first.
const DUEL: Group = Group {
    proposers: 2,
    acceptors: 3,
    ballots: Some(1),
    copies: 0,
};

/// Proposers never give up.
const STUBBORN: Group = Group {
    ballots: None,
    ..DUEL
};

/// Three proposers with two ballots each.
const CROWD: Group = Group {
    proposers: 3,
    ballots: Some(2),
    ..DUEL
};

/// Two answers of each acceptor may be delivered twice.
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

/// Three of five schedules find this.
#[actor_test(expect_bug = "are decided")]
fn a_promise_must_be_kept(sys: &System) {
    set_up(sys, DUEL, Some(Bug::NoPromiseCheck));
}

/// One of fourteen schedules finds this.
#[actor_test(iterations = 1000, expect_bug = "are decided")]
fn an_accepted_value_must_be_taken_over(sys: &System) {
    set_up(sys, DUEL, Some(Bug::OwnValue));
}

/// Nine of ten schedules find this.
#[actor_test(expect_bug = "are decided")]
fn a_ballot_belongs_to_one_proposer(sys: &System) {
    set_up(sys, DUEL, Some(Bug::SameBallot));
}

/// One of ten schedules finds this.
#[actor_test(iterations = 1000, expect_bug = "are decided")]
fn half_is_no_majority(sys: &System) {
    set_up(sys, DUEL, Some(Bug::HalfQuorum));
}

/// The bug does not show if all sends of a handler leave in one step: all
/// acceptors then receive the messages of both proposers in the same order.
#[actor_test(iterations = 1000, atomic_handlers)]
fn half_is_enough_for_atomic_broadcasts(sys: &System) {
    set_up(sys, DUEL, Some(Bug::HalfQuorum));
}

/// Two of a thousand random schedules find this, and seven of 10 000 weighted
/// ones. With a single ballot for each proposer, one of 10 000 schedules would.
#[test]
fn the_newest_proposal_binds() {
    two_values_are_decided(CROWD, Bug::LowestBallot);
}

/// One of 200 schedules finds this.
#[test]
fn an_acceptor_has_one_vote() {
    two_values_are_decided(ECHO, Bug::DupCount);
}

/// For bugs so rare that a run of all actor tests with a hundred iterations would miss them.
fn two_values_are_decided(group: Group, bug: Bug) {
    let report = Tester::new().iterations(10_000).run(|sys| {
        set_up(&sys, group, Some(bug));
    });
    let found = report.bugs().first().map(|bug| bug.message());
    assert!(
        found.is_some_and(|message| message.contains("are decided")),
        "{found:?}"
    );
}
