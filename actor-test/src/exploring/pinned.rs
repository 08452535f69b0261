//! Running a schedule that a test has pinned in words.

use std::sync::PoisonError;

use crate::data::story::Story;
use crate::engine::{Engine, Program, RunOptions};
use crate::exploring::explorer::Explorer;
use crate::exploring::workers::explore_alone;
use crate::report::facts::{Bug, Recording, Report};
use crate::report::words;
use crate::settings::Settings;
use crate::strategy::{Execution, PinnedReplay, PinnedStep, Replay, Wording};
use crate::trace::replay::{fairness_of, taken};

/// What came of following a pinned schedule.
#[derive(Clone, Debug)]
pub struct Followed {
    report: Report,
    parted: Option<String>,
}

impl Followed {
    /// What the execution showed.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The bug that it ended with, if any.
    pub fn bug(&self) -> Option<&Bug> {
        self.report.bugs.first()
    }

    /// At which step it did something else than is pinned, and what: the program was changed since.
    pub fn parted(&self) -> Option<&str> {
        self.parted.as_deref()
    }

    /// Does nothing where no bug was found; where the execution parted from the schedule, it says so.
    ///
    /// # Panics
    ///
    /// With the bug, and where the execution parted from the schedule.
    #[track_caller]
    pub fn assert_clean(&self) {
        let parted = self.parted.as_deref().map(words::parted);
        if self.report.is_clean() {
            parted.iter().for_each(|parted| eprintln!("{parted}"));
            return;
        }
        let failure = words::failure(&self.report);
        let lines: Vec<String> = parted.into_iter().chain([failure]).collect();
        panic!("{}", lines.join("\n"));
    }
}

/// Follows a schedule.
pub(crate) fn follow(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    steps: Vec<PinnedStep>,
) -> Followed {
    let settings = settings.beside(1);
    let (pinned, parted) = PinnedReplay::new(steps);
    let explorer = Explorer::new(name, &settings, vec![Box::new(pinned)]);
    let mut report = explore_alone(explorer, program, &settings, name);
    for bug in &mut report.bugs {
        // The test itself is what reproduces it.
        bug.token.clear();
    }
    let parted = parted.lock().unwrap_or_else(PoisonError::into_inner).take();
    Followed {
        report,
        parted: parted.map(|parted| format!("at step {}: {}", parted.step, parted.message)),
    }
}

/// A recorded execution in words, with its story; `None` where it does not do the same any more.
pub(crate) fn in_words(
    program: &dyn Program,
    recording: &Recording,
) -> Option<(Vec<PinnedStep>, Story)> {
    let fairness = fairness_of(recording.fair_from);
    let mut engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
    engine.prepare_for_cycle(recording.cycle);
    let replay = Replay::new(recording.decisions.clone(), fairness);
    let (wording, told) = Wording::new(Box::new(replay));
    let options = RunOptions {
        expected: Some(taken(recording)),
        record: true,
        ..RunOptions::default()
    };
    let execution = Execution::alone(recording.bounds.unfair());
    let outcome = engine.run_under(Box::new(wording), program, &execution, options);
    let told = std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
    (outcome.diverged_at.is_none()).then(|| (told, Story::of(&outcome.records)))
}
