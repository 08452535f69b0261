//! A strategy that records the result of each complete execution, and delegates everything else.

use std::sync::{Arc, Mutex};

use actor_test::strategy::{
    Choice, CoverageClaim, Enabled, Ended, Ending, Execution, Fairness, Step, Strategy,
};

/// The result of each complete execution, and the hash of its behaviour.
pub type Ends<E> = Arc<Mutex<Vec<(E, u64)>>>;

/// A strategy that records the result of each complete execution.
pub struct EndRecorder<E> {
    strategy: Box<dyn Strategy>,
    end: Box<dyn Fn(&Ended) -> E + Send>,
    ends: Ends<E>,
    wants_states: bool,
}

impl<E> EndRecorder<E> {
    /// Wraps a strategy; `end` returns the result of an execution that has ended.
    pub fn new(
        strategy: Box<dyn Strategy>,
        end: impl Fn(&Ended) -> E + Send + 'static,
    ) -> (Self, Ends<E>) {
        let ends = Ends::default();
        let end_recorder = Self {
            strategy,
            end: Box::new(end),
            ends: Arc::clone(&ends),
            wants_states: false,
        };
        (end_recorder, ends)
    }

    /// Asks for the state at the end of an execution, also if the strategy does not.
    #[must_use]
    pub fn with_states(mut self) -> Self {
        self.wants_states = true;
        self
    }
}

impl<E> std::fmt::Debug for EndRecorder<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.strategy.fmt(f)
    }
}

impl<E: Send> Strategy for EndRecorder<E> {
    fn name(&self) -> String {
        self.strategy.name()
    }
    fn fairness(&self) -> Fairness {
        self.strategy.fairness()
    }
    fn begin(&mut self, execution: &Execution) -> bool {
        self.strategy.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.strategy.pick(enabled)
    }
    fn choose(&mut self, choice: Choice) -> u32 {
        self.strategy.choose(choice)
    }
    fn wants_steps(&self) -> bool {
        self.strategy.wants_steps()
    }
    fn wants_states(&self) -> bool {
        self.wants_states || self.strategy.wants_states()
    }
    fn compares_histories(&self) -> bool {
        self.strategy.compares_histories()
    }
    fn stepped(&mut self, step: &Step<'_>) {
        self.strategy.stepped(step);
    }
    fn ended(&mut self, ended: &Ended) {
        if ended.ending == Ending::Complete {
            let mut ends = self.ends.lock().expect("nobody panics here");
            ends.push(((self.end)(ended), ended.behaviour));
        }
        self.strategy.ended(ended);
    }
    fn has_memory(&self) -> bool {
        self.strategy.has_memory()
    }
    fn needs_estimates(&self) -> bool {
        self.strategy.needs_estimates()
    }
    fn needs_length(&self) -> bool {
        self.strategy.needs_length()
    }
    fn covered(&self) -> CoverageClaim {
        self.strategy.covered()
    }
}
