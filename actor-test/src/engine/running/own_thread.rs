//! An execution on a thread of its own.
//!
//! A program may keep answers of the operating system for a whole thread: the keys of its hash maps, the
//! seed of `rand::rng()`. A later execution on that thread would begin with these, and not with the values
//! that follow from its own seed. So it runs on a fresh thread, by an engine of its own.

use std::sync::Arc;

use crate::engine::running::execution::{Engine, Program, RunOptions};
use crate::engine::running::outcome::Outcome;
use crate::engine::specs::observations::Observations;
use crate::parallel::STACK_BYTES;
use crate::strategy::{Execution, Fairness, Replay, Source};

/// Returns a placeholder strategy, for an engine that has none.
pub(super) fn nothing() -> Source {
    Source::new(Replay::new(Vec::new(), Fairness::Fair))
}

/// Calls a function on a thread without answers of the operating system: this one, or else a new one.
pub(crate) fn on_fresh_thread<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    if actor_test_os::is_fresh() {
        what()
    } else {
        on_own_thread(what)
    }
}

pub(crate) fn on_own_thread<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    actor_test_os::on_own_thread(thread.name("actor-test execution".into()), what)
}

impl Engine {
    /// Runs one execution on a thread of its own.
    #[cold]
    pub(super) fn run_on_own_thread(
        &mut self,
        test: &dyn Program,
        execution: &Execution,
        options: RunOptions,
    ) -> Outcome {
        let strategy = self.set_strategy(nothing());
        let (bounds, semantics, system) = (self.bounds, self.semantics, self.system);
        let (lassos, keeps_view) = (self.lasso.wanted, self.shared.keeps_view.get());
        let heartbeat = Arc::clone(&self.heartbeat);
        let aliases = self.shared.state().operations.aliases().clone();
        let (outcome, strategy, tape, seen) = on_own_thread(move || {
            let mut engine = Self::new(strategy, bounds, semantics);
            engine.system = system;
            engine.heartbeat = heartbeat;
            engine.call(aliases);
            engine.set_lasso_detection(lassos);
            engine.keep_view(keeps_view);
            let outcome = engine.run_here(test, execution, options);
            let strategy = engine.set_strategy(nothing());
            let tape = std::mem::take(&mut engine.shared.session().tape);
            let seen = engine.observed();
            (outcome, strategy, tape, seen)
        });
        self.set_strategy(strategy);
        self.shared.session().tape = tape;
        let before = std::mem::take(&mut self.thread_observations);
        self.thread_observations = Observations::merge(vec![before, seen]);
        outcome
    }
}
