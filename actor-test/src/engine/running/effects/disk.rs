//! Steps on disks: a call is carried out, or the power fails.

use actor_core::fs::DiskOp;

use crate::data::faults::FaultKind;
use crate::data::story::ChoicePurpose;
use crate::engine::running::effects::Effects;
use crate::engine::world::disks::disk::SimulatedDisk;
use crate::hash::{self, mix};
use crate::records::{DiskRecord, Record};
use crate::strategy::Choice;

/// The tag of changes to a file, among the moments at which faults are placed.
const CHANGE: u64 = 0xd15c_0001;

/// The tag of changes to the disk of a node.
const CHANGE_ON: u64 = 0xd15c_0002;

/// Returns true if a call changes the content of a disk, or which part of it is durable.
const fn changes(call: &DiskOp) -> bool {
    !matches!(
        call,
        DiskOp::Open { .. }
            | DiskOp::Read { .. }
            | DiskOp::Len { .. }
            | DiskOp::ReadDir { .. }
            | DiskOp::Settle
    )
}

impl Effects<'_> {
    /// Calls a disk.
    pub(super) fn call_disk(&self, call: u32) {
        self.shared.state().unqueue_call(call);
        self.carry_out_call(call);
    }

    pub(crate) fn carry_out_call(&self, index: u32) {
        let taken = self.shared.state().take_call(index);
        let Some((disk, call)) = taken else {
            return self.shared.wake_callers();
        };
        if call == DiskOp::Settle {
            self.settle_disk(disk);
        }
        let action = self.shared.is_recorded().then(|| {
            let mut state = self.shared.state();
            state.disks.action_on(disk, &call)
        });
        let change = match self.shared.may_fail.get() && changes(&call) {
            true => Some(self.shared.state().disks.action_on(disk, &call)),
            false => None,
        };
        let way = self.fail_disk(disk, &call);
        let (answer, trace) = match way {
            0 => self.shared.state().access_disk(disk).carry_out(call),
            way => self.shared.state().access_disk(disk).fail(call, way),
        };
        if let Some(what) = action {
            let who = self.shared.state().disks.call(index).caller;
            let error = answer.as_ref().err().map(|refusal| refusal.message.clone());
            self.shared.record(|| Record::Disk { who, what, error });
        }
        if let (Some(change), Ok(_)) = (&change, &answer) {
            self.comes_to_change(index, change);
        }
        self.shared.state().answer_call(index, answer, trace);
        self.shared.wake_callers();
    }

    /// Returns zero if a call succeeds, else the way in which it fails.
    fn fail_disk(&self, disk: u32, call: &DiskOp) -> u32 {
        if !self.shared.state().faults.may_be(FaultKind::Disk) {
            return 0;
        }
        let ways = SimulatedDisk::ways_to_fail(call);
        let action = self.shared.state().disks.action_on(disk, call);
        // The hash of the kind of call and the file, for strategies that place faults.
        let what = mix(hash::text(&action.path), action.call as u64);
        self.shared.strike(FaultKind::Disk, what, ways)
    }

    /// Records the moment of a change that may not be durable yet: once for the file, once for the disk.
    fn comes_to_change(&self, call: u32, change: &DiskRecord) {
        let mut state = self.shared.state();
        let nodes = state.node_bits(state.disks.call(call).caller);
        let file = mix(hash::text(&change.path), change.call as u64);
        state.record_moment(mix(CHANGE, file), nodes);
        state.record_moment(mix(CHANGE_ON, nodes), nodes);
    }

    /// Carries out the pending calls of callers that are gone.
    fn settle_disk(&self, disk: u32) {
        loop {
            let abandoned = self.shared.state().abandoned_call(disk);
            match abandoned {
                Some(call) => self.carry_out_call(call),
                None => return,
            }
        }
    }

    /// Fails the power of a disk; the strategy chooses what survives of the writes that were not synced.
    pub(crate) fn fail_power(&self, disk: u32) {
        // A copy, since the state must not be borrowed while the strategy answers.
        let mut failing = self.shared.state().access_disk(disk).clone();
        let lost = failing.crash(|parts| {
            let all = Choice::Below(1 << parts, ChoicePurpose::Loss);
            self.shared.decide(all)
        });
        let mut state = self.shared.state();
        state.outdate_calls(disk, self.shared.current.get());
        *state.access_disk(disk) = failing;
        drop(state);
        self.shared.record(|| {
            let lost = lost.into_iter().map(|loss| (loss.what, loss.parts));
            let lost: Vec<(DiskRecord, _)> = lost.collect();
            Record::PowerFailed { lost }
        });
    }
}
