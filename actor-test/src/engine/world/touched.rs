//! The operations that a step touches, for the comparison of states.

use crate::engine::world::operation::Effect;
use crate::engine::world::state::ExecutionState;
use crate::strategy::{OperationId, Pending};

impl ExecutionState {
    /// Records that the step in progress changes an operation.
    pub(crate) fn changes(&mut self, index: u32) {
        if self.records_touched {
            self.touched.push(index);
        }
    }

    /// Records in [`touched`](ExecutionState::touched) the operations that a step is known to change in advance. The
    /// effects and the wake-ups of the step record more.
    pub(crate) fn touch(&mut self, pending: &Pending) {
        // A shared object has a number of its own, and is no operation.
        let inbox = pending.inbox.filter(|inbox| !inbox.is_timer());
        self.touched.extend(inbox.map(OperationId::bits));
        match pending.operation.is_timer() {
            true => self.touches_timers = true,
            false => self.touched.push(pending.operation.bits()),
        }
    }

    /// Records in [`touched`](ExecutionState::touched) the operations that an effect of `index` changes.
    pub(crate) fn touch_by(&mut self, index: u32, effect: &Effect) {
        match effect {
            Effect::Send { to, .. } | Effect::Cross { to, .. } => self.touched.push(*to),
            Effect::RequestCapacity(question) => {
                self.touched.push(self.questions[*question as usize].target);
            }
            Effect::Start(started) => self.touched.push(*started),
            Effect::Reply { ask, .. } => self.touched.push(self.asks[*ask as usize].asker),
            Effect::Notice { watch } | Effect::Watch { watch } => {
                self.touched.push(self.watches[*watch as usize].watcher);
            }
            Effect::Stop { to, .. } | Effect::Share { to, .. } | Effect::DropReference { to } => {
                self.touched.push(*to)
            }
            Effect::Decide { child, .. } => self.touched.push(*child),
            Effect::Halt(_) => self.touched.extend(self.futures.of(index)),
            Effect::Disk(call) => self.touched.push(self.disks.calls[*call as usize].caller),
            Effect::Fault(_) => self.touched.extend(0..self.live as u32),
            // The owner is mostly `index` itself.
            Effect::Arm { timer, .. } => {
                self.touched.push(self.timers.slots[*timer as usize].owner);
            }
            Effect::Announce { .. }
            | Effect::Cancel { .. }
            | Effect::Unwatch { .. }
            | Effect::Link { .. }
            | Effect::Unlink { .. }
            | Effect::FailPower { .. }
            | Effect::TearWrites { .. }
            | Effect::Finish => {}
        }
    }
}
