//! Minimisation of failing executions: results for the planted bugs of the samples, five seeds each.
//!
//! ```text
//! cargo run --release -p benchmarks --bin minimizing [FILTER]
//! cargo run --release -p benchmarks --bin minimizing -- --liveness [FILTER]
//! ```
//!
//! The first command prints a table of the book's page on short traces: medians of steps, actors
//! and context switches before and after. The second command measures the liveness bugs, with the
//! default bounds of a test, in executions of tens of thousands of steps. The columns are the
//! number of handled messages and fired timers until the obligation is lost, the same number in
//! the published execution, and the CPU time of one worker and of the first of four, which must
//! return the same result. CPU time of one thread does not depend on the load of the machine.

mod plants;

use actor_test::Report;
use actor_test::report::Minimized;
use actor_test::strategy::StepKind;
use cpu_time::ThreadTime;
use plants::Plant;

/// The number of seeds.
const SEEDS: u64 = 5;

/// The step budget of minimisation, as in the tool.
const BUDGET: u64 = 20_000_000;

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_liveness = arguments
        .next_if(|argument| argument == "--liveness")
        .is_some();
    let filter = arguments.next().unwrap_or_default();
    let plants = plants::all().into_iter();
    let plants = plants.filter(|plant| plant.name.contains(&filter));
    match is_liveness {
        true => liveness(plants),
        false => all(plants),
    }
}

fn all(plants: impl Iterator<Item = Plant>) {
    println!(
        "| bug | found | steps | actors | switches | steps | actors | switches | executions | steps taken |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    plants.for_each(|plant| row(&plant));
}

/// The number of workers that are compared with one.
const WORKERS: usize = 4;

fn liveness(plants: impl Iterator<Item = Plant>) {
    println!(
        "| bug | published | shorter | steps | events left | most | steps left | steps taken | s with 1 | s with {WORKERS} |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for plant in plants {
        if let Some(published) = plant.lost_after {
            liveness_row(&plant.with_default_bounds(), published);
        }
    }
}

fn liveness_row(plant: &Plant, published: u64) {
    let (mut found, mut events, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut seconds = [0, 1].map(|_| Vec::new());
    for seed in 0..SEEDS {
        let (one, alone) = timed(plant, seed, 1);
        let (other, together) = timed(plant, seed, WORKERS);
        assert_eq!(
            one, other,
            "{}: more workers leave something else",
            plant.name
        );
        steps.extend(
            plant
                .explore(seed, 0, 1)
                .bugs()
                .first()
                .map(actor_test::Bug::step),
        );
        if let Some((minimized, left)) = one {
            found.push(minimized);
            events.push(left);
        }
        seconds[0].push(alone);
        seconds[1].push(together);
    }
    let of = |what: fn(&Minimized) -> u64| median(found.iter().map(what).collect());
    let most = events.iter().max().copied();
    let [alone, together] = seconds.map(|milliseconds| median(milliseconds) as f64 / 1_000.0);
    println!(
        "| {} | {published} | {} | {} | {} | {} | {} | {} | {alone:.2} | {together:.2} |",
        plant.name,
        found.len(),
        median(steps),
        median(events),
        most.unwrap_or_default(),
        of(|found| found.after.steps),
        of(|found| found.steps),
    );
}

/// Returns the minimised execution of a seed, the number of its events, and the milliseconds
/// of CPU time that the first worker needed to minimise it, without the time to find the bug.
fn timed(plant: &Plant, seed: u64, workers: usize) -> (Option<(Minimized, u64)>, u64) {
    let time = |budget| {
        let begun = ThreadTime::now();
        let report = plant.explore(seed, budget, workers);
        (report, begun.elapsed().as_millis() as u64)
    };
    let (_, finding) = time(0);
    let (report, both) = time(BUDGET);
    let left = report.bugs().first().and_then(|bug| {
        let minimized = bug.minimized.clone()?;
        let steps = bug.trace.story.steps.iter();
        let events = steps.filter(|step| matches!(step.kind, StepKind::Handle | StepKind::Timer));
        Some((minimized, events.count() as u64))
    });
    (left, both.saturating_sub(finding))
}

fn row(plant: &Plant) {
    let reports: Vec<Report> = (0..SEEDS)
        .map(|seed| plant.explore(seed, BUDGET, 1))
        .collect();
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
