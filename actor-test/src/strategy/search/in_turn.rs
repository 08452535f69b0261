//! A search as a strategy.

use std::collections::VecDeque;

use super::Search;
use crate::data::bug::Cycle;
use crate::data::faults::Fault;
use crate::strategy::{
    Choice, Covered, Enabled, Ended, Execution, Fairness, Offer, Step, Strategy,
};

/// Runs the items of a search, one after another.
#[derive(Debug)]
pub(in crate::strategy) struct InTurn<S: Search> {
    search: S,
    /// What is left of the round.
    due: VecDeque<S::Item>,
    current: Option<S::Item>,
}

impl<S: Search> InTurn<S> {
    pub(in crate::strategy) fn new(search: S) -> Self {
        Self {
            search,
            due: VecDeque::new(),
            current: None,
        }
    }

    pub(in crate::strategy) fn search(&self) -> &S {
        &self.search
    }
}

impl<S: Search> Strategy for InTurn<S>
where
    S::Item: std::fmt::Debug,
{
    fn name(&self) -> String {
        self.search.name()
    }

    fn fairness(&self) -> Fairness {
        let item = self.current.as_ref();
        item.map_or(Fairness::Unfair, Strategy::fairness)
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        if self.due.is_empty() {
            self.due = self.search.round().into();
        }
        self.current = self.due.pop_front();
        let item = self.current.as_mut();
        item.is_some_and(|item| item.begin(execution))
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.current.as_mut()?.pick(enabled)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        let item = self.current.as_mut();
        item.map_or(0, |item| item.choose(choice))
    }

    fn strike(&mut self, offer: &Offer) -> u32 {
        let item = self.current.as_mut();
        item.map_or(0, |item| item.strike(offer))
    }

    fn fault(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.current.as_mut()?.fault(enabled, faults)
    }

    fn struck(&mut self, key: u64) {
        if let Some(item) = &mut self.current {
            item.struck(key);
        }
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn hears_steps(&self) -> bool {
        self.current.as_ref().is_some_and(Strategy::hears_steps)
    }

    fn sees_states(&self) -> bool {
        self.current.as_ref().is_some_and(Strategy::sees_states)
    }

    fn compares_histories(&self) -> bool {
        let item = self.current.as_ref();
        item.is_some_and(Strategy::compares_histories)
    }

    fn accused(&self) -> Option<Cycle> {
        self.current.as_ref()?.accused()
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if let Some(item) = &mut self.current {
            item.stepped(step);
        }
    }

    fn ended(&mut self, ended: &Ended) {
        if let Some(mut item) = self.current.take() {
            item.ended(ended);
            self.search.take(item, ended);
        }
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn expected(&self) -> Option<u64> {
        self.search.expected()
    }

    fn covered(&self) -> Covered {
        self.search.covered()
    }
}
