use actor_test::{Tester, actor_test};

use super::*;

/// Two clients who ask different nodes, so that there are two leaders.
const RIVALS: Group = Group {
    nodes: 3,
    clients: 2,
    commands: 2,
    patience: Duration::from_millis(100),
    retries: 0,
    lossy: false,
};

/// One node misses some of what is proposed.
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

/// Found in one schedule of four.
#[actor_test(expect_bug = "are chosen for slot")]
fn a_reported_slot_is_taken(sys: &System) {
    set_up(sys, RIVALS, Some(Bug::SlotReuse));
}

/// Found in one schedule of a thousand: the second leader has to hear of a slot from a node that
/// missed the one before, and of that one from nobody. A run of all actor tests with a hundred
/// iterations would miss it.
#[test]
fn a_gap_stops_the_log() {
    let report = Tester::new().iterations(10_000).run(|sys| {
        set_up(sys, LOSSY, Some(Bug::NoGapFill));
    });
    let found = report.bugs().first().map(|bug| bug.message());
    assert!(
        found.is_some_and(|message| message.contains("monitor `Execution` is hot in `Owed`")),
        "{found:?}"
    );
}

/// Found in one schedule of eight.
#[actor_test(iterations = 1000, expect_bug = "are chosen for slot")]
fn a_promise_is_for_all_slots(sys: &System) {
    set_up(sys, RIVALS, Some(Bug::PromisePerSlot));
}
