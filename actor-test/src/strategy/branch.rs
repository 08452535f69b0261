//! Replay of a recorded execution up to a step, and any strategy from there: [`BranchedReplay`].

use super::{Choice, Enabled, Ended, Execution, Fairness, FaultSite, Replay, Step, Strategy};
use crate::data::bug::Cycle;
use crate::data::faults::Fault;
use crate::data::story::ChoicePurpose;

/// Replays recorded decisions up to a step, and follows a strategy from there. The strategy sees only the
/// steps behind that one, and its fairness counts from there.
#[derive(Debug)]
pub(crate) struct BranchedReplay {
    replay: Replay,
    strategy: Box<dyn Strategy>,
    from: u64,
    is_replaying: bool,
}

impl BranchedReplay {
    pub(crate) fn new(chosen: Vec<u32>, from: u64, strategy: Box<dyn Strategy>) -> Self {
        Self {
            replay: Replay::new(chosen, Fairness::Unfair),
            strategy,
            from,
            is_replaying: true,
        }
    }
}

impl Strategy for BranchedReplay {
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

    fn next_choice_purpose(&mut self, asked: ChoicePurpose) {
        match self.is_replaying {
            true => self.replay.next_choice_purpose(asked),
            false => self.strategy.next_choice_purpose(asked),
        }
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        match self.is_replaying {
            true => self.replay.choose(choice),
            false => self.strategy.choose(choice),
        }
    }

    fn time_passes(&mut self, ways: u32) -> Option<u32> {
        match self.is_replaying {
            true => self.replay.time_passes(ways),
            false => self.strategy.time_passes(ways),
        }
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        match self.is_replaying {
            true => self.replay.fault_within_step(offer),
            false => self.strategy.fault_within_step(offer),
        }
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        match enabled.step() < self.from {
            true => self.replay.fault_between_steps(enabled, faults),
            false => self.strategy.fault_between_steps(enabled, faults),
        }
    }

    fn fault_struck(&mut self, key: u64) {
        self.strategy.fault_struck(key);
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

    fn wants_steps(&self) -> bool {
        self.strategy.wants_steps()
    }

    fn wants_states(&self) -> bool {
        self.strategy.wants_states()
    }

    fn compares_histories(&self) -> bool {
        self.strategy.compares_histories()
    }

    fn fair_cycle(&self) -> Option<Cycle> {
        self.strategy.fair_cycle()
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
