//! Doubting a proof: a search that takes one schedule for others supposes that actors share nothing but what
//! the tester knows of. Where they do, executions that were never run may fail.

use crate::data::bug::BugKind;
use crate::engine::Program;
use crate::exploring::confirmation::Judge;
use crate::exploring::explorer::Explorer;
use crate::exploring::plan::Plan;
use crate::exploring::summary::Summary;
use crate::exploring::workers::{Exploration, Silent};
use crate::report::facts::Report;
use crate::report::verdict::Searched;
use crate::settings::{Search, Settings};
use crate::strategy::{Gap, Random, Reduction, StrategySpec};

/// Draws executions beside a proof, as many as the settings say, by a strategy that is told apart from so many
/// others. Where one fails, the report has that bug, and proves nothing.
pub(crate) fn doubt(
    report: &mut Report,
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    after: usize,
) {
    if settings.samples_beside_proof == 0 || !supposes(report) {
        return;
    }
    let drawing = Settings {
        search: Search::Strategies(vec![StrategySpec::Random]),
        // What stays owed was judged over all states, and by more than a walk can see.
        lasso: false,
        bounds: report.bounds,
        ..settings.beside(settings.iterations.min(settings.samples_beside_proof))
    };
    let mut explorer = Explorer::new(name, &drawing, vec![Box::new(Random::new())]).after(after);
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

/// It is said to be proved, by a search that took some schedules for others.
fn supposes(report: &Report) -> bool {
    let reduction = match report.verdict.searched {
        Searched::Systematic { reduction, .. } => reduction,
        Searched::Sample { .. } => Reduction::None,
    };
    report.bugs.is_empty() && report.verdict.is_exhaustive() && reduction != Reduction::None
}
