//! The future of a call to a disk under test: [`Calling`].

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::{Answer, Call};
use crate::runtime::{self, DiskCallId, DiskId};

/// A call to a disk under test. The call begins when the future is first polled, and is carried out even if
/// the future is dropped.
pub(super) struct Calling {
    disk: DiskId,
    stage: Stage,
}

enum Stage {
    New(Call),
    Called(DiskCallId),
    Over,
}

impl Calling {
    pub(super) fn new(disk: DiskId, call: Call) -> Self {
        Self {
            disk,
            stage: Stage::New(call),
        }
    }
}

impl Future for Calling {
    type Output = io::Result<Answer>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let disk = self.disk;
        let called = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::New(call) => runtime::with(|rt| rt.disk_call(disk, call)),
            Stage::Called(called) => called,
            Stage::Over => unreachable!("a future is not polled once it is done"),
        };
        self.stage = Stage::Called(called);
        let answer = ready!(runtime::with(|rt| rt.poll_disk_call(called, task.waker())));
        self.stage = Stage::Over;
        Poll::Ready(answer)
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        if let Stage::Called(called) = self.stage {
            runtime::try_with(|rt| rt.disk_call_dropped(called));
        }
    }
}
