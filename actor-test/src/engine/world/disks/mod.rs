//! Simulated disks: [`Disks`], plain data as the rest of the world.
//!
//! [`disk`] is one disk with the effects of calls, [`content`] is a file, [`directories`] are the directories, and
//! [`crash`] is a power failure. This file has the calls in progress, from the caller's outbox to the answer.

pub(crate) mod content;
pub(crate) mod crash;
pub(crate) mod directories;
pub(crate) mod disk;

use std::hash::{Hash, Hasher};
use std::io::ErrorKind;

use actor_core::Fingerprinter;
use actor_core::fs::{DiskOp, DiskOpResult};

use crate::data::constructs::StepConstruct;
use crate::engine::world::disks::disk::SimulatedDisk;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operations::Operations;
use crate::engine::world::state::keep;
use crate::hash::mix;
use crate::records::DiskRecord;

#[derive(Clone, Debug, Default)]
pub(crate) struct Disks {
    disks: Vec<SimulatedDisk>,
    calls: Vec<CallRecord>,
    free: Vec<u32>,
    /// The answered calls whose callers are to be woken once nothing is borrowed.
    due: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    pub(crate) caller: u32,
    pub(crate) disk: u32,
    /// The call itself, until it is carried out or dropped.
    pub(crate) call: Option<DiskOp>,
    /// True if the power failed before the call was carried out.
    is_late: bool,
    /// The stable key of the call, for hashes of the behaviour.
    key: u64,
    answer: Option<Result<DiskOpResult, DiskError>>,
    /// Set while the call waits in an outbox.
    queued: bool,
    /// True once nobody waits for the answer.
    abandoned: bool,
}

/// The value mixed into the hash of a caller whose call fails because the power has failed.
const LATE: u64 = 0x1a7e;

/// The error of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DiskError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl CallRecord {
    /// Returns a fingerprint of a call that waits in an outbox.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut to = Fingerprinter::new();
        self.call.hash(&mut to);
        to.write_u8(u8::from(self.abandoned) | u8::from(self.is_late) << 1);
        to.finish()
    }
}

impl Disks {
    pub(crate) fn clear(&mut self) {
        self.disks.clear();
        self.calls.clear();
        self.free.clear();
        self.due.clear();
    }

    pub(crate) fn action(&self, index: u32) -> Option<DiskRecord> {
        let record = self.calls.get(index as usize)?;
        let disk = self.disks.get(record.disk as usize)?;
        Some(disk.action(record.call.as_ref()?))
    }

    /// Returns the operation that stands for the disk as the receiver of calls, for strategies.
    pub(crate) fn meets_at(&self, index: u32) -> Option<u32> {
        self.disks.get(index as usize)?.first_caller
    }

    /// Returns the disks that were used, by number.
    pub(crate) fn all(&self) -> &[SimulatedDisk] {
        &self.disks
    }

    /// Returns what a call does to a disk, as records show it.
    pub(crate) fn action_on(&mut self, disk: u32, call: &DiskOp) -> DiskRecord {
        self.disk(disk).action(call)
    }

    /// Empties a disk whose node is down, which concerns every operation of the node.
    pub(crate) fn wipe(&mut self, disk: u32) {
        self.disk(disk).wipe();
    }

    /// Returns a call that is in progress.
    pub(crate) fn call(&self, index: u32) -> &CallRecord {
        &self.calls[index as usize]
    }

    /// Takes the answered calls whose callers are to be woken.
    pub(crate) fn take_due(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.due)
    }

    /// Takes the answer of a call, and frees the call; `None` if there is no answer yet.
    pub(crate) fn take_answer(
        &mut self,
        footprint: &mut StepFootprint,
        index: u32,
    ) -> Option<Result<DiskOpResult, DiskError>> {
        let Some(answer) = self.calls[index as usize].answer.take() else {
            footprint.add(StepConstruct::Disk);
            return None;
        };
        self.close_call(index);
        Some(answer)
    }

    fn close_call(&mut self, index: u32) {
        self.due.retain(|due| *due != index);
        self.free.push(index);
    }

    /// Returns a disk that the step reads or changes.
    pub(crate) fn access(
        &mut self,
        footprint: &mut StepFootprint,
        disk: u32,
    ) -> &mut SimulatedDisk {
        footprint.add(StepConstruct::Disk);
        self.disk(disk)
    }

    /// Returns the disk with this number. A new disk is empty.
    fn disk(&mut self, index: u32) -> &mut SimulatedDisk {
        let index = index as usize;
        if self.disks.len() <= index {
            self.disks.resize_with(index + 1, SimulatedDisk::default);
        }
        &mut self.disks[index]
    }

    /// Puts a call into the outbox of its caller; returns the number of the call.
    pub(crate) fn queue(
        &mut self,
        operations: &mut Operations,
        caller: u32,
        disk: u32,
        call: DiskOp,
    ) -> u32 {
        let key = operations.child_key_of(caller);
        self.disk(disk).first_caller.get_or_insert(caller);
        let record = CallRecord {
            caller,
            disk,
            call: Some(call),
            is_late: false,
            key,
            answer: None,
            queued: true,
            abandoned: false,
        };
        let Self { calls, free, .. } = self;
        let index = keep(calls, free, record);
        operations.push(caller, Effect::Disk(index));
        index
    }

    /// Takes a call that is to be carried out, with the number of its disk. A call from before a power
    /// failure is answered with an error instead.
    pub(crate) fn take_call(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        index: u32,
    ) -> Option<(u32, DiskOp)> {
        let record = &mut self.calls[index as usize];
        let call = record.call.take()?;
        if !record.is_late {
            return Some((record.disk, call));
        }
        let refusal = DiskError {
            kind: ErrorKind::Other,
            message: "the power has failed before the call was made".into(),
        };
        self.answer_call(footprint, operations, index, Err(refusal), 0);
        None
    }

    /// Makes the calls that wait in outboxes fail, since the power of the disk has failed. The own calls of
    /// `by` come after the failure and are left alone.
    pub(crate) fn outdate_calls(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        disk: u32,
        by: u32,
    ) {
        let others = self.calls.iter_mut();
        let waiting = others.filter(|record| {
            let is_meant = record.disk == disk && record.caller != by;
            is_meant && record.call.is_some() && !record.is_late
        });
        let late = waiting.map(|record| {
            record.is_late = true;
            record.caller
        });
        for caller in late.collect::<Vec<u32>>() {
            operations.extend_chain(caller, LATE);
            footprint.changes(caller);
        }
    }

    /// Drops a call that waits in an outbox, because its caller has crashed.
    pub(crate) fn forget_call(&mut self, index: u32) {
        let record = &mut self.calls[index as usize];
        record.call = None;
        record.queued = false;
        record.answer = Some(Err(DiskError {
            kind: ErrorKind::Other,
            message: "the node has crashed before the call was made".into(),
        }));
        if record.abandoned {
            self.close_call(index);
        }
    }

    /// Returns the first call to a disk that is still to be carried out and that nobody waits for.
    pub(crate) fn abandoned_call(&self, disk: u32) -> Option<u32> {
        let waits =
            |record: &CallRecord| record.disk == disk && record.abandoned && record.call.is_some();
        let found = self.calls.iter().position(waits);
        found.map(|index| index as u32)
    }

    /// Delivers the answer of a call to its caller. `trace` is the hash of the earlier calls on the disk.
    pub(crate) fn answer_call(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        index: u32,
        answer: Result<DiskOpResult, DiskError>,
        trace: u64,
    ) {
        footprint.add(StepConstruct::Disk);
        let record = &mut self.calls[index as usize];
        let (caller, key) = (record.caller, record.key);
        record.answer = Some(answer);
        if record.abandoned {
            // The caller's outbox may still refer to the call.
            if !record.queued {
                self.close_call(index);
            }
            return;
        }
        self.due.push(index);
        let caller = &mut operations[caller];
        caller.delivered = mix(caller.delivered, mix(key, trace));
    }

    /// Records that nobody waits for the answer. The call is carried out nevertheless.
    pub(crate) fn abandon_call(&mut self, index: u32) {
        let record = &mut self.calls[index as usize];
        record.abandoned = true;
        if record.answer.is_some() {
            self.close_call(index);
        }
    }

    /// Makes a crash keep writes to a disk in blocks of that many bytes, from now on.
    pub(crate) fn tear_writes(&mut self, footprint: &mut StepFootprint, disk: u32, block: u32) {
        self.access(footprint, disk).block = block.into();
    }

    /// Records that the call has left its outbox.
    pub(crate) fn unqueue_call(&mut self, index: u32) {
        let record = &mut self.calls[index as usize];
        record.queued = false;
        if record.abandoned && record.answer.is_some() {
            self.close_call(index);
        }
    }
}
