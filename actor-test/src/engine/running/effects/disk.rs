//! Steps on disks: a call is carried out, or the power fails.

use actor_core::fs::DiskOp;

use crate::data::faults::FaultKind;
use crate::data::story::ChoicePurpose;
use crate::engine::running::effects::Effects;
use crate::engine::world::disks::disk::SimulatedDisk;
use crate::engine::world::faults::may_strike;
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
        self.shared.state().disks.unqueue_call(call);
        self.carry_out_call(call);
    }

    pub(crate) fn carry_out_call(&self, index: u32) {
        let taken = {
            let state = &mut *self.shared.state();
            state
                .disks
                .take_call(&mut state.footprint, &mut state.operations, index)
        };
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
        let (answer, trace) = {
            let state = &mut *self.shared.state();
            let disk = state.disks.access(&mut state.footprint, disk);
            match way {
                0 => disk.carry_out(call),
                way => disk.fail(call, way),
            }
        };
        if let Some(what) = action {
            let who = self.shared.state().disks.call(index).caller;
            let error = answer.as_ref().err().map(|refusal| refusal.message.clone());
            self.shared.record(|| Record::Disk { who, what, error });
        }
        if let (Some(change), Ok(_)) = (&change, &answer) {
            self.comes_to_change(index, change);
        }
        {
            let state = &mut *self.shared.state();
            let (footprint, operations) = (&mut state.footprint, &mut state.operations);
            state
                .disks
                .answer_call(footprint, operations, index, answer, trace);
        }
        self.shared.wake_callers();
    }

    /// Returns zero if a call succeeds, else the way in which it fails.
    fn fail_disk(&self, disk: u32, call: &DiskOp) -> u32 {
        if !may_strike(&mut self.shared.state(), FaultKind::Disk) {
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
        state.faults.record_moment(mix(CHANGE, file), nodes);
        state.faults.record_moment(mix(CHANGE_ON, nodes), nodes);
    }

    /// Carries out the pending calls of callers that are gone.
    fn settle_disk(&self, disk: u32) {
        loop {
            let abandoned = self.shared.state().disks.abandoned_call(disk);
            match abandoned {
                Some(call) => self.carry_out_call(call),
                None => return,
            }
        }
    }

    /// Fails the power of a disk; the strategy chooses what survives of the writes that were not synced.
    pub(crate) fn fail_power(&self, disk: u32) {
        // A copy, since the state must not be borrowed while the strategy answers.
        let mut failing = {
            let state = &mut *self.shared.state();
            state.disks.access(&mut state.footprint, disk).clone()
        };
        let lost = failing.crash(|parts| {
            let all = Choice::Below(1 << parts, ChoicePurpose::Loss);
            self.shared.decide(all)
        });
        {
            let state = &mut *self.shared.state();
            let (footprint, operations) = (&mut state.footprint, &mut state.operations);
            let by = self.shared.current.get();
            state.disks.outdate_calls(footprint, operations, disk, by);
            *state.disks.access(footprint, disk) = failing;
        }
        self.shared.record(|| {
            let lost = lost.into_iter().map(|loss| (loss.what, loss.parts));
            let lost: Vec<(DiskRecord, _)> = lost.collect();
            Record::PowerFailed { lost }
        });
    }
}
