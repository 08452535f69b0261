//! Which races the bugs of the samples need, as the tester names them.

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

use crate::{german, lite_event};

fn tester() -> Tester {
    let tester = Tester::new().strategy(StrategySpec::Random);
    tester
        .iterations(1_000)
        .minimize(1_000_000)
        .explain(1_000_000)
}

/// `first before second at whose inbox`.
fn needed(report: &Report) -> Vec<String> {
    let bug = report.bugs().first().expect("a bug is found");
    let causes = bug.causes.as_ref().expect("its causes are looked for");
    let races = causes.races.needed.iter();
    let told = races.map(|race| {
        let (first, second) = (&race.first.event, &race.second.event);
        format!("{first} before {second} at {}", race.at)
    });
    told.collect()
}

/// Nothing orders that one waiter disposes of the kernel event and that the other blocks on it.
#[test]
fn a_wait_needs_that_the_event_is_disposed_of_before_it_blocks() {
    let report = tester().run_async(async |sys: System| {
        let bug = lite_event::Bug::DisposedByTheFirst;
        lite_event::everyone_waits(&lite_event::set_up(&sys, 2, Some(bug))).await;
    });
    let needed = needed(&report);
    let blocks = |race: &String| race.starts_with("Dispose before Block(");
    assert!(needed.iter().any(blocks), "{needed:?}");
}

/// The cache has asked for a write when it is told to give up what it has.
#[test]
fn an_upgrade_needs_that_another_ones_request_comes_first() {
    let bug = german::Bug::OneWaitingState;
    let report = tester().max_steps(1_000).run(|sys| {
        german::set_up(sys, 2, 2, Some(bug));
    });
    let needed = needed(&report);
    let requests = |race: &String| race.starts_with("ReqExclusive") && race.ends_with("at Home");
    let invalidates = |race: &String| race.contains("before Invalidate at Cache");
    assert!(needed.iter().any(requests), "{needed:?}");
    assert!(needed.iter().any(invalidates), "{needed:?}");
}
