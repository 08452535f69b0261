//! Exhaustive exploration of behaviours: Inbox-DPOR, with source-DPOR as its fallback.

use super::dpor::{Dpor, GraphRun};
use super::source_dpor::{SourceDpor, SourceDporRun};
use super::{Frontier, SearchBudget, not_saved};
use crate::codec::DecodeError;
use crate::data::coverage_claim::CoverageClaim;
use crate::data::extent::SizeEstimate;
use crate::strategy::{
    Choice, Enabled, Ended, Execution, Fairness, Needs, Pruned, Strategy, StrategyEvent,
};

/// Explores every behaviour: [once](Dpor) while inboxes, choices and time alone decide what a program does,
/// and [at least once](SourceDpor) as soon as some step depends on more.
#[derive(Debug)]
pub(in crate::strategy) enum BehaviourSearch {
    /// The search, and the budget of the other one, should that take over.
    Inboxes(Box<Dpor>, Option<SearchBudget>),
    Races(Box<SourceDpor>),
}

impl BehaviourSearch {
    pub(in crate::strategy) fn new(dpor: Dpor) -> Self {
        Self::Inboxes(Box::new(dpor), None)
    }

    /// Builds an attempt. `SourceDpor`, which can't estimate its size well, has a budget of its own.
    pub(super) fn within(limit: SearchBudget, races: SearchBudget) -> Self {
        Self::Inboxes(Box::new(Dpor::within(limit)), Some(races))
    }

    /// Restarts the search as [`SourceDpor`] if Inbox-DPOR met a construct that only `SourceDpor` can follow.
    fn fall_back(&mut self) {
        if let Self::Inboxes(dpor, races) = self
            && dpor.outside().is_some_and(SourceDpor::follows)
        {
            *self = Self::Races(Box::new(SourceDpor::new(races.take())));
        }
    }
}

/// A work item of either search.
#[derive(Debug)]
pub(in crate::strategy) enum BehaviourItem {
    Inboxes(Box<GraphRun>),
    Races(Box<SourceDporRun>),
}

impl BehaviourItem {
    fn any(&self) -> &dyn Strategy {
        match self {
            Self::Inboxes(follow) => &**follow,
            Self::Races(run) => &**run,
        }
    }

    fn any_mut(&mut self) -> &mut dyn Strategy {
        match self {
            Self::Inboxes(follow) => &mut **follow,
            Self::Races(run) => &mut **run,
        }
    }
}

impl Strategy for BehaviourItem {
    fn name(&self) -> String {
        self.any().name()
    }

    fn needs(&self) -> Needs {
        self.any().needs()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.any_mut().begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.any_mut().pick(enabled)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.any_mut().choose(choice)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        self.any_mut().observe(event);
    }
}

impl Frontier for BehaviourSearch {
    type Item = BehaviourItem;

    fn name(&self) -> String {
        match self {
            Self::Inboxes(dpor, _) => dpor.name(),
            Self::Races(races) => races.name(),
        }
    }

    fn round(&mut self) -> Vec<BehaviourItem> {
        match self {
            Self::Inboxes(dpor, _) => {
                let items = dpor.round().into_iter();
                items
                    .map(|item| BehaviourItem::Inboxes(Box::new(item)))
                    .collect()
            }
            Self::Races(races) => {
                let items = races.round().into_iter();
                items
                    .map(|item| BehaviourItem::Races(Box::new(item)))
                    .collect()
            }
        }
    }

    fn take(&mut self, item: BehaviourItem, ended: &Ended) {
        match (&mut *self, item) {
            (Self::Inboxes(dpor, _), BehaviourItem::Inboxes(item)) => {
                dpor.take(*item, ended);
                self.fall_back();
            }
            (Self::Races(races), BehaviourItem::Races(item)) => races.take(*item, ended),
            _ => unreachable!("an item goes back to who has made it, and rounds have one each"),
        }
    }

    fn divide(&mut self) -> Vec<Self> {
        match self {
            Self::Inboxes(dpor, _) => dpor.divide().into_iter().map(Self::new).collect(),
            Self::Races(_) => Vec::new(),
        }
    }

    fn unite(&mut self, part: Self) -> bool {
        match (&mut *self, part) {
            (Self::Inboxes(dpor, _), Self::Inboxes(part, _)) => {
                let goes_on = dpor.unite(*part);
                self.fall_back();
                goes_on
            }
            _ => false,
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        match self {
            Self::Inboxes(dpor, _) => dpor.save(),
            Self::Races(_) => None,
        }
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        match self {
            Self::Inboxes(dpor, _) => Frontier::restore(&mut **dpor, bytes),
            Self::Races(_) => Err(not_saved()),
        }
    }

    fn extent(&self) -> Option<SizeEstimate> {
        match self {
            Self::Inboxes(dpor, _) => dpor.extent(),
            Self::Races(races) => races.extent(),
        }
    }

    fn covered(&self) -> CoverageClaim {
        match self {
            Self::Inboxes(dpor, _) => dpor.covered(),
            Self::Races(races) => races.covered(),
        }
    }
}
