//! A strategy that records the result of each complete execution, and delegates everything else.

use std::sync::{Arc, Mutex};

use actor_test::strategy::{
    Choice, CoverageClaim, Enabled, Ended, Ending, Execution, Fairness, Needs, Pruned, Strategy,
    StrategyEvent,
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
    fn needs(&self) -> Needs {
        let needs = self.strategy.needs();
        Needs {
            states: self.wants_states || needs.states,
            ..needs
        }
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.strategy.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.strategy.pick(enabled)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.strategy.choose(choice)
    }
    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Ended(ended) = event
            && ended.ending == Ending::Complete
        {
            let mut ends = self.ends.lock().expect("nobody panics here");
            ends.push(((self.end)(ended), ended.behaviour));
        }
        self.strategy.observe(event);
    }
    fn covered(&self) -> CoverageClaim {
        self.strategy.covered()
    }
}
