//! The host of scoped threads in both executors: [`scope`](super::scope).

use std::io;

use actor_core_lending::{Host, ThreadOutcome};

use super::{Builder, JoinHandle, Thread};
use crate::object::{Object, ObjectOperation};
use crate::seam::{self, BlockUntil, SchedulingPoint, Wait};

/// The host that starts the threads of this module.
#[derive(Debug)]
pub enum Threads {}

impl Host for Threads {
    type Handle = JoinHandle<()>;
    type Thread = Thread;

    /// Panics in a handler under test: a scope waits for its threads, and a handler can't block.
    #[track_caller]
    fn open() {
        if !seam::is_controlled() {
            return;
        }
        let Some(runtime) = seam::current() else {
            return;
        };
        let operation = ObjectOperation::new("scope of threads", "opens");
        let access = Object::new().access(&*runtime, operation);
        if !runtime.reach(SchedulingPoint::Access(access), true) {
            runtime.block(BlockUntil::Changed(access, Wait::Alone));
        }
    }

    #[track_caller]
    fn spawn(work: Box<dyn FnOnce() + Send>, name: Option<String>) -> io::Result<JoinHandle<()>> {
        let builder = Builder { name };
        builder.spawn(work)
    }

    #[track_caller]
    fn join(handle: JoinHandle<()>) -> ThreadOutcome<()> {
        handle.join()
    }

    #[track_caller]
    fn is_finished(handle: &JoinHandle<()>) -> bool {
        handle.is_finished()
    }

    fn thread(handle: &JoinHandle<()>) -> Thread {
        handle.thread()
    }
}
