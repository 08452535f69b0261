use actor_core::prelude::*;
use actor_test::causes::DecisivePoint;
use actor_test::{Tester, actor_test};

use super::{Bug, set_up};

/// A job takes eight steps, so these end by themselves before a fair bound of 3 000.
const JOBS: u32 = 250;

/// Loads may differ for a while. For how long is a matter of chance: of a thousand schedules, some
/// ten have a stretch of 400 steps, and one has a stretch of 600. More than 1 500, which is half of
/// the fair bound, are beyond it.
#[actor_test(iterations = 30, max_steps = 300)]
fn loads_are_balanced_again_and_again(sys: &System) {
    set_up(sys, JOBS, None);
}

/// Found in nearly every schedule, as long as jobs come in: so many that they end neither before the
/// bound nor in a fair continuation.
#[actor_test(max_steps = 300, expect_bug = "monitor `Balance` is hot in `Skewed`")]
fn the_first_server_does_everything(sys: &System) {
    set_up(sys, 4 * JOBS, Some(Bug::Sticky));
}

/// It is never too late: when no more jobs come in, the first server does what it has, and the
/// execution ends in balance.
#[actor_test(iterations = 10, max_steps = 300, temperature = 2500)]
fn no_job_is_too_many(sys: &System) {
    set_up(sys, JOBS, Some(Bug::Sticky));
}

/// After the last step of an execution that was given up there is still a way back.
#[test]
fn no_step_is_critical() {
    let tester = Tester::new().iterations(10).max_steps(300);
    let report = tester.explain(2_000_000).run(|sys| {
        set_up(sys, 4 * JOBS, Some(Bug::Sticky));
    });
    let causes = report.assert_bug("Balance").causes.as_ref();
    let causes = causes.expect("they were looked for");
    let DecisivePoint::StillRecoverable { after, .. } = causes.decided else {
        panic!("{causes:?}");
    };
    assert!(after > 2_000, "{after}");
}
