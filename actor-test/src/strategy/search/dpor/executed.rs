//! The record of executions: behaviours that ran ahead of the search, ends, and transitions of monitors.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::graph::ExecutionGraph;
use crate::number_table::HashIndex;

/// The record of what executions have shown: behaviours that the search has not reached yet, and the ends of
/// operations and observers. The parts of a divided search share what was recorded before.
#[derive(Debug, Default)]
pub(super) struct ExecutionRecords {
    /// The record that all parts share.
    shared: Arc<RecordedBehaviours>,
    own: RecordedBehaviours,
    /// The behaviours that this part has reached; `None` for the whole search.
    reached: Option<Vec<u64>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RecordedBehaviours {
    /// Behaviours that were run before the search reached them; `true` if the end was without a bug.
    run_ahead: BTreeMap<u64, bool>,
    /// The ends of operations and observers in executions.
    ends: HashIndex,
    /// The keys of monitor transitions; `moved_to` has the state after each.
    moves: HashIndex,
    moved_to: Vec<u64>,
    /// The shapes of monitors' observations that were checked in every order.
    walked: HashIndex,
    /// The paths of the created actors, in the order of their numbers.
    numbered: Vec<u64>,
}

/// A monitor behaved differently in the same state with the same observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MonitorConflict;

impl RecordedBehaviours {
    fn after(&self, what: u64) -> Option<u64> {
        let number = self.moves.find(what)?;
        Some(self.moved_to[number as usize])
    }

    fn learn(&mut self, what: u64, to: u64) -> Result<(), MonitorConflict> {
        let (number, is_new) = self.moves.enter(what);
        if is_new {
            self.moved_to.push(to);
        }
        match self.moved_to[number as usize] == to {
            true => Ok(()),
            false => Err(MonitorConflict),
        }
    }
}

/// The data [saved](ExecutionRecords::saved) for another OS process.
pub(super) type SavedShown = (RecordedBehaviours, Option<Vec<u64>>);

impl ExecutionRecords {
    fn own(&mut self) -> &mut RecordedBehaviours {
        match self.reached {
            None => Arc::make_mut(&mut self.shared),
            Some(_) => &mut self.own,
        }
    }

    /// Records a behaviour that was run before the search reached it.
    pub(super) fn run_ahead(&mut self, class: u64, is_well: bool) {
        self.own().run_ahead.insert(class, is_well);
    }

    /// Finds a behaviour that was run ahead; `true` if its end was without a bug.
    pub(super) fn find(&self, class: u64) -> Option<bool> {
        let own = self.own.run_ahead.get(&class);
        own.or_else(|| self.shared.run_ahead.get(&class)).copied()
    }

    /// Marks a behaviour as reached; returns the prior result of [`find`](Self::find).
    pub(super) fn reach(&mut self, class: u64) -> Option<bool> {
        let found = self.find(class);
        if let Some(reached) = &mut self.reached {
            reached.push(class);
        }
        if found.is_some() {
            self.own().run_ahead.remove(&class);
        }
        found
    }

    /// Records the ends of the operations and observers of a graph.
    pub(super) fn enter_ends(&mut self, graph: &ExecutionGraph) {
        let is_part = self.reached.is_some();
        for end in graph.ends() {
            if !is_part || self.shared.ends.find(end).is_none() {
                self.own().ends.enter(end);
            }
        }
    }

    /// True if some operation or observer ends in a way that no execution has shown.
    pub(super) fn has_new_end(&self, graph: &ExecutionGraph) -> bool {
        let is_new =
            |end| self.shared.ends.find(end).is_none() && self.own.ends.find(end).is_none();
        graph.ends().any(is_new)
    }

    /// Returns the state after a monitor's transition, if it is known.
    pub(super) fn after(&self, what: u64) -> Option<u64> {
        self.shared.after(what).or_else(|| self.own.after(what))
    }

    pub(super) fn learn(&mut self, what: u64, to: u64) -> Result<(), MonitorConflict> {
        match self.after(what) {
            Some(known) if known == to => Ok(()),
            Some(_) => Err(MonitorConflict),
            None => self.own().learn(what, to),
        }
    }

    /// True if an execution has shown this end.
    pub(super) fn has_end(&self, end: u64) -> bool {
        self.shared.ends.find(end).is_some() || self.own.ends.find(end).is_some()
    }

    pub(super) fn enter_end(&mut self, end: u64) {
        if !self.has_end(end) {
            self.own().ends.enter(end);
        }
    }

    /// True if observations of this shape were checked in every order.
    pub(super) fn has_walked(&self, shape: u64) -> bool {
        self.shared.walked.find(shape).is_some() || self.own.walked.find(shape).is_some()
    }

    /// Records that observations of this shape were checked in every order.
    pub(super) fn enter_walked(&mut self, shape: u64) {
        if !self.has_walked(shape) {
            self.own().walked.enter(shape);
        }
    }

    /// Records the order in which actors are created; returns `false` if it contradicts an earlier order.
    pub(super) fn number(&mut self, order: &[u64]) -> bool {
        let known = [&self.shared.numbered, &self.own.numbered];
        let agrees = |known: &[u64]| known.iter().zip(order).all(|(one, other)| one == other);
        if !known.iter().all(|known| agrees(known)) {
            return false;
        }
        if known.iter().all(|known| known.len() < order.len()) {
            self.own().numbered = order.to_vec();
        }
        true
    }

    /// True if the search has reached every behaviour that was run.
    pub(super) fn is_all_reached(&self) -> bool {
        self.shared.run_ahead.is_empty() && self.own.run_ahead.is_empty()
    }

    /// Returns the number of known ends, monitor transitions and shapes.
    pub(super) fn len(&self) -> usize {
        let len = |record: &RecordedBehaviours| {
            record.ends.len() + record.moves.len() + record.walked.len()
        };
        len(&self.shared) + len(&self.own)
    }

    pub(super) fn of_part(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            own: RecordedBehaviours::default(),
            reached: Some(Vec::new()),
        }
    }

    /// Merges the records of the parts.
    pub(super) fn unite(&mut self, parts: Vec<Self>) -> Result<(), MonitorConflict> {
        let all: Vec<(RecordedBehaviours, Vec<u64>)> = parts.into_iter().map(Self::shown).collect();
        for (own, _) in &all {
            if !self.number(&own.numbered) {
                return Err(MonitorConflict);
            }
        }
        let record = self.own();
        for (own, _) in &all {
            record.run_ahead.extend(&own.run_ahead);
            for end in own.ends.keys() {
                record.ends.enter(*end);
            }
            for (what, to) in own.moves.keys().iter().zip(&own.moved_to) {
                record.learn(*what, *to)?;
            }
            for shape in own.walked.keys() {
                record.walked.enter(*shape);
            }
        }
        // A behaviour that one part ran ahead may have been reached by another part meanwhile.
        for class in all.iter().flat_map(|(_, reached)| reached) {
            record.run_ahead.remove(class);
        }
        Ok(())
    }

    /// Returns the record of this part, or of the whole search, in addition to the shared one, for another
    /// process.
    pub(super) fn saved(&self) -> impl Serialize {
        let own = match self.reached {
            None => &*self.shared,
            Some(_) => &self.own,
        };
        (own, &self.reached)
    }

    pub(super) fn restore(&mut self, saved: SavedShown) {
        let (own, reached) = saved;
        match reached {
            None => self.shared = Arc::new(own),
            Some(_) => self.own = own,
        }
        self.reached = reached;
    }

    fn shown(self) -> (RecordedBehaviours, Vec<u64>) {
        (self.own, self.reached.unwrap_or_default())
    }
}
