//! Replay of a recorded execution up to a step, and any strategy from there: [`BranchedReplay`].

use super::{Choice, Enabled, Execution, Fairness, Needs, Pruned, Replay, Strategy, StrategyEvent};

/// Replays recorded decisions up to a step, and follows a strategy from there. The strategy sees only the
/// steps behind that one, and its fairness counts from there. A strategy that doesn't place faults ends them
/// after its first step, if the recording does not end them before.
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

    fn fault_between(&mut self, step: u64, choice: Choice<'_>) -> Option<u32> {
        if step < self.from {
            return self.replay.choose(choice);
        }
        if self.strategy.needs().faults {
            return self.strategy.choose(choice);
        }
        let recorded = match step == self.from {
            true => self.replay.choose(choice),
            false => Some(Choice::END_FAULTS),
        };
        recorded.filter(|answer| *answer == Choice::END_FAULTS)
    }
}

impl Strategy for BranchedReplay {
    fn name(&self) -> String {
        format!("branch({})-{}", self.from, self.strategy.name())
    }

    fn needs(&self) -> Needs {
        Needs {
            estimates: false,
            length: false,
            faults: true,
            time: true,
            memory: false,
            ..self.strategy.needs()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.is_replaying = true;
        self.replay.begin(execution)?;
        Some(match self.strategy.begin(execution)? {
            Fairness::Fair => Fairness::FairFrom(self.from),
            Fairness::FairFrom(step) => Fairness::FairFrom(step.max(self.from)),
            Fairness::Unfair => Fairness::Unfair,
        })
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.is_replaying = enabled.step() < self.from;
        match self.is_replaying {
            true => self.replay.pick(enabled),
            false => self.strategy.pick(enabled),
        }
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultBetween(enabled, _) => self.fault_between(enabled.step(), choice),
            _ if self.is_replaying => self.replay.choose(choice),
            _ => choice.put_to(&mut *self.strategy),
        }
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if !(self.is_replaying && matches!(event, StrategyEvent::Stepped(_))) {
            self.strategy.observe(event);
        }
    }
}
