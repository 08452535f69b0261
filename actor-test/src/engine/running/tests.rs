//! Tests: a clone of the state stays as it is, and recording changes nothing.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actor_core::seam::{self, Runtime};

use crate::engine::panics;
use crate::engine::running::execution::{Engine, RecordLevel, RunOptions};
use crate::engine::seam::shared::CodePhase;
use crate::engine::states::prints::tests::{Theatre, each_of};
use crate::engine::world::state::ExecutionState;
use crate::records::Record;
use crate::settings::{Bounds, Semantics};
use crate::strategy::{
    Enabled, Execution, Fairness, Pruned, Random, Source, Strategy, StrategyEvent,
};
use crate::worker_registry::is_planning;

fn engine(semantics: Semantics) -> Engine {
    Engine::new(Source::new(Random::new()), Bounds::new(200), semantics)
}

fn execution(seed: u64) -> Execution {
    Execution {
        iteration: 0,
        seed,
        max_steps: 200,
        estimates: Default::default(),
        length: None,
        faults: crate::data::faults::FaultBudgets::none(),
    }
}

fn theatre(semantics: Semantics) -> Theatre {
    Theatre {
        dramatic: semantics.supervised,
    }
}

/// Returns every third state of an execution: a clone, and the `Debug` text of the original at that step.
fn states(semantics: Semantics, seed: u64) -> Vec<(ExecutionState, String)> {
    let mut engine = engine(semantics);
    let runtime: Rc<dyn Runtime> = engine.shared.clone();
    engine
        .shared
        .strategy
        .borrow_mut()
        .strategy_mut()
        .begin(&execution(seed));
    engine.begin(RunOptions::default());
    seam::enter(&runtime, || states_of(engine, &theatre(semantics)))
}

fn states_of(mut engine: Engine, theatre: &Theatre) -> Vec<(ExecutionState, String)> {
    let shared = engine.shared.clone();
    let _quiet = panics::quiet();
    let mut states = Vec::new();
    loop {
        let mut state = shared.state.borrow_mut();
        let Ok((operation, kind)) = engine.pick(&shared, &mut state) else {
            break;
        };
        if state.progress.step().is_multiple_of(3) {
            states.push((state.clone(), format!("{state:?}")));
        }
        let changed = engine
            .executor
            .step(&shared, operation, kind, state, theatre);
        engine.after_step(&shared, changed);
    }
    shared.phase.set(CodePhase::Over);
    states
}

/// A clone does not change while the execution goes on: queues, timers, asks, families, temperatures and
/// the enabled operations stay as they were.
#[test]
fn a_clone_is_the_execution_as_it_was() {
    let mut count = 0;
    for (semantics, seed) in each_of(0..8) {
        for (state, then) in states(semantics, seed) {
            assert!(
                format!("{state:?}") == then,
                "seed {seed}, step {}: the clone has changed",
                state.progress.step()
            );
            count += 1;
        }
    }
    assert!(count > 500, "{count} states are not many");
}

/// Every execution ends the same with and without recording, in all its results.
#[test]
fn recording_changes_nothing() {
    for (semantics, seed) in each_of(0..60) {
        let run = |record: RecordLevel| {
            let mut engine = engine(semantics);
            let options = RunOptions {
                record,
                ..RunOptions::default()
            };
            let outcome = engine.run(&theatre(semantics), &execution(seed), options);
            let state = format!("{:?}", engine.shared.state.borrow());
            let same = (
                (outcome.end, outcome.steps, outcome.class),
                (outcome.finding, outcome.dead_letters, engine.decisions()),
            );
            (same, state, outcome.records)
        };
        let (unseen, state, none) = run(RecordLevel::No);
        let (recorded, state_recorded, records) = run(RecordLevel::EventsAndLogs);
        assert_eq!(unseen, recorded, "seed {seed}");
        assert!(state == state_recorded, "seed {seed}: the states differ");
        assert_eq!(none, []);
        let is_step = |record: &&Record| matches!(record, Record::Step { .. });
        let steps = records.iter().filter(is_step).count();
        assert_eq!(steps as u64, (recorded.0).1, "seed {seed}");
        serde_json::to_string(&records).expect("records are data");
    }
}

/// A strategy that checks whether the heartbeat shows that it plans.
#[derive(Debug)]
struct Planner(Arc<AtomicU64>);

impl Strategy for Planner {
    fn name(&self) -> String {
        "planner".into()
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        assert!(is_planning(self.0.load(Ordering::Relaxed)), "it begins");
        Some(Fairness::Fair)
    }

    fn pick(&mut self, _: &Enabled<'_>) -> Result<usize, Pruned> {
        assert!(
            !is_planning(self.0.load(Ordering::Relaxed)),
            "the program runs"
        );
        Ok(0)
    }

    fn observe(&mut self, _: StrategyEvent<'_>) {
        assert!(is_planning(self.0.load(Ordering::Relaxed)), "it is over");
    }
}

/// Otherwise the watchdog would take a search that computes long for a handler that does not return.
#[test]
fn a_strategy_that_plans_is_known_to() {
    let mut engine = engine(Semantics::default());
    let heartbeat = engine.heartbeat();
    engine.set_strategy(Source::new(Planner(heartbeat.clone())));
    let theatre = theatre(Semantics::default());
    engine.run_here(&theatre, &execution(1), RunOptions::default());
    assert!(!is_planning(heartbeat.load(Ordering::Relaxed)));
}

/// Otherwise the watchdog would take a series of short executions for a handler that does not return.
#[test]
fn a_short_execution_is_progress() {
    let mut engine = engine(Semantics::default());
    let heartbeat = engine.heartbeat();
    for begun in 1..4 {
        let theatre = theatre(Semantics::default());
        engine.run_here(&theatre, &execution(begun), RunOptions::default());
        assert_eq!(heartbeat.load(Ordering::Relaxed), begun);
    }
}
