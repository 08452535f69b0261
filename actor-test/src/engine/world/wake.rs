//! Wakers of suspended handlers: each puts its operation on a list that the run loop drains.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

    /// Returns the number of operations in the list.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Returns the operations in the list after the first `count`.
    pub(crate) fn after(&self, count: usize) -> Vec<u32> {
        self.lock().get(count..).unwrap_or_default().to_vec()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u32>> {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the woken operations to `into`; returns whether another thread has woken any.
    pub(crate) fn drain(&self, into: &mut Vec<u32>) -> bool {
        self.any.store(false, Ordering::Release);
        into.append(&mut self.lock());
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
        let mut woken = self.list.lock();
        woken.push(self.operation);
        if std::thread::current().id() != self.list.thread {
            self.list.foreign.store(true, Ordering::Release);
        }
        self.list.any.store(true, Ordering::Release);
    }
}
