//! Going on under another strategy from a step of a recorded execution.

use super::{Choice, Enabled, Ended, Execution, Fairness, Offer, Replay, Step, Strategy};
use crate::data::bug::Cycle;
use crate::data::faults::Fault;
use crate::data::story::Asked;

/// Recorded decisions up to a step, and any strategy from there. What the strategy sees begins with
/// that step; its fairness counts from there.
#[derive(Debug)]
pub(crate) struct Branch {
    replay: Replay,
    strategy: Box<dyn Strategy>,
    from: u64,
    is_replaying: bool,
}

impl Branch {
    pub(crate) fn new(chosen: Vec<u32>, from: u64, strategy: Box<dyn Strategy>) -> Self {
        Self {
            replay: Replay::new(chosen, Fairness::Unfair),
            strategy,
            from,
            is_replaying: true,
        }
    }
}

impl Strategy for Branch {
    fn name(&self) -> String {
        format!("branch({})-{}", self.from, self.strategy.name())
    }

    fn fairness(&self) -> Fairness {
        match self.strategy.fairness() {
            Fairness::Fair => Fairness::FairFrom(self.from),
            Fairness::FairFrom(step) => Fairness::FairFrom(step.max(self.from)),
            Fairness::Unfair => Fairness::Unfair,
        }
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.is_replaying = true;
        self.replay.begin(execution) && self.strategy.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.is_replaying = enabled.step() < self.from;
        match self.is_replaying {
            true => self.replay.pick(enabled),
            false => self.strategy.pick(enabled),
        }
    }

    fn asks(&mut self, asked: Asked) {
        match self.is_replaying {
            true => self.replay.asks(asked),
            false => self.strategy.asks(asked),
        }
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        match self.is_replaying {
            true => self.replay.choose(choice),
            false => self.strategy.choose(choice),
        }
    }

    fn passes(&mut self, ways: u32) -> Option<u32> {
        match self.is_replaying {
            true => self.replay.passes(ways),
            false => self.strategy.passes(ways),
        }
    }

    fn strike(&mut self, offer: &Offer) -> u32 {
        match self.is_replaying {
            true => self.replay.strike(offer),
            false => self.strategy.strike(offer),
        }
    }

    fn fault(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        match enabled.step() < self.from {
            true => self.replay.fault(enabled, faults),
            false => self.strategy.fault(enabled, faults),
        }
    }

    fn struck(&mut self, key: u64) {
        self.strategy.struck(key);
    }

    fn ends_faults(&mut self, enabled: &Enabled<'_>) -> bool {
        match enabled.step() <= self.from {
            true => self.replay.ends_faults(enabled),
            false => self.strategy.ends_faults(enabled) || !self.strategy.places_faults(),
        }
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn hears_steps(&self) -> bool {
        self.strategy.hears_steps()
    }

    fn sees_states(&self) -> bool {
        self.strategy.sees_states()
    }

    fn compares_histories(&self) -> bool {
        self.strategy.compares_histories()
    }

    fn accused(&self) -> Option<Cycle> {
        self.strategy.accused()
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if !self.is_replaying {
            self.strategy.stepped(step);
        }
    }

    fn ended(&mut self, ended: &Ended) {
        self.strategy.ended(ended);
    }
}
