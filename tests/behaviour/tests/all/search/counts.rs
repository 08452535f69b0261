//! An exhaustive search visits exactly the known number of distinct behaviours of a program.

use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::report::SearchKind;
use actor_test::strategy::Gap;
use actor_test::strategy::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, Reduction, Strategy, StrategySpec,
};
use actor_test::{Report, Tester};
use behaviour::programs::*;
use rand_core::Rng;

fn explore(strategy: StrategySpec, program: impl Fn(&System) + Sync) -> Report {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(strategy)
        .run(|sys| program(&sys));
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "the search ends by itself");
    assert!(report.behaviours.exact, "nothing was forgotten");
    report
}

/// Returns the number of behaviours; steps that concern a single actor are not interleaved.
fn count(program: impl Fn(&System) + Sync) -> u64 {
    explore(StrategySpec::DfsLocal(None), program)
        .behaviours
        .seen
}

/// Returns the number of behaviours over all schedules.
fn count_all(program: impl Fn(&System) + Sync) -> u64 {
    explore(StrategySpec::Dfs(None), program).behaviours.seen
}

#[test]
fn fan_in_counts_interleavings() {
    assert_eq!(count(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count(|sys| fan_in(sys, 4, 1)), 24);
    assert_eq!(count(|sys| fan_in(sys, 5, 1)), 120);
    assert_eq!(count(|sys| fan_in(sys, 2, 3)), 20);
    assert_eq!(count(|sys| fan_in(sys, 2, 4)), 70);
    assert_eq!(count(|sys| fan_in(sys, 3, 2)), 90);
    assert_eq!(count(|sys| fan_in(sys, 2, 6)), 924);
}

#[test]
fn independent_pairs_have_one_behaviour() {
    assert_eq!(count(|sys| pairs(sys, 3)), 1);
    assert_eq!(count_all(|sys| pairs(sys, 2)), 1);
}

#[test]
fn two_phase_commit_counts_votes_and_orders() {
    assert_eq!(count(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count(|sys| two_phase_commit(sys, 3)), 48);
    assert_eq!(count(|sys| two_phase_commit(sys, 4)), 384);
}

#[test]
fn client_server_counts_orders_of_calls() {
    assert_eq!(count(|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count(|sys| client_server(sys, 2, 4)), 70);
    assert_eq!(count(|sys| client_server(sys, 3, 2)), 90);
}

#[test]
fn ping_pong_has_one_behaviour() {
    assert_eq!(count(|sys| ping_pong(sys, 5)), 1);
    assert_eq!(count_all(|sys| ping_pong(sys, 5)), 1);
}

#[test]
fn triangle_tells_a_mailbox_from_channels() {
    assert_eq!(count_all(|sys| triangle(sys, false)), 1);
    assert_eq!(count_all(|sys| triangle(sys, true)), 2);
}

#[test]
fn readers_and_a_writer() {
    assert_eq!(count(|sys| readers_writer(sys, 2)), 6);
    assert_eq!(count(|sys| readers_writer(sys, 3)), 24);
    assert_eq!(count(|sys| readers_writer(sys, 4)), 120);
}

#[test]
fn flood_counts_orders_in_every_inbox() {
    assert_eq!(count(|sys| flood(sys, 2)), 1);
    assert_eq!(count(|sys| flood(sys, 3)), 8);
}

#[test]
fn lock_server_counts_catalan_numbers() {
    assert_eq!(count(|sys| lock_server(sys, 2)), 4);
    assert_eq!(count(|sys| lock_server(sys, 3)), 30);
    assert_eq!(count(|sys| lock_server(sys, 4)), 336);
}

#[test]
fn philosophers_with_fork_actors() {
    assert_eq!(count(|sys| philosophers(sys, 2)), 5);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn three_philosophers_with_fork_actors() {
    assert_eq!(count(|sys| philosophers(sys, 3)), 37);
}

#[test]
fn pipeline_has_one_behaviour() {
    assert_eq!(count(|sys| pipeline(sys, 3, 3)), 1);
}

#[test]
fn paxos_single_decree() {
    assert_eq!(count(|sys| paxos(sys, 1, 3)), 72);
    assert_eq!(count(|sys| paxos(sys, 2, 2)), 100);
}

/// These actors have no fingerprints, so states are identified by
/// their histories: each behaviour has a final state of its own.
#[test]
fn states_lose_no_behaviour() {
    let count = |program: &(dyn Fn(&System) + Sync)| {
        let report = explore(StrategySpec::StatesLocal(None), program);
        report.behaviours.seen
    };
    assert_eq!(count(&|sys| fan_in(sys, 4, 1)), 24);
    assert_eq!(count(&|sys| two_phase_commit(sys, 3)), 48);
    assert_eq!(count(&|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count(&|sys| readers_writer(sys, 2)), 6);
    assert_eq!(count(&|sys| flood(sys, 3)), 8);
    assert_eq!(count(&|sys| lock_server(sys, 3)), 30);
    assert_eq!(count(&|sys| paxos(sys, 1, 3)), 72);
}

/// The local-first order leaves out schedules, but no behaviours.
#[test]
fn local_first_loses_no_behaviour() {
    assert_eq!(count_all(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count_all(|sys| fan_in(sys, 2, 2)), 6);
    assert_eq!(count_all(|sys| lock_server(sys, 2)), 4);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn local_first_loses_no_behaviour_of_larger_programs() {
    assert_eq!(count_all(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count_all(|sys| client_server(sys, 2, 2)), 6);
}

/// The body spawns `n` actors and sends one event to each. After the first send, each event
/// may be handled at any time after its send: (2n - 1)!! schedules, all of one behaviour.
#[test]
fn schedules_are_counted_exactly() {
    for (actors, schedules) in [(1, 1), (2, 3), (3, 15), (4, 105), (5, 945)] {
        let report = explore(StrategySpec::Dfs(None), |sys| one_event_each(sys, actors));
        assert_eq!(report.executions, schedules, "{actors} actors");
        assert_eq!(report.behaviours.seen, 1);
    }
}

fn limited(strategy: &str, iterations: u64, program: impl Fn(&System) + Sync) -> Report {
    Tester::new()
        .iterations(iterations)
        .strategy(strategy.parse().expect("a strategy"))
        .run(|sys| program(&sys))
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
        let strategy = strategy.parse().expect("a strategy");
        let tester = Tester::new().iterations(1_000).max_steps(max_steps);
        tester.strategy(strategy).run(|sys| three(&sys))
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

#[derive(Debug)]
struct Draw;
struct Drawer;
#[actor]
impl Drawer {
    #[on]
    fn draw(&mut self, _: Draw, cx: &mut Context<Self>) {
        assert!(cx.rng().next_u32() % 8 != 5, "an unlucky draw");
    }
}

/// One seed of a generator does not cover all: a random walk finds what the search misses.
#[test]
fn a_generator_is_not_explored() {
    let draw = |sys: &System| sys.spawn(Drawer).tell(Draw);
    limited("random", 100, draw).assert_bug("an unlucky draw");
    let report = limited("dfs", 100, draw);
    report.assert_clean();
    assert_eq!(report.verdict.gaps, [Gap::Seeds { executions: 1 }]);
}

#[derive(Debug)]
struct Rings;

/// Checks if it is alive before it draws a random number, or sets a timer:
/// dependencies beyond inboxes, and beyond those read from one execution.
struct Watchful {
    has_timer: bool,
}

#[actor]
impl Watchful {
    #[on]
    fn draw(&mut self, _: Draw, cx: &mut Context<Self>) {
        match self.has_timer {
            true => drop(cx.after(Duration::from_secs(1), Rings)),
            false => assert!(cx.me().is_alive()),
        }
        let _ = cx.rng().next_u32();
    }

    #[on]
    fn rings(&mut self, _: Rings) {}
}

/// No search claims a proof if it has run generators with a single seed.
#[test]
fn no_search_takes_one_seed_for_all() {
    for has_timer in [false, true] {
        for strategy in [
            "dfs",
            "dfs:local",
            "dpor",
            "states",
            "states:order=breadth",
            "ses:rtc/1",
            "ses:rtc/1/by=schedules",
            "pb:1",
        ] {
            let report = limited(strategy, 1_000, |sys: &System| {
                for _ in 0..2 {
                    sys.spawn(Watchful { has_timer }).tell(Draw);
                }
            });
            report.assert_clean();
            assert!(!report.verdict.is_exhaustive(), "{strategy}, {has_timer}");
            let has_seeds = |gap: &Gap| matches!(gap, Gap::Seeds { executions } if *executions > 0);
            let gaps = &report.verdict.gaps;
            assert!(
                gaps.iter().any(has_seeds),
                "{strategy}, {has_timer}: {gaps:?}"
            );
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
    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }
    fn begin(&mut self, _: &Execution) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
    fn pick(&mut self, _: &Enabled<'_>) -> Option<usize> {
        Some(0)
    }
    fn choose(&mut self, _: Choice) -> u32 {
        0
    }
    fn has_memory(&self) -> bool {
        true
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
