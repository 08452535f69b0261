//! Full recording: names, payloads and states, for a replay that tells its story.

use std::time::Duration;

use crate::data::story::{MonitorStep, StoryStep};

/// Collects the story of one execution.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    steps: Vec<StoryStep>,
}

impl Recorder {
    pub(crate) fn begin_step(&mut self, step: u64, now: Duration, actor: String, kind: &str) {
        self.steps.push(StoryStep {
            step,
            time_ns: u64::try_from(now.as_nanos()).unwrap_or(u64::MAX),
            actor,
            kind: kind.into(),
            ..StoryStep::default()
        });
    }

    /// The step in progress.
    pub(crate) fn step(&mut self) -> Option<&mut StoryStep> {
        self.steps.last_mut()
    }

    pub(crate) fn note(&mut self, note: String) {
        if let Some(step) = self.step() {
            step.notes.push(note);
        }
    }

    pub(crate) fn monitor(&mut self, change: MonitorStep) {
        if let Some(step) = self.step() {
            step.monitors.push(change);
        }
    }

    pub(crate) fn into_steps(self) -> Vec<StoryStep> {
        self.steps
    }
}
