//! What was run, as far as the search has to know.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::graph::Graph;
use super::numbers::Numbers;

/// What executions have shown of behaviours: those that the search has not reached yet, and in which ways
/// operations and onlookers have ended. The parts of a search that was divided share what was shown
/// before.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// What all parts know.
    shared: Arc<Record>,
    own: Record,
    /// This is a part; it tells the whole which behaviours it has reached.
    reached: Option<Vec<u64>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// Behaviours that were run, and that the search has not reached yet; and whether all was well at the
    /// end.
    ahead: BTreeMap<u64, bool>,
    /// In which ways operations and onlookers have ended in what was run.
    ends: Numbers,
}

/// What was [saved](Shown::saved).
pub(super) type SavedShown = (Record, Option<Vec<u64>>);

impl Shown {
    fn own(&mut self) -> &mut Record {
        match self.reached {
            None => Arc::make_mut(&mut self.shared),
            Some(_) => &mut self.own,
        }
    }

    /// A behaviour was run before the search has reached it.
    pub(super) fn run_ahead(&mut self, class: u64, is_well: bool) {
        self.own().ahead.insert(class, is_well);
    }

    /// Whether a behaviour was run ahead, and all was well at its end.
    pub(super) fn find(&self, class: u64) -> Option<bool> {
        let own = self.own.ahead.get(&class);
        own.or_else(|| self.shared.ahead.get(&class)).copied()
    }

    /// The search has reached a behaviour. Tells whether it was run ahead, and all was well at its end.
    pub(super) fn reach(&mut self, class: u64) -> Option<bool> {
        let found = self.find(class);
        if let Some(reached) = &mut self.reached {
            reached.push(class);
        }
        if found.is_some() {
            self.own().ahead.remove(&class);
        }
        found
    }

    /// Takes note of the ways in which operations and onlookers have ended.
    pub(super) fn enter_ends(&mut self, graph: &Graph) {
        let is_part = self.reached.is_some();
        for end in graph.ends() {
            if !is_part || self.shared.ends.find(end).is_none() {
                self.own().ends.enter(end);
            }
        }
    }

    /// An operation or an onlooker ends here in a way that was not run.
    pub(super) fn has_new_end(&self, graph: &Graph) -> bool {
        let is_new =
            |end| self.shared.ends.find(end).is_none() && self.own.ends.find(end).is_none();
        graph.ends().any(is_new)
    }

    /// Nothing was run that the search has not reached.
    pub(super) fn is_all_reached(&self) -> bool {
        self.shared.ahead.is_empty() && self.own.ahead.is_empty()
    }

    /// How many ends are known.
    pub(super) fn len(&self) -> usize {
        self.shared.ends.len() + self.own.ends.len()
    }

    /// What a part of the search begins with.
    pub(super) fn of_part(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            own: Record::default(),
            reached: Some(Vec::new()),
        }
    }

    /// Adds what parts have shown and reached.
    pub(super) fn unite(&mut self, parts: Vec<Self>) {
        let all: Vec<(Record, Vec<u64>)> = parts.into_iter().map(Self::shown).collect();
        let record = self.own();
        for (own, _) in &all {
            record.ahead.extend(&own.ahead);
            for end in own.ends.keys() {
                record.ends.enter(*end);
            }
        }
        // One part may have run what another had reached meanwhile.
        for class in all.iter().flat_map(|(_, reached)| reached) {
            record.ahead.remove(class);
        }
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
    fn shown(self) -> (Record, Vec<u64>) {
        (self.own, self.reached.unwrap_or_default())
    }
}
