//! The log of a node: the chosen commands, and those that are executed.

use std::collections::BTreeMap;

use super::{Command, Slot};

/// The chosen commands, executed in the order of their slots.
#[derive(Debug, Default, Hash)]
pub(super) struct Log {
    chosen: BTreeMap<Slot, Command>,
    /// The number of executed slots, which is also the first slot that is not executed.
    executed: Slot,
    /// The numbers that the commands have appended.
    numbers: Vec<u32>,
}

impl Log {
    pub(super) fn choose(&mut self, slot: Slot, command: Command) {
        self.chosen.insert(slot, command);
    }

    pub(super) fn is_chosen(&self, slot: Slot) -> bool {
        self.chosen.contains_key(&slot)
    }

    /// Returns the first slot that is not known to be chosen; all known slots before it are executed.
    pub(super) fn first_unknown(&self) -> Slot {
        self.executed
    }

    /// Returns the slot after the last one that is known to be chosen.
    pub(super) fn end(&self) -> Slot {
        self.chosen.keys().next_back().map_or(0, |last| last + 1)
    }

    pub(super) fn contains(&self, command: Command) -> bool {
        self.chosen.values().any(|chosen| *chosen == command)
    }

    /// Executes the next slot if its command is known. A command that was chosen
    /// for two slots, since its client asked two nodes, is executed once.
    pub(super) fn execute_next(&mut self) -> Option<(Slot, Command)> {
        let slot = self.executed;
        let command = *self.chosen.get(&slot)?;
        self.executed += 1;
        if let Command::Append(number) = command
            && !self.numbers.contains(&number)
        {
            self.numbers.push(number);
        }
        Some((slot, command))
    }

    pub(super) fn has_executed(&self, command: Command) -> bool {
        matches!(command, Command::Append(number) if self.numbers.contains(&number))
    }
}
