//! Wakers of suspended handlers: each puts its operation on a list that the run loop drains.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::thread::ThreadId;

/// The operations that were woken since the list was last drained.
#[derive(Debug)]
pub(crate) struct WakeList {
    /// Set while the list is not empty, so that a step without a wake-up costs one load.
    any: AtomicBool,
    /// True if a waker was called on another thread since the list was last drained.
    foreign: AtomicBool,
    woken: Mutex<Vec<u32>>,
    thread: ThreadId,
}

impl WakeList {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            any: AtomicBool::new(false),
            foreign: AtomicBool::new(false),
            woken: Mutex::new(Vec::new()),
            thread: std::thread::current().id(),
        })
    }

    pub(crate) fn waker(self: &Arc<Self>, operation: u32) -> Waker {
        Waker::from(Arc::new(OperationWaker {
            operation,
            list: self.clone(),
        }))
    }

    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Moves the woken operations to `into`; returns whether another thread has woken any.
    pub(crate) fn drain(&self, into: &mut Vec<u32>) -> bool {
        self.any.store(false, Ordering::Release);
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        into.append(&mut woken);
        self.foreign.swap(false, Ordering::AcqRel)
    }
}

struct OperationWaker {
    operation: u32,
    list: Arc<WakeList>,
}

impl Wake for OperationWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut woken = self
            .list
            .woken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        woken.push(self.operation);
        if std::thread::current().id() != self.list.thread {
            self.list.foreign.store(true, Ordering::Release);
        }
        self.list.any.store(true, Ordering::Release);
    }
}
