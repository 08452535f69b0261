//! Full recording of what the run loop does.

use actor_core::Disposition;
use actor_core::parts::Ran;

use crate::engine::execution::Engine;
use crate::engine::recording::recorder::Recorder;
use crate::engine::world::operation::Sender;
use crate::engine::world::state::State;
use crate::strategy::{Pending, StepKind};

impl Engine {
    pub(crate) fn tell_handle(
        &mut self,
        operation: u32,
        from: Sender,
        slot: u32,
        disposition: Disposition,
    ) {
        let event = self.print_letter(operation, slot);
        let mut state = self.state();
        let from = match from {
            Sender::Operation(sender) | Sender::End(sender) => state.name(sender),
            Sender::Timer(..) => "timer".into(),
        };
        if let Some(step) = state.recorder.as_mut().and_then(Recorder::step) {
            step.event = Some(event);
            step.from = Some(from);
            if disposition == Disposition::Ignore {
                step.notes.push("ignored".into());
            }
        }
    }
}

pub(crate) fn tell_step(state: &mut State, pending: &Pending) {
    let actor = if pending.operation.is_timer() {
        let receiver = pending.inbox.map_or(0, |inbox| inbox.index() as u32);
        format!("{}'s timer", state.name(receiver))
    } else {
        state.name(pending.operation.index() as u32)
    };
    let kind = match pending.kind {
        StepKind::Start => "start",
        StepKind::Handle => "handle",
        StepKind::Flush => "flush",
        StepKind::Resume => "resume",
        StepKind::Timer => "timer",
        StepKind::Fault => "fault",
        StepKind::Stop => "stop",
    };
    let state_name = (!pending.operation.is_timer())
        .then(|| state.state_name(pending.operation.index() as u32))
        .flatten();
    let (step, now) = (state.step, state.now);
    if let Some(recorder) = &mut state.recorder {
        recorder.begin_step(step, now, actor, kind);
        if let Some(step) = recorder.step() {
            step.state = state_name.map(str::to_owned);
        }
    }
}

pub(crate) fn tell_ran(state: &mut State, operation: u32, ran: Ran, state_before: u16) {
    let after = state.state_name(operation);
    let changed = state.operations[operation as usize].state != state_before;
    if let Some(step) = state.recorder.as_mut().and_then(Recorder::step) {
        if changed {
            step.state_after = after.map(str::to_owned);
        }
        if ran == Ran::Suspended {
            step.notes.push("awaits".into());
        }
    }
}
