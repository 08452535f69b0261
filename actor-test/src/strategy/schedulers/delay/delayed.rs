//! Random delay-bounded scheduling and stratified sampling: [`Delayed`].

use rand_xoshiro::Xoshiro256PlusPlus;

use super::{DelayingExplorer, ExplorerDriver};
use crate::settings::strategy::{DELAYS, DELAYS_MAX};
use crate::strategy::{
    Choice, Enabled, Execution, Fairness, FaultTiming, Needs, PossibleFault, Pruned, Strategy,
    below, generator,
};

/// Follows a [`DelayingExplorer`], and delays it at a few steps drawn beforehand.
///
/// The steps are drawn uniformly and independently among the first L that have an alternative. L is the
/// [expected number](crate::strategy::Execution::contended_steps) in each execution.
///
/// [`new`](Self::new) is random search with a bound on delays (Emmi, Qadeer and Rakamaric, Delay-Bounded
/// Scheduling, POPL 2011): each execution draws its number of delays, from none, which is the explorer's
/// own schedule, to the bound. A step that is drawn twice is delayed once.
///
/// [`stratified`](Self::stratified) samples the executions with a fixed number of delays (Desai, Qadeer and
/// Seshia, ESEC/FSE 2015, section 4.2): a step that is drawn twice is delayed twice. Guarantee: each
/// execution whose d delays all lie within the first L steps with an alternative has a probability of at
/// least 1 / L^d, given the answers to its choices. (The probability is d! / L^d if they lie at different
/// steps.) The paper's sampler knows each L, since it re-executes the program for each delay.
///
/// Unfair: an operation that the explorer does not run may wait for ever. Choices are answered at random.
#[derive(Debug)]
pub struct Delayed<E> {
    explorer: ExplorerDriver<E>,
    delays: DelayCount,
    /// The steps still to be delayed, counted among those with an alternative, the next one last.
    due: Vec<u64>,
    contended_steps: u64,
    rng: Xoshiro256PlusPlus,
}

/// The number of delays in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DelayCount {
    UpTo(u32),
    Exactly(u32),
    Drawn,
}

impl<E: DelayingExplorer> Delayed<E> {
    /// Allows at most so many delays; more than 100 count as 100.
    pub fn new(explorer: E, delays: u32) -> Self {
        Self::with(explorer, DelayCount::UpTo(delays.min(DELAYS_MAX)))
    }

    /// Makes exactly so many delays; more than 100 count as 100. With `None`, each execution draws a number
    /// from 1 to 5, so that each stratum gets a fifth.
    pub fn stratified(explorer: E, delays: Option<u32>) -> Self {
        let delays = delays.map_or(DelayCount::Drawn, |delays| {
            DelayCount::Exactly(delays.min(DELAYS_MAX))
        });
        Self::with(explorer, delays)
    }

    fn with(explorer: E, delays: DelayCount) -> Self {
        Self {
            explorer: ExplorerDriver::new(explorer),
            delays,
            due: Vec::new(),
            contended_steps: 0,
            rng: generator(0),
        }
    }

    fn draw_delays(&mut self, steps: u64) {
        self.due.clear();
        let count = match self.delays {
            DelayCount::UpTo(delays) => below(&mut self.rng, u64::from(delays) + 1) as u32,
            DelayCount::Exactly(delays) => delays,
            DelayCount::Drawn => 1 + below(&mut self.rng, u64::from(DELAYS)) as u32,
        };
        if steps > 0 {
            let rng = &mut self.rng;
            self.due.extend((0..count).map(|_| below(rng, steps)));
        }
        self.due.sort_unstable_by(|a, b| b.cmp(a));
        if matches!(self.delays, DelayCount::UpTo(_)) {
            self.due.dedup();
        }
    }

    /// The number of delays before this step.
    fn delays(&mut self, enabled: &Enabled<'_>) -> usize {
        if enabled.len() == 1 {
            return 0;
        }
        // As many delays as operations would bring the first one back to the front.
        let most = enabled.len() - 1;
        let mut delays = 0;
        while self.due.last() == Some(&self.contended_steps) {
            self.due.pop();
            delays += 1;
        }
        self.contended_steps += 1;
        delays.min(most)
    }
}

impl<E: DelayingExplorer> Strategy for Delayed<E> {
    fn name(&self) -> String {
        let explorer = self.explorer.name();
        match (explorer.as_str(), self.delays) {
            ("prr", DelayCount::UpTo(DELAYS)) => "delay".into(),
            (_, DelayCount::UpTo(delays)) => format!("delay:{explorer}/{delays}"),
            ("prr", DelayCount::Drawn) => "ss".into(),
            (_, DelayCount::Drawn) => format!("ss:{explorer}"),
            (_, DelayCount::Exactly(delays)) => format!("ss:{explorer}/{delays}"),
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            length: true,
            fault_timing: self.explorer.times_faults(),
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        self.draw_delays(execution.contended_steps().min(u64::from(u32::MAX)));
        self.contended_steps = 0;
        self.explorer.begin(execution);
        Some(Fairness::Unfair)
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.explorer.observe(enabled);
        let delays = self.delays(enabled);
        let picked = self.explorer.delay(enabled, delays);
        self.explorer.takes(enabled, picked);
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }

    fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        self.explorer.fault_timing(fault)
    }
}
