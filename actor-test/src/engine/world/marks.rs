//! Names of steps and timer handles that do not depend on numbers and slots.

use crate::engine::world::effect::Effect;
use crate::engine::world::operation::Operation;
use crate::engine::world::timers::{TimerStage, Timers, VirtualTimer};
use crate::hash::mix;
use crate::strategy::Pending;

impl Timers {
    /// Returns the meaning of a timer handle for the operation that holds it, which has the given number: the place of the unread event,
    /// the rank among the holder's timers by deadline, or the place of the arming in the outbox. A handle to
    /// another operation's timer keeps its number.
    pub(crate) fn mark(&self, number: u32, holder: &Operation, index: u32, generation: u32) -> u64 {
        let timer = self.slot(index);
        let timer =
            timer.filter(|timer| timer.generation == generation && timer.stage != TimerStage::Free);
        match timer {
            None => {
                let unread = holder.inbox.rank_of_timed(index, generation);
                unread.map_or(0, |at| mix(1, at as u64))
            }
            Some(timer) if timer.owner != number => {
                self.lend();
                mix(u64::from(index), u64::from(generation))
            }
            Some(timer) if timer.stage == TimerStage::Armed => mix(2, self.rank(index, timer)),
            Some(_) => {
                let arms = Effect::Arm {
                    timer: index,
                    generation,
                };
                let unarmed = holder
                    .outbox
                    .as_slice()
                    .iter()
                    .position(|effect| *effect == arms);
                mix(3, unarmed.map_or(u64::MAX, |at| at as u64))
            }
        }
    }

    /// Returns the number of armed timers of the same owner that are due before this one.
    fn rank(&self, index: u32, timer: &VirtualTimer) -> u64 {
        let order = |index: u32| {
            let timer = &self[index];
            (timer.deadline, timer.event.map(|(_, event)| event), index)
        };
        let this = order(index);
        let armed = |other: &u32| self[*other].stage == TimerStage::Armed;
        let own = self.of(timer.owner).filter(armed);
        own.filter(|other| order(*other) < this).count() as u64
    }

    /// Returns the name of an enabled step within a state, whatever slots and positions are in use.
    pub(crate) fn step_name(&self, pending: &Pending) -> u64 {
        let index = pending.operation.bits();
        if !pending.operation.is_timer() {
            return operation_name(index);
        }
        let timer = &self[pending.operation.index() as u32];
        let ahead = timer.deadline.saturating_sub(self.now()).as_nanos() as u64;
        let behind = self.now().saturating_sub(timer.deadline).as_nanos() as u64;
        let event = timer.event.map_or(0, |(_, event)| u64::from(event) + 1);
        let parts = [u64::from(timer.owner), event, ahead, behind];
        parts.into_iter().fold(2, mix)
    }
}

/// Returns the name of a step of an operation that is no timer.
pub(crate) fn operation_name(operation: u32) -> u64 {
    mix(1, u64::from(operation))
}
