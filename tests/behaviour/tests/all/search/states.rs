//! Stateful search, and searches that take local steps first or are bounded, against all schedules: the same
//! end states and the same bugs.

use std::sync::Arc;

use actor_core::sync::blocking::Mutex;
use actor_core::thread;
use actor_test::strategy::Gap;
use actor_test::strategy::Unjudged;
use behaviour::automata::Automata;
use behaviour::harness::{outcomes, whole};
use behaviour::players::FeatureProgram;

use crate::search::{programs, search};

/// Compares reduced searches with one over all schedules, of programs for which that one ends within this
/// number of executions. Returns the number of comparisons.
fn assert_nothing_is_missed(programs: u64, all: &str, executions: u64, reduced: &[&str]) -> u64 {
    let mut compared = 0;
    for number in 0..programs {
        let play = FeatureProgram::random(number);
        let (ends, report) = play.explore(all, executions);
        let verdict = report.verdict;
        if !verdict.is_exhaustive() && verdict.within().is_none() {
            continue;
        }
        for name in reduced {
            let (found, states) = play.explore(name, u64::MAX);
            let case = || format!("program {number}, {name}: {play:#?}");
            assert_eq!(found, ends, "{}", case());
            let is_as_good = states.verdict.gaps == verdict.gaps || states.verdict.is_exhaustive();
            assert!(is_as_good, "{}: {:?}", case(), states.verdict);
            compared += 1;
        }
    }
    compared
}

/// The actors of these programs have no fingerprints, and share memory:
/// states are identified by their histories, and none is missed.
#[test]
fn what_cannot_be_looked_at_is_told_apart() {
    let reduced = ["states", "states:local", "states:order=breadth"];
    assert_nothing_is_missed(programs("STATES", 80), "dfs", 1_000, &reduced);
    let compared = [
        ("ses:rr/1/by=schedules", "ses:rr/1"),
        ("ses:rtc/2/by=schedules", "ses:rtc/2"),
        ("pb:1", "pb:1/by=states"),
    ]
    .map(|(all, once)| assert_nothing_is_missed(programs("BOUNDED", 40), all, 500, &[once]));
    assert!(compared.iter().sum::<u64>() > 40, "{compared:?}");
}

#[test]
fn local_first_finds_what_all_schedules_find() {
    assert_nothing_is_missed(programs("LOCAL_STEPS", 120), "dfs", 1_000, &["dfs:local"]);
}

/// Each state of the independent model in which sends wait is visited exactly once, and no other; that model
/// has the ends of all schedules. The nearest failure is found first, with the minimum number of steps.
#[test]
fn states_are_those_of_a_model() {
    let (mut failing, mut fewer) = (0, 0);
    for number in 0..programs("STATES", 30) {
        let program = Automata::random(number);
        let model = program.model();
        let late = program.late_model();
        let case = || format!("program {number}: {program:#?}");
        assert_eq!(late.ends, model.ends, "{}", case());
        assert_eq!(late.first_failure, model.first_failure, "{}", case());
        fewer += u32::from(late.points.len() < model.points.len());
        for name in ["states", "states:order=breadth"] {
            let report = search(name, |sys| drop(program.set_up(sys)));
            // Some actors may handle only their own events for ever.
            let busy = Gap::Cycles(Unjudged::Busy);
            let verdict = &report.verdict;
            let is_judged = verdict.gaps.iter().all(|gap| *gap == busy);
            assert!(is_judged, "{name}, {}: {verdict:?}", case());
            let states = Some(late.points.len() as u64);
            assert_eq!(verdict.states(), states, "{name}, {}", case());
            let is_clean = report.bugs().is_empty();
            assert_eq!(is_clean, model.first_failure.is_none(), "{}", case());
        }
        let first = whole("states:order=breadth").run(|sys| drop(program.set_up(&sys)));
        let steps = first.bugs().first().map(|bug| bug.step());
        assert_eq!(steps, model.first_failure, "{}", case());
        failing += u32::from(steps.is_some());
    }
    assert!(failing > 3 && fewer > 15, "{failing}, {fewer}");
}

/// Two threads that add to a shared value: the same number of end states as over all schedules.
#[test]
fn shared_memory_is_told_apart() {
    let program = async |_| {
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
        *shared.lock().expect("nobody panics")
    };
    for name in ["states", "states:order=breadth"] {
        let (_, ends) = outcomes(&whole(name).check_every(0), program);
        assert_eq!(ends, [1, 10, 11], "{name}");
    }
}
