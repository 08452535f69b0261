//! Steps on disks: a call is carried out, or the power fails.

use crate::data::records::{DiskAction, Record};
use crate::data::story::Asked;
use crate::engine::running::execution::Engine;
use crate::strategy::Choice;

impl Engine {
    /// Carries out a call to a disk.
    pub(crate) fn carry_out_call(&mut self, index: u32) {
        let Some((disk, call)) = self.state().take_call(index) else {
            return;
        };
        let action = self.shared.is_recorded().then(|| {
            let mut state = self.state();
            state.disks.disk(disk).action(&call)
        });
        let (answer, trace) = self.state().disks.disk(disk).carry_out(call);
        if let Some(what) = action {
            let who = self.state().disks.calls[index as usize].caller;
            let error = answer.as_ref().err().map(|refusal| refusal.message.clone());
            self.shared.record(|| Record::Disk { who, what, error });
        }
        self.state().answer_call(index, answer, trace);
        self.shared.wake_callers();
    }

    /// The power of a disk fails: what is left of what was not synced is chosen.
    pub(crate) fn fail_power(&mut self, disk: u32) {
        // No choice is answered while the state is borrowed.
        let mut failing = self.state().disks.disk(disk).clone();
        let lost = failing.crash(|parts| {
            let all = Choice::Below(1 << parts);
            self.shared.decide(all, Asked::Loss)
        });
        let mut state = self.state();
        state.reach.beyond = true;
        *state.disks.disk(disk) = failing;
        drop(state);
        self.shared.record(|| {
            let lost = lost.into_iter().map(|loss| (loss.what, loss.parts));
            let lost: Vec<(DiskAction, _)> = lost.collect();
            Record::PowerFailed { lost }
        });
    }
}
