//! Replays of a recorded execution, exact or under another strategy.

use std::sync::Arc;

use crate::engine::{Engine, Outcome, Program, RecordedDecision, RunOptions};
use crate::replay::{fairness_of, taken};
use crate::report::data::Recording;
use crate::settings::Bounds;
use crate::strategy::{Execution, Replay, Strategy};
use crate::worker_registry::{self, WorkerStatus};

/// A recorded execution with an engine that re-executes it.
pub(super) struct Replayer<'a> {
    program: &'a dyn Program,
    engine: Engine,
    status: Arc<WorkerStatus>,
    recording: &'a Recording,
}

impl<'a> Replayer<'a> {
    /// Registers the execution with the watchdog under the name `test`.
    pub(super) fn new(program: &'a dyn Program, test: &str, recording: &'a Recording) -> Self {
        let engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
        let status = worker_registry::register_worker(test, engine.heartbeat());
        Self {
            program,
            engine,
            status,
            recording,
        }
    }

    /// Returns the worker status that the watchdog reads.
    pub(super) fn status(&self) -> Arc<WorkerStatus> {
        Arc::clone(&self.status)
    }

    pub(super) fn replay(&mut self, options: RunOptions) -> Outcome {
        let strategy = self.recorded();
        self.replay_by(Box::new(strategy), options)
    }

    /// Replays the recorded execution under `strategy`, which must take the recorded decisions.
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

    /// Returns a strategy that takes the recorded decisions.
    pub(super) fn recorded(&self) -> Replay {
        let recording = self.recording;
        Replay::new(
            recording.decisions.clone(),
            fairness_of(recording.fair_from),
        )
    }

    /// Runs the program under another strategy, within other bounds.
    pub(super) fn run_within(
        &mut self,
        bounds: Bounds,
        strategy: Box<dyn Strategy>,
        seed: u64,
        options: RunOptions,
    ) -> Outcome {
        self.engine.set_bounds(bounds);
        let needs_length = strategy.needs().length;
        let execution = Execution {
            seed,
            // The expected length of the execution is that of the recording.
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

    /// Returns the decisions of the last execution.
    pub(super) fn decisions(&self) -> Vec<RecordedDecision> {
        self.engine.decisions()
    }
}
