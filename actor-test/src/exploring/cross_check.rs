//! Checks a proof by random sampling. A reduced search assumes that actors share only what the tester
//! controls; if they share more, executions that were never run may fail.

use crate::data::bug::BugKind;
use crate::data::coverage_claim::{Gap, Reduction};
use crate::engine::Program;
use crate::exploring::confirmation::Judge;
use crate::exploring::explorer::Explorer;
use crate::exploring::plan::Plan;
use crate::exploring::progress::Silent;
use crate::exploring::summary::Summary;
use crate::exploring::workers::Exploration;
use crate::report::data::Report;
use crate::report::verdict::SearchKind;
use crate::settings::Settings;
use crate::settings::strategy::StrategySpec;
use crate::strategy::{Random, Source};

/// Samples as many executions as the settings say after a proof. If one fails, the report gets that bug, and
/// proves nothing. `after` is the number of strategies before this one.
pub(crate) fn sample_beside_proof(
    report: &mut Report,
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    after: usize,
) {
    if settings.samples_beside_proof == 0 || !is_reduced_proof(report) {
        return;
    }
    let drawing = Settings {
        // The search judged liveness over all states, and better than a walk can.
        lasso: false,
        bounds: report.bounds,
        ..settings
            .for_side_search(settings.iterations.min(settings.samples_beside_proof))
            .for_search(&StrategySpec::Random)
    };
    let mut explorer = Explorer::new(name, &drawing, vec![Source::new(Random::new())]).after(after);
    let mut exploration = Exploration {
        judge: Judge::new(name, program, &drawing, &[]),
        plan: Plan::of_one(&drawing, false),
        summary: Summary::new(name, &drawing),
        observer: &mut Silent,
        keeping: None,
        proving: None,
    };
    exploration.run_alone(&mut explorer, program);
    if !exploration.summary.has_failed() {
        return;
    }
    let mut drawn = exploration.summary.finish(program, &explorer.observed());
    let bugs = std::mem::take(&mut drawn.bugs).into_iter();
    report
        .bugs
        .extend(bugs.filter(|bug| bug.finding.kind != BugKind::Liveness));
    if report.bugs.is_empty() {
        return;
    }
    report.list_bugs();
    report.verdict.gaps.push(Gap::Refuted);
    report.add_counts_of(&drawn);
}

/// Returns true if the report claims a proof by a reduced search.
fn is_reduced_proof(report: &Report) -> bool {
    let reduction = match report.verdict.searched {
        SearchKind::Systematic { reduction, .. } => reduction,
        SearchKind::Sample { .. } => Reduction::None,
    };
    report.bugs.is_empty() && report.verdict.is_exhaustive() && reduction != Reduction::None
}
