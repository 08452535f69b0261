//! Follows a schedule that a test has pinned in words.

use std::sync::PoisonError;

use crate::data::story::Story;
use crate::engine::{Engine, Program, RecordLevel, RunOptions};
use crate::exploring::explorer::Explorer;
use crate::exploring::workers::explore_alone;
use crate::replay::{fairness_of, taken};
use crate::report::assertions::failure;
use crate::report::data::{Bug, Recording, Report};
use crate::report::words;
use crate::settings::Settings;
use crate::strategy::{Execution, Replay, ScriptReplay, ScriptStep, Source, Wording};

/// The result of following a pinned schedule.
#[derive(Clone, Debug)]
pub struct ScriptResult {
    report: Report,
    parted: Option<String>,
}

impl ScriptResult {
    /// Returns the report of the execution.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the bug that ended the execution, if any.
    pub fn bug(&self) -> Option<&Bug> {
        self.report.bugs.first()
    }

    /// Returns the first deviation from the schedule, if any, with its step: the program has changed since.
    pub fn parted(&self) -> Option<&str> {
        self.parted.as_deref()
    }

    /// Does nothing if no bug was found; prints a deviation from the schedule.
    ///
    /// # Panics
    ///
    /// Panics with the bug and the deviation from the schedule.
    #[track_caller]
    pub fn assert_clean(&self) {
        let parted = self.parted.as_deref().map(words::parted);
        if self.report.is_clean() {
            parted.iter().for_each(|parted| eprintln!("{parted}"));
            return;
        }
        let failure = failure(&self.report);
        let lines: Vec<String> = parted.into_iter().chain([failure]).collect();
        panic!("{}", lines.join("\n"));
    }
}

/// Follows a pinned schedule.
pub(crate) fn follow(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    steps: Vec<ScriptStep>,
) -> ScriptResult {
    let settings = settings.for_side_search(1);
    let (pinned, parted) = ScriptReplay::new(steps);
    let explorer = Explorer::new(name, &settings, vec![Source::new(pinned)]);
    let mut report = explore_alone(explorer, program, &settings, name);
    for bug in &mut report.bugs {
        // The test itself reproduces the bug.
        bug.token.clear();
    }
    let parted = parted.lock().unwrap_or_else(PoisonError::into_inner).take();
    ScriptResult {
        report,
        parted: parted.map(|parted| format!("at step {}: {}", parted.step, parted.message)),
    }
}

/// Returns a recorded execution in words, with its story; `None` if the program no longer does the same.
pub(crate) fn in_words(
    program: &dyn Program,
    recording: &Recording,
) -> Option<(Vec<ScriptStep>, Story)> {
    let fairness = fairness_of(recording.fair_from);
    let mut engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
    engine.prepare_for_cycle(recording.cycle);
    let replay = Replay::new(recording.decisions.clone(), fairness);
    let (wording, steps) = Wording::new(Box::new(replay));
    let options = RunOptions {
        expected: Some(taken(recording)),
        record: RecordLevel::EventsAndLogs,
        ..RunOptions::default()
    };
    let execution = Execution::alone(recording.bounds.unfair());
    let outcome = engine.run_under(Box::new(wording), program, &execution, options);
    let steps = std::mem::take(&mut *steps.lock().unwrap_or_else(PoisonError::into_inner));
    (outcome.diverged_at.is_none()).then(|| (steps, Story::of(&outcome.records)))
}
