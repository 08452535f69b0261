//! The programs, on the threads and locks of the parent module; the benchmarks use those of shuttle.

use std::collections::VecDeque;
use std::sync::Arc;

use super::sync::atomic::{AtomicBool, Ordering};
use super::sync::{Condvar, Mutex};
use super::thread;

/// A port of tasks that belong together: either all are received, or all are cancelled.
#[derive(Default)]
struct Port {
    inner: Mutex<Tasks>,
}

#[derive(Default)]
struct Tasks {
    queue: VecDeque<u32>,
    receiving: bool,
    cancelling: bool,
    over: bool,
}

impl Port {
    /// Returns the number of tasks to receive.
    fn register(&self) -> usize {
        let tasks = self.inner.lock().unwrap();
        if tasks.cancelling || tasks.over {
            return 0;
        }
        tasks.queue.len()
    }

    fn receive(&self, count: usize) {
        for taken in 0..count {
            let mut tasks = self.inner.lock().unwrap();
            if tasks.cancelling || tasks.over {
                assert_eq!(
                    taken, 0,
                    "a part of the tasks was received, the rest cancelled"
                );
                return;
            }
            tasks.receiving = true;
            let task = tasks.queue.pop_front();
            assert!(
                task.is_some(),
                "a part of the tasks was received, the rest cancelled"
            );
        }
    }

    fn cancel(&self, sets_flag: bool) {
        {
            let mut tasks = self.inner.lock().unwrap();
            if tasks.receiving {
                return;
            }
            // The bug: without `sets_flag`, the flag is not set.
            tasks.cancelling = sets_flag;
        }
        loop {
            let mut tasks = self.inner.lock().unwrap();
            if tasks.queue.pop_front().is_none() {
                tasks.over = true;
                return;
            }
        }
    }
}

/// One thread receives what another one cancels; with `sets_flag` the program is correct.
pub fn cancel_port(tasks: u32, sets_flag: bool) {
    let port = Arc::new(Port::default());
    port.inner.lock().unwrap().queue.extend(0..tasks);
    let own = port.clone();
    let receiver = thread::spawn(move || {
        let count = own.register();
        own.receive(count);
    });
    let canceller = thread::spawn(move || port.cancel(sets_flag));
    receiver.join().unwrap();
    canceller.join().unwrap();
}

/// An event that allocates a kernel event only if a thread has to block.
struct LiteEvent {
    signalled: AtomicBool,
    kernel: Mutex<Option<Allocated>>,
    /// True if the last thread that blocked on the kernel event disposes of it, which is correct.
    counts_users: bool,
}

#[derive(Default)]
struct Allocated {
    event: Arc<KernelEvent>,
    users: usize,
}

#[derive(Default)]
struct KernelEvent {
    signalled: Mutex<bool>,
    condition: Condvar,
}

impl KernelEvent {
    fn signal(&self) {
        *self.signalled.lock().unwrap() = true;
        self.condition.notify_all();
    }
}

impl LiteEvent {
    fn set(&self) {
        self.signalled.store(true, Ordering::SeqCst);
        if let Some(kernel) = &*self.kernel.lock().unwrap() {
            kernel.event.signal();
        }
    }

    /// Waits; returns true if the caller must dispose of the kernel event.
    fn wait(&self) -> bool {
        if self.signalled.load(Ordering::SeqCst) {
            return false;
        }
        self.allocate();
        // The bug: the kernel event may already be disposed of.
        let kernel = self
            .kernel
            .lock()
            .unwrap()
            .as_ref()
            .map(|kernel| kernel.event.clone());
        let kernel = kernel.expect("blocked on a kernel event that was disposed of");
        let mut signalled = kernel.signalled.lock().unwrap();
        while !*signalled {
            signalled = kernel.condition.wait(signalled).unwrap();
        }
        true
    }

    fn allocate(&self) {
        let mut kernel = self.kernel.lock().unwrap();
        let kernel = kernel.get_or_insert_with(Allocated::default);
        kernel.users += 1;
        if self.signalled.load(Ordering::SeqCst) {
            kernel.event.signal();
        }
    }

    fn dispose(&self) {
        let mut kernel = self.kernel.lock().unwrap();
        if let Some(allocated) = &mut *kernel {
            allocated.users -= 1;
            if allocated.users == 0 || !self.counts_users {
                *kernel = None;
            }
        }
    }
}

/// One thread sets an event for which `waiters` threads wait; with `counts_users` this is correct.
pub fn wait_for_event(waiters: usize, counts_users: bool) {
    let event = Arc::new(LiteEvent {
        signalled: AtomicBool::new(false),
        kernel: Mutex::new(None),
        counts_users,
    });
    let waiter = |_| {
        let event = event.clone();
        thread::spawn(move || {
            if event.wait() {
                event.dispose();
            }
        })
    };
    let waiters: Vec<_> = (0..waiters).map(waiter).collect();
    event.set();
    for waiter in waiters {
        waiter.join().unwrap();
    }
}

/// An interrupt of the hardware.
#[derive(Clone, Copy, PartialEq)]
enum Interrupt {
    Keyboard,
    Clock,
}

/// The pending interrupts, and a condition variable for new ones.
#[derive(Default)]
struct Platform {
    pending: Mutex<Vec<Interrupt>>,
    arrived: Condvar,
}

impl Platform {
    fn interrupt(&self, interrupt: Interrupt) {
        self.pending.lock().unwrap().push(interrupt);
        self.arrived.notify_all();
    }

    /// Returns when any interrupt is pending.
    fn halt(&self) {
        let mut pending = self.pending.lock().unwrap();
        while pending.is_empty() {
            pending = self.arrived.wait(pending).unwrap();
        }
    }

    fn is_pending(&self, interrupt: Interrupt) -> bool {
        self.pending.lock().unwrap().contains(&interrupt)
    }

    /// Waits for one interrupt; with `yields` the loop yields after each other interrupt, which is correct.
    fn dispatch(&self, interrupt: Interrupt, yields: bool) {
        loop {
            self.halt();
            if self.is_pending(interrupt) {
                self.pending
                    .lock()
                    .unwrap()
                    .retain(|other| *other != interrupt);
                return;
            }
            if yields {
                thread::yield_now();
            }
        }
    }
}

/// A thread boots while another handles the keyboard's interrupts; with `yields` this is correct.
pub fn boot(yields: bool) {
    let platform = Arc::new(Platform::default());
    let (boots, dispatches) = (platform.clone(), platform.clone());
    let boots = thread::spawn(move || boots.dispatch(Interrupt::Clock, yields));
    let dispatches = thread::spawn(move || dispatches.dispatch(Interrupt::Keyboard, true));
    platform.interrupt(Interrupt::Keyboard);
    dispatches.join().unwrap();
    platform.interrupt(Interrupt::Clock);
    boots.join().unwrap();
}
