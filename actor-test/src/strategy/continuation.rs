//! Replay of a recorded execution up to a step, and a fair walk from there: [`Continuation`].

use super::{
    Choice, Enabled, Execution, Fairness, FaultSite, Random, Replay, StepKind, Strategy, Weighted,
    Weights,
};
use crate::data::faults::Fault;
use crate::data::story::ChoicePurpose;
use crate::hash::mix;

/// Replays recorded decisions up to a step, then walks fairly: uniformly and weighted in turn, since timers
/// that fire too often keep some programs from recovering. In a [calm](Self::calm_if) continuation, the
/// weighted walks fire timers almost only when nothing else is enabled.
#[derive(Debug)]
pub(crate) struct Continuation {
    replay: Replay,
    walk: Box<dyn Strategy>,
    from: u64,
    number: u32,
    replaying: bool,
    delays: Option<RandomPriorities>,
}

/// Random priorities of operations, up to a step.
#[derive(Clone, Copy, Debug)]
struct RandomPriorities {
    until: u64,
    is_calm: bool,
    seed: u64,
}

impl RandomPriorities {
    /// The position of the operation with the highest priority.
    fn first(&self, enabled: &Enabled<'_>) -> Option<usize> {
        let priority = |position: &usize| {
            let pending = &enabled[*position];
            let waits = self.is_calm && pending.kind == StepKind::Timer;
            (!waits, mix(self.seed, u64::from(pending.operation.bits())))
        };
        (0..enabled.len()).max_by_key(priority)
    }
}

/// The weights of a calm walk.
const CALM: Weights = Weights {
    work: 100,
    timer: 1,
};

impl Continuation {
    pub(crate) fn new(chosen: Vec<u32>, from: u64, number: u32) -> Self {
        Self {
            replay: Replay::new(chosen, Fairness::Unfair),
            walk: if number.is_multiple_of(2) {
                Box::new(Weighted::new(Weights::default()))
            } else {
                Box::new(Random::new())
            },
            from,
            number,
            replaying: true,
            delays: None,
        }
    }

    /// Makes every second continuation calm.
    pub(crate) fn calm_if(self, is_calm: bool) -> Self {
        match is_calm && self.number.is_multiple_of(2) {
            true => Self {
                walk: Box::new(Weighted::new(CALM)),
                ..self
            },
            false => self,
        }
    }

    /// Schedules by random priorities for some steps before the walk, so that operations with low ones wait
    /// far longer than by chance. With `is_calm`, timers wait for all other operations.
    pub(crate) fn delaying(self, is_calm: bool) -> Self {
        let steps = 16 << (self.number % 4);
        Self {
            delays: Some(RandomPriorities {
                until: self.from + steps,
                is_calm,
                seed: 0,
            }),
            ..self
        }
    }

    fn active(&mut self) -> &mut dyn Strategy {
        if self.replaying {
            &mut self.replay
        } else {
            &mut *self.walk
        }
    }
}

impl Strategy for Continuation {
    fn name(&self) -> String {
        "continuation".into()
    }

    fn fairness(&self) -> Fairness {
        let delayed = self.delays.map_or(0, |delays| delays.until);
        Fairness::FairFrom(self.from.max(delayed))
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.replaying = true;
        let walk = Execution {
            seed: mix(execution.seed, u64::from(self.number)),
            ..execution.clone()
        };
        if let Some(delays) = &mut self.delays {
            delays.seed = mix(walk.seed, 0xde1a);
        }
        self.replay.begin(execution) && self.walk.begin(&walk)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.replaying = enabled.step() < self.from;
        match &self.delays {
            Some(delays) if !self.replaying && enabled.step() < delays.until => {
                delays.first(enabled)
            }
            _ => self.active().pick(enabled),
        }
    }

    fn next_choice_purpose(&mut self, asked: ChoicePurpose) {
        self.active().next_choice_purpose(asked);
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.active().choose(choice)
    }

    /// In half of the continuations, time passes at each read of the clock, so that loops that poll it end.
    fn time_passes(&mut self, ways: u32) -> Option<u32> {
        match self.replaying {
            true => self.replay.time_passes(ways),
            false => Some(ways * (self.number / 2 % 2)),
        }
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        self.active().fault_within_step(offer)
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        match enabled.step() < self.from {
            true => self.replay.fault_between_steps(enabled, faults),
            false => None,
        }
    }

    fn fault_struck(&mut self, key: u64) {
        self.walk.fault_struck(key);
    }

    fn ends_faults(&mut self, enabled: &Enabled<'_>) -> bool {
        self.replay.ends_faults(enabled) || enabled.step() >= self.from
    }

    fn places_faults(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timers that fire too often keep some programs from recovering, so every other walk restrains them.
    #[test]
    fn continuations_are_uniform_and_weighted_in_turn() {
        let names = |is_calm| {
            let continuation = |number| Continuation::new(Vec::new(), 0, number).calm_if(is_calm);
            let names = (1..=4).map(|number| continuation(number).walk.name());
            names.collect::<Vec<String>>()
        };
        assert_eq!(names(false), ["random", "weighted", "random", "weighted"]);
        assert_eq!(
            names(true),
            ["random", "weighted:100/1", "random", "weighted:100/1"]
        );
    }
}
