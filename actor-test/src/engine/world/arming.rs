//! Timers of the test executor: arming, cancelling and firing, as changes of the execution's state.

use std::time::Duration;

use crate::data::constructs::StepConstruct;
use crate::data::step::{MessageId, StepKind};
use crate::engine::world::effect::Effect;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::letter::{Envelope, PackedSender};
use crate::engine::world::operation::OperationStage;
use crate::engine::world::operations::Operations;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::{TimerPurpose, TimerStage, Timers};
use crate::hash::mix;
use crate::strategy::{OperationId, Pending, SilentEffect};

impl ExecutionState {
    /// Arms a timer, unless it was cancelled or its owner is gone.
    pub(crate) fn arm(&mut self, timer: u32, generation: u32) -> Armed {
        if self.timers.get(timer, generation).is_none() {
            return Armed::Cancelled;
        }
        let owner = self.timers[timer].owner;
        let is_sleep = self.timers[timer].is_sleep();
        if self.operations[owner].stage == OperationStage::Gone && !is_sleep {
            let unsent = self.end_timer(timer);
            return Armed::Orphaned(OrphanedValues {
                owner,
                letters: Vec::new(),
                timers: vec![(timer, unsent)],
            });
        }
        let now = self.timers.now();
        let delay = self.nodes.until(owner, self.timers[timer].delay);
        self.timers[timer].is_paused = self.nodes.is_paused_at(owner);
        self.timers.arm(timer, now, delay);
        self.note_armed(timer);
        self.refresh_timers();
        Armed::Runs
    }

    /// Records an armed timer in the footprint of the step, if a strategy wants footprints.
    fn note_armed(&mut self, timer: u32) {
        if !self.footprint.is_wanted() {
            return;
        }
        let armed = &self.timers[timer];
        if armed.periodic || self.timers.is_patient(timer) {
            self.footprint.record_local(StepConstruct::Ticks);
        }
        if armed.purpose != TimerPurpose::Own {
            self.footprint.record_local(StepConstruct::Supervision);
        }
        let owner = self.operations[armed.owner].key;
        let timer = MessageId::new(armed.next_key()).number();
        self.footprint
            .record_silent_effect(SilentEffect::Armed { timer, owner });
    }

    /// Cancels a timer of `owner`, and removes its unread event from the owner's inbox.
    pub(crate) fn cancel(&mut self, owner: u32, index: u32, generation: u32) -> OrphanedValues {
        let runs = self.timers.get(index, generation).is_some();
        let key = runs.then(|| self.timers[index].next_key());
        let timers = runs.then(|| (index, self.end_timer(index)));
        let inbox = &mut self.operations[owner].inbox;
        let unread = inbox.take_timed(index, generation);
        let key = key.or(unread.as_ref().map(|letter| letter.key));
        if let Some(timer) = key {
            self.footprint.record_local(StepConstruct::Timer);
            let timer = MessageId::new(timer).number();
            self.footprint
                .record_silent_effect(SilentEffect::Cancelled { timer });
        }
        self.operations.find_next_letter(owner);
        self.refresh(owner);
        OrphanedValues {
            owner,
            letters: unread.iter().map(|letter| letter.slot).collect(),
            timers: timers.into_iter().collect(),
        }
    }

    /// Ends a timer: removes it from the enabled set and the window, and frees its slot. Returns the mail
    /// slot of the event that the timer has not sent.
    pub(crate) fn end_timer(&mut self, index: u32) -> Option<u32> {
        self.hide_timer(index);
        self.timers.leave_window(index);
        let timer = &mut self.timers[index];
        let unsent = timer.event.take();
        self.timers.free(index);
        self.refresh_timers();
        unsent.map(|(slot, _)| slot)
    }

    pub(super) fn hide_timer(&mut self, index: u32) {
        let is_patient = self.timers.is_patient(index);
        let position = &mut self.timers[index].position;
        let moved = if is_patient {
            self.enabled.remove_patient(position)
        } else {
            self.enabled.remove(position)
        };
        self.follow_move(moved);
    }

    fn show_timer(&mut self, index: u32) {
        let timer = &mut self.timers[index];
        let receiver = OperationId::actor(timer.owner);
        let pending = Pending {
            operation: OperationId::timer(index),
            kind: StepKind::Timer,
            inbox: Some(receiver),
            sender: Some(OperationId::timer(index)),
            event: None,
            message: Some(MessageId::new(timer.next_key())),
        };
        let event = timer
            .event
            .and_then(|(_, event)| self.operations.event_id(receiver.bits(), event));
        let pending = Pending { event, ..pending };
        let is_patient = self.timers.is_patient(index);
        let position = &mut self.timers[index].position;
        if is_patient {
            self.enabled.add_patient(position, pending);
        } else {
            self.enabled.set(position, pending);
        }
    }

    pub(super) fn refresh_timers(&mut self) {
        if !self.timers.refresh_window(&mut self.footprint) {
            return;
        }
        for at in 0..self.timers.left.len() {
            self.hide_timer(self.timers.left[at]);
        }
        for at in 0..self.timers.entered.len() {
            self.show_timer(self.timers.entered[at]);
        }
    }

    /// Fires a timer, and moves the time up to its deadline.
    pub(crate) fn fire(&mut self, index: u32) -> Fired {
        self.hide_timer(index);
        self.timers.leave_window(index);
        let timer = self.timers.pass_to(index);
        let key = timer.next_key();
        timer.fired += 1;
        let (owner, generation) = (timer.owner, timer.generation);
        if timer.purpose != TimerPurpose::Own {
            let purpose = timer.purpose;
            self.timers.free(index);
            self.refresh_timers();
            return Fired::Due(owner, purpose);
        }
        let Some((slot, event)) = timer.event else {
            let operation = &mut self.operations[owner];
            operation.delivered = mix(operation.delivered, key);
            self.timers.end_sleep(index);
            self.refresh_timers();
            return Fired::Slept(owner);
        };
        let periodic = timer.periodic;
        // The event now belongs to the letter. A late cancel finds the letter by its sender.
        timer.event = periodic.then_some((slot, event));
        if !periodic {
            self.timers.free(index);
        }
        self.refresh_timers();
        let letter = Envelope {
            slot,
            event,
            event_id: self.operations.event_id(owner, event),
            sender: PackedSender::timer(index, generation),
            key,
            placed: false,
            is_refused: false,
        };
        Fired::Event {
            owner,
            letter,
            periodic,
        }
    }

    /// Re-arms a periodic timer whose letter was taken from the inbox.
    pub(crate) fn rearm_after_read(&mut self, index: u32, generation: u32) {
        let now = self.timers.now();
        let timer = self.timers.get(index, generation);
        let periodic = timer.filter(|timer| timer.periodic);
        if let Some((owner, period)) = periodic.map(|timer| (timer.owner, timer.delay)) {
            let period = self.nodes.until(owner, period);
            self.timers.rearm(index, now, period);
            self.refresh_timers();
        }
    }
}

impl Timers {
    /// Queues the arming of a timer of `owner` among the effects of `by`. The key is derived from `parent`.
    /// Returns the timer's slot and generation.
    pub(crate) fn plan(
        &mut self,
        operations: &mut Operations,
        (by, owner, parent): (u32, u32, u32),
        delay: Duration,
    ) -> (u32, u32) {
        self.passing.has_timers = true;
        let key = operations.child_key_of(parent);
        let (timer, generation) = self.reserve(owner, delay, key);
        operations.push(by, Effect::Arm { timer, generation });
        (timer, generation)
    }

    /// Returns whether a sleep or a time limit will resume the operation.
    pub(crate) fn has_limit_of(&self, operation: u32) -> bool {
        self.of(operation).any(|timer| {
            let timer = &self[timer];
            let runs = matches!(timer.stage, TimerStage::Unarmed | TimerStage::Armed);
            runs && timer.event.is_none()
        })
    }

    /// Returns whether the operation sleeps until the next tick of an interval.
    pub(crate) fn has_ticks_for(&self, operation: u32) -> bool {
        self.of(operation).any(|timer| {
            let timer = &self[timer];
            timer.is_sleep() && timer.periodic && timer.stage != TimerStage::Over
        })
    }

    /// Gives a periodic timer its next event; returns whether the timer is still armed. The timer runs again
    /// only when the previous tick is taken from the inbox, so a slow actor has at most one unread tick.
    pub(crate) fn refill(&mut self, index: u32, slot: u32) -> bool {
        let timer = &mut self[index];
        let runs = timer.stage == TimerStage::Armed;
        if runs && let Some((next, _)) = &mut timer.event {
            *next = slot;
        }
        runs
    }
}

/// The outcome of arming a timer.
pub(crate) enum Armed {
    Runs,
    /// The timer was cancelled before.
    Cancelled,
    /// The owner is gone, and these values are to be dropped.
    Orphaned(OrphanedValues),
}

/// The effect of a timer that has fired.
pub(crate) enum Fired {
    Event {
        owner: u32,
        letter: Envelope,
        periodic: bool,
    },
    Slept(u32),
    /// The owner is to be restarted, or its time to stop is over.
    Due(u32, TimerPurpose),
}
