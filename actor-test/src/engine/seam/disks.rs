//! Calls of actors under test to disks.

use std::io;
use std::task::{Poll, Waker};

use actor_core::fs::{DiskOp, DiskOpResult};
use actor_core::seam::{DiskCallId, DiskId};

use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::disks::DiskError;
use crate::engine::world::effect::Effect;
use crate::engine::world::state::ExecutionState;

/// The disk of everything that is on no node.
const DISK: u32 = 0;

impl ControlledRuntime {
    /// Returns the disk of the current operation.
    pub(super) fn own_disk(&self) -> DiskId {
        let node = self.state.borrow().nodes.node_of(self.current.get());
        self.disk_id(node.map_or(DISK, |node| node + 1))
    }

    fn disk_id(&self, index: u32) -> DiskId {
        DiskId {
            index,
            execution: self.execution.get(),
        }
    }

    /// Returns the disk if it belongs to this execution.
    fn local_disk(&self, disk: DiskId) -> Option<u32> {
        (disk.execution == self.execution.get()).then_some(disk.index)
    }

    /// Puts a call into the outbox of the current operation.
    pub(super) fn begin_call(&self, disk: DiskId, call: DiskOp) -> DiskCallId {
        let disk = self.local_disk(disk);
        let disk = disk.filter(|_| self.may_act("use the disk"));
        let index = disk.map_or(u32::MAX, |disk| {
            let current = self.current.get();
            self.state.borrow_mut().call_disk(current, disk, call)
        });
        DiskCallId {
            index,
            execution: self.execution.get(),
        }
    }

    pub(super) fn poll_call(
        &self,
        call: DiskCallId,
        waker: &Waker,
    ) -> Poll<io::Result<DiskOpResult>> {
        if !self.is_call(call) {
            let message = "the disk is not of this execution";
            return Poll::Ready(Err(io::Error::other(message)));
        }
        let mut state = self.state.borrow_mut();
        let ExecutionState {
            disks, footprint, ..
        } = &mut *state;
        if let Some(answer) = disks.take_answer(footprint, call.index) {
            return Poll::Ready(answer.map_err(error));
        }
        drop(state);
        let before = self.arena().keep_caller(call.index, waker.clone());
        drop(before);
        Poll::Pending
    }

    /// Abandons a call whose caller no longer waits.
    pub(super) fn give_up_call(&self, call: DiskCallId) {
        if self.is_call(call) {
            self.state.borrow_mut().abandon_call(call.index);
            let waker = self.arena().take_caller(call.index);
            drop(waker);
        }
    }

    fn is_call(&self, call: DiskCallId) -> bool {
        call.execution == self.execution.get()
            && call.index != u32::MAX
            && self.phase.get() != CodePhase::Over
    }

    /// Wakes the callers whose calls were answered.
    pub(crate) fn wake_callers(&self) {
        let due = self.state.borrow_mut().disks.take_due();
        for call in due {
            let waker = self.arena().take_caller(call);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    /// Puts an effect on a disk into the outbox of the current operation.
    pub(super) fn plan_disk(&self, disk: DiskId, effect: impl FnOnce(u32) -> Effect) {
        if self.may_act("have a disk fail")
            && let Some(disk) = self.local_disk(disk)
        {
            let current = self.current.get();
            self.state
                .borrow_mut()
                .operations
                .push(current, effect(disk));
        }
    }
}

fn error(refusal: DiskError) -> io::Error {
    io::Error::new(refusal.kind, refusal.message)
}
