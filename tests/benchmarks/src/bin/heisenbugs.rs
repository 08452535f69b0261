//! Prints the number of executions until CHESS's three bugs in shared memory are
//! found, for us and for shuttle with the same source: median and maximum of 21 seeds.
//!
//! `cargo run --release -p benchmarks --bin heisenbugs`

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actor_test::Tester;
use actor_test::strategy::StrategySpec;
use benchmarks::peer_heisenbugs::programs;
use samples::heisenbugs;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

const SEEDS: u64 = 21;
const EXECUTIONS: u64 = 1_000;
const STEPS: u64 = 10_000;

/// A name, the program on our threads, and the same on shuttle's.
type Row = (&'static str, fn(), fn());

const ROWS: [Row; 3] = [
    (
        "port cancellation",
        || heisenbugs::cancel_port(2, false),
        || programs::cancel_port(2, false),
    ),
    (
        "lite event",
        || heisenbugs::wait_for_event(2, false),
        || programs::wait_for_event(2, false),
    ),
    (
        "boot spin",
        || heisenbugs::boot(false),
        || programs::boot(false),
    ),
];

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    println!(
        "executions to the bug, median and most of {SEEDS} seeds; - is more than {EXECUTIONS}"
    );
    let names = [
        "portfolio",
        "random",
        "pct",
        "shuttle random",
        "shuttle pct 3",
    ];
    println!(
        "{:<18} {}",
        "",
        names.map(|name| format!("{name:>18}")).join("")
    );
    for (name, program, other) in ROWS {
        let ours = |strategy: Option<StrategySpec>| {
            summary(|seed| {
                let mut tester = Tester::new()
                    .seed(seed)
                    .iterations(EXECUTIONS)
                    .max_steps(STEPS)
                    .minimize(0);
                if let Some(strategy) = &strategy {
                    tester = tester.strategy(strategy.clone());
                }
                let report = tester.run(move |_| program());
                report.bugs().first().map(|bug| bug.iteration + 1)
            })
        };
        let cells = [
            ours(None),
            ours("random".parse().ok()),
            ours("pct".parse().ok()),
            summary(|seed| {
                let scheduler = RandomScheduler::new_from_seed(seed, EXECUTIONS as usize);
                peers(scheduler, other)
            }),
            summary(|seed| {
                let scheduler = PctScheduler::new_from_seed(seed, 3, EXECUTIONS as usize);
                peers(scheduler, other)
            }),
        ];
        println!(
            "{name:<18} {}",
            cells.map(|cell| format!("{cell:>18}")).join("")
        );
    }
}

/// Returns the number of executions that shuttle needs.
fn peers(scheduler: impl Scheduler + 'static, program: fn()) -> Option<u64> {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::FailAfter(STEPS as usize);
    let count = Arc::new(AtomicU64::new(0));
    let own = count.clone();
    let runner = Runner::new(scheduler, config);
    let ran = catch_unwind(AssertUnwindSafe(|| {
        runner.run(move || {
            own.fetch_add(1, Ordering::Relaxed);
            program();
        })
    }));
    ran.is_err().then(|| count.load(Ordering::Relaxed))
}

/// Formats the median and the maximum.
fn summary(found: impl Fn(u64) -> Option<u64>) -> String {
    let mut all: Vec<u64> = (0..SEEDS)
        .map(|seed| found(seed).unwrap_or(u64::MAX))
        .collect();
    all.sort_unstable();
    let print = |count: u64| match count {
        u64::MAX => "-".to_owned(),
        count => count.to_string(),
    };
    format!(
        "{} / {}",
        print(all[all.len() / 2]),
        print(all[all.len() - 1])
    )
}
