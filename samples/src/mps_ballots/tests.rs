use actor_core::prelude::*;
use actor_test::causes::DecisivePoint;
use actor_test::{Tester, actor_test};

use super::{Bug, set_up};

#[actor_test(max_steps = 300)]
fn a_candidate_becomes_primary(sys: &System) {
    set_up(sys, None);
}

#[actor_test(max_steps = 300, expect_bug = "monitor `Elects` is hot in `Electing`")]
fn a_candidate_is_refused_for_ever(sys: &System) {
    set_up(sys, Some(Bug::MixedOrder));
}

/// Ballots grow, so no state repeats, and the report names no
/// cycle. Every schedule fails: no candidate is ever elected.
#[test]
fn no_schedule_helps_and_no_state_comes_again() {
    let tester = Tester::new().iterations(1).max_steps(100);
    let report = tester.explain(1_000_000).run(|sys| {
        set_up(&sys, Some(Bug::MixedOrder));
    });
    let bug = report.assert_bug("Elects");
    assert_eq!(bug.trace.cycle, None);
    let causes = bug.causes.as_ref().expect("they were looked for");
    assert!(
        matches!(causes.decided, DecisivePoint::FromTheStart { share, .. } if share.escaped == 0)
    );
    assert!(causes.races.needed.is_empty());
}
