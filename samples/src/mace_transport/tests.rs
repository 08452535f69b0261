use actor_core::prelude::*;
use actor_test::causes::DecisivePoint;
use actor_test::story::Step;
use actor_test::strategy::StepKind;
use actor_test::{Tester, actor_test};

use super::{Bug, set_up};

#[actor_test(iterations = 300, max_steps = 300)]
fn every_message_is_acknowledged(sys: &System) {
    set_up(sys, 2, None);
}

#[actor_test(
    max_steps = 300,
    expect_bug = "monitor `AllAcked` is hot in `InFlight`"
)]
fn an_old_syn_opens_a_connection_again(sys: &System) {
    set_up(sys, 2, Some(Bug::NoConnectionId));
}

/// The receiver has gone back to the old connection, after the SYN of the new one; and now the
/// acknowledgement of that arrives. Up to there the sender may still close the connection, or send its
/// SYN again. (In other executions no step alone decides: the chance that it closes gets less and
/// less.)
#[test]
fn the_critical_transition_is_the_late_acknowledgement() {
    let strategy = "early-fair-pos".parse().expect("the name of a strategy");
    let tester = Tester::new().strategy(strategy).iterations(1_000);
    let report = tester.max_steps(100).explain(2_000_000).run(|sys| {
        set_up(sys, 2, Some(Bug::NoConnectionId));
    });
    let causes = report.assert_bug("AllAcked").causes.as_ref();
    let causes = causes.expect("they were looked for");
    let DecisivePoint::Critical { at, before, .. } = &causes.decided else {
        panic!("{causes:?}");
    };
    assert_eq!(at.what, "sends Ack { seq: 6001 } to Sender");
    assert!(before.escaped * 5 > before.of, "{before:?}");
}

/// What is left of an execution ends where nothing recovers, and not where little does: the old SYN has
/// come to the receiver after that of the new connection. Published are eight events.
#[test]
fn the_minimal_story_has_the_old_syn() {
    let tester = Tester::new().max_steps(300).minimize(20_000_000);
    let report = tester.run(|sys| {
        set_up(sys, 2, Some(Bug::NoConnectionId));
    });
    let story = &report.assert_bug("AllAcked").trace.story;
    let is_event = |step: &&Step| matches!(step.kind, StepKind::Handle | StepKind::Timer);
    let events = story.steps.iter().filter(is_event).count();
    assert!(events <= 3 * 8, "{events} events");
    let sent = story.messages.iter().map(|message| &*message.event);
    let syns: Vec<&str> = sent.filter(|event| event.contains("syn: Some")).collect();
    assert!(!syns.is_sorted(), "{syns:?}");
}
