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

/// The receiver has returned to the old connection after the new SYN, and
/// now the acknowledgement of the new SYN arrives. Until then the sender
/// may close the connection or retransmit its SYN. (In other executions
/// no single step decides: the chance of a close only declines.)
#[test]
fn the_critical_transition_is_the_late_acknowledgement() {
    let strategy = "early-fair-pos".parse().expect("the name of a strategy");
    let tester = Tester::new().strategy(strategy).iterations(1_000);
    let report = tester.max_steps(100).explain(2_000_000).run(|sys| {
        set_up(&sys, 2, Some(Bug::NoConnectionId));
    });
    let causes = report.assert_bug("AllAcked").causes.as_ref();
    let causes = causes.expect("they were looked for");
    let DecisivePoint::Critical { at, before, .. } = &causes.decided else {
        panic!("{causes:?}");
    };
    assert_eq!(at.what, "sends Ack { seq: 6001 } to Sender");
    assert!(before.escaped * 5 > before.of, "{before:?}");
}

/// Minimisation stops where no continuation recovers. The minimal execution has the old
/// SYN, which reached the receiver after the new one. The paper publishes eight events.
#[test]
fn the_minimal_story_has_the_old_syn() {
    let tester = Tester::new().max_steps(300).minimize(20_000_000);
    let report = tester.run(|sys| {
        set_up(&sys, 2, Some(Bug::NoConnectionId));
    });
    let story = &report.assert_bug("AllAcked").trace.story;
    let is_event = |step: &&Step| matches!(step.kind, StepKind::Handle | StepKind::Timer);
    let events = story.steps.iter().filter(is_event).count();
    assert!(events <= 3 * 8, "{events} events");
    let sent = story.messages.iter().map(|message| &*message.event);
    let syns: Vec<&str> = sent.filter(|event| event.contains("syn: Some")).collect();
    assert!(!syns.is_sorted(), "{syns:?}");
}
