//! Ends: an actor is stopped or halts, and the program requests the end of the execution.

use actor_core::seam::drop_each;
use actor_core::{AskError, StopReason};

use crate::data::constructs::StepConstruct;
use crate::engine::arena::Piped;
use crate::engine::running::effects::Effects;
use crate::engine::running::executor::Executor;
use crate::engine::world::endings::HaltRemnants;
use crate::engine::world::letter::STOP;
use crate::engine::world::operation::{NO_FAMILY, OperationStage, PendingOrder};
use crate::records::Record;

impl Executor {
    /// Stops an actor or a task, as another operation has demanded.
    pub(in crate::engine::running) fn stop(&mut self, from: u32, to: u32, at_once: bool) {
        if self.shared.effects().abort_task(to) {
            return;
        }
        let stage = {
            let mut state = self.shared.state();
            self.shared.record(|| Record::Stopped { who: to, at_once });
            if at_once {
                state.footprint.interrupt(to, StepConstruct::Stop);
            }
            let found = &mut state.operations[to];
            found.leaves = true;
            found.stage
        };
        match stage {
            OperationStage::Gone => {}
            OperationStage::Down => {
                let reason = if at_once {
                    StopReason::Aborted
                } else {
                    StopReason::Stopped
                };
                self.end_child(to, reason);
            }
            _ if at_once => self.shared.state().give_order(to, PendingOrder::Kill),
            _ => {
                let mut state = self.shared.state();
                let letter = state.operations.stop_letter(from);
                state.footprint.changes(to);
                state.deliver(to, letter);
            }
        }
    }

    /// Ends an actor: its children first, then its value; for good, unless it is supervised.
    pub(crate) fn halt(&mut self, operation: u32, reason: StopReason) {
        if self.stop_children(operation, reason) {
            return;
        }
        if self.shared.state().operations[operation].family == NO_FAMILY {
            self.end(operation, reason);
        } else {
            self.fall(operation, reason);
        }
    }

    /// Ends an actor for good: the rest of its inbox becomes dead letters, and watchers are to be notified.
    pub(crate) fn end(&mut self, operation: u32, reason: StopReason) {
        let halted = {
            let mut state = self.shared.state();
            state.operations[operation].ending = reason;
            state.halt(operation)
        };
        let dead = {
            let state = self.shared.state();
            let is_dead = |event| event != STOP && !state.operations.is_own(operation, event);
            let letters = halted.letters.iter();
            letters.filter(|letter| is_dead(letter.event)).count() as u64
        };
        let lost = match reason {
            StopReason::Disconnected => AskError::Disconnected,
            _ => AskError::Stopped,
        };
        self.drop_what_it_owned(operation, halted, lost);
        let mut state = self.shared.state();
        state.progress.add_dead_letters(dead);
        self.shared.record(|| Record::Halted {
            who: operation,
            reason,
            unread: dead,
        });
        {
            let state = &mut *state;
            state
                .relations
                .break_links(&mut state.operations, operation, reason);
        }
        state.notify_watchers(operation);
    }

    /// Drops the value of an actor and all that ends with it; replies in it are lost for the given reason.
    pub(crate) fn drop_what_it_owned(
        &mut self,
        operation: u32,
        halted: HaltRemnants,
        lost: AskError,
    ) {
        let mut parts = self.bodies[operation as usize].take();
        let futures: Vec<Option<Piped>> = halted
            .futures
            .iter()
            .map(|future| self.futures[*future as usize].take())
            .collect();
        let garbage = self.shared.arena().garbage(halted.remains);
        self.shared.current.set(operation);
        if let Some(parts) = &mut parts {
            self.shared.effects().dropping(lost, || parts.body.clear());
        }
        self.shared.effects().dropping(lost, || drop_each(futures));
        self.shared.effects().dropping(lost, || garbage.discard());
        self.bodies[operation as usize] = parts;
        self.install_spawned();
        self.shared.wake_due();
    }
}

impl Effects<'_> {
    /// Requests the end of the execution.
    pub(super) fn request_end(&self) {
        {
            let mut state = self.shared.state();
            let count = state.operations.count();
            state.footprint.interrupt_all(count, StepConstruct::Finish);
            state.progress.finish();
        }
        self.shared.instrumented.set(true);
    }
}
