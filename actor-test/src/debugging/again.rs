//! Running a recorded execution again, as it was or otherwise.

use std::sync::Arc;

use crate::attendance::{self, WorkerStatus};
use crate::engine::{Engine, Outcome, Program, RecordedDecision, RunOptions};
use crate::report::facts::Recording;
use crate::settings::Bounds;
use crate::strategy::{Execution, Replay, Strategy};
use crate::trace::replay::{fairness_of, taken};

/// A recorded execution, and an engine that runs it.
pub(super) struct Again<'a> {
    program: &'a dyn Program,
    engine: Engine,
    status: Arc<WorkerStatus>,
    recording: &'a Recording,
}

impl<'a> Again<'a> {
    /// Of a test that the watchdog knows by its name.
    pub(super) fn new(program: &'a dyn Program, test: &str, recording: &'a Recording) -> Self {
        let engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
        let status = attendance::attend(test, engine.heartbeat());
        Self {
            program,
            engine,
            status,
            recording,
        }
    }

    /// What the watchdog knows of it.
    pub(super) fn status(&self) -> Arc<WorkerStatus> {
        Arc::clone(&self.status)
    }

    /// As it was.
    pub(super) fn replay(&mut self, options: RunOptions) -> Outcome {
        let strategy = self.recorded();
        self.replay_by(Box::new(strategy), options)
    }

    /// As it was, by a strategy that takes what was recorded.
    pub(super) fn replay_by(
        &mut self,
        strategy: Box<dyn Strategy>,
        options: RunOptions,
    ) -> Outcome {
        let recording = self.recording;
        self.engine.prepare_for_cycle(recording.cycle);
        let options = RunOptions {
            expected: Some(taken(recording)),
            ..options
        };
        self.run_within(recording.bounds, strategy, 0, options)
    }

    /// A strategy that takes what was recorded.
    pub(super) fn recorded(&self) -> Replay {
        let recording = self.recording;
        Replay::new(
            recording.decisions.clone(),
            fairness_of(recording.fair_from),
        )
    }

    /// Under another strategy, within other bounds.
    pub(super) fn run_within(
        &mut self,
        bounds: Bounds,
        strategy: Box<dyn Strategy>,
        seed: u64,
        options: RunOptions,
    ) -> Outcome {
        self.engine.set_bounds(bounds);
        let needs_length = strategy.needs_length();
        let execution = Execution {
            seed,
            // What lies ahead is taken to be as long as what was recorded.
            length: needs_length.then_some(self.recording.decisions.len() as u64),
            ..Execution::alone(bounds.unfair())
        };
        self.status.begins(0, 0, None);
        let outcome = self
            .engine
            .run_under(strategy, self.program, &execution, options);
        self.status.ends();
        outcome
    }

    /// What was decided last.
    pub(super) fn decisions(&self) -> Vec<RecordedDecision> {
        self.engine.decisions()
    }
}
