//! What is asked of a disk under test, and what it answers: plain data, for the seam.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::{DirEntry, OpenOptions};
use crate::runtime::{self, DiskCallId, DiskId};

/// A call of one operation to its disk. Paths are names separated by slashes; the root is empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Call {
    /// Opens a file, for [`Answer::File`].
    Open {
        /// Which.
        path: String,
        /// How.
        options: OpenOptions,
    },
    /// Reads, for [`Answer::Bytes`].
    Read {
        /// An open file.
        file: u32,
        /// From where.
        at: u64,
        /// How many bytes at most.
        len: usize,
    },
    /// Writes.
    Write {
        /// An open file.
        file: u32,
        /// To where; to the end where nothing is said, for [`Answer::Number`].
        at: Option<u64>,
        /// What.
        bytes: Vec<u8>,
    },
    /// Cuts or extends a file.
    SetLen {
        /// An open file.
        file: u32,
        /// How long it is to be.
        len: u64,
    },
    /// The length of a file, for [`Answer::Number`].
    Len {
        /// An open file.
        file: u32,
    },
    /// Makes a file's content survive a crash.
    Sync {
        /// An open file.
        file: u32,
    },
    /// Makes the names in a directory survive a crash.
    SyncDir {
        /// Which directory.
        path: String,
    },
    /// Gives a file or directory another name.
    Rename {
        /// The name it has.
        from: String,
        /// The name it gets; what had it is gone.
        to: String,
    },
    /// Removes a file.
    RemoveFile {
        /// Which.
        path: String,
    },
    /// Creates a directory.
    CreateDir {
        /// Which.
        path: String,
    },
    /// Removes an empty directory.
    RemoveDir {
        /// Which.
        path: String,
    },
    /// Waits until every call is over that nobody waits for any more.
    Settle,
    /// Lists a directory, for [`Answer::Entries`].
    ReadDir {
        /// Which.
        path: String,
    },
}

/// What a call brings where it succeeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is done.
    Done,
    /// An open file.
    File(u32),
    /// What was read.
    Bytes(Vec<u8>),
    /// A length or a place.
    Number(u64),
    /// What a directory holds, by name.
    Entries(Vec<DirEntry>),
}

/// A call on its way: it begins when it is first polled, and is carried out whether or not anyone
/// still waits for its answer.
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
