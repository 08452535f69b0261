//! What is counted, and in which order steps are tried.

use super::yields::Yields;
use crate::hash::mix;
use crate::strategy::delay::ExplorerDriver;
use crate::strategy::{DelayingExplorer, Enabled, Execution, OperationId};

/// From which schedule others deviate, and what of that counts.
#[derive(Debug)]
pub(super) enum Deviation {
    /// From what an explorer says, by its delays. The answers to a choice come in order, each after a
    /// delay more.
    Delays(ExplorerDriver<Box<dyn DelayingExplorer>>),
    /// Whoever took the last step takes the next; it counts where somebody else does although it could.
    Preemptions(Preemptions),
    /// From none: nothing counts. States after different numbers of steps differ.
    Nothing {
        /// How many steps there were.
        step: u64,
        /// After so many there is nothing to try.
        depth: u64,
    },
}

/// Who would go on.
#[derive(Debug, Default)]
pub(super) struct Preemptions {
    last: Option<OperationId>,
    yields: Option<Yields>,
    /// The positions that may be picked, in the order in which they are tried.
    able: Vec<usize>,
    /// The first of them goes on.
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
            Some(yields) => yields.look(enabled, &mut self.able),
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

    /// A look before each step; says how many may be picked.
    pub(super) fn look(&mut self, enabled: &Enabled<'_>) -> usize {
        match self {
            Self::Delays(explorer) => {
                explorer.look(enabled);
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

    /// How many deviations more the second of those that may be picked takes than the first.
    pub(super) fn cost_of_pick(&self) -> u32 {
        match self {
            Self::Delays(_) => 1,
            Self::Preemptions(preemptions) => preemptions.goes_on.into(),
            Self::Nothing { .. } => 0,
        }
    }

    /// The same of the answers to a choice, and of whether a fault strikes.
    pub(super) fn cost_of_answer(&self) -> u32 {
        match self {
            Self::Delays(_) => 1,
            Self::Preemptions(_) | Self::Nothing { .. } => 0,
        }
    }

    /// How many more the next one takes than one that is not the first.
    pub(super) fn cost_of_next(&self) -> u32 {
        self.cost_of_answer()
    }

    /// The position of the nth that may be picked.
    pub(super) fn position(&mut self, enabled: &Enabled<'_>, nth: usize) -> usize {
        match self {
            Self::Delays(explorer) => explorer.delay(enabled, nth),
            Self::Preemptions(preemptions) => preemptions.able.get(nth).copied().unwrap_or(0),
            Self::Nothing { .. } => nth,
        }
    }

    /// That position is picked.
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

    /// What it goes by beside the state of the program; `None` where that can't be told.
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

    /// Not all that can be done comes at all: see [`Led::is_unsound`].
    pub(super) fn is_unsound(&self) -> bool {
        match self {
            Self::Delays(explorer) => explorer.is_unsound(),
            Self::Preemptions(_) | Self::Nothing { .. } => false,
        }
    }

    /// It passes over schedules that are not fair.
    pub(super) fn is_fair(&self) -> bool {
        match self {
            Self::Delays(_) | Self::Nothing { .. } => false,
            Self::Preemptions(preemptions) => preemptions.yields.is_some(),
        }
    }
}
