//! A fair random walk after a prefix under any strategy: [`FairSuffix`].

use rand_core::Rng;

use super::per_operation::PerOperation;
use super::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, FaultTiming, Gap, Needs, OperationId,
    PossibleFault, Pruned, Strategy, StrategyEvent, Weighted, Weights, below, generator,
};
use crate::hash::mix;

/// Follows a strategy up to a step, and from there a [weighted](Weighted) random walk, so that liveness can
/// be judged in the state to which the strategy led (Coyote's fair PCT; MaceMC continues a systematic
/// search with long random walks in the same way).
///
/// After the switch, the strategy is not asked any more, and is notified only of the end. An execution that
/// ends before the switch is the strategy's alone.
///
/// Guarantee: fair from the switch on, with certainty: an operation is picked before it has been passed
/// over for 76 times as many steps as operations are enabled.
#[derive(Debug)]
pub struct FairSuffix {
    prefix: Box<dyn Strategy>,
    walk: Weighted,
    guard: SuffixGuard,
    switch: Switch,
    /// The step of the switch in this execution.
    from: u64,
    switched: bool,
    /// The number of executions that continued after the switch.
    suffixes: u64,
}

/// The rule for the step of the switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Switch {
    At(u64),
    AtMaxSteps,
    Anywhere,
}

impl FairSuffix {
    /// Switches after `step` steps.
    pub fn at(step: u64, strategy: Box<dyn Strategy>) -> Self {
        Self::new(Switch::At(step), strategy)
    }

    /// Switches at the [step bound](Execution::max_steps) of an unfair execution.
    pub fn at_max_steps(strategy: Box<dyn Strategy>) -> Self {
        Self::new(Switch::AtMaxSteps, strategy)
    }

    /// Switches after a number of steps that each execution draws uniformly, up to the [step
    /// bound](Execution::max_steps) of an unfair one.
    pub fn anywhere(strategy: Box<dyn Strategy>) -> Self {
        Self::new(Switch::Anywhere, strategy)
    }

    fn new(switch: Switch, prefix: Box<dyn Strategy>) -> Self {
        Self {
            prefix,
            walk: Weighted::new(Weights::default()),
            guard: SuffixGuard::default(),
            switch,
            from: 0,
            switched: false,
            suffixes: 0,
        }
    }

    pub(super) fn suffixes(&self) -> u64 {
        self.suffixes
    }
}

impl Strategy for FairSuffix {
    fn name(&self) -> String {
        let name = self.prefix.name();
        match self.switch {
            Switch::At(step) => format!("fair({step})-{name}"),
            Switch::AtMaxSteps => format!("fair-{name}"),
            Switch::Anywhere => format!("early-fair-{name}"),
        }
    }

    fn needs(&self) -> Needs {
        self.prefix.needs()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        // A random stream of its own, so that the suffix does not repeat that of the strategy.
        let seed = mix(execution.seed, 0xfa1f);
        self.from = match self.switch {
            Switch::At(step) => step,
            Switch::AtMaxSteps => execution.max_steps,
            Switch::Anywhere => uniform(&mut generator(seed), execution.max_steps),
        };
        self.switched = false;
        self.guard.begin();
        self.walk.begin(&Execution {
            seed: mix(seed, 1),
            ..execution.clone()
        });
        self.prefix.begin(execution)?;
        Some(Fairness::FairFrom(self.from))
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        if enabled.step() < self.from {
            return self.prefix.pick(enabled);
        }
        if !self.switched {
            // A search of states may have visited this state before.
            if self.prefix.needs().states {
                self.prefix.pick(enabled)?;
            }
            self.switched = true;
            self.suffixes += 1;
        }
        let picked = match self.guard.starved(enabled) {
            Some(index) => index,
            None => self.walk.pick(enabled)?,
        };
        self.guard.picked(enabled[picked].operation);
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultBetween(enabled, _) if enabled.step() >= self.from => {
                Some(Choice::END_FAULTS)
            }
            Choice::FaultWithin(_) if self.switched => None,
            Choice::FaultBetween(..) => self.prefix.choose(choice),
            _ if self.switched => choice.put_to(&mut self.walk),
            _ => self.prefix.choose(choice),
        }
    }

    fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        self.prefix.fault_timing(fault)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if !(self.switched && matches!(event, StrategyEvent::Stepped(_))) {
            self.prefix.observe(event);
        }
    }

    fn covered(&self) -> CoverageClaim {
        let mut covered = self.prefix.covered();
        if let CoverageClaim::Systematic { gaps, .. } = &mut covered
            && self.suffixes > 0
        {
            let executions = self.suffixes;
            gaps.push(Gap::Suffixes { executions });
        }
        covered
    }
}

/// Draws a number up to and including `last`.
fn uniform(rng: &mut impl Rng, last: u64) -> u64 {
    below(rng, last.min(u64::from(u32::MAX)) + 1)
}

/// Prevents starvation. The guard scans the enabled operations once in 25 times as many steps as there are
/// operations, so that the price of a step does not depend on their number.
#[derive(Debug, Default)]
struct SuffixGuard {
    /// The step, plus one, of the first scan that saw an operation wait; zero once it is picked.
    seen_at: PerOperation<u64>,
    next_scan: u64,
}

/// The number of steps, for each enabled operation, for which one may wait after it was seen.
const PATIENCE: u64 = 50;

impl SuffixGuard {
    fn begin(&mut self) {
        self.seen_at.clear();
        self.next_scan = 0;
    }

    /// The operation that has waited for longest, if that is too long.
    #[inline]
    fn starved(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        if enabled.step() < self.next_scan {
            return None;
        }
        self.scan(enabled)
    }

    fn scan(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let now = enabled.step() + 1;
        let patience = PATIENCE * enabled.len() as u64;
        let mut longest: Option<(u64, usize)> = None;
        let mut starved = 0;
        for (index, pending) in enabled.iter().enumerate() {
            let seen_at = self.seen_at.of(pending.operation);
            if *seen_at == 0 {
                *seen_at = now;
            } else if now - *seen_at >= patience {
                starved += 1;
                let one = (*seen_at, index);
                longest = Some(longest.map_or(one, |other| other.min(one)));
            }
        }
        let pause = if starved > 1 { 1 } else { patience / 2 };
        self.next_scan = enabled.step() + pause;
        longest.map(|(_, index)| index)
    }

    #[inline]
    fn picked(&mut self, operation: OperationId) {
        *self.seen_at.of(operation) = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Changes, Pending, StepKind};
    use super::*;

    fn pending(index: u32) -> Pending {
        Pending {
            operation: OperationId::actor(index),
            kind: StepKind::Handle,
            inbox: None,
            sender: None,
            event: None,
            message: None,
        }
    }

    /// A timer among nine working operations has a ninth of their share. The walk alone sometimes leaves it
    /// out for longer than is allowed; the suffix does not.
    #[test]
    fn the_suffix_picks_whom_the_walk_passes_over() {
        let mut all: Vec<Pending> = (0..10).map(pending).collect();
        all[9].kind = StepKind::Timer;
        let limit = (PATIENCE + PATIENCE / 2 + 1) * all.len() as u64;
        let execution = |seed| Execution {
            iteration: 0,
            seed,
            max_steps: 0,
            estimates: std::sync::Arc::default(),
            length: None,
            faults: crate::data::faults::FaultBudgets::none(),
        };
        let changes = Changes::default();
        let waits = |strategy: &mut dyn Strategy, seed| {
            strategy.begin(&execution(seed));
            (0..limit).all(|step| {
                let enabled = Enabled::new(&all, &[], &changes, step, 0);
                strategy.pick(&enabled) != Ok(9)
            })
        };
        let walks_past = |seed: &u64| {
            let seed = mix(mix(*seed, 0xfa1f), 1);
            waits(&mut Weighted::new(Weights::default()), seed)
        };
        let seed = (0..200_000)
            .find(walks_past)
            .expect("in one walk of 12 000");
        let mut suffix = FairSuffix::at(0, Box::new(Weighted::new(Weights::default())));
        assert!(!waits(&mut suffix, seed), "seed {seed}");
    }

    /// With a walk that always takes the first, every other operation is picked in time, but no sooner.
    #[test]
    fn nobody_is_passed_over_for_ever() {
        for count in [1_u64, 2, 3, 10] {
            let enabled: Vec<Pending> = (0..count as u32).map(pending).collect();
            let mut guard = SuffixGuard::default();
            guard.begin();
            let mut last = vec![0; count as usize];
            for step in 0..5_000 {
                let changes = Changes::default();
                let enabled = Enabled::new(&enabled, &[], &changes, step, 0);
                let starved = guard.starved(&enabled);
                if let Some(index) = starved {
                    let waited = step - last[index];
                    assert!(waited >= PATIENCE * count, "{index} of {count}: {waited}");
                }
                let picked = starved.unwrap_or(0);
                guard.picked(enabled[picked].operation);
                last[picked] = step;
                let longest = last.iter().map(|last| step - last).max().unwrap_or(0);
                assert!(
                    longest <= (PATIENCE + PATIENCE) * count,
                    "{longest} of {count}"
                );
            }
            assert!(last.iter().all(|last| *last > 0));
        }
    }
}
