use actor_core::prelude::*;
use actor_test::causes::DecisivePoint;
use actor_test::{Tester, actor_test};

use super::{Bug, set_up};

/// A job takes eight steps, so these executions end by themselves before a fair bound of 3 000.
const JOBS: u32 = 250;

/// Loads may differ for a while by chance: of a thousand schedules,
/// about ten are skewed for 400 steps, and one is for 600. More than
/// 1 500 steps, half of the fair bound, do not occur by chance.
#[actor_test(iterations = 30, max_steps = 300)]
fn loads_are_balanced_again_and_again(sys: &System) {
    set_up(sys, JOBS, None);
}

/// Nearly every schedule finds this while jobs arrive. The number of jobs is
/// so large that they last beyond the bound and beyond a fair continuation.
#[actor_test(max_steps = 300, expect_bug = "monitor `Balance` is hot in `Skewed`")]
fn the_first_server_does_everything(sys: &System) {
    set_up(sys, 4 * JOBS, Some(Bug::Sticky));
}

/// No step is too late: when no more jobs arrive, the first
/// server finishes its queue, and the execution ends in balance.
#[actor_test(iterations = 10, max_steps = 300, temperature = 2500)]
fn no_job_is_too_many(sys: &System) {
    set_up(sys, JOBS, Some(Bug::Sticky));
}

/// The program can still recover after the last step of an execution that was given up.
#[test]
fn no_step_is_critical() {
    let tester = Tester::new().iterations(10).max_steps(300);
    let report = tester.explain(2_000_000).run(|sys| {
        set_up(&sys, 4 * JOBS, Some(Bug::Sticky));
    });
    let causes = report.assert_bug("Balance").causes.as_ref();
    let causes = causes.expect("they were looked for");
    let DecisivePoint::StillRecoverable { after, .. } = causes.decided else {
        panic!("{causes:?}");
    };
    assert!(after > 2_000, "{after}");
}
