//! Timers and sleeps, as actors under test arm and cancel them.

use std::any::Any;
use std::task::Waker;
use std::time::Duration;

use actor_core::runtime::{Address, Again, Purpose, TimerId};

use crate::engine::seam::shared::{Phase, Shared};
use crate::engine::world::endings::Remains;
use crate::engine::world::operation::Effect;
use crate::engine::world::timers::TimerStage;

impl Shared {
    /// Has a timer armed whose event goes to `owner`.
    pub(super) fn arm_event(
        &self,
        owner: Address,
        delay: Duration,
        message: &mut dyn Any,
        again: Option<Again>,
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
        timer.pretext = purpose;
        self.workshop().clockwork(planned.0).again = again;
        self.timer_id(planned)
    }

    /// Has a timer cancelled; a sleep is over at once.
    pub(super) fn cancel_timer(&self, timer: TimerId) {
        if timer.execution != self.execution.get() || self.phase.get() != Phase::Running {
            return;
        }
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let TimerId {
            index, generation, ..
        } = timer;
        let is_sleep = state
            .timers
            .get(index, generation)
            .is_some_and(|timer| timer.event.is_none());
        if is_sleep {
            state.end_timer(index);
            drop(state);
            self.record_cancelled(&Remains {
                owner: current,
                letters: Vec::new(),
                timers: vec![(index, None)],
            });
            let clockwork = std::mem::take(self.workshop().clockwork(index));
            drop(clockwork);
        } else {
            state.push(
                current,
                Effect::Cancel {
                    timer: index,
                    generation,
                },
            );
        }
    }

    /// Has a timer armed that wakes who runs now.
    pub(super) fn begin_sleep(&self, delay: Duration, purpose: Purpose) -> TimerId {
        if !self.may_act("sleep") {
            return self.no_timer();
        }
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let planned = state.plan_timer(current, current, current, delay);
        state.timers.slots[planned.0 as usize].pretext = purpose;
        self.timer_id(planned)
    }

    /// Whether a sleep is over; keeps the waker where it is not.
    pub(super) fn has_slept(&self, timer: TimerId, waker: &Waker) -> bool {
        let mut state = self.state.borrow_mut();
        match state.timers.get(timer.index, timer.generation) {
            Some(timer) if timer.stage == TimerStage::Over => true,
            Some(_) => {
                state.reach.sleeps();
                drop(state);
                let mut workshop = self.workshop();
                let kept = &mut workshop.clockwork(timer.index).waker;
                let before = kept.replace(waker.clone());
                drop(workshop);
                drop(before);
                false
            }
            None => true,
        }
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
