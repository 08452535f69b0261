//! What minimising leaves of a failing execution: the planted bugs of the samples, five seeds each.
//!
//! ```text
//! cargo run --release -p benchmarks --bin minimizing [FILTER]
//! ```
//!
//! It prints the table of the book's page on short traces: medians of steps, actors and switches before
//! and after.

mod plants;

use actor_test::{Minimized, Report};
use plants::Plant;

/// How many seeds.
const SEEDS: u64 = 5;

/// What minimising may cost, as in the tool.
const BUDGET: u64 = 20_000_000;

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!(
        "| bug | found | steps | actors | switches | steps | actors | switches | executions | steps taken |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for plant in plants::all() {
        if plant.name.contains(&filter) {
            row(&plant);
        }
    }
}

fn row(plant: &Plant) {
    let reports: Vec<Report> = (0..SEEDS).map(|seed| plant.explore(seed, BUDGET)).collect();
    let found: Vec<&Minimized> = reports
        .iter()
        .flat_map(Report::bugs)
        .filter_map(|bug| bug.minimized.as_ref())
        .collect();
    let bugs = reports.iter().filter(|report| !report.is_clean()).count();
    let of = |what: fn(&Minimized) -> u64| median(found.iter().map(|found| what(found)).collect());
    println!(
        "| {} | {bugs} of {SEEDS}, {} shorter | {} | {} | {} | {} | {} | {} | {} | {} |",
        plant.name,
        found.len(),
        of(|found| found.before.steps),
        of(|found| found.before.actors),
        of(|found| found.before.switches),
        of(|found| found.after.steps),
        of(|found| found.after.actors),
        of(|found| found.after.switches),
        of(|found| found.executions),
        of(|found| found.steps),
    );
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
