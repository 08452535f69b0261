//! Timers and sleeps of actors under test.

use std::any::Any;
use std::task::Waker;
use std::time::Duration;

use actor_core::seam::{Address, NextTick, Purpose, TimerId};

use crate::data::constructs::StepConstruct;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::Effect;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::timers::TimerStage;
use crate::hash::mix;

impl ControlledRuntime {
    /// Arms a timer whose event goes to `owner`.
    pub(super) fn arm_event(
        &self,
        owner: Address,
        delay: Duration,
        message: &mut dyn Any,
        again: Option<NextTick>,
        purpose: Purpose,
    ) -> TimerId {
        let armed = self.may_act("after").then(|| self.local(owner)).flatten();
        let Some(owner) = armed else {
            return self.no_timer();
        };
        let Some((slot, event)) = self.put(owner, message) else {
            return self.no_timer();
        };
        let mut state = self.state.borrow_mut();
        let planned = state.plan_timer(self.current.get(), owner, owner, delay);
        let timer = &mut state.timers.slots[planned.0 as usize];
        timer.event = Some((slot, event));
        timer.periodic = again.is_some();
        timer.declared_purpose = purpose;
        self.arena().clockwork(planned.0).again = again;
        self.timer_id(planned)
    }

    /// Cancels a timer; a sleep ends at once.
    pub(super) fn cancel_timer(&self, timer: TimerId) {
        let phase = self.phase.get();
        if timer.execution != self.execution.get()
            || !matches!(phase, CodePhase::Running | CodePhase::Crashing)
        {
            return;
        }
        let mut state = self.state.borrow_mut();
        let TimerId {
            index, generation, ..
        } = timer;
        let is_sleep = state
            .timers
            .get(index, generation)
            .is_some_and(|timer| timer.is_sleep());
        if is_sleep {
            drop(state);
            self.end_sleep(index);
        } else if phase == CodePhase::Running {
            state.operations.push(
                self.current.get(),
                Effect::Cancel {
                    timer: index,
                    generation,
                },
            );
        }
    }

    fn end_sleep(&self, timer: u32) {
        self.state().end_timer(timer);
        self.record_cancelled(&OrphanedValues {
            owner: self.current.get(),
            letters: Vec::new(),
            timers: vec![(timer, None)],
        });
        let clockwork = std::mem::take(self.arena().clockwork(timer));
        drop(clockwork);
    }

    /// Arms a timer that wakes the current operation.
    pub(super) fn begin_sleep(&self, delay: Duration, purpose: Purpose) -> TimerId {
        if !self.may_act("sleep") {
            return self.no_timer();
        }
        self.plan_sleep(delay, purpose)
    }

    fn plan_sleep(&self, delay: Duration, purpose: Purpose) -> TimerId {
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let planned = state.plan_timer(current, current, current, delay);
        let timer = &mut state.timers.slots[planned.0 as usize];
        timer.declared_purpose = purpose;
        timer.periodic = purpose == Purpose::Tick;
        self.timer_id(planned)
    }

    /// Returns true if a sleep is over, else keeps the waker. A sleep that another operation has begun, or
    /// has polled last, moves to the current one.
    pub(super) fn has_slept(&self, timer: &mut TimerId, waker: &Waker) -> bool {
        let mut state = self.state.borrow_mut();
        let Some(found) = state.timers.get(timer.index, timer.generation) else {
            return true;
        };
        let (is_over, is_own) = (
            found.stage == TimerStage::Over,
            found.owner == self.current.get(),
        );
        let purpose = found.declared_purpose;
        if is_own && is_over {
            return true;
        }
        state.footprint.sleeps();
        if is_over {
            return true;
        }
        if !is_own && self.phase.get() == CodePhase::Running {
            let left = state.time_left(timer.index);
            drop(state);
            self.end_sleep(timer.index);
            *timer = self.plan_sleep(left, purpose);
        } else {
            drop(state);
        }
        let mut arena = self.arena();
        let kept = &mut arena.clockwork(timer.index).waker;
        let before = kept.replace(waker.clone());
        drop(arena);
        drop(before);
        false
    }

    /// Returns the time since a sleep was due.
    pub(super) fn over_for(&self, timer: TimerId) -> Duration {
        let mut state = self.state();
        let now = state.timers.now();
        let found = state.timers.get(timer.index, timer.generation);
        let behind = found.map_or(Duration::ZERO, |timer| now.saturating_sub(timer.deadline));
        if !behind.is_zero() {
            let late = mix(0x0001_a7e0, behind.as_nanos() as u64);
            state.operations.extend_chain(self.current.get(), late);
        }
        state.footprint.add(StepConstruct::Timer);
        behind
    }

    fn no_timer(&self) -> TimerId {
        self.timer_id((u32::MAX, 0))
    }

    fn timer_id(&self, (index, generation): (u32, u32)) -> TimerId {
        TimerId {
            index,
            generation,
            execution: self.execution.get(),
        }
    }
}
