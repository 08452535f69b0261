//! Prints the tables of the README on the cost of exploration, all in one run.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actor_core::System;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use benchmarks::ping_pong::{Answered, ping_pong};
use benchmarks::{peer, plain::Plain};
use cpu_time::ProcessTime;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

const CLIENTS: u32 = 3;
const ROUNDS: u32 = 100;
/// The sizes for the second table.
const FEW_ROUNDS: u32 = 4;
const FEW_SCHEDULES: u64 = 10_000;

const REPEATS: usize = 5;

fn main() {
    println!(
        "| {CLIENTS} clients x {ROUNDS} round trips | schedules / CPU-s | of the loop | ns / step |"
    );
    println!("|---|---:|---:|---:|");
    let mut plain = Plain::new(CLIENTS as usize);
    let rounds = u64::from(ROUNDS);
    let limit = row("a hand-written loop", None, 20_000, |schedules| {
        (0..schedules).map(|seed| plain.run(seed, rounds)).sum()
    });
    for (name, search, monitor) in SEARCHES {
        row(name, Some(limit), 20_000, |schedules| {
            explore(schedules, search, monitor, ROUNDS).steps_total
        });
    }
    for (kind, program) in peer::PROGRAMS {
        let run = move || drop(program(CLIENTS as usize, ROUNDS as usize));
        for (name, shuttle) in SHUTTLES {
            row(
                &format!("shuttle, {kind}, {name}"),
                Some(limit),
                3_000,
                |schedules| {
                    shuttle(schedules as usize, Box::new(run));
                    0
                },
            );
        }
    }
    println!();
    behaviours();
    println!();
    println!("| what must not grow | |");
    println!("|---|---:|");
    let few = per_step(200, |sys| ping_pong(sys, 3, 1_000));
    let many = per_step(20, |sys| ping_pong(sys, 1_000, 30));
    ratio("a step with 1 000 clients, beside one with 3", many / few);
    let short = per_step(5_000, |sys| ping_pong(sys, 3, 100));
    let long = per_step(10, |sys| ping_pong(sys, 3, 100_000));
    ratio(
        "a step in a run of 600 000 messages, beside one of 600",
        long / short,
    );
    let begun = ProcessTime::now();
    let empty = tester(1_000_000, RANDOM).run(|_| {});
    let nanoseconds = begun.elapsed().as_nanos() as f64 / empty.executions as f64;
    println!("| an execution of an empty test | {nanoseconds:.0} ns |");
    let (one, two) = (wall(1), wall(2));
    println!(
        "| two workers, beside one | {:.2}x |",
        one.as_secs_f64() / two.as_secs_f64()
    );
}

/// A search of ours.
type Search = fn() -> actor_test::settings::Search;

const RANDOM: Search = || actor_test::settings::Search::Strategies(vec![StrategySpec::Random]);
const PORTFOLIO: Search = || actor_test::settings::Search::Portfolio;

/// Our rows: a name, the search, and true if a monitor observes the program.
const SEARCHES: [(&str, Search, bool); 4] = [
    ("actor-test, random", RANDOM, false),
    ("actor-test, random, with a monitor", RANDOM, true),
    ("actor-test, portfolio", PORTFOLIO, false),
    ("actor-test, portfolio, with a monitor", PORTFOLIO, true),
];

/// Runs this number of schedules of a program under shuttle.
type Shuttle = fn(usize, Box<dyn Fn() + Send + Sync>);

/// The rows of shuttle.
const SHUTTLES: [(&str, Shuttle); 2] = [
    ("random", |schedules, program| {
        shuttle(RandomScheduler::new(schedules), program);
    }),
    ("PCT 3", |schedules, program| {
        shuttle(PctScheduler::new(3, schedules), program);
    }),
];

fn shuttle(scheduler: impl Scheduler + 'static, program: Box<dyn Fn() + Send + Sync>) {
    Runner::new(scheduler, Config::new()).run(program);
}

/// Prints the second table: distinct behaviours per second, of a program that
/// has 34 650. A behaviour is the order in which the server serves its clients.
fn behaviours() {
    println!(
        "| {CLIENTS} clients x {FEW_ROUNDS} round trips, {FEW_SCHEDULES} schedules | behaviours | behaviours / CPU-s |"
    );
    println!("|---|---:|---:|");
    for (name, search, monitor) in SEARCHES {
        behaviour_row(name, || {
            let report = explore(FEW_SCHEDULES, search, monitor, FEW_ROUNDS);
            report.behaviours.seen as usize
        });
    }
    for (kind, program) in peer::PROGRAMS {
        for (name, shuttle) in SHUTTLES {
            behaviour_row(&format!("shuttle, {kind}, {name}"), || {
                let seen = Arc::new(Mutex::new(HashSet::new()));
                let seeing = seen.clone();
                let run = move || {
                    let served = program(CLIENTS as usize, FEW_ROUNDS as usize);
                    seeing.lock().expect("nobody panics").insert(served);
                };
                shuttle(FEW_SCHEDULES as usize, Box::new(run));
                let seen = seen.lock().expect("nobody panics");
                seen.len()
            });
        }
    }
}

/// Runs a row five times, and prints the median.
fn behaviour_row(name: &str, mut run: impl FnMut() -> usize) {
    let mut seen = 0;
    let mut rates: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let begun = ProcessTime::now();
            seen = run();
            seen as f64 / begun.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!("| {name} | {seen} | {:.0} |", rates[REPEATS / 2]);
}

fn tester(schedules: u64, search: Search) -> Tester {
    Tester::new()
        .iterations(schedules)
        .max_steps(10_000_000)
        .search(search())
}

fn explore(schedules: u64, search: Search, monitor: bool, rounds: u32) -> Report {
    let report = tester(schedules, search).run(|sys| {
        if monitor {
            sys.monitor::<Answered>();
        }
        ping_pong(&sys, CLIENTS, rounds);
    });
    report.assert_clean();
    report
}

/// Runs a row five times, prints the median, and returns the rate.
fn row(name: &str, limit: Option<f64>, schedules: u64, mut run: impl FnMut(u64) -> u64) -> f64 {
    let mut steps = 0;
    let mut rates: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let begun = ProcessTime::now();
            steps = run(schedules);
            schedules as f64 / begun.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    let rate = rates[REPEATS / 2];
    let share = limit.map_or_else(|| "1".into(), |limit| format!("1/{:.1}", limit / rate));
    let step = if steps == 0 {
        String::new()
    } else {
        format!("{:.0}", 1e9 * schedules as f64 / rate / steps as f64)
    };
    println!("| {name} | {rate:.0} | {share} | {step} |");
    rate
}

/// Returns CPU nanoseconds per step, the best of five.
fn per_step(schedules: u64, program: impl Fn(&System) + Sync) -> f64 {
    let once = || {
        let begun = ProcessTime::now();
        let report = tester(schedules, RANDOM).run(|sys| program(&sys));
        report.assert_clean();
        begun.elapsed().as_nanos() as f64 / report.steps_total as f64
    };
    (0..REPEATS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn ratio(name: &str, ratio: f64) {
    println!("| {name} | {ratio:.2}x |");
}

/// Returns the wall-clock time that this number of workers needs, the best of five.
fn wall(workers: usize) -> Duration {
    let once = || {
        let begun = Instant::now();
        tester(20_000, RANDOM)
            .workers(workers)
            .run(|sys| ping_pong(&sys, CLIENTS, ROUNDS))
            .assert_clean();
        begun.elapsed()
    };
    (0..REPEATS).map(|_| once()).min().unwrap_or_default()
}
