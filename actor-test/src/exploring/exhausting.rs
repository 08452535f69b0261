//! Attempts a proof by one search after another, and finally samples.

use crate::data::coverage_claim::Gap;
use crate::engine::Program;
use crate::exploring::cross_check::sample_beside_proof;
use crate::exploring::explorer::Explorer;
use crate::exploring::progress::ProgressObserver;
use crate::exploring::prove::ProofAttempts;
use crate::exploring::workers::{calibrated, explore_with, sample};
use crate::report::data::Report;
use crate::settings::strategy::StrategySpec;
use crate::settings::{Search, Settings};
use crate::strategy::{SearchBudget, budgeted_search};

/// Runs the searches that may prove a test in turn, each after the last could not follow the test. If none
/// can, samples. A bug or a limit in the settings ends the exploration.
pub(crate) fn exhaust(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn ProgressObserver,
) -> Report {
    let begun = crate::wall_clock::now();
    let settings = &calibrated(name, program, settings);
    let searches = settings.searches();
    let first = settings.strategies().len();
    let mut left = ProofAttempts::default();
    let mut ends = Settings {
        calibrate: false,
        ..settings.clone()
    };
    for (number, spec) in searches.iter().enumerate() {
        let worth = worth(settings);
        // A search of behaviours estimates the rest and can be interrupted, while one of states or races may
        // have no end.
        let limit = match spec {
            StrategySpec::Dpor(_) => SearchBudget::none(),
            _ => worth.clone(),
        };
        let searching = Settings {
            prove: 0,
            ..ends.for_search(spec)
        };
        let strategy = budgeted_search(spec, &limit, &worth);
        let explorer = Explorer::new(name, &searching, vec![strategy]).after(first + number);
        let mut report = explore_with(name, program, &searching, observer, explorer, None);
        let after = first + searches.len();
        sample_beside_proof(&mut report, name, program, &searching, after);
        ends.iterations = ends.iterations.saturating_sub(report.executions);
        let time = settings.time_limit;
        ends.time_limit = time.map(|time| time.saturating_sub(begun.elapsed()));
        // The directory belongs to the first search.
        ends.partition = ends.sample_part();
        ends.search_dir = None;
        let is_over = ends.iterations == 0 || ends.time_limit.is_some_and(|time| time.is_zero());
        let is_failed = report.has_failed() && !settings.keep_going;
        if is_over || is_failed || report.verdict.is_exhaustive() || is_ended(&report) {
            left.add_to(&mut report);
            return report;
        }
        let asks_for_seeds = is_seeded(&report);
        let spent = if worth.spent() > 0 { &worth } else { &limit };
        left.take(spec, spent, report);
        if asks_for_seeds {
            // No search tries other seeds.
            break;
        }
    }
    let sampling = Settings {
        search: Search::Portfolio,
        prove: 0,
        ..ends
    };
    let mut report = sample(name, program, &sampling, observer, None);
    left.add_to(&mut report);
    report
}

/// Returns the cost limit of a search that may have no end.
fn worth(settings: &Settings) -> SearchBudget {
    match settings.prove {
        0 => SearchBudget::none(),
        worth => SearchBudget::with_error_factor(worth),
    }
}

/// Returns true if the search has ended at a requested limit.
fn is_ended(report: &Report) -> bool {
    report.verdict.gaps.iter().any(|gap| {
        matches!(
            gap,
            Gap::Executions { .. } | Gap::Time | Gap::Saturated | Gap::Refuted
        )
    })
}

/// Returns true if only the choice of seeds kept the search from a proof.
fn is_seeded(report: &Report) -> bool {
    let mut gaps = report.verdict.gaps.iter();
    gaps.all(|gap| matches!(gap, Gap::Seeds { .. } | Gap::System { .. }))
}
