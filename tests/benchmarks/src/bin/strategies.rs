//! Prints the cost of each strategy compared with the uniform walk, the cost of the portfolio compared
//! with its arms, and the number of distinct behaviours that each finds in the same number of executions.
//!
//! `cargo run --release -p benchmarks --bin strategies [behaviours|cost [STRATEGY]]`

use std::sync::atomic::AtomicU64;

use actor_core::System;
use actor_test::settings::Search;
use actor_test::strategy::{
    Choice, Enabled, Execution, Fairness, Needs, Pruned, Strategy, StrategySpec,
};
use actor_test::{Report, Tester};
use behaviour::{programs, skew};
use benchmarks::ping_pong::ping_pong;
use cpu_time::ProcessTime;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const STRATEGIES: [&str; 21] = [
    "random",
    "weighted",
    "prob",
    "pct",
    "pct:3",
    "pos",
    "pos:local",
    "urw",
    "surw",
    "delay",
    "delay:rr/5",
    "delay:rtc/5",
    "ss",
    "fair-pct",
    "fair-pos",
    "fair-surw",
    "early-fair-pos:local",
    "early-fair-pct",
    "portfolio",
    "portfolio=round-robin",
    "portfolio=coyote",
];

const REPEATS: usize = 3;

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |table: &str| only.as_deref().is_none_or(|only| only == table);
    if wanted("cost") {
        costs();
    }
    if wanted("behaviours") {
        behaviours();
    }
}

fn tester(strategy: &str, executions: u64, seed: u64) -> Tester {
    Tester::new()
        .iterations(executions)
        .max_steps(10_000_000)
        .seed(seed)
        .check_every(0)
        .search(match strategy {
            "portfolio" => Search::Portfolio,
            "portfolio=round-robin" => Search::RoundRobin,
            "portfolio=coyote" => Search::Coyote,
            one => Search::Strategies(vec![one.parse().expect("the name of a strategy")]),
        })
}

fn run(strategy: &str, executions: u64, seed: u64, program: impl Fn(&System) + Sync) -> Report {
    let report = tester(strategy, executions, seed).run(|sys| program(&sys));
    report.assert_clean();
    report
}

/// Returns CPU nanoseconds per step, the best of three.
fn per_step(strategy: &str, executions: u64, program: impl Fn(&System) + Sync) -> f64 {
    let once = || {
        let begun = ProcessTime::now();
        let report = run(strategy, executions, 0, &program);
        begun.elapsed().as_nanos() as f64 / report.steps_total as f64
    };
    (0..REPEATS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn costs() {
    println!(
        "| ns / step | 3 clients x 100 | beside random | 1 000 clients x 10 | beside random |"
    );
    println!("|---|---:|---:|---:|---:|");
    let few = |strategy| per_step(strategy, 3_000, |sys| ping_pong(sys, 3, 100));
    let many = |strategy| per_step(strategy, 100, |sys| ping_pong(sys, 1_000, 10));
    let (few_random, many_random) = (few("random"), many("random"));
    let only = std::env::args().nth(2);
    let wanted = |name: &&str| only.as_deref().is_none_or(|only| only == *name);
    for strategy in STRATEGIES.into_iter().filter(wanted) {
        let (few, many) = (few(strategy), many(strategy));
        println!(
            "| {strategy} | {few:.0} | {:.2}x | {many:.0} | {:.2}x |",
            few / few_random,
            many / many_random
        );
    }
    println!();
    if wanted(&"portfolio") {
        beside_its_arms();
    }
}

/// Strategies that take turns in an order that is drawn beforehand.
#[derive(Debug)]
struct Turns {
    strategies: Vec<Box<dyn Strategy>>,
    /// The turns to come, the next one last.
    turns: Vec<usize>,
    active: usize,
}

impl Turns {
    /// Creates the arms of a portfolio, with the same number of turns for each.
    fn of(report: &Report) -> Self {
        let spec = |name: &str| name.parse::<StrategySpec>().expect("a strategy");
        let strategies = report.strategies.iter();
        let build = strategies.clone().map(|one| spec(&one.name).build());
        let turns = strategies.enumerate();
        let mut turns: Vec<usize> = turns
            .flat_map(|(strategy, one)| (0..one.executions).map(move |_| strategy))
            .collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        for last in (1..turns.len()).rev() {
            let other = rng.next_u64() % (last as u64 + 1);
            turns.swap(last, other as usize);
        }
        Self {
            strategies: build.collect(),
            turns,
            active: 0,
        }
    }
}

impl Strategy for Turns {
    fn name(&self) -> String {
        "turns".into()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.active = self.turns.pop()?;
        self.strategies[self.active].begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.strategies[self.active].pick(enabled)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.strategies[self.active].choose(choice)
    }
    fn needs(&self) -> Needs {
        Needs {
            estimates: true,
            length: true,
            ..Needs::default()
        }
    }
}

/// Compares the portfolio with its arms in a random order of the same turns.
fn beside_its_arms() {
    println!("| ns / step | portfolio | its arms | |");
    println!("|---|---:|---:|---:|");
    let programs: [(&str, u64, Program); 3] = [
        ("3 clients x 100", 1_000, |sys| ping_pong(sys, 3, 100)),
        ("paxos(2,3)", 5_000, |sys| programs::paxos(sys, 2, 3)),
        ("2pc(4)", 5_000, |sys| programs::two_phase_commit(sys, 4)),
    ];
    for (name, executions, program) in programs {
        let timed = |explore: &dyn Fn() -> Report| {
            let begun = ProcessTime::now();
            let report = explore();
            let nanos = begun.elapsed().as_nanos() as f64;
            (nanos / report.steps_total as f64, report)
        };
        let (mut portfolio, mut arms) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 * REPEATS {
            let (cost, report) = timed(&|| run("portfolio", executions, 0, program));
            portfolio = portfolio.min(cost);
            let tester = tester("random", executions, 0);
            let (cost, _) = timed(&|| {
                tester
                    .custom_strategy(Box::new(Turns::of(&report)))
                    .run(|sys| program(&sys))
            });
            arms = arms.min(cost);
        }
        let share = portfolio / arms - 1.0;
        println!(
            "| {name} | {portfolio:.1} | {arms:.1} | {:+.1} % |",
            100.0 * share
        );
    }
    println!();
}

type Program = fn(&System);

static HITS: AtomicU64 = AtomicU64::new(0);

const PROGRAMS: [(&str, u64, Program); 6] = [
    ("flood(4)", 3_000, |sys| programs::flood(sys, 4)),
    ("2pc(4)", 1_000, |sys| programs::two_phase_commit(sys, 4)),
    ("lock(4)", 1_000, |sys| programs::lock_server(sys, 4)),
    ("paxos(2,3)", 5_000, |sys| programs::paxos(sys, 2, 3)),
    ("skew(16)", 200, |sys| skew::skew(sys, 16, &HITS)),
    ("fan-in(2,6)", 2_000, |sys| programs::fan_in(sys, 2, 6)),
];

fn behaviours() {
    let heads: Vec<String> = PROGRAMS
        .iter()
        .map(|(name, executions, _)| format!("{name} / {executions}"))
        .collect();
    println!("| behaviours | {} | mean | worst |", heads.join(" | "));
    println!("|---|{}---:|---:|", "---:|".repeat(PROGRAMS.len()));
    let seen = |strategy| {
        PROGRAMS.map(|(_, executions, program)| {
            let seeds = 0..3_u64;
            let count = 3.0;
            let seen = |seed| run(strategy, executions, seed, program).behaviours.seen as f64;
            seeds.map(seen).sum::<f64>() / count
        })
    };
    let rows = STRATEGIES.map(|strategy| (strategy, seen(strategy)));
    let best = |column: usize| rows.iter().map(|(_, row)| row[column]).fold(0.0, f64::max);
    let best: [f64; PROGRAMS.len()] = std::array::from_fn(best);
    for (strategy, row) in rows {
        let shares: Vec<f64> = row
            .iter()
            .zip(best)
            .map(|(seen, best)| seen / best)
            .collect();
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let worst = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let cells: Vec<String> = row.iter().map(|seen| format!("{seen:.0}")).collect();
        println!(
            "| {strategy} | {} | {mean:.2} | {worst:.2} |",
            cells.join(" | ")
        );
    }
}
