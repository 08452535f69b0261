//! Disks under test: [`Disks`], plain data as the rest of the world.
//!
//! [`disk`] is one of them: what calls do to it; [`content`] is a file, [`names`] the directories, and
//! [`crash`] what is left of both where the power fails. Here are the calls on their way, from an
//! operation's outbox to its answer.

pub(crate) mod content;
pub(crate) mod crash;
pub(crate) mod directories;
pub(crate) mod disk;

use std::hash::{Hash, Hasher};
use std::io::ErrorKind;

use actor_core::Fingerprinter;
use actor_core::fs::{Answer, Call};

use crate::data::records::DiskAction;
use crate::engine::world::disks::disk::Disk;
use crate::engine::world::operation::Effect;
use crate::engine::world::state::{ExecutionState, keep};
use crate::hash::mix;
use crate::strategy::StepConstruct;

/// The disks of an execution, and the calls to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disks {
    pub(crate) disks: Vec<Disk>,
    pub(crate) calls: Vec<CallRecord>,
    free: Vec<u32>,
    /// Calls that were answered and whose callers are to be woken with nothing borrowed.
    pub(crate) due: Vec<u32>,
}

/// A call in progress.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    pub(crate) caller: u32,
    pub(crate) disk: u32,
    /// What is asked; taken when it is carried out.
    pub(crate) call: Option<Call>,
    /// The power has failed before it was made.
    is_late: bool,
    /// Identifies it within the behaviour.
    key: u64,
    answer: Option<Result<Answer, DiskError>>,
    /// It waits in an outbox.
    queued: bool,
    /// Nobody waits for the answer any more.
    abandoned: bool,
}

/// What a caller is told apart by of whose calls the power has failed before they were made.
const LATE: u64 = 0x1a7e;

/// Why a call has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DiskError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl CallRecord {
    /// Tells a call that waits in an outbox from any other.
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

    /// What a call that waits in an outbox is to do.
    pub(crate) fn action(&self, index: u32) -> Option<DiskAction> {
        let record = self.calls.get(index as usize)?;
        let disk = self.disks.get(record.disk as usize)?;
        Some(disk.action(record.call.as_ref()?))
    }

    /// Where calls to a disk meet, as strategies see it.
    pub(crate) fn meets_at(&self, index: u32) -> Option<u32> {
        self.disks.get(index as usize)?.first_caller
    }

    /// The disk of that number, which is empty at first.
    pub(crate) fn disk(&mut self, index: u32) -> &mut Disk {
        let index = index as usize;
        if self.disks.len() <= index {
            self.disks.resize_with(index + 1, Disk::default);
        }
        &mut self.disks[index]
    }
}

impl ExecutionState {
    /// Puts a call into the outbox of who makes it.
    pub(crate) fn call_disk(&mut self, caller: u32, disk: u32, call: Call) -> u32 {
        let key = self.child_key_of(caller);
        self.disks.disk(disk).first_caller.get_or_insert(caller);
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
        let Disks { calls, free, .. } = &mut self.disks;
        let index = keep(calls, free, record);
        self.push(caller, Effect::Disk(index));
        index
    }

    /// The call that waits in an outbox, and the disk it is for; it is done from now on. One from before
    /// a power failure is over without having been made.
    pub(crate) fn take_call(&mut self, index: u32) -> Option<(u32, Call)> {
        let record = &mut self.disks.calls[index as usize];
        let call = record.call.take()?;
        if !record.is_late {
            return Some((record.disk, call));
        }
        let refusal = DiskError {
            kind: ErrorKind::Other,
            message: "the power has failed before the call was made".into(),
        };
        self.answer_call(index, Err(refusal), 0);
        None
    }

    /// The power of a disk fails: the calls in others' outboxes than `by` are not made any more. In its own
    /// they come after the failure.
    pub(crate) fn outdate_calls(&mut self, disk: u32, by: u32) {
        let others = self.disks.calls.iter_mut();
        let waiting = others.filter(|record| {
            let is_meant = record.disk == disk && record.caller != by;
            is_meant && record.call.is_some() && !record.is_late
        });
        let late = waiting.map(|record| {
            record.is_late = true;
            record.caller
        });
        for caller in late.collect::<Vec<u32>>() {
            self.extend_chain(caller, LATE);
            self.changes(caller);
        }
    }

    /// A call that waits in an outbox is not made: its caller has crashed.
    pub(crate) fn forget_call(&mut self, index: u32) {
        let record = &mut self.disks.calls[index as usize];
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

    /// The first call to a disk that is still to be made, and that nobody waits for any more.
    pub(crate) fn abandoned_call(&self, disk: u32) -> Option<u32> {
        let waits =
            |record: &CallRecord| record.disk == disk && record.abandoned && record.call.is_some();
        let found = self.disks.calls.iter().position(waits);
        found.map(|index| index as u32)
    }

    /// Gives the answer of a call to who made it. `trace` tells what on the disk it has come after.
    pub(crate) fn answer_call(
        &mut self,
        index: u32,
        answer: Result<Answer, DiskError>,
        trace: u64,
    ) {
        self.reach.add(StepConstruct::Disk);
        let record = &mut self.disks.calls[index as usize];
        let (caller, key) = (record.caller, record.key);
        record.answer = Some(answer);
        if record.abandoned {
            // Its outbox may still name it.
            if !record.queued {
                self.close_call(index);
            }
            return;
        }
        self.disks.due.push(index);
        let caller = &mut self.operations[caller as usize];
        caller.delivered = mix(caller.delivered, mix(key, trace));
    }

    /// The answer, where there is one; the call is over then.
    pub(crate) fn take_answer(&mut self, index: u32) -> Option<Result<Answer, DiskError>> {
        let answer = self.disks.calls[index as usize].answer.take()?;
        self.close_call(index);
        Some(answer)
    }

    /// Nobody waits for the answer any more. The call is carried out all the same.
    pub(crate) fn abandon_call(&mut self, index: u32) {
        let record = &mut self.disks.calls[index as usize];
        record.abandoned = true;
        if record.answer.is_some() {
            self.close_call(index);
        }
    }

    /// The call has left its outbox.
    pub(crate) fn unqueue_call(&mut self, index: u32) {
        let record = &mut self.disks.calls[index as usize];
        record.queued = false;
        if record.abandoned && record.answer.is_some() {
            self.close_call(index);
        }
    }

    fn close_call(&mut self, index: u32) {
        self.disks.due.retain(|due| *due != index);
        self.disks.free.push(index);
    }
}
