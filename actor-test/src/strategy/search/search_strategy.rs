//! Adapter from a search to a strategy: runs the work items of the search one after another.

use std::any::Any;
use std::collections::VecDeque;

use super::ExhaustiveSearch;
use crate::data::bug::Cycle;
use crate::data::coverage_claim::CoverageClaim;
use crate::data::extent::SizeEstimate;
use crate::data::faults::Fault;
use crate::strategy::{Choice, Enabled, Ended, Execution, Fairness, FaultSite, Step, Strategy};

/// Runs the items of a search one after another. The parts of a divided search run here as well, unless the
/// caller has [taken](Strategy::divide) them.
#[derive(Debug)]
pub(in crate::strategy) struct SearchStrategy<S: ExhaustiveSearch> {
    search: S,
    /// The parts that are still to be explored here, the one in progress first.
    parts: VecDeque<S>,
    /// The items of the current round that have not run yet.
    due: VecDeque<S::Item>,
    current: Option<S::Item>,
}

impl<S: ExhaustiveSearch> SearchStrategy<S> {
    pub(in crate::strategy) fn new(search: S) -> Self {
        Self {
            search,
            parts: VecDeque::new(),
            due: VecDeque::new(),
            current: None,
        }
    }

    pub(in crate::strategy) fn search(&self) -> &S {
        &self.search
    }

    fn next(&mut self) -> Option<S::Item> {
        loop {
            self.advance();
            if let Some(item) = self.due.pop_front() {
                return Some(item);
            }
            self.parts = self.search.divide().into();
            if self.parts.is_empty() {
                return None;
            }
        }
    }

    /// Fills `due` with items; `due` stays empty if all parts are back and the search waits to be divided.
    fn advance(&mut self) {
        while self.due.is_empty()
            && let Some(mut part) = self.parts.pop_front()
        {
            self.due = part.round().into();
            if !self.due.is_empty() {
                self.parts.push_front(part);
            } else if !self.search.unite(part) {
                self.parts.clear();
            }
        }
        if self.due.is_empty() {
            self.due = self.search.round().into();
        }
    }
}

impl<S: ExhaustiveSearch> Strategy for SearchStrategy<S>
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
        self.current = self.next();
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

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        let item = self.current.as_mut();
        item.map_or(0, |item| item.fault_within_step(offer))
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.current.as_mut()?.fault_between_steps(enabled, faults)
    }

    fn fault_struck(&mut self, key: u64) {
        if let Some(item) = &mut self.current {
            item.fault_struck(key);
        }
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn wants_steps(&self) -> bool {
        self.current.as_ref().is_some_and(Strategy::wants_steps)
    }

    fn wants_states(&self) -> bool {
        self.current.as_ref().is_some_and(Strategy::wants_states)
    }

    fn compares_histories(&self) -> bool {
        let item = self.current.as_ref();
        item.is_some_and(Strategy::compares_histories)
    }

    fn fair_cycle(&self) -> Option<Cycle> {
        self.current.as_ref()?.fair_cycle()
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if let Some(item) = &mut self.current {
            item.stepped(step);
        }
    }

    fn ended(&mut self, ended: &Ended) {
        if let Some(mut item) = self.current.take() {
            item.ended(ended);
            let part = self.parts.front_mut();
            part.unwrap_or(&mut self.search).take(item, ended);
        }
    }

    fn divide(&mut self) -> Vec<Box<dyn Strategy>> {
        if self.current.is_some() || !self.parts.is_empty() {
            return Vec::new();
        }
        self.advance();
        if !self.due.is_empty() {
            return Vec::new();
        }
        let parts = self.search.divide().into_iter();
        let parts = parts.map(|part| Box::new(Self::new(part)) as Box<dyn Strategy>);
        parts.collect()
    }

    fn unite(&mut self, part: Box<dyn Strategy>) -> bool {
        let part = part
            .into_any()
            .and_then(|part| part.downcast::<Self>().ok());
        part.is_some_and(|part| self.search.unite(part.search))
    }

    fn save(&mut self) -> Option<Vec<u8>> {
        if self.current.is_none() {
            self.advance();
        }
        let is_between = self.current.is_none() && self.due.is_empty();
        is_between.then(|| self.search.save()).flatten()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let restored = self.search.restore(saved);
        restored.map_err(|damaged| damaged.to_string())
    }

    fn parts_max(&self) -> usize {
        S::PARTS_MAX
    }

    fn can_be_saved(&self) -> bool {
        S::IS_SAVED
    }

    fn into_any(self: Box<Self>) -> Option<Box<dyn Any>> {
        Some(self)
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn extent(&self) -> Option<SizeEstimate> {
        self.search.extent()
    }

    fn covered(&self) -> CoverageClaim {
        self.search.covered()
    }
}
