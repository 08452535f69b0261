//! Snapshots: the state of an execution between two steps, as plain data to inspect.

use actor_core::generated::Disposition;

use crate::data::snapshot::{
    self, EnabledStep, OperationState, Outgoing, QueuedEvent, RunningTimer, Snapshot,
    SpecificationState,
};
use crate::data::step::StepKind;
use crate::engine::running::effects::purpose_of;
use crate::engine::running::overdue::awaited;
use crate::engine::states::fingerprint::EngineView;
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::{Envelope, STOP};
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::{TimerStage, VirtualTimer};
use crate::records::{marks, nanoseconds};
use crate::strategy::Pending;

impl EngineView<'_> {
    /// Returns the `Debug` text of an actor's value; `None` if it has no `Debug` or is suspended.
    pub(crate) fn printed_value(&self, who: u32) -> Option<String> {
        let parts = self.bodies.get(who as usize)?.as_ref()?;
        Some(self.shared.printed(parts.body.debug()?))
    }

    /// Returns a snapshot. Printing runs a user's code, so nothing of the engine is borrowed meanwhile.
    #[cold]
    pub(crate) fn snapshot(&self) -> Snapshot {
        // A copy, since the state must not be borrowed while values are printed.
        let state = self.shared.state().clone();
        let operations = (0..state.operations.count()).map(|number| self.standing(&state, number));
        let pending = state.enabled.pending().iter();
        let armed = state.timers.iter();
        let armed = armed.filter(|timer| timer.stage == TimerStage::Armed);
        Snapshot {
            step: state.progress.step(),
            decisions: self.shared.session().tape.taken().len(),
            time_ns: nanoseconds(state.timers.now()),
            operations: operations.collect(),
            enabled: pending.map(|pending| self.could(&state, pending)).collect(),
            timers: armed.map(|timer| self.armed(&state, timer)).collect(),
            specifications: self.heats(&state),
        }
    }

    fn standing(&self, state: &ExecutionState, number: u32) -> OperationState {
        let operation = &state.operations[number];
        let is_suspended = operation.stage == OperationStage::Suspended;
        let awaited = awaited(state, number);
        let awaits = is_suspended && !awaited.is_empty();
        let inbox = operation.inbox.iter();
        let outbox = operation.outbox.as_slice().iter();
        OperationState {
            name: state.name(number),
            is_actor: matches!(operation.kind, OperationRole::Actor(_)),
            stage: stage(operation.stage),
            state: state.operations.state_name(number).map(str::to_owned),
            value: self.printed_value(number).map(|value| named(state, &value)),
            awaits: awaits.then(|| awaited.to_string()),
            inbox: inbox
                .map(|letter| self.letter(state, number, letter))
                .collect(),
            outbox: outbox.map(|effect| self.outgoing(state, effect)).collect(),
        }
    }

    fn letter(&self, state: &ExecutionState, owner: u32, letter: &Envelope) -> QueuedEvent {
        if letter.event == STOP {
            return QueuedEvent {
                event: None,
                from: letter.sender.sent_by(),
                deferred: false,
            };
        }
        QueuedEvent {
            event: Some(named(
                state,
                &self.shared.audience().print_letter(owner, letter.slot),
            )),
            from: letter.sender.sent_by(),
            deferred: state.operations.disposition(owner, letter.event) == Disposition::Defer,
        }
    }

    fn outgoing(&self, state: &ExecutionState, effect: &Effect) -> Outgoing {
        let print = |to, slot| named(state, &self.shared.audience().print_letter(to, slot));
        effect.outgoing(state, print)
    }

    fn could(&self, state: &ExecutionState, pending: &Pending) -> EnabledStep {
        let number = pending.operation.index();
        if pending.operation.is_timer() {
            let timer = &state.timers[number as u32];
            return EnabledStep {
                who: timer.owner,
                kind: StepKind::Timer,
                event: self.fired(state, timer),
                from: None,
                outgoing: None,
            };
        }
        let number = pending.operation.bits();
        let operation = &state.operations[number];
        let letter = match pending.kind {
            StepKind::Handle => operation.inbox.next(),
            _ => None,
        };
        let waiting = letter.map(|letter| self.letter(state, number, letter));
        let effect = match pending.kind {
            StepKind::Flush => operation.outbox.first(),
            _ => None,
        };
        EnabledStep {
            who: number,
            kind: pending.kind,
            from: waiting.as_ref().and_then(|waiting| waiting.from),
            event: waiting.and_then(|waiting| waiting.event),
            outgoing: effect.map(|effect| self.outgoing(state, effect)),
        }
    }

    /// Prints the event of a timer that fires; `None` for a timer that wakes its owner.
    fn fired(&self, state: &ExecutionState, timer: &VirtualTimer) -> Option<String> {
        let (slot, _) = timer.event?;
        Some(named(
            state,
            &self.shared.audience().print_letter(timer.owner, slot),
        ))
    }

    fn armed(&self, state: &ExecutionState, timer: &VirtualTimer) -> RunningTimer {
        RunningTimer {
            owner: timer.owner,
            purpose: purpose_of(timer),
            event: self.fired(state, timer),
            due_ns: nanoseconds(timer.deadline),
            periodic: timer.periodic,
        }
    }

    fn heats(&self, state: &ExecutionState) -> Vec<SpecificationState> {
        let specifications = self.shared.specifications.borrow();
        specifications.heats(&state.temperatures, state.progress.step())
    }
}

/// Replaces the marks of actors in a printed value by their names.
fn named(state: &ExecutionState, text: &str) -> String {
    let name = |of: u32| (of < state.operations.count()).then(|| state.name(of));
    marks::named(text, name).into_owned()
}

fn stage(stage: OperationStage) -> snapshot::Stage {
    match stage {
        OperationStage::NotStarted => snapshot::Stage::Unborn,
        OperationStage::Starting => snapshot::Stage::Starting,
        OperationStage::Idle => snapshot::Stage::Idle,
        OperationStage::Suspended => snapshot::Stage::Suspended,
        OperationStage::Closing => snapshot::Stage::Closing,
        OperationStage::Down => snapshot::Stage::Down,
        OperationStage::Gone => snapshot::Stage::Gone,
    }
}
