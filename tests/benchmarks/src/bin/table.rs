//! Prints the table of the README: schedules per CPU-second, all in one run.

use std::time::Duration;

use actor_test::{Tester, strategy::StrategySpec};
use benchmarks::ping_pong::{Answered, ping_pong};
use benchmarks::{peer, plain::Plain};
use cpu_time::ProcessTime;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

const CLIENTS: u32 = 3;
const ROUNDS: u32 = 100;
const REPEATS: usize = 5;

fn main() {
    println!("| program: {CLIENTS} clients x {ROUNDS} round trips | schedules / CPU-s | steps / schedule |");
    println!("|---|---:|---:|");
    let mut plain = Plain::new(CLIENTS as usize);
    let mut steps = 0;
    row("a hand-written loop", 20_000, |schedules| {
        steps = (0..schedules).map(|seed| plain.run(seed, u64::from(ROUNDS))).sum::<u64>() / schedules;
        steps
    });
    row("actor-test, random", 20_000, |schedules| ours(schedules, false));
    row("actor-test, random, with a monitor", 20_000, |schedules| ours(schedules, true));
    row("shuttle, threads, random", 3_000, |n| shuttle(n, RandomScheduler::new(n as usize), peer::threads));
    row("shuttle, threads, PCT 3", 3_000, |n| shuttle(n, PctScheduler::new(3, n as usize), peer::threads));
    row("shuttle, futures, random", 3_000, |n| shuttle(n, RandomScheduler::new(n as usize), peer::futures));
    row("shuttle, futures, PCT 3", 3_000, |n| shuttle(n, PctScheduler::new(3, n as usize), peer::futures));
}

fn ours(schedules: u64, monitor: bool) -> u64 {
    let tester = Tester::new().iterations(schedules).strategy(StrategySpec::Random);
    let report = tester.run(|sys| {
        if monitor {
            sys.monitor::<Answered>();
        }
        ping_pong(sys, CLIENTS, ROUNDS);
    });
    report.assert_clean();
    report.steps_total / report.executions
}

fn shuttle(_: u64, scheduler: impl Scheduler + 'static, program: fn(usize, usize)) -> u64 {
    let runner = Runner::new(scheduler, Config::new());
    runner.run(move || program(CLIENTS as usize, ROUNDS as usize));
    0
}

/// Runs a row five times and prints the median.
fn row(name: &str, schedules: u64, mut run: impl FnMut(u64) -> u64) {
    let mut steps = 0;
    let mut rates: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let begun = ProcessTime::now();
            steps = run(schedules);
            let elapsed: Duration = begun.elapsed();
            schedules as f64 / elapsed.as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    let steps = if steps == 0 { "–".into() } else { steps.to_string() };
    println!("| {name} | {:.0} | {steps} |", rates[REPEATS / 2]);
}
