//! An exhaustive search visits exactly the known number of distinct behaviours of a program.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::report::SearchKind;
use actor_test::strategy::Gap;
use actor_test::strategy::{
    CoverageClaim, Enabled, Execution, Fairness, Needs, Pruned, Reduction, Strategy,
};
use behaviour::closures::handles;
use behaviour::harness::events::Go;
use behaviour::harness::{all, exhaust, whole};
use behaviour::programs::*;
use rand_core::Rng;

use crate::search::{Program, dpor, limited};

/// A program, its name, and the number of its behaviours.
type Known = (&'static str, Program, u64);

/// The programs that have few enough schedules for the search that takes local steps first.
const KNOWN: [Known; 28] = [
    ("fan_in 3 1", |sys| fan_in(sys, 3, 1), 6),
    ("fan_in 4 1", |sys| fan_in(sys, 4, 1), 24),
    ("fan_in 5 1", |sys| fan_in(sys, 5, 1), 120),
    ("fan_in 2 2", |sys| fan_in(sys, 2, 2), 6),
    ("fan_in 2 3", |sys| fan_in(sys, 2, 3), 20),
    ("fan_in 2 4", |sys| fan_in(sys, 2, 4), 70),
    ("fan_in 3 2", |sys| fan_in(sys, 3, 2), 90),
    ("fan_in 2 6", |sys| fan_in(sys, 2, 6), 924),
    ("pairs 2", |sys| pairs(sys, 2), 1),
    ("pairs 3", |sys| pairs(sys, 3), 1),
    ("two_phase_commit 2", |sys| two_phase_commit(sys, 2), 8),
    ("two_phase_commit 3", |sys| two_phase_commit(sys, 3), 48),
    ("two_phase_commit 4", |sys| two_phase_commit(sys, 4), 384),
    ("client_server 2 2", |sys| client_server(sys, 2, 2), 6),
    ("client_server 2 4", |sys| client_server(sys, 2, 4), 70),
    ("client_server 3 2", |sys| client_server(sys, 3, 2), 90),
    ("ping_pong", |sys| ping_pong(sys, 5), 1),
    ("readers_writer 2", |sys| readers_writer(sys, 2), 6),
    ("readers_writer 3", |sys| readers_writer(sys, 3), 24),
    ("readers_writer 4", |sys| readers_writer(sys, 4), 120),
    ("flood 2", |sys| flood(sys, 2), 1),
    ("flood 3", |sys| flood(sys, 3), 8),
    ("lock_server 2", |sys| lock_server(sys, 2), 4),
    ("lock_server 3", |sys| lock_server(sys, 3), 30),
    ("lock_server 4", |sys| lock_server(sys, 4), 336),
    ("philosophers 2", |sys| philosophers(sys, 2), 5),
    ("pipeline", |sys| pipeline(sys, 3, 3), 1),
    ("paxos 1 3", |sys| paxos(sys, 1, 3), 72),
];

/// Programs with too many schedules for that search, or of interest over all schedules.
const KNOWN_TO_DPOR: [Known; 9] = [
    // A mailbox keeps the causal order of sends; channels of pairs of actors would not.
    ("triangle", |sys| triangle(sys, false), 1),
    ("triangle b first", |sys| triangle(sys, true), 2),
    ("two_phase_commit 5", |sys| two_phase_commit(sys, 5), 3_840),
    ("flood 4", |sys| flood(sys, 4), 1_296),
    ("philosophers 3", |sys| philosophers(sys, 3), 37),
    ("paxos 2 2", |sys| paxos(sys, 2, 2), 100),
    ("ring 1 2 3", |sys| ring_election(sys, &[1, 2, 3]), 1),
    ("ring 3 2 1", |sys| ring_election(sys, &[3, 2, 1]), 1),
    ("ring 4 3 2 1", |sys| ring_election(sys, &[4, 3, 2, 1]), 1),
];

/// Asserts that a search visits the behaviours of these programs, and no others.
fn assert_counted(search: &str, names: &str) {
    for name in names.split(", ") {
        let all = KNOWN.iter().chain(&KNOWN_TO_DPOR);
        let mut named = all.filter(|known| known.0 == name);
        let (_, program, behaviours) = named.next().expect("a known program");
        let report = exhaust(&whole(search), |sys| program(&sys));
        assert!(report.behaviours.exact, "{search}, {name}");
        let seen = report.verdict.behaviours();
        let seen = seen.unwrap_or(report.behaviours.seen);
        assert_eq!(seen, *behaviours, "{search}, {name}");
    }
}

#[test]
fn known_programs_have_as_many_behaviours_as_they_should() {
    assert_counted("dfs:local", &KNOWN.map(|(name, ..)| name).join(", "));
    assert_counted("dfs:local", "paxos 2 2");
}

/// Each node gets an event of each other node, in any order.
#[test]
fn flood_counts_orders_in_every_inbox() {
    assert_counted("dfs:local", "flood 2, flood 3");
}

#[test]
fn dpor_runs_each_known_behaviour_once() {
    for (name, program, behaviours) in KNOWN.into_iter().chain(KNOWN_TO_DPOR) {
        assert_eq!(dpor::count(program), behaviours, "{name}");
    }
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn larger_programs_have_as_many_behaviours_as_they_should() {
    assert_counted("dfs:local", "philosophers 3");
    assert_counted("dfs", "two_phase_commit 2, client_server 2 2");
}

#[test]
fn no_search_loses_a_behaviour() {
    // All schedules have the behaviours that are left when local steps go first.
    let all = "pairs 2, ping_pong, triangle, triangle b first, fan_in 3 1, \
         fan_in 2 2, lock_server 2";
    assert_counted("dfs", all);
    // These actors have no fingerprints, so states are identified by
    // their histories: each behaviour has a final state of its own.
    let by_histories = "fan_in 4 1, two_phase_commit 3, client_server 2 2, \
         readers_writer 2, flood 3, lock_server 3, paxos 1 3";
    assert_counted("states:local", by_histories);
    // Each behaviour, plus one execution for each path that reaches a visited state.
    let within_bounds = "fan_in 3 1, client_server 2 2, flood 3, lock_server 2, \
         two_phase_commit 2";
    for search in ["pb:by=hb", "ses:rr/by=hb", "ses:rtc/by=hb"] {
        assert_counted(search, within_bounds);
    }
    // Every behaviour, in another order.
    let by_hops = "fan_in 4 1, two_phase_commit 3, lock_server 3, flood 3, paxos 2 2";
    for order in ["order=random", "1/order=random", "7/order=random"] {
        assert_counted(&format!("dpor:{order}"), by_hops);
    }
}

/// The body spawns `n` actors and sends one event to each. After the first send, each event
/// may be handled at any time after its send: (2n - 1)!! schedules, all of one behaviour.
#[test]
fn schedules_are_counted_exactly() {
    for (actors, schedules) in [(1, 1), (2, 3), (3, 15), (4, 105), (5, 945)] {
        let report = all(|sys| one_event_each(&sys, actors));
        assert_eq!(report.executions, schedules, "{actors} actors");
        assert_eq!(report.behaviours.seen, 1);
    }
}

/// Three actors have 15 schedules. With one execution less, a search has not
/// seen all. With exactly as many, the strategy must report that it is complete.
#[test]
fn exhaustive_is_only_what_came_to_its_end() {
    let three = |sys: &System| one_event_each(sys, 3);
    for bound in [1, 10, 14] {
        let report = limited(&format!("dfs:{bound}"), 1_000, three);
        assert_eq!(report.executions, bound);
        assert_eq!(report.verdict.gaps, [Gap::Executions { bound }]);
        assert!(!report.verdict.is_exhaustive());
        let report = limited("dfs", bound, three);
        assert_eq!(report.verdict.gaps, [Gap::Executions { bound }]);
    }
    for bound in [15, 16] {
        let report = limited(&format!("dfs:{bound}"), 1_000, three);
        assert_eq!(report.executions, 15);
        let searched = SearchKind::Systematic {
            strategy: format!("dfs:{bound}"),
            reduction: Reduction::None,
        };
        assert_eq!(report.verdict.searched, searched);
        assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    }
    assert!(!limited("dfs", 15, three).verdict.is_exhaustive());
    assert!(limited("dfs", 16, three).verdict.is_exhaustive());
}

/// Steps beyond the bound were not taken, and a random walk after the bound is only a sample.
#[test]
fn a_bound_on_steps_is_a_gap() {
    let three = |sys: &System| one_event_each(sys, 3);
    let steps = |max_steps, strategy: &str| {
        let tester = whole(strategy).iterations(1_000).max_steps(max_steps);
        tester.run(|sys| three(&sys))
    };
    let longest = limited("random", 1, three).steps.expect("it ends").max;
    assert!(steps(longest, "dfs").verdict.is_exhaustive());
    let report = steps(longest - 1, "dfs");
    let cut_off = Gap::Steps {
        bound: longest - 1,
        executions: report.executions,
    };
    assert_eq!(report.verdict.gaps, [cut_off]);
    let report = steps(longest - 1, "fair-dfs");
    let executions = report.executions;
    assert_eq!(report.verdict.gaps, [Gap::Suffixes { executions }]);
    assert!(steps(longest, "fair-dfs").verdict.is_exhaustive());
}

/// One seed of a generator does not cover all: a random walk finds what the search misses.
#[test]
fn a_generator_is_not_explored() {
    let draw = |sys: &System| {
        let draw = |_: Go, cx: &mut Context<_>| {
            assert!(cx.rng().next_u32() % 8 != 5, "an unlucky draw");
        };
        handles(sys, draw).tell(Go);
    };
    limited("random", 100, draw).assert_bug("an unlucky draw");
    let report = limited("dfs", 100, draw);
    report.assert_clean();
    assert_eq!(report.verdict.gaps, [Gap::Seeds { executions: 1 }]);
}

/// No search claims a proof if it has run generators with a single seed. The actors check if they are alive
/// before they draw, or set a timer: dependencies beyond inboxes, and beyond those read from one execution.
#[test]
fn no_search_takes_one_seed_for_all() {
    for has_timer in [false, true] {
        let searches =
            "dfs dfs:local dpor states states:order=breadth ses:rtc/1 ses:rtc/1/by=schedules pb:1";
        for strategy in searches.split(' ') {
            let report = limited(strategy, 1_000, |sys: &System| {
                for _ in 0..2 {
                    let draw = move |draws: bool, cx: &mut Context<_>| {
                        if !draws {
                            return;
                        }
                        match has_timer {
                            true => drop(cx.after(Duration::from_secs(1), false)),
                            false => assert!(cx.me().is_alive()),
                        }
                        let _ = cx.rng().next_u32();
                    };
                    handles(sys, draw).tell(true);
                }
            });
            report.assert_clean();
            let (case, gaps) = (format!("{strategy}, {has_timer}"), &report.verdict.gaps);
            assert!(!report.verdict.is_exhaustive(), "{case}");
            let has_seeds = |gap: &Gap| matches!(gap, Gap::Seeds { executions } if *executions > 0);
            assert!(gaps.iter().any(has_seeds), "{case}: {gaps:?}");
        }
    }
}

/// A strategy that runs five executions, with the given claim of coverage.
#[derive(Debug)]
struct Five {
    left: u32,
    covered: CoverageClaim,
}

impl Strategy for Five {
    fn name(&self) -> String {
        "five".into()
    }
    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        self.left = self.left.saturating_sub(1);
        (self.left > 0).then_some(Fairness::Unfair)
    }
    fn pick(&mut self, _: &Enabled<'_>) -> Result<usize, Pruned> {
        Ok(0)
    }
    fn needs(&self) -> Needs {
        Needs {
            memory: true,
            ..Needs::default()
        }
    }
    fn covered(&self) -> CoverageClaim {
        self.covered.clone()
    }
}

/// The end of a custom strategy proves nothing, unless the strategy claims coverage.
#[test]
fn a_strategy_that_ends_proves_nothing_by_it() {
    let run = |covered: CoverageClaim| {
        let five = Five { left: 6, covered };
        let report = Tester::new()
            .custom_strategy(Box::new(five))
            .run(|sys| one_event_each(&sys, 3));
        assert_eq!(report.executions, 5);
        report.verdict
    };
    let systematic = |is_complete, gaps| CoverageClaim::Systematic {
        reduction: Reduction::None,
        is_complete,
        gaps,
    };
    let verdict = run(CoverageClaim::Sample);
    assert!(matches!(verdict.searched, SearchKind::Sample { .. }));
    assert_eq!(verdict.gaps, [Gap::NoClaim]);
    assert_eq!(run(systematic(false, Vec::new())).gaps, [Gap::NoClaim]);
    assert_eq!(run(systematic(true, vec![Gap::Time])).gaps, [Gap::Time]);
    assert!(run(systematic(true, Vec::new())).is_exhaustive());
}

/// If a predicate can observe the order of steps, the reduction keeps all orders.
#[test]
fn a_reduction_is_a_proof_also_for_who_sees_more() {
    let three = |sys: &System| one_event_each(sys, 3);
    let seen = |sys: &System| {
        one_event_each(sys, 3);
        sys.always("true", |_| true);
    };
    let reduced = limited("dfs:local", 100, three);
    assert!(reduced.verdict.is_exhaustive());
    assert_eq!(reduced.executions, 1);
    let (some, all) = (limited("dfs:local", 100, seen), limited("dfs", 100, seen));
    assert!(some.verdict.is_exhaustive() && all.verdict.is_exhaustive());
    assert_eq!(some.executions, all.executions);
}

/// A bug ends the search; a sample claims no more than a sample.
#[test]
fn what_else_ends_a_search() {
    let fails = |_: &System| panic!("at once");
    assert_eq!(limited("dfs", 100, fails).verdict.gaps, [Gap::Bug]);
    let report = limited("random", 100, |sys| one_event_each(sys, 3));
    let strategies = vec!["random".into()];
    assert_eq!(report.verdict.searched, SearchKind::Sample { strategies });
    assert_eq!(report.verdict.gaps, [Gap::Executions { bound: 100 }]);
    let report = Tester::new().time_limit(Duration::ZERO).run(|_| ());
    assert_eq!(report.verdict.gaps, [Gap::Time]);
}
