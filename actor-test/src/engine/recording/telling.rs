//! Full recording of what the run loop does.

use actor_core::Disposition;
use actor_core::parts::Ran;

use crate::engine::execution::Engine;
use crate::engine::recording::recorder::Recorder;
use crate::engine::world::operation::Sender;
use crate::engine::world::room::{Answer, Question, Status};
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
        let state = self.state();
        let from = match from {
            Sender::Operation(sender) | Sender::End(sender) => state.name(sender),
            Sender::Timer(..) => "timer".into(),
        };
        let mut session = self.session();
        if let Some(step) = session.recorder.as_mut().and_then(Recorder::step) {
            step.event = Some(event);
            step.from = Some(from);
            if disposition == Disposition::Ignore {
                step.notes.push("ignored".into());
            }
        }
    }

    /// Records that an operation was started.
    pub(crate) fn tell_start(&self, started: u32) {
        if let Some(recorder) = &mut self.session().recorder {
            recorder.note(format!("spawns {}", self.state().name(started)));
        }
    }

    /// Records what became of a question.
    pub(crate) fn tell_question(&self, index: u32) {
        let mut session = self.session();
        let Some(recorder) = &mut session.recorder else {
            return;
        };
        let state = self.state();
        let Question { target, status, .. } = state.questions[index as usize];
        let name = state.name(target);
        recorder.note(match status {
            Status::Answered(Answer::Place | Answer::Open) => {
                format!("there is room in {name}'s mailbox")
            }
            Status::Answered(Answer::Full) => format!("refused: {name}'s mailbox is full"),
            Status::Answered(Answer::Closed) => format!("refused: {name} has stopped"),
            Status::InLine | Status::Unasked | Status::Free => {
                format!("waits for room in {name}'s mailbox")
            }
        });
    }
}

pub(crate) fn tell_step(state: &State, recorder: &mut Recorder, pending: &Pending) {
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
    recorder.begin_step(state.step, state.now, actor, kind);
    if let Some(step) = recorder.step() {
        step.state = state_name.map(str::to_owned);
    }
}

pub(crate) fn tell_ran(
    state: &State,
    recorder: &mut Recorder,
    operation: u32,
    ran: Ran,
    state_before: u16,
) {
    let after = state.state_name(operation);
    let changed = state.operations[operation as usize].state != state_before;
    if let Some(step) = recorder.step() {
        if changed {
            step.state_after = after.map(str::to_owned);
        }
        if ran == Ran::Suspended {
            step.notes.push("awaits".into());
        }
    }
}
