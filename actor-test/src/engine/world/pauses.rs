//! Pauses of nodes, as by `SIGSTOP`: nothing on a paused node takes a step, and none of its timers fires.
//!
//! The true time goes on meanwhile. So a timer that was due in a pause is overdue afterwards, and is among the
//! first that may fire.

use crate::engine::world::enabled::{ABSENT, PAUSED};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::{TimerStage, VirtualTimer};

impl ExecutionState {
    /// Takes the operations and timers of a node out of the enabled set until [`resume`](Self::resume). No effect
    /// if the node is down.
    pub(crate) fn pause(&mut self, node: u32) {
        if !self.nodes.is_up(node) {
            return;
        }
        self.nodes.set_paused(node, true);
        for member in self.nodes.members(node) {
            self.disable(member);
            self.operations[member].position = PAUSED;
        }
        for timer in self.timers_on(node) {
            self.hide_timer(timer);
            self.timers.pause(timer);
        }
        self.timers.remove_paused();
        self.refresh_timers();
    }

    /// Lets the operations and timers of a paused node go on. No effect if the node is not paused.
    pub(crate) fn resume(&mut self, node: u32) {
        if !self.nodes.is_paused(node) {
            return;
        }
        self.nodes.set_paused(node, false);
        for member in self.nodes.members(node) {
            self.operations[member].position = ABSENT;
            self.refresh(member);
        }
        for timer in self.timers_on(node) {
            self.timers.resume(timer);
        }
        self.refresh_timers();
    }

    /// Returns the number of armed timers that run, and that of the periodic ones among them.
    pub(crate) fn armed_timers(&self) -> (usize, usize) {
        let (mut armed, mut periodic) = (self.timers.armed(), self.timers.armed_periodic());
        if self.nodes.paused().next().is_some() {
            let is_paused =
                |timer: &&VirtualTimer| timer.stage == TimerStage::Armed && timer.is_paused;
            for timer in self.timers.iter().filter(is_paused) {
                armed -= 1;
                periodic -= usize::from(timer.periodic);
            }
        }
        (armed, periodic)
    }

    /// Returns the armed timers of a node.
    fn timers_on(&self, node: u32) -> Vec<u32> {
        let is_on = |timer: &u32| {
            let timer = &self.timers[*timer];
            timer.stage == TimerStage::Armed && self.nodes.node_of(timer.owner) == Some(node)
        };
        (0..self.timers.count()).filter(is_on).collect()
    }
}
