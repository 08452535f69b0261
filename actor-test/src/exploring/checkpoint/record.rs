//! The result of a process in the record of its search.

use std::path::PathBuf;

use crate::data::coverage_claim::Gap;
use crate::report::data::Report;
use crate::search_dir::{CheckpointError, EndedPart, SearchPlace};
use crate::settings::{Search, Settings};
use crate::trace;

/// Joins the search of a test in the search directory, if the settings have one. Returns the report, if this
/// process has ended its search before, and the path that holds the report.
///
/// # Errors
///
/// Returns an error if the directory holds files of another search, or damaged ones.
pub(crate) fn join(
    name: &str,
    settings: &Settings,
) -> Result<Option<(Report, PathBuf)>, CheckpointError> {
    let Some(place) = SearchPlace::of(name, settings)? else {
        return Ok(None);
    };
    let ended = place.join()?;
    if ended.is_none() {
        place.interrupted()?;
    }
    Ok(ended.map(|ended| (ended.report, place.record())))
}

/// Adds the report of a test to the record of this process, unless the search can go on from a checkpoint.
///
/// # Errors
///
/// Returns an error if the record can't be written.
pub(crate) fn store(
    name: &str,
    settings: &Settings,
    report: &Report,
) -> Result<(), CheckpointError> {
    let is_limit = |gap: &Gap| match gap {
        Gap::Executions { .. } | Gap::Time => true,
        // The budget of a proof is for the samples after it.
        Gap::Budget { .. } => settings.search != Search::Exhaustive,
        _ => false,
    };
    let has_ended = match settings.sample_part() {
        Some(_) => report.is_of_a_part(),
        None => !report.verdict.gaps.iter().any(is_limit),
    };
    match SearchPlace::of(name, settings)? {
        Some(place) if has_ended => place.write_record(Some(EndedPart {
            package: trace::own_package().unwrap_or_default(),
            expect_bug: settings.expect_bug.clone(),
            report: report.clone(),
        })),
        _ => Ok(()),
    }
}
