//! A search by a frontier of work items: [`FrontierSearch`].

use std::any::Any;
use std::collections::VecDeque;

use super::{Frontier, SearchStrategy};
use crate::codec::DecodeError;
use crate::strategy::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, Needs, Pruned, SizeEstimate, Strategy,
    StrategyEvent,
};

/// Runs the items of a frontier one after another. The parts of a divided frontier run here as well, unless
/// the caller has [taken](SearchStrategy::divide) them.
#[derive(Debug)]
pub(in crate::strategy) struct FrontierSearch<F: Frontier> {
    frontier: F,
    /// The parts that are still to be explored here, the one in progress first.
    parts: VecDeque<F>,
    /// The items of the current round that have not run yet.
    due: VecDeque<F::Item>,
    current: Option<F::Item>,
}

impl<F: Frontier> FrontierSearch<F> {
    pub(in crate::strategy) fn new(frontier: F) -> Self {
        Self {
            frontier,
            parts: VecDeque::new(),
            due: VecDeque::new(),
            current: None,
        }
    }

    pub(in crate::strategy) fn frontier(&self) -> &F {
        &self.frontier
    }

    fn next(&mut self) -> Option<F::Item> {
        loop {
            self.advance();
            if let Some(item) = self.due.pop_front() {
                return Some(item);
            }
            self.parts = self.frontier.divide().into();
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
            } else if !self.frontier.unite(part) {
                self.parts.clear();
            }
        }
        if self.due.is_empty() {
            self.due = self.frontier.round().into();
        }
    }
}

impl<F: Frontier> Strategy for FrontierSearch<F> {
    fn name(&self) -> String {
        self.frontier.name()
    }

    fn needs(&self) -> Needs {
        let item = self.current.as_ref().map(Strategy::needs);
        Needs {
            faults: true,
            memory: true,
            ..item.unwrap_or_default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.current = self.next();
        self.current.as_mut()?.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let item = self.current.as_mut().ok_or(Pruned::new())?;
        item.pick(enabled)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.current.as_mut()?.choose(choice)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let Some(item) = &mut self.current {
            item.observe(event);
        }
        if let StrategyEvent::Ended(ended) = event
            && let Some(item) = self.current.take()
        {
            let part = self.parts.front_mut();
            part.unwrap_or(&mut self.frontier).take(item, ended);
        }
    }

    fn covered(&self) -> CoverageClaim {
        self.frontier.covered()
    }
}

impl<F: Frontier> SearchStrategy for FrontierSearch<F> {
    fn extent(&self) -> Option<SizeEstimate> {
        self.frontier.extent()
    }

    fn divide(&mut self) -> Vec<Box<dyn SearchStrategy>> {
        if self.current.is_some() || !self.parts.is_empty() {
            return Vec::new();
        }
        self.advance();
        if !self.due.is_empty() {
            return Vec::new();
        }
        let parts = self.frontier.divide().into_iter();
        let parts = parts.map(|part| Box::new(Self::new(part)) as Box<dyn SearchStrategy>);
        parts.collect()
    }

    fn unite(&mut self, part: Box<dyn SearchStrategy>) -> bool {
        let part: Box<dyn Any> = part;
        let part = part.downcast::<Self>();
        part.is_ok_and(|part| self.frontier.unite(part.frontier))
    }

    fn save(&mut self) -> Option<Vec<u8>> {
        // Some searches can be saved between any two items, others only where they wait to be divided.
        let is_between = |this: &Self| this.current.is_none() && this.due.is_empty();
        if is_between(self)
            && self.parts.is_empty()
            && let Some(saved) = self.frontier.save()
        {
            return Some(saved);
        }
        if self.current.is_none() {
            self.advance();
        }
        is_between(self).then(|| self.frontier.save()).flatten()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), DecodeError> {
        self.frontier.restore(saved)
    }
}
