//! The future of a call to a disk under test: [`DiskCallFuture`].

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::{DiskOp, DiskOpResult};
use crate::seam::{self, Awaited, DiskId, Dropped, Request, RequestId};

/// A call to a disk under test. The call begins at the first poll, and then does not need the future any
/// more.
pub(super) struct DiskCallFuture {
    disk: DiskId,
    stage: CallState,
}

enum CallState {
    New(DiskOp),
    Called(RequestId),
    Over,
}

impl DiskCallFuture {
    pub(super) fn new(disk: DiskId, call: DiskOp) -> Self {
        Self {
            disk,
            stage: CallState::New(call),
        }
    }
}

impl Future for DiskCallFuture {
    type Output = io::Result<DiskOpResult>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let disk = self.disk;
        let called = match std::mem::replace(&mut self.stage, CallState::Over) {
            CallState::New(call) => seam::request(Request::Disk(disk, call)),
            CallState::Called(called) => called,
            CallState::Over => unreachable!("a future is not polled once it is done"),
        };
        self.stage = CallState::Called(called);
        let mut answer = Ok(DiskOpResult::Done);
        let wait = Awaited::DiskCall(called, &mut answer);
        ready!(seam::with(|rt| rt.poll(wait, task.waker())));
        self.stage = CallState::Over;
        Poll::Ready(answer)
    }
}

impl Drop for DiskCallFuture {
    fn drop(&mut self) {
        if let CallState::Called(called) = self.stage {
            seam::dropped(Dropped::DiskCall(called));
        }
    }
}
