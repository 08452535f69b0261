//! Searches for a proof while the test is sampled.

use crate::engine::{EndReason, Program};
use crate::exploring::confirmation::Judge;
use crate::exploring::explorer::Explorer;
use crate::exploring::summary::Summary;
use crate::report::data::{self, Bug, Report};
use crate::settings::Settings;
use crate::settings::strategy::StrategySpec;
use crate::settings::turn::StrategyTurn;
use crate::strategy::{SearchBudget, budgeted_search};

/// The attempts at a proof that did not complete, for the report of the exploration after them.
#[derive(Default)]
pub(crate) struct ProofAttempts {
    tried: Vec<data::ProofAttempt>,
    /// The bugs found by these attempts, if the test continues after a bug.
    bugs: Vec<Bug>,
}

impl ProofAttempts {
    /// Takes the result of an attempt.
    pub(crate) fn take(&mut self, spec: &StrategySpec, limit: &SearchBudget, report: Report) {
        self.tried.push(data::ProofAttempt {
            strategy: spec.to_string(),
            executions: report.executions,
            steps: limit.spent(),
            gaps: report.verdict.gaps.clone(),
        });
        // The last report judges the whole test.
        if report.has_failed() {
            self.bugs.extend(report.bugs);
        }
    }

    /// Adds the attempts and their bugs to a report.
    pub(crate) fn add_to(self, report: &mut Report) {
        report.tried = self.tried;
        report.bugs.extend(self.bugs);
        report.list_bugs();
    }
}

/// Returns the settings of the searches that may prove a test, in order.
pub(crate) fn searching(settings: &Settings) -> Vec<(StrategySpec, Settings)> {
    let of = |spec: StrategySpec| {
        let searching = Settings {
            iterations: u64::MAX,
            ..settings.for_search(&spec)
        };
        (spec, searching)
    };
    settings.searches().into_iter().map(of).collect()
}

/// The searches that may prove a sampled test. Between epochs of samples, they may spend a fraction of the
/// samples' cost, up to a limit in the settings. So neither a bug that samples find soon nor a short proof
/// has to wait for long. The searches share that cost evenly, until one can't follow the test or would need
/// far too much.
pub(crate) struct ProofSearches<'a> {
    program: &'a (dyn Program + Sync),
    /// The running searches, in order.
    active: Vec<Searching<'a>>,
    /// The searches that did not complete, with their numbers.
    over: Vec<(usize, &'a StrategySpec, SearchBudget, Report)>,
    /// The limit on the cost of all searches.
    budget: u64,
    samples_beside_proof: u64,
    keep_going: bool,
    /// The report of the search that explored everything, or found a bug that ends the test.
    ended: Option<Report>,
}

/// A search in progress.
struct Searching<'a> {
    number: usize,
    spec: &'a StrategySpec,
    limit: SearchBudget,
    explorer: Explorer<'a>,
    judge: Judge<'a>,
    summary: Summary,
}

impl<'a> ProofSearches<'a> {
    pub(crate) fn new(
        name: &'a str,
        program: &'a (dyn Program + Sync),
        settings: &Settings,
        searches: &'a [(StrategySpec, Settings)],
    ) -> Self {
        let first = settings.strategies().len();
        let begin = |(number, (spec, searching)): (usize, &'a (StrategySpec, Settings))| {
            let limit = SearchBudget::of(settings.prove);
            let explorer =
                Explorer::new(name, searching, vec![budgeted_search(spec, &limit, &limit)]);
            Searching {
                number,
                spec,
                limit,
                explorer: explorer.after(first + number),
                judge: Judge::new(name, program, searching, &[]),
                summary: Summary::new(name, searching),
            }
        };
        Self {
            program,
            active: searches.iter().enumerate().map(begin).collect(),
            over: Vec::new(),
            budget: settings.prove,
            samples_beside_proof: settings.samples_beside_proof,
            keep_going: settings.keep_going,
            ended: None,
        }
    }

    fn spent(&self) -> u64 {
        let active = self.active.iter().map(|search| &search.limit);
        let over = self.over.iter().map(|(_, _, limit, _)| limit);
        active.chain(over).map(SearchBudget::spent).sum()
    }

    /// Returns true if all searches are over.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_some() || self.active.is_empty() || self.spent() >= self.budget
    }

    /// Returns the cost of the searches: the actual one if they are over, else the limit.
    pub(crate) fn cost(&self) -> u64 {
        match self.is_over() {
            true => self.spent(),
            false => self.budget,
        }
    }

    /// Returns the total number of samples once the searches have ended. A proof assumes that actors share
    /// only what the tester controls; if they share more, samples may still fail.
    pub(crate) fn samples(&self) -> Option<u64> {
        let ended = self.ended.as_ref()?;
        Some(match ended.bugs.is_empty() {
            true => self.samples_beside_proof,
            false => 0,
        })
    }

    /// Runs the searches until their total cost is `to`.
    pub(crate) fn go_on(&mut self, to: u64) {
        let to = to.min(self.budget);
        while !self.is_over() && self.spent() < to {
            let share = (to - self.spent()).div_ceil(self.active.len() as u64);
            let spent = self.active.iter().map(|search| search.limit.spent());
            let (_, next) = spent.zip(0..).min().expect("one goes on");
            let search = &mut self.active[next];
            search.limit.allow(search.limit.spent() + share);
            if search.run(self.program) {
                let search = self.active.remove(next);
                // The verdict must not name its cost limit as the reason for the end.
                search.limit.allow(u64::MAX);
                self.end(search);
            }
        }
    }

    fn end(&mut self, search: Searching<'a>) {
        let (number, spec, limit) = (search.number, search.spec, search.limit.clone());
        let report = search.finish(self.program);
        match report.verdict.is_exhaustive() || (report.has_failed() && !self.keep_going) {
            true => self.ended = Some(report),
            false => self.over.push((number, spec, limit, report)),
        }
    }

    /// Merges the results of the searches with the report of the samples.
    pub(crate) fn conclude(mut self, mut sampled: Report) -> Report {
        match self.ended.take() {
            Some(report) if report.bugs.is_empty() && sampled.bugs.is_empty() => report,
            Some(mut report) if report.has_failed() => {
                report.add_counts_of(&sampled);
                report
            }
            _ => {
                for mut search in std::mem::take(&mut self.active) {
                    if search.summary.executions() > 0 {
                        search.summary.end_by(0);
                        self.end(search);
                    }
                }
                self.over.sort_by_key(|(number, ..)| *number);
                let mut left = ProofAttempts::default();
                for (_, spec, limit, report) in self.over {
                    left.take(spec, &limit, report);
                }
                left.add_to(&mut sampled);
                sampled
            }
        }
    }
}

impl Searching<'_> {
    /// Runs the search until it ends, or reaches its limit, which returns `false`.
    fn run(&mut self, program: &dyn Program) -> bool {
        while !self.limit.is_reached() {
            if self.summary.is_over() || self.explorer.is_late() {
                return true;
            }
            let turn = StrategyTurn::of_first(self.summary.executions());
            let mut contribution = self.explorer.run_turn(program, turn);
            if contribution.outcome.end == EndReason::Exhausted && self.limit.is_reached() {
                return false;
            }
            self.judge.judge(&mut contribution);
            self.summary.add(contribution);
        }
        self.summary.is_over()
    }

    fn finish(mut self, program: &dyn Program) -> Report {
        self.summary.set_covered(self.explorer.covered());
        self.summary.finish(program, &self.explorer.observed())
    }
}
