//! A fair walk behind a recorded execution up to a step: [`Continuation`].

use super::{
    BranchedReplay, Choice, Enabled, Execution, Fairness, Needs, Pruned, Random, StepKind,
    Strategy, Weighted, Weights,
};
use crate::hash::mix;

/// Walks fairly from a step on: uniformly and weighted in turn, since timers that fire too often keep some
/// programs from recovering. In a [calm](Self::calm_if) continuation, the weighted walks fire timers almost
/// only when nothing else is enabled. Faults are over.
#[derive(Debug)]
pub(crate) struct Continuation {
    walk: Box<dyn Strategy>,
    from: u64,
    number: u32,
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
    pub(crate) fn new(from: u64, number: u32) -> Self {
        Self {
            walk: if number.is_multiple_of(2) {
                Box::new(Weighted::new(Weights::default()))
            } else {
                Box::new(Random::new())
            },
            from,
            number,
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

    /// Replays recorded decisions up to the step.
    pub(crate) fn behind(self, chosen: Vec<u32>) -> BranchedReplay {
        BranchedReplay::new(chosen, self.from, Box::new(self))
    }
}

impl Strategy for Continuation {
    fn name(&self) -> String {
        "continuation".into()
    }

    fn needs(&self) -> Needs {
        Needs::all_choices()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        let walk = Execution {
            seed: mix(execution.seed, u64::from(self.number)),
            ..execution.clone()
        };
        if let Some(delays) = &mut self.delays {
            delays.seed = mix(walk.seed, 0xde1a);
        }
        self.walk.begin(&walk)?;
        let delayed = self.delays.map_or(0, |delays| delays.until);
        Some(Fairness::FairFrom(self.from.max(delayed)))
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        match &self.delays {
            Some(delays) if enabled.step() < delays.until => {
                delays.first(enabled).ok_or(Pruned::new())
            }
            _ => self.walk.pick(enabled),
        }
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            // In half of the continuations, time passes at each read of the clock, so that loops that poll
            // it end.
            Choice::Passing(ways) => Some(ways * (self.number / 2 % 2)),
            Choice::FaultBetween(..) => Some(Choice::END_FAULTS),
            _ => choice.put_to(&mut *self.walk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timers that fire too often keep some programs from recovering, so every other walk restrains them.
    #[test]
    fn continuations_are_uniform_and_weighted_in_turn() {
        let names = |is_calm| {
            let continuation = |number| Continuation::new(0, number).calm_if(is_calm);
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
