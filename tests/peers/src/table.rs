//! The result tables, one for each executor.

use crate::contender::Role;
use crate::entrant::Entrant;
use crate::memory;
use crate::scenario::Scenario;

const REPEATS: usize = 5;

/// The figure of one contender, if there is one.
type Figure = Option<f64>;

/// Prints each row as soon as it is measured.
pub(crate) fn print(
    executor: &str,
    workers: usize,
    contenders: &[Box<dyn Entrant>],
    scenarios: &[Scenario],
) {
    let names: Vec<&str> = contenders.iter().map(|one| one.name()).collect();
    println!(
        "| {executor}, ns | {} | best peer to ours |",
        names.join(" | ")
    );
    println!("|---|{}---:|", "---:|".repeat(names.len()));
    for scenario in scenarios {
        let figures = figures(*scenario, executor, workers, contenders);
        let cells: Vec<String> = figures.iter().map(|figure| cell(*figure, 0, "")).collect();
        let ratio = cell(ratio(contenders, &figures), 2, "x");
        println!("| {} | {} | {ratio} |", scenario.title(), cells.join(" | "));
    }
    println!();
}

fn cell(figure: Figure, digits: usize, unit: &str) -> String {
    figure.map_or_else(|| "–".into(), |figure| format!("{figure:.digits$}{unit}"))
}

fn figures(
    scenario: Scenario,
    executor: &str,
    workers: usize,
    contenders: &[Box<dyn Entrant>],
) -> Vec<Figure> {
    if scenario == Scenario::Idle {
        let names = contenders.iter().map(|one| one.name());
        return names.map(|name| memory::weigh(name, executor)).collect();
    }
    let mut rounds = vec![Vec::new(); contenders.len()];
    for _ in 0..REPEATS {
        // The contenders alternate, round after round, so that other load affects all equally.
        for (contender, found) in contenders.iter().zip(&mut rounds) {
            let figure = contender.measure(scenario, workers);
            if figure.is_some_and(f64::is_nan) {
                let (name, scenario) = (contender.name(), scenario.name());
                eprintln!("{name}: {scenario} on {executor} did not come to an end");
            }
            found.extend(figure);
        }
    }
    rounds.iter_mut().map(|found| median(found)).collect()
}

/// Returns the median. A scenario that did not end counts as the slowest.
fn median(found: &mut [f64]) -> Figure {
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied()
}

/// Returns the ratio of the best other framework's figure to ours.
fn ratio(contenders: &[Box<dyn Entrant>], figures: &[Figure]) -> Figure {
    let of = |role| {
        let both = contenders.iter().zip(figures);
        let figures = both.filter(move |(one, _)| one.role() == role);
        figures
            .filter_map(|(_, figure)| *figure)
            .min_by(f64::total_cmp)
    };
    Some(of(Role::Peer)? / of(Role::Ours)?)
}
