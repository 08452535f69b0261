//! What was run, as far as the search has to know.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::graph::ExecutionGraph;
use super::numbers::HashIndex;

/// What executions have shown of behaviours: those that the search has not reached yet, and in which ways
/// operations and onlookers have ended. The parts of a search that was divided share what was shown
/// before.
#[derive(Debug, Default)]
pub(super) struct ExecutionRecords {
    /// What all parts know.
    shared: Arc<RecordedBehaviours>,
    own: RecordedBehaviours,
    /// This is a part; it tells the whole which behaviours it has reached.
    reached: Option<Vec<u64>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RecordedBehaviours {
    /// Behaviours that were run, and that the search has not reached yet; and whether all was well at the
    /// end.
    run_ahead: BTreeMap<u64, bool>,
    /// In which ways operations and onlookers have ended in what was run.
    ends: HashIndex,
    /// What monitors do, by what says what each was and saw: what it was then.
    moves: HashIndex,
    moved_to: Vec<u64>,
    /// What was shown of graphs to monitors, in every order.
    walked: HashIndex,
    /// The actors that are created, by path, in the order of their numbers.
    numbered: Vec<u64>,
}

/// A monitor did something else although it was the same, and saw the same.
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

/// What was [saved](Shown::saved).
pub(super) type SavedShown = (RecordedBehaviours, Option<Vec<u64>>);

impl ExecutionRecords {
    fn own(&mut self) -> &mut RecordedBehaviours {
        match self.reached {
            None => Arc::make_mut(&mut self.shared),
            Some(_) => &mut self.own,
        }
    }

    /// A behaviour was run before the search has reached it.
    pub(super) fn run_ahead(&mut self, class: u64, is_well: bool) {
        self.own().run_ahead.insert(class, is_well);
    }

    /// Whether a behaviour was run ahead, and all was well at its end.
    pub(super) fn find(&self, class: u64) -> Option<bool> {
        let own = self.own.run_ahead.get(&class);
        own.or_else(|| self.shared.run_ahead.get(&class)).copied()
    }

    /// The search has reached a behaviour. Tells whether it was run ahead, and all was well at its end.
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

    /// Takes note of the ways in which operations and onlookers have ended.
    pub(super) fn enter_ends(&mut self, graph: &ExecutionGraph) {
        let is_part = self.reached.is_some();
        for end in graph.ends() {
            if !is_part || self.shared.ends.find(end).is_none() {
                self.own().ends.enter(end);
            }
        }
    }

    /// An operation or an onlooker ends here in a way that was not run.
    pub(super) fn has_new_end(&self, graph: &ExecutionGraph) -> bool {
        let is_new =
            |end| self.shared.ends.find(end).is_none() && self.own.ends.find(end).is_none();
        graph.ends().any(is_new)
    }

    /// What a monitor does, where that is known.
    pub(super) fn after(&self, what: u64) -> Option<u64> {
        self.shared.after(what).or_else(|| self.own.after(what))
    }

    /// Takes note of what a monitor does.
    pub(super) fn learn(&mut self, what: u64, to: u64) -> Result<(), MonitorConflict> {
        match self.after(what) {
            Some(known) if known == to => Ok(()),
            Some(_) => Err(MonitorConflict),
            None => self.own().learn(what, to),
        }
    }

    /// Whether a monitor has ended like that in what was run.
    pub(super) fn has_end(&self, end: u64) -> bool {
        self.shared.ends.find(end).is_some() || self.own.ends.find(end).is_some()
    }

    /// A monitor has ended like that.
    pub(super) fn enter_end(&mut self, end: u64) {
        if !self.has_end(end) {
            self.own().ends.enter(end);
        }
    }

    /// Whether what a monitor sees of a graph was shown to it in every order.
    pub(super) fn has_walked(&self, shape: u64) -> bool {
        self.shared.walked.find(shape).is_some() || self.own.walked.find(shape).is_some()
    }

    /// What a monitor sees of a graph was shown to it in every order.
    pub(super) fn enter_walked(&mut self, shape: u64) {
        if !self.has_walked(shape) {
            self.own().walked.enter(shape);
        }
    }

    /// Actors are created in that order; tells whether each has the number that it has elsewhere.
    pub(super) fn number(&mut self, born: &[u64]) -> bool {
        let known = [&self.shared.numbered, &self.own.numbered];
        let agrees = |known: &[u64]| known.iter().zip(born).all(|(one, other)| one == other);
        if !known.iter().all(|known| agrees(known)) {
            return false;
        }
        if known.iter().all(|known| known.len() < born.len()) {
            self.own().numbered = born.to_vec();
        }
        true
    }

    /// Nothing was run that the search has not reached.
    pub(super) fn is_all_reached(&self) -> bool {
        self.shared.run_ahead.is_empty() && self.own.run_ahead.is_empty()
    }

    /// How many ends are known, and how much else of monitors.
    pub(super) fn len(&self) -> usize {
        let len = |record: &RecordedBehaviours| {
            record.ends.len() + record.moves.len() + record.walked.len()
        };
        len(&self.shared) + len(&self.own)
    }

    /// What a part of the search begins with.
    pub(super) fn of_part(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            own: RecordedBehaviours::default(),
            reached: Some(Vec::new()),
        }
    }

    /// Adds what parts have shown and reached.
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
        // One part may have run what another had reached meanwhile.
        for class in all.iter().flat_map(|(_, reached)| reached) {
            record.run_ahead.remove(class);
        }
        Ok(())
    }

    /// What this part, or the whole search, knows beyond what all parts know, to be restored in another
    /// process.
    pub(super) fn saved(&self) -> impl Serialize {
        let own = match self.reached {
            None => &*self.shared,
            Some(_) => &self.own,
        };
        (own, &self.reached)
    }

    /// Knows again what was saved.
    pub(super) fn restore(&mut self, saved: SavedShown) {
        let (own, reached) = saved;
        match reached {
            None => self.shared = Arc::new(own),
            Some(_) => self.own = own,
        }
        self.reached = reached;
    }

    /// What this part has shown, and which behaviours it has reached.
    fn shown(self) -> (RecordedBehaviours, Vec<u64>) {
        (self.own, self.reached.unwrap_or_default())
    }
}
