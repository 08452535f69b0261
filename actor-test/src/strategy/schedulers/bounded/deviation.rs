//! The order in which alternatives are tried, and their cost: delays, preemptions or none.

use super::yields::Yields;
use crate::hash::mix;
use crate::strategy::schedulers::delay::ExplorerDriver;
use crate::strategy::{
    DelayingExplorer, Enabled, Execution, FaultTiming, OperationId, PossibleFault,
};

/// The default schedule of a bounded search, and the cost of each deviation from it.
#[derive(Debug)]
pub(super) enum Deviation {
    /// Deviations are delays of an explorer. The n-th answer to a choice costs n - 1 delays.
    Delays(ExplorerDriver<Box<dyn DelayingExplorer>>),
    /// The operation of the last step goes on; while it is enabled, a step of another costs a preemption.
    Preemptions(Preemptions),
    /// No default schedule: every step is free. States after different numbers of steps differ.
    Nothing {
        /// The number of steps so far.
        step: u64,
        /// The number of steps after which no alternatives are tried.
        depth: u64,
    },
}

/// The order of steps under preemption bounding (CHESS).
#[derive(Debug, Default)]
pub(super) struct Preemptions {
    last: Option<OperationId>,
    yields: Option<Yields>,
    /// The positions that may be picked, in the order in which they are tried.
    able: Vec<usize>,
    /// True if the first of them continues the operation of the last step.
    goes_on: bool,
}

impl Preemptions {
    pub(super) fn fair() -> Self {
        Self {
            yields: Some(Yields::default()),
            ..Self::default()
        }
    }

    fn prepare(&mut self, enabled: &Enabled<'_>) {
        self.able.clear();
        match &mut self.yields {
            None => self.able.extend(0..enabled.len()),
            Some(yields) => yields.observe(enabled, &mut self.able),
        }
        let is_last = |at: &usize| Some(enabled[*at].operation) == self.last;
        let last = self.able.iter().position(is_last);
        self.goes_on = last.is_some();
        if let Some(last) = last {
            self.able[..=last].rotate_right(1);
        }
    }
}

impl Deviation {
    pub(super) fn begin(&mut self, execution: &Execution) {
        match self {
            Self::Delays(explorer) => explorer.begin(execution),
            Self::Nothing { .. } => {}
            Self::Preemptions(preemptions) => {
                preemptions.last = None;
                if let Some(yields) = &mut preemptions.yields {
                    yields.begin();
                }
            }
        }
    }

    /// Prepares a pick, once before each step; returns the number of positions that may be picked.
    pub(super) fn observe(&mut self, enabled: &Enabled<'_>) -> usize {
        match self {
            Self::Delays(explorer) => {
                explorer.observe(enabled);
                enabled.len()
            }
            Self::Preemptions(preemptions) => {
                preemptions.prepare(enabled);
                preemptions.able.len()
            }
            Self::Nothing { step, depth } => {
                *step = enabled.step();
                match step < depth {
                    true => enabled.len(),
                    false => 1,
                }
            }
        }
    }

    /// The cost of the second position that may be picked, beyond that of the first.
    pub(super) fn cost_of_pick(&self) -> u32 {
        match self {
            Self::Delays(_) => 1,
            Self::Preemptions(preemptions) => preemptions.goes_on.into(),
            Self::Nothing { .. } => 0,
        }
    }

    /// The same cost for the answers to a choice, and for a fault that strikes.
    pub(super) fn cost_of_answer(&self) -> u32 {
        match self {
            Self::Delays(_) => 1,
            Self::Preemptions(_) | Self::Nothing { .. } => 0,
        }
    }

    /// True if the explorer says when faults strike.
    pub(super) fn times_faults(&self) -> bool {
        match self {
            Self::Delays(explorer) => explorer.times_faults(),
            Self::Preemptions(_) | Self::Nothing { .. } => false,
        }
    }

    pub(super) fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        match self {
            Self::Delays(explorer) => explorer.fault_timing(fault),
            Self::Preemptions(_) | Self::Nothing { .. } => FaultTiming::Placed,
        }
    }

    /// The cost of each further alternative beyond the one before it, from the second on.
    pub(super) fn cost_of_next(&self) -> u32 {
        self.cost_of_answer()
    }

    /// The position of the n-th alternative.
    pub(super) fn position(&mut self, enabled: &Enabled<'_>, nth: usize) -> usize {
        match self {
            Self::Delays(explorer) => explorer.delay(enabled, nth),
            Self::Preemptions(preemptions) => preemptions.able.get(nth).copied().unwrap_or(0),
            Self::Nothing { .. } => nth,
        }
    }

    pub(super) fn takes(&mut self, enabled: &Enabled<'_>, picked: usize) {
        match self {
            Self::Delays(explorer) => explorer.takes(enabled, picked),
            Self::Preemptions(preemptions) => {
                preemptions.last = enabled.get(picked).map(|pending| pending.operation);
                if let (Some(yields), Some(pending)) =
                    (&mut preemptions.yields, enabled.get(picked))
                {
                    yields.takes(pending);
                }
            }
            Self::Nothing { .. } => {}
        }
    }

    /// A fingerprint of what the order of alternatives depends on besides the program's state.
    pub(super) fn print(&self) -> Option<u64> {
        match self {
            Self::Delays(explorer) => explorer.state(),
            Self::Preemptions(Preemptions {
                last,
                goes_on,
                yields: None,
                ..
            }) => {
                let goes_on = last.filter(|_| *goes_on);
                Some(goes_on.map_or(0, |last| mix(1, u64::from(last.bits()))))
            }
            Self::Preemptions(_) => None,
            Self::Nothing { step, .. } => Some(*step),
        }
    }

    /// True if the explorer can't bring all operations to the front: see [`ExplorerDriver::is_unsound`].
    pub(super) fn is_unsound(&self) -> bool {
        match self {
            Self::Delays(explorer) => explorer.is_unsound(),
            Self::Preemptions(_) | Self::Nothing { .. } => false,
        }
    }

    /// True if unfair schedules are skipped.
    pub(super) fn is_fair(&self) -> bool {
        match self {
            Self::Delays(_) | Self::Nothing { .. } => false,
            Self::Preemptions(preemptions) => preemptions.yields.is_some(),
        }
    }
}
