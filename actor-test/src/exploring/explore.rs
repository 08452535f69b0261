//! Explores a test as its settings ask: a proof, samples, or both.

use crate::engine::Program;
use crate::exploring::cross_check::sample_beside_proof;
use crate::exploring::exhausting::exhaust;
use crate::exploring::progress::ProgressObserver;
use crate::exploring::prove::{ProofSearches, searching};
use crate::exploring::workers::{calibrated, sample};
use crate::report::data::Report;
use crate::settings::{Search, Settings};

/// Explores a program.
pub(crate) fn explore(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn ProgressObserver,
) -> Report {
    let mut report = match settings.search {
        Search::Exhaustive => exhaust(name, program, settings, observer),
        _ => explore_as_asked(name, program, settings, observer),
    };
    report.wants_proof = settings.search.wants_proof();
    report
}

fn explore_as_asked(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn ProgressObserver,
) -> Report {
    let settings = &calibrated(name, program, settings);
    let searches = searching(settings);
    let proving =
        (!searches.is_empty()).then(|| ProofSearches::new(name, program, settings, &searches));
    let mut report = sample(name, program, settings, observer, proving);
    if searches.is_empty() {
        let after = settings.strategies().len();
        sample_beside_proof(&mut report, name, program, settings, after);
    }
    report
}
