//! The specifications of a replicated log.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{Chosen, Command, Executed, Slot};

// ANCHOR: one_command
/// A safety property: at most one command is chosen for a slot.
#[derive(Debug, Default, Hash)]
pub struct OneCommand {
    chosen: BTreeMap<Slot, Command>,
}

#[monitor(cold(Watching))]
impl OneCommand {
    #[on]
    fn chosen(&mut self, chosen: &Chosen) {
        let Chosen { slot, command } = *chosen;
        let first = *self.chosen.entry(slot).or_insert(command);
        assert!(
            command == first,
            "both {first:?} and {command:?} are chosen for slot {slot}"
        );
    }
}
// ANCHOR_END: one_command

/// A safety property: all nodes execute the same commands in the same order.
#[derive(Debug, Default, Hash)]
pub struct SameOrder {
    /// The commands that the most advanced node has executed.
    log: Vec<Command>,
    /// The number of commands that each node has executed.
    executed: BTreeMap<ActorId, Slot>,
}

#[monitor(cold(Watching))]
impl SameOrder {
    #[on]
    fn executed(&mut self, executed: &Executed, cx: &mut MonitorContext<Self>) {
        let Executed { slot, command } = *executed;
        let Some(node) = cx.sender() else { return };
        let next = self.executed.entry(node).or_default();
        assert!(slot == *next, "slot {slot} is executed, and {next} is next");
        *next += 1;
        if slot == self.log.len() {
            self.log.push(command);
        }
        let first = self.log[slot];
        assert!(
            command == first,
            "{first:?} and {command:?} are executed in slot {slot}"
        );
    }
}

// ANCHOR: execution
/// A liveness property: every node that learns of a chosen command executes it eventually.
#[derive(Debug, Default, Hash)]
pub struct Execution {
    pending: BTreeSet<(ActorId, Slot)>,
    executed: BTreeSet<(ActorId, Slot)>,
}

#[monitor(hot(Owed), cold(UpToDate))]
impl Execution {
    /// Two leaders may send the same command.
    #[on]
    fn chosen(&mut self, chosen: &Chosen, cx: &mut MonitorContext<Self>) {
        let Some(node) = cx.target() else { return };
        if !self.executed.contains(&(node, chosen.slot)) {
            self.pending.insert((node, chosen.slot));
            cx.goto(ExecutionState::Owed);
        }
    }

    #[on]
    fn executed(&mut self, executed: &Executed, cx: &mut MonitorContext<Self>) {
        let Some(node) = cx.sender() else { return };
        self.pending.remove(&(node, executed.slot));
        self.executed.insert((node, executed.slot));
        if self.pending.is_empty() {
            cx.goto(ExecutionState::UpToDate);
        }
    }
}
// ANCHOR_END: execution
