//! Prints, for planted bugs of the samples, the length of the shortest execution with
//! the bug (by breadth-first search), the length after minimisation of the bug that
//! the portfolio finds (median and maximum of five seeds), and the ratio of the two.
//! For programs without a bug, prints the number of states, all of them visited.
//!
//! `cargo run --release -p benchmarks --bin shortest [-- STATES [NAME]…]`: at most
//! this number of states for each row, and only rows whose names contain one of these.

use actor_test::{Report, Tester};
use benchmarks::planted::{ROWS, Row};
use cpu_time::ProcessTime;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let states = arguments.next();
    let states = states.map_or(3_000_000, |states| states.parse().expect("a number"));
    let names: Vec<String> = arguments.collect();
    let is_wanted =
        |row: &&Row| names.is_empty() || names.iter().any(|name| row.name.contains(name.as_str()));
    println!(
        "| program | size | steps to the bug | minimised | at most | times | states | executions | s |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for row in ROWS.iter().filter(is_wanted) {
        print(row, states);
    }
}

fn print(row: &Row, states_max: u64) {
    let strategy = format!("states:{states_max}/order=breadth")
        .parse()
        .expect("a strategy");
    let begun = ProcessTime::now();
    let tester = Tester::new()
        .iterations(u64::MAX)
        .check_every(0)
        .patient_timers(row.is_patient)
        .strategy(strategy);
    let report = tester.run(|sys| (row.set_up)(&sys));
    let took = begun.elapsed().as_secs_f64();
    let states = report.verdict.states().unwrap_or_default();
    let found = found(row, &report);
    let Row { name, size, .. } = row;
    let executions = report.executions;
    let left = left(row);
    let (median, most) = (left.get(left.len() / 2), left.last());
    let said = |steps: Option<&u64>| steps.map_or_else(String::new, u64::to_string);
    let shortest: Option<f64> = found.parse().ok();
    let times = most
        .zip(shortest)
        .map(|(most, shortest)| format!("{:.2}", *most as f64 / shortest));
    println!(
        "| {name} | {size} | {found} | {} | {} | {} | {states} | {executions} | {took:.2} |",
        said(median),
        said(most),
        times.unwrap_or_default(),
    );
}

/// Returns the number of steps after minimisation of the bug that
/// the portfolio finds, for each of five seeds, in ascending order.
fn left(row: &Row) -> Vec<u64> {
    let Some(text) = row.bug else {
        return Vec::new();
    };
    let left = (0..5).filter_map(|seed| {
        let tester = Tester::new().iterations(3_000).seed(seed);
        let report = tester.minimize(20_000_000).run(|sys| (row.set_up)(&sys));
        let bug = report
            .bugs()
            .first()
            .filter(|bug| bug.message().contains(text));
        bug.map(actor_test::Bug::step)
    });
    let mut left: Vec<u64> = left.collect();
    left.sort_unstable();
    left
}

/// Returns the length of the shortest execution with the bug, or the verdict on a program without.
fn found(row: &Row, report: &Report) -> String {
    match (report.bugs().first(), row.bug) {
        (Some(bug), Some(text)) if bug.message().contains(text) => bug.step().to_string(),
        (Some(bug), _) => format!("another one: {}", bug.message()),
        (None, _) if report.verdict.is_exhaustive() => "none".into(),
        (None, _) => "none so far".into(),
    }
}
