//! A test that may be proved is proved, before it is sampled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::strategy::{Beyond, StrategySpec};
use actor_test::{Gap, Report, Search, Settings, Tester, Tried};
use behaviour::programs;

const BUDGET: u64 = 400_000;

/// As a test without settings: with a budget, and a quarter of it to prove.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.iterations = u64::MAX;
    settings.step_budget = Some(BUDGET);
    settings.prove = BUDGET / 4;
    settings.samples_beside_proof = 100;
    settings
}

fn run(settings: Settings, program: impl Fn(&System) + Sync) -> Report {
    Tester::with(settings).run(program)
}

#[derive(Debug)]
struct Go;

/// Fails where two others come first.
#[derive(Default)]
struct Late(u32);

#[actor]
impl Late {
    #[on]
    fn go(&mut self, _: Go) {
        self.0 += 1;
    }

    #[on]
    fn first(&mut self, _: First) {
        assert!(self.0 < 2, "it came late");
    }
}

#[derive(Debug)]
struct First;

struct Teller {
    to: ActorRef<Late>,
    is_first: bool,
}

#[actor]
impl Teller {
    #[start]
    fn start(&mut self) {
        match self.is_first {
            true => self.to.tell(First),
            false => self.to.tell(Go),
        }
    }
}

fn late(sys: &System) {
    let to = sys.spawn(Late::default());
    for is_first in [true, false, false] {
        let to = to.clone();
        sys.spawn(Teller { to, is_first });
    }
}

#[test]
fn a_small_test_is_proved_and_not_sampled() {
    let report = run(settings(), |sys| programs::fan_in(sys, 4, 1));
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!((report.executions, report.behaviours.seen), (24, 24));
    assert!(report.tried.is_empty());
}

#[test]
fn a_bug_that_is_found_while_trying_ends_the_test() {
    let report = run(settings(), late);
    let [bug] = report.bugs() else {
        panic!("{report:?}");
    };
    assert!(bug.finding.message.contains("it came late"), "{bug:?}");
    assert_eq!(bug.strategy, "dpor");
    assert_eq!(report.verdict.gaps, [Gap::Bug]);
    let token = format!("dpor@0-{}-", bug.iteration);
    assert!(bug.token.starts_with(&token), "{}", bug.token);
    assert!(!bug.trace.decisions.is_empty());
}

#[test]
fn who_goes_on_after_a_bug_is_told_of_all() {
    let mut settings = settings();
    settings.keep_going = true;
    let report = run(settings, late);
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    // The first event comes last in two of six orders.
    assert_eq!(report.bugs()[0].seen, 2);
}

/// What is sampled is what would be sampled without a try, up to where the budget ends.
#[track_caller]
fn assert_sampled_after(gap: impl Fn(&Gap) -> bool, program: impl Fn(&System) + Sync) {
    for workers in [1, 3] {
        let mut settings = settings();
        settings.workers = workers;
        let report = run(settings.clone(), &program);
        let [Tried { steps, gaps, .. }] = &report.tried[..] else {
            panic!("{:?}", report.verdict);
        };
        assert!(gaps.iter().all(&gap) && gaps.len() == 1, "{gaps:?}");
        assert!(*steps > 0 && *steps < BUDGET / 4 + 50_000, "{steps}");
        settings.prove = 0;
        settings.step_budget = Some(BUDGET - steps);
        let without = run(settings, &program);
        assert!(without.executions > 0 && without.tried.is_empty());
        let of = |report: &Report| {
            let strategies = report.strategies.iter();
            let turns: Vec<(String, u64, u64)> = strategies
                .map(|of| (of.name.clone(), of.executions, of.new_behaviours))
                .collect();
            (report.steps_total, report.behaviours, turns)
        };
        assert_eq!(of(&report), of(&without));
        assert_eq!(report.verdict, without.verdict);
    }
}

#[test]
fn a_large_test_is_given_up_early_and_sampled() {
    // 20!/(4!)^5, about three hundred million.
    let is_large = |gap: &Gap| matches!(gap, Gap::TooMany { about } if *about > 100_000);
    assert_sampled_after(is_large, |sys| programs::fan_in(sys, 5, 4));
}

#[test]
fn a_test_that_is_just_too_large_has_all_of_its_share() {
    let is_spent = |gap: &Gap| *gap == Gap::Budget { steps: BUDGET / 4 };
    assert_sampled_after(is_spent, |sys| programs::fan_in(sys, 3, 3));
}

#[test]
fn what_can_not_be_followed_costs_two_executions() {
    let is_timer = |gap: &Gap| match gap {
        Gap::Outside { what, who } => *what == Beyond::Ticks && who.as_deref() == Some("Ticker"),
        _ => false,
    };
    assert_sampled_after(is_timer, |sys| {
        sys.spawn(Ticker);
        programs::fan_in(sys, 3, 2);
    });
}

#[derive(Clone, Debug)]
struct Tick;

struct Ticker;

#[actor]
impl Ticker {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {}
}

#[test]
fn one_seed_of_many_proves_nothing() {
    assert_sampled_after(
        |gap| *gap == Gap::Seeds { executions: 1 },
        |sys| {
            sys.spawn(Gambler);
            programs::fan_in(sys, 3, 1);
        },
    );
}

struct Gambler;

#[actor]
impl Gambler {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let _ = rand_core::Rng::next_u64(&mut cx.rng());
    }
}

#[test]
fn what_does_not_end_is_sampled() {
    let is_bound = |gap: &Gap| matches!(gap, Gap::Steps { executions: 1, .. } | Gap::Budget { .. });
    let mut settings = settings();
    settings.search = Search::Strategies(vec![StrategySpec::Random]);
    settings.bounds = actor_test::Bounds::new(300);
    let report = run(settings, |sys| {
        sys.spawn(Restless).tell(Go);
    });
    let [tried] = &report.tried[..] else {
        panic!("{:?}", report.verdict);
    };
    assert!(tried.gaps.iter().all(is_bound), "{tried:?}");
}

struct Restless;

#[actor]
impl Restless {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.me().tell(Go);
    }
}

static IS_DONE: AtomicBool = AtomicBool::new(false);

struct Doer;

#[actor]
impl Doer {
    #[on]
    fn go(&mut self, _: Go) {
        IS_DONE.store(true, Ordering::SeqCst);
    }
}

/// Fails where the other has done it, or has not.
struct Checker {
    expects: bool,
}

#[actor]
impl Checker {
    #[on]
    fn go(&mut self, _: Go) {
        assert_eq!(
            IS_DONE.load(Ordering::SeqCst),
            self.expects,
            "what is shared"
        );
    }
}

/// Two actors share what the tester does not know of: to the search their order makes no difference, and
/// it runs one of both; samples run the other.
#[test]
fn what_is_shared_in_secret_is_not_proved_away() {
    for expects in [false, true] {
        let report = run(settings(), |sys| {
            IS_DONE.store(false, Ordering::SeqCst);
            sys.spawn(Checker { expects }).tell(Go);
            sys.spawn(Doer).tell(Go);
        });
        assert!(!report.bugs().is_empty(), "{expects}: {:?}", report.verdict);
        assert!(!report.verdict.is_exhaustive());
    }
}

/// The same where the search was asked for: each takes one order for both, and without the samples all of
/// them say that one of the two is proved.
#[test]
fn what_is_shared_in_secret_is_not_proved_away_by_a_search_that_was_asked_for() {
    let of = |strategy: &str, samples| {
        let mut settings = Settings::default();
        settings.iterations = u64::MAX;
        settings.samples_beside_proof = samples;
        let strategy = strategy.parse::<StrategySpec>().expect("a strategy");
        settings.search = Search::Strategies(vec![strategy]);
        [false, true].map(|expects| {
            run(settings.clone(), |sys| {
                IS_DONE.store(false, Ordering::SeqCst);
                sys.spawn(HashedChecker { expects }).tell(Mark);
                sys.spawn(HashedDoer).tell(Mark);
            })
        })
    };
    for strategy in ["dpor", "states", "bfs", "dfs-local", "dfs"] {
        for report in of(strategy, 100) {
            assert!(!report.bugs().is_empty(), "{strategy}");
            assert!(!report.verdict.is_exhaustive(), "{strategy}");
        }
        let missed = of(strategy, 0);
        let missed = missed.iter().filter(|report| report.bugs().is_empty());
        assert_eq!(missed.count() == 0, strategy == "dfs", "{strategy}");
    }
    for report in of("dpor", 100) {
        let bug = &report.bugs()[0];
        assert_eq!(
            bug.strategy == "random",
            report.verdict.gaps == [Gap::Refuted]
        );
        let executions = report.strategies.iter().map(|strategy| strategy.executions);
        assert_eq!(report.executions, executions.sum::<u64>());
    }
}

/// What is proved and true stays proved, in as many executions as the search needs.
#[test]
fn a_proof_that_is_doubted_stays() {
    let mut settings = Settings::default();
    settings.iterations = u64::MAX;
    settings.samples_beside_proof = 100;
    for strategy in [StrategySpec::Dpor(None), StrategySpec::States(None)] {
        settings.search = Search::Strategies(vec![strategy]);
        let doubted = run(settings.clone(), |sys| {
            sys.spawn(HashedDoer).tell(Mark);
            sys.spawn(HashedDoer).tell(Mark);
        });
        doubted.assert_clean();
        assert!(doubted.verdict.is_exhaustive(), "{:?}", doubted.verdict);
        assert_eq!(doubted.strategies.len(), 1);
    }
}

#[derive(Clone, Hash, Debug)]
struct Mark;

#[derive(Hash)]
struct HashedDoer;

#[actor]
impl HashedDoer {
    #[on]
    fn mark(&mut self, _: Mark) {
        IS_DONE.store(true, Ordering::SeqCst);
    }
}

/// Fails where the other has done it, or has not.
#[derive(Hash)]
struct HashedChecker {
    expects: bool,
}

#[actor]
impl HashedChecker {
    #[on]
    fn mark(&mut self, _: Mark) {
        let is_done = IS_DONE.load(Ordering::SeqCst);
        assert_eq!(is_done, self.expects, "what is shared");
    }
}
