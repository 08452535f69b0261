//! Stateful search, against all schedules: the same end states and the same bugs.

use std::sync::Arc;

use actor_core::prelude::*;
use actor_core::sync::blocking::Mutex;
use actor_core::thread;
use actor_test::strategy::Gap;
use actor_test::strategy::{StrategySpec, Unjudged};
use actor_test::{Report, Tester};
use behaviour::automata::Automata;
use behaviour::players::FeatureProgram;

fn strategy(name: &str) -> StrategySpec {
    name.parse().expect("the name of a strategy")
}

/// The number of programs; `STATES` raises it for a nightly run.
fn programs(usual: u64) -> u64 {
    let given = std::env::var("STATES").ok();
    given.map_or(usual, |given| given.parse().expect("a number"))
}

const SCHEDULES_MAX: u64 = 1_000;

/// The actors of these programs have no fingerprints, and share memory:
/// states are identified by their histories, and none is missed.
#[test]
fn what_cannot_be_looked_at_is_told_apart() {
    let (mut compared, mut schedules, mut merged) = (0, 0, 0);
    for number in 0..programs(80) {
        let play = FeatureProgram::random(number);
        let (all, report) = play.explore(&strategy("dfs"), SCHEDULES_MAX);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        for name in ["states", "states:local", "states:order=breadth"] {
            let (found, states) = play.explore(&strategy(name), u64::MAX);
            assert!(
                states.verdict.is_exhaustive(),
                "program {number}, {name}: {:?}",
                states.verdict
            );
            assert_eq!(found, all, "program {number}, {name}: {play:#?}");
            merged += u64::from(name == "states") * states.executions;
        }
        compared += 1;
        schedules += report.executions;
    }
    println!("{compared} programs, {schedules} schedules, {merged} executions of states");
}

fn search(name: &str, program: impl Fn(&System) + Sync) -> Report {
    let tester = Tester::new()
        .iterations(u64::MAX)
        .check_every(0)
        .strategy(strategy(name));
    tester.keep_going().run(|sys| program(&sys))
}

/// Each state of the independent model is visited exactly once, and no other.
/// The nearest failure is found first, with the minimum number of steps.
#[test]
fn states_are_those_of_a_model() {
    let (mut states, mut failing, mut largest) = (0, 0, 0);
    for number in 0..programs(30) {
        let program = Automata::random(number);
        let model = program.model();
        let case = || format!("program {number}: {program:#?}");
        for name in ["states", "states:order=breadth"] {
            let report = search(name, |sys| drop(program.set_up(sys)));
            // Some actors may handle only their own events for ever.
            let busy = Gap::Cycles(Unjudged::Busy);
            let gaps = &report.verdict.gaps;
            assert!(gaps.iter().all(|gap| *gap == busy), "{gaps:?}, {}", case());
            assert_eq!(
                report.verdict.states(),
                Some(model.points.len() as u64),
                "{name}, {}",
                case()
            );
            assert_eq!(
                report.bugs().is_empty(),
                model.first_failure.is_none(),
                "{}",
                case()
            );
        }
        let first = Tester::new()
            .iterations(u64::MAX)
            .strategy(strategy("states:order=breadth"));
        let first = first.run(|sys| drop(program.set_up(&sys)));
        let steps = first.bugs().first().map(|bug| bug.step());
        assert_eq!(steps, model.first_failure, "{}", case());
        states += model.points.len();
        largest = largest.max(model.points.len());
        failing += u32::from(steps.is_some());
    }
    println!("{states} states, at most {largest}, {failing} programs that fail");
    assert!(failing > 3, "{failing}");
}

/// Two threads that add to a shared value: the same number of end states as over all schedules.
#[test]
fn shared_memory_is_told_apart() {
    let ends = |name: &str| {
        let ends = std::sync::Mutex::new(std::collections::BTreeSet::new());
        let report = search(name, |_| {
            let shared = Arc::new(Mutex::new(0));
            let adds = |what: u32| {
                let shared = shared.clone();
                move || {
                    let before = *shared.lock().expect("nobody panics");
                    *shared.lock().expect("nobody panics") = before + what;
                }
            };
            let both = [thread::spawn(adds(1)), thread::spawn(adds(10))];
            for one in both {
                one.join().expect("nobody panics");
            }
            let end = *shared.lock().expect("nobody panics");
            ends.lock().expect("nobody panics").insert(end);
        });
        assert!(
            report.verdict.is_exhaustive(),
            "{name}: {:?}",
            report.verdict
        );
        ends.into_inner().expect("nobody panics")
    };
    let all: Vec<u32> = ends("states").into_iter().collect();
    assert_eq!(all, [1, 10, 11]);
    assert!(ends("states:order=breadth").into_iter().eq(all));
}
