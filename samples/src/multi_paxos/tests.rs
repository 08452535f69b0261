use actor_test::{Tester, actor_test};

use super::*;

/// Two clients that ask different nodes, so that there are two leaders.
const RIVALS: Group = Group {
    nodes: 3,
    clients: 2,
    commands: 2,
    patience: Duration::from_millis(100),
    retries: 0,
    lossy: false,
};

/// One node does not receive all proposals.
const LOSSY: Group = Group {
    commands: 4,
    retries: 1,
    lossy: true,
    ..RIVALS
};

#[actor_test]
fn nodes_execute_one_log(sys: &System) {
    let group = Group {
        retries: 2,
        ..RIVALS
    };
    set_up(sys, group, None);
}

#[actor_test]
fn a_bad_line_leaves_no_gap(sys: &System) {
    set_up(sys, LOSSY, None);
}

/// One of four schedules finds this.
#[actor_test(expect_bug = "are chosen for slot")]
fn a_reported_slot_is_taken(sys: &System) {
    set_up(sys, RIVALS, Some(Bug::SlotReuse));
}

/// One of a thousand schedules finds this: the second leader must learn of a
/// slot from a node that missed the slot before, and of that earlier slot from
/// no node. A run of all actor tests with a hundred iterations would miss it.
#[test]
fn a_gap_stops_the_log() {
    let report = Tester::new().iterations(10_000).run(|sys| {
        set_up(&sys, LOSSY, Some(Bug::NoGapFill));
    });
    let found = report.bugs().first().map(|bug| bug.message());
    assert!(
        found.is_some_and(|message| message.contains("monitor `Execution` is hot in `Owed`")),
        "{found:?}"
    );
}

/// One of eight schedules finds this.
#[actor_test(iterations = 1000, expect_bug = "are chosen for slot")]
fn a_promise_is_for_all_slots(sys: &System) {
    set_up(sys, RIVALS, Some(Bug::PromisePerSlot));
}
