//! Scaling of the tester: prints the cost of a step in a program of one size and of eight times that size.
//!
//! `scaling [SIZE] [FILTER]`: the smaller size (default:
//! 1 000), and a part of the names of the wanted rows.

mod actors;
mod programs;

use actor_core::System;
use actor_test::Tester;
use actor_test::strategy::StrategySpec;
use cpu_time::ProcessTime;

use crate::programs::PROGRAMS;

/// The ratio of the larger size to the smaller one.
const TIMES: u32 = 8;

/// The minimum number of steps of a measurement.
const STEPS: u64 = 200_000;

/// A program of the table, and the quantity that grows with the size.
struct Row {
    name: &'static str,
    /// The set-up for a size.
    program: fn(&System, u32),
    patient: bool,
    supervised: bool,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let size: u32 = arguments
        .next()
        .map_or(1_000, |size| size.parse().expect("a size is a number"));
    let filter = arguments.next().unwrap_or_default();
    println!("| ns / step | {size} | {} | times | steps |", size * TIMES);
    println!("|---|---:|---:|---:|---:|");
    for row in PROGRAMS.iter().filter(|row| row.name.contains(&filter)) {
        let (few, _) = row.per_step(size);
        let (many, steps) = row.per_step(size * TIMES);
        println!(
            "| {} | {few:.0} | {many:.0} | {:.2} | {steps} |",
            row.name,
            many / few
        );
    }
}

impl Row {
    /// Returns CPU nanoseconds per step, the best of three, and the number of steps of an execution.
    fn per_step(&self, size: u32) -> (f64, u64) {
        let one = self.run(size, 1).1;
        let schedules = (STEPS / one).max(1);
        let rate = (0..3)
            .map(|_| self.run(size, schedules).0)
            .fold(f64::INFINITY, f64::min);
        (rate, one)
    }

    /// Returns CPU nanoseconds per step over this number of executions, and the number of steps of each.
    fn run(&self, size: u32, schedules: u64) -> (f64, u64) {
        let tester = Tester::new()
            // The check for nondeterminism runs an execution twice, which would distort a short measurement.
            .check_every(0)
            .iterations(schedules)
            .max_steps(100_000_000)
            .patient_timers(self.patient)
            .supervised(self.supervised)
            .strategy(StrategySpec::Random);
        let begun = ProcessTime::now();
        let report = tester.run(|sys| (self.program)(&sys, size));
        let spent = begun.elapsed().as_nanos() as f64;
        report.assert_clean();
        let steps = report.steps_total;
        (spent / steps as f64, steps / report.executions)
    }
}
