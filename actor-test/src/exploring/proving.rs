//! Trying to prove a test before it is sampled.

use crate::engine::Program;
use crate::exploring::confirmation::Judge;
use crate::exploring::explorer::Explorer;
use crate::exploring::plan::Plan;
use crate::exploring::summary::Summary;
use crate::exploring::workers::{Exploration, Silent};
use crate::report::facts::{self, Bug, Report};
use crate::settings::{Search, Settings};
use crate::strategy::{Limit, StrategySpec, attempt};

/// What came of trying.
pub(crate) enum Tried {
    /// Everything was explored, or a bug was found at which the test ends.
    Ended(Box<Report>),
    /// It is to be sampled, with what is left of its budget.
    Left(Box<Settings>, Left),
}

/// What is left of a try that came to no end.
#[derive(Default)]
pub(crate) struct Left {
    tried: Vec<facts::Tried>,
    /// These bugs were found, where the test goes on after a bug.
    bugs: Vec<Bug>,
}

impl Left {
    /// Takes what is left of a search.
    pub(crate) fn take(&mut self, spec: &StrategySpec, limit: &Limit, report: Report) {
        self.tried.push(facts::Tried {
            strategy: spec.to_string(),
            executions: report.executions,
            steps: limit.spent(),
            gaps: report.verdict.gaps.clone(),
        });
        // What is judged of a whole report is judged of the last.
        if report.has_failed() {
            self.bugs.extend(report.bugs);
        }
    }

    /// Adds it to the report of what was sampled.
    pub(crate) fn add_to(self, report: &mut Report) {
        report.tried = self.tried;
        report.bugs.extend(self.bugs);
        report.list_bugs();
    }
}

/// Tries an exhaustive search, for as many steps as the settings give to it.
pub(crate) fn prove(name: &str, program: &(dyn Program + Sync), settings: &Settings) -> Tried {
    let Some(spec) = settings.searches().pop() else {
        return Tried::Left(Box::new(settings.clone()), Left::default());
    };
    let limit = Limit::of(settings.prove);
    let strategy = attempt(&spec, &limit);
    let trying = Settings {
        search: Search::Strategies(vec![spec.clone()]),
        // It ends by itself.
        step_budget: None,
        iterations: u64::MAX,
        ..settings.clone()
    };
    let first = settings.strategies().len();
    let mut explorer = Explorer::new(name, &trying, vec![strategy]).after(first);
    let mut exploration = Exploration {
        judge: Judge::new(name, program, &trying, &[]),
        plan: Plan::of_one(&trying, false),
        summary: Summary::new(name, &trying),
        observer: &mut Silent,
        keeping: None,
    };
    exploration.run_alone(&mut explorer, program);
    exploration.summary.set_covered(explorer.covered());
    let report = exploration.summary.finish(program, &explorer.observed());
    if report.verdict.is_exhaustive() || (report.has_failed() && !settings.keep_going) {
        return Tried::Ended(Box::new(report));
    }
    let budget = settings.step_budget;
    let to_sample = Settings {
        step_budget: budget.map(|steps| steps.saturating_sub(limit.spent())),
        prove: 0,
        ..settings.clone()
    };
    let mut left = Left::default();
    left.take(&spec, &limit, report);
    Tried::Left(Box::new(to_sample), left)
}
