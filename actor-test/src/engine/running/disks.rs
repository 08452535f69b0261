//! Steps on disks: a call is carried out, or the power fails.

use actor_core::fs::Call;

use crate::data::faults::FaultKind;
use crate::data::records::{DiskAction, Record};
use crate::data::story::Asked;
use crate::engine::running::execution::Engine;
use crate::engine::world::disks::disk::Disk;
use crate::hash::{self, mix};
use crate::strategy::{Choice, StepConstruct};

/// What tells that a file has changed from other moments that matter.
const CHANGE: u64 = 0xd15c_0001;

/// And that something on the disk of a node has.
const CHANGE_ON: u64 = 0xd15c_0002;

/// Whether a call changes what is on a disk, or what of it lasts.
const fn changes(call: &Call) -> bool {
    !matches!(
        call,
        Call::Open { .. }
            | Call::Read { .. }
            | Call::Len { .. }
            | Call::ReadDir { .. }
            | Call::Settle
    )
}

impl Engine {
    /// Carries out a call to a disk.
    pub(crate) fn carry_out_call(&mut self, index: u32) {
        let taken = self.state().take_call(index);
        let Some((disk, call)) = taken else {
            return self.shared.wake_callers();
        };
        if call == Call::Settle {
            self.settle_disk(disk);
        }
        let action = self.shared.is_recorded().then(|| {
            let mut state = self.state();
            state.disks.disk(disk).action(&call)
        });
        let change = match self.shared.may_fail.get() && changes(&call) {
            true => Some(self.state().disks.disk(disk).action(&call)),
            false => None,
        };
        let way = self.fail_disk(disk, &call);
        let (answer, trace) = match way {
            0 => self.state().disks.disk(disk).carry_out(call),
            way => self.state().disks.disk(disk).fail(call, way),
        };
        if let Some(what) = action {
            let who = self.state().disks.calls[index as usize].caller;
            let error = answer.as_ref().err().map(|refusal| refusal.message.clone());
            self.shared.record(|| Record::Disk { who, what, error });
        }
        if let (Some(change), Ok(_)) = (&change, &answer) {
            self.comes_to_change(index, change);
        }
        self.state().answer_call(index, answer, trace);
        self.shared.wake_callers();
    }

    /// Whether a call fails: zero where it does not, else in which way.
    fn fail_disk(&self, disk: u32, call: &Call) -> u32 {
        if !self.state().faults.may_be(FaultKind::Disk) {
            return 0;
        }
        let ways = Disk::ways_to_fail(call);
        let action = self.state().disks.disk(disk).action(call);
        // Which of its calls to which file it is, for who places faults.
        let what = mix(hash::text(&action.path), action.call as u64);
        self.shared.strike(FaultKind::Disk, what, ways)
    }

    /// The disk of a node has changed, which may not last yet: that file, and the disk once more.
    fn comes_to_change(&self, call: u32, change: &DiskAction) {
        let mut state = self.state();
        let nodes = state.node_bits(state.disks.calls[call as usize].caller);
        let file = mix(hash::text(&change.path), change.call as u64);
        state.record_moment(mix(CHANGE, file), nodes);
        state.record_moment(mix(CHANGE_ON, nodes), nodes);
    }

    /// Carries out what is still to be done for those that are gone.
    fn settle_disk(&mut self, disk: u32) {
        loop {
            let abandoned = self.state().abandoned_call(disk);
            match abandoned {
                Some(call) => self.carry_out_call(call),
                None => return,
            }
        }
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
        state.reach.add(StepConstruct::Disk);
        state.outdate_calls(disk, self.shared.current.get());
        *state.disks.disk(disk) = failing;
        drop(state);
        self.shared.record(|| {
            let lost = lost.into_iter().map(|loss| (loss.what, loss.parts));
            let lost: Vec<(DiskAction, _)> = lost.collect();
            Record::PowerFailed { lost }
        });
    }
}
