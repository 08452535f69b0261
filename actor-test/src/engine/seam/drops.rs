//! Drops of the program's values: references, ends of asks, and waits that are given up.

use std::mem;

use actor_core::AskError;
use actor_core::seam::{AskId, Dropped, TimerId};

use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::CodePhase;
use crate::engine::world::endings::OrphanedValues;

impl CurrentOperation<'_> {
    pub(super) fn dropped(self, value: Dropped) {
        match value {
            Dropped::Reference { target, is_last } => {
                if self.phase.get().runs_program() && self.is_local(target) {
                    let state = &mut *self.state();
                    let operations = &mut state.operations;
                    operations.drop_reference(
                        &mut state.footprint,
                        self.number,
                        target.operation,
                        is_last,
                    );
                }
            }
            Dropped::Ask(ask) => self.abandon_ask(ask),
            Dropped::Reply(ask) => self.lose_reply(ask),
            Dropped::CapacityRequest(request) => {
                if self.is_open(request.execution, request.index) {
                    self.state().drop_question(request.index);
                    let waker = self.arena().take_asker(request.index);
                    drop(waker);
                    self.wake_due();
                }
            }
            Dropped::DiskCall(call) => {
                if self.is_open(call.execution, call.index) {
                    self.state().disks.abandon_call(call.index);
                    let waker = self.arena().take_caller(call.index);
                    drop(waker);
                }
            }
            Dropped::Sleep(timer) => self.drop_sleep(timer),
            Dropped::Receive(owner, event) => {
                if self.is_local(owner)
                    && let Some(found) = self.state().operations.get_mut(owner.operation)
                {
                    found.receiving.retain(|received| *received != event);
                }
            }
            Dropped::EndlessWait(operation) => {
                if self.phase.get() == CodePhase::Running
                    && self.is_local(operation)
                    && let Some(found) = self.state().operations.get_mut(operation.operation)
                {
                    found.endless_waits = found.endless_waits.saturating_sub(1);
                }
            }
            Dropped::ObjectWait(object, operation) => {
                if let Some(object) = self.object_of(object) {
                    object.end_wait(operation.operation);
                }
            }
            Dropped::JoinHandle(task) => {
                if task.execution == self.execution.get() {
                    self.state().objects.detach(task.operation);
                }
            }
        }
    }

    /// Abandons an ask whose asker no longer waits.
    fn abandon_ask(self, ask: AskId) {
        if self.is_open(ask.execution, ask.index) {
            let is_closed = {
                let state = &mut *self.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                let asks = &mut state.requests.asks;
                asks.abandon(footprint, operations, ask.index)
            };
            self.drop_reply(ask.index, is_closed);
        }
    }

    /// Reports the loss of a reply that was dropped.
    fn lose_reply(self, ask: AskId) {
        if self.is_open(ask.execution, ask.index)
            && self.phase.get().runs_program()
            && !self.drops_silently.get()
        {
            let lost = match self.loss.get() {
                AskError::Dropped if std::thread::panicking() => AskError::Failed,
                lost => lost,
            };
            self.reply(ask.index, Some(lost));
        }
    }

    fn drop_sleep(self, timer: TimerId) {
        if timer.execution == self.execution.get() && self.phase.get().runs_program() {
            let is_armed = {
                let mut state = self.state();
                let found = state.timers.get(timer.index, timer.generation);
                found.is_some_and(|timer| timer.is_sleep())
            };
            if is_armed {
                self.end_sleep(timer.index);
            } else if self.phase.get() == CodePhase::Running {
                // The owner has stopped: as for any other timer, to cancel the sleep is an effect.
                self.cancel(timer);
            }
        }
    }

    /// Ends a sleep.
    pub(super) fn end_sleep(self, timer: u32) {
        self.state().end_timer(timer);
        self.record_cancelled(&OrphanedValues {
            owner: self.number,
            letters: Vec::new(),
            timers: vec![(timer, None)],
        });
        let clockwork = mem::take(self.arena().clockwork(timer));
        drop(clockwork);
    }
}
