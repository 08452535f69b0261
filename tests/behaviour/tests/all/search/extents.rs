//! Estimates of the remaining search, on programs whose totals are known.

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::Report;
use actor_test::strategy::Gap;
use actor_test::strategy::SizeEstimate;
use behaviour::programs::*;

use crate::search::{Program, limited};

/// Returns the number of behaviours or states that the search counts.
fn counted(report: &Report) -> u64 {
    let verdict = &report.verdict;
    let counted = verdict.behaviours().or(verdict.states());
    counted.unwrap_or(report.executions)
}

/// Stops a search after a tenth, three tenths, six tenths and nine tenths of its executions. Asserts that the
/// true total lies within the estimated bounds; returns the estimates, with the total.
fn assert_estimated(name: &str, title: &str, program: Program) -> Vec<(SizeEstimate, u64)> {
    let whole = limited(name, u64::MAX, program);
    let verdict = &whole.verdict;
    let is_complete = verdict.is_exhaustive() || verdict.within().is_some();
    assert!(is_complete, "{name}, {title}: {verdict:?}");
    assert_eq!(verdict.extent, None, "{name}, {title}: all was looked at");
    let all = counted(&whole);
    let estimates = [0.1, 0.3, 0.6, 0.9].into_iter().filter_map(|share| {
        let executions = (whole.executions as f64 * share) as u64;
        let report = limited(name, executions.max(1), program);
        let extent = report.verdict.extent?;
        assert_eq!(extent.met, counted(&report), "{name}, {title}");
        assert_bounds(&extent, all);
        Some((extent, all))
    });
    estimates.collect()
}

#[track_caller]
fn assert_bounds(extent: &SizeEstimate, all: u64) {
    let is_within = extent.least <= all && extent.most.is_none_or(|most| most >= all);
    assert!(is_within, "{extent:?} of {all}");
}

/// Asserts that at least half of the lower bounds, and at least
/// half of the upper bounds, are within this factor of the truth.
fn assert_near(estimates: &[(SizeEstimate, u64)], factor: f64) {
    let is_near = |one: u64, other: u64| one as f64 * factor >= other as f64;
    let low = estimates
        .iter()
        .filter(|(extent, all)| is_near(extent.least, *all));
    assert!(low.count() * 2 >= estimates.len(), "{estimates:?}");
    let bounded = estimates
        .iter()
        .filter_map(|(extent, all)| Some((extent.most?, *all)));
    let high = bounded.clone().filter(|(most, all)| is_near(*all, *most));
    assert!(high.count() * 2 >= bounded.count(), "{estimates:?}");
}

const TREES: [(&str, Program); 8] = [
    ("six events", |sys| fan_in(sys, 6, 1)),
    ("two times six events", |sys| fan_in(sys, 2, 6)),
    ("two-phase commit", |sys| two_phase_commit(sys, 4)),
    ("flood", |sys| flood(sys, 4)),
    ("locks", |sys| lock_server(sys, 3)),
    ("more locks", |sys| lock_server(sys, 4)),
    ("Paxos with one proposer", |sys| paxos(sys, 1, 3)),
    ("Paxos with two proposers", |sys| paxos(sys, 2, 2)),
];

#[test]
fn behaviours_are_as_many_as_they_seem_to_be() {
    let estimates = TREES.map(|(title, program)| assert_estimated("dpor", title, program));
    assert_near(&estimates.concat(), 2.0);
}

/// Totals that are much larger than the number of executions.
#[test]
fn behaviours_are_as_many_as_they_seem_to_be_where_few_were_seen() {
    let large: [(Program, u64); 3] = [
        (|sys| fan_in(sys, 10, 1), 3_628_800),
        (|sys| lock_server(sys, 6), 95_040),
        (|sys| paxos(sys, 2, 3), 26_136),
    ];
    for (program, all) in large {
        for executions in [300, 3_000, 10_000] {
            let report = limited("dpor", executions, program);
            let extent = report.verdict.extent.expect("it was bounded");
            assert_bounds(&extent, all);
        }
    }
}

#[test]
fn schedules_are_as_many_as_they_seem_to_be() {
    let few = [TREES[0], TREES[1], TREES[4], TREES[6], TREES[7]];
    let estimates = few.map(|(title, program)| assert_estimated("dfs:local", title, program));
    assert_near(&estimates.concat(), 4.0);
}

#[derive(Clone, Copy, Hash, Debug)]
struct Tick;

/// Counts down.
#[derive(Hash)]
struct Clock {
    left: u32,
}

#[actor]
impl Clock {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.me().tell(Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        if self.left > 0 {
            self.left -= 1;
            cx.me().tell(Tick);
        }
    }
}

fn clocks(sys: &System, each: &[u32]) {
    for left in each {
        sys.spawn(Clock { left: *left });
    }
}

/// Breadth-first search: the frontier first grows and then shrinks.
#[test]
fn states_are_as_many_as_they_seem_to_be() {
    let program: Program = |sys| clocks(sys, &[3, 4, 5]);
    let whole = limited("states:order=breadth", u64::MAX, program);
    let all = whole.verdict.states().expect("a search of states");
    let (mut without_end, mut estimates) = (0, Vec::new());
    for share in 1..20 {
        let bounded = format!("states:{}/order=breadth", all * share / 20);
        let report = limited(&bounded, u64::MAX, program);
        let extent = report.verdict.extent.expect("it was bounded");
        assert!(matches!(report.verdict.gaps[..], [Gap::States { .. }]));
        match extent.most {
            None => without_end += 1,
            Some(_) => {
                assert_bounds(&extent, all);
                estimates.push((extent, all));
            }
        }
    }
    assert!(
        without_end > 2 && estimates.len() > 5,
        "{without_end}, {estimates:?}"
    );
    assert_near(&estimates, 2.0);
}

/// Searches with a bound on deviations, and depth-first searches with re-execution, which a
/// predicate forces. The number of executions is limited, and the estimates must not be too low.
#[test]
fn searches_within_a_bound_say_how_much_is_left() {
    let programs: [Program; 3] = [
        |sys| fan_in(sys, 3, 1),
        |sys| fan_in(sys, 2, 2),
        |sys| {
            clocks(sys, &[2, 2]);
            sys.always("nothing is wrong", |_| true);
        },
    ];
    let searches = "ses:rr/2/by=schedules ses:rtc/3/by=schedules pb:1 pb:2 ses:rr/2 ses:rtc/3 pb:2/by=states states";
    for name in searches.split(' ') {
        let estimates: Vec<_> = programs
            .into_iter()
            .flat_map(|program| assert_estimated(name, "a program", program))
            .collect();
        let bounded = estimates.iter().filter(|(extent, _)| extent.most.is_some());
        let (said, bounded) = (estimates.len(), bounded.count());
        assert!(said > 6 && bounded > 2, "{name}: {said}, {estimates:?}");
    }
}

/// A total that was not requested, or can't be estimated, is not reported.
#[test]
fn nothing_is_guessed_of_what_is_behind_a_bug() {
    let report = limited("dpor", u64::MAX, |_| panic!("at once"));
    assert_eq!(report.verdict.extent, None);
    let report = limited("random", 10, |sys| fan_in(sys, 3, 1));
    assert_eq!(report.verdict.extent, None);
}
