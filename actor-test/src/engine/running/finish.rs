//! The end of an execution that the program asks for by `sys.finish()`.

use std::sync::Arc;

use crate::engine::running::execution::Engine;
use crate::engine::running::outcome::EndReason;
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;
use crate::strategy::{Execution, FairSuffix, Fairness, Random, Source, Strategy};

impl Engine {
    /// Ends the execution if nothing is hot; else has it scheduled fairly from here on.
    #[cold]
    pub(crate) fn finish_fairly(&mut self, state: &mut ExecutionState) -> Option<EndReason> {
        if !state.temperatures.any_hot() {
            return Some(EndReason::Finished);
        }
        let is_fair = match self.fairness {
            Fairness::Fair => true,
            Fairness::FairFrom(step) => step <= state.progress.step(),
            Fairness::Unfair => false,
        };
        // A re-execution takes the recorded decisions.
        if !is_fair && !self.is_counted {
            self.begin_fair_suffix(state);
        }
        None
    }

    fn begin_fair_suffix(&mut self, state: &mut ExecutionState) {
        let mut suffix = FairSuffix::at(0, Box::new(Random::new()));
        suffix.begin(&Execution {
            iteration: 0,
            seed: mix(self.seed, 0xf1_415),
            max_steps: self.bounds.unfair(),
            estimates: Arc::default(),
            length: None,
            faults: crate::data::faults::FaultBudgets::none(),
        });
        self.replaced = Some(self.set_strategy(Source::new(suffix)));
        self.fairness = Fairness::FairFrom(state.progress.step());
        self.bound = self.bounds.fair();
        let threshold = self.bounds.temperature();
        state
            .temperatures
            .count_from(state.progress.step(), threshold);
    }
}
