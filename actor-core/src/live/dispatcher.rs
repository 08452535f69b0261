//! Who runs next: [`Dispatcher`], the run queues of one system.
//!
//! An actor is not a task of the runtime. It is a [`Life`], which lies in its own mailbox while it
//! waits; whoever sends to it takes it out and puts it into a run queue. A few tasks of the runtime,
//! one for each of its threads, take lives out and run them: the [`Worker`]s. Each has a queue of
//! its own, into which goes what the actors that it runs rouse, and from which others steal when
//! they have nothing to do; what is roused elsewhere goes into one queue for all.
//!
//! Queues are first in, first out. A worker lets the other tasks of its runtime run after so many
//! lives, or when tokio says that it has used up its share.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context as TaskContext, Poll, Waker};

use crossbeam_deque::{Steal, Stealer, Worker as Deque};
use tokio::runtime::Handle;
use tokio::task::coop;

use super::hub::Hub;
use super::life::Life;
use super::lock;

/// After how many lives a worker lets other tasks run.
const RUNS: u32 = 64;

/// After how many lives a worker looks into the queue for all before its own.
const LOOK: u32 = 16;

/// How many lives a worker takes from the queue for all at once, at most.
const BATCH: usize = 32;

pub(super) struct Dispatcher {
    shared: Mutex<Shared>,
    /// The queues of the workers.
    queues: Box<[Stealer<Box<Life>>]>,
    /// How many lives are in the queue for all. Written under the lock; who reads it without may be
    /// late.
    waiting: AtomicUsize,
    /// How many workers have nothing to do; written and read likewise.
    parked: AtomicUsize,
    closed: AtomicBool,
}

struct Shared {
    queue: VecDeque<Box<Life>>,
    /// The workers that have nothing to do, and how to wake them.
    parked: Vec<(usize, Waker)>,
    /// No actor is left, nor will there be one.
    over: bool,
}

/// One of the tasks that run lives.
struct Worker {
    dispatcher: Arc<Dispatcher>,
    index: usize,
    /// `None` while it is polled: then it is in [`LOCAL`].
    queue: Option<Deque<Box<Life>>>,
    /// It is in the list of those that have nothing to do, or was taken out of it to be woken.
    is_parked: bool,
    runs: u32,
    hub: Weak<Hub>,
}

/// The queue of the worker that is polled on this thread.
struct Local {
    /// Whose; only compared.
    dispatcher: *const Dispatcher,
    queue: Deque<Box<Life>>,
}

thread_local! {
    static LOCAL: RefCell<Option<Local>> = const { RefCell::new(None) };
}

/// A dispatcher, and the queues for its workers.
pub(super) fn new(runtime: &Handle) -> (Arc<Dispatcher>, Vec<Deque<Box<Life>>>) {
    let workers = runtime.metrics().num_workers();
    let queues: Vec<_> = (0..workers).map(|_| Deque::new_fifo()).collect();
    let dispatcher = Dispatcher {
        shared: Mutex::new(Shared {
            queue: VecDeque::new(),
            parked: Vec::new(),
            over: false,
        }),
        queues: queues.iter().map(Deque::stealer).collect(),
        waiting: AtomicUsize::new(0),
        parked: AtomicUsize::new(0),
        closed: AtomicBool::new(false),
    };
    (Arc::new(dispatcher), queues)
}

/// Starts the workers of a system.
pub(super) fn start(hub: &Arc<Hub>, queues: Vec<Deque<Box<Life>>>) {
    for (index, queue) in queues.into_iter().enumerate() {
        hub.handle.spawn(Worker {
            dispatcher: hub.dispatcher.clone(),
            index,
            queue: Some(queue),
            is_parked: false,
            runs: 0,
            hub: Arc::downgrade(hub),
        });
    }
}

impl Dispatcher {
    /// Has a life run; it is dropped where the runtime is gone.
    #[inline]
    pub(super) fn dispatch(&self, life: Box<Life>) {
        let mut life = Some(life);
        // There is no queue of this thread while the thread ends.
        let _ = LOCAL.try_with(|local| {
            if let Some(local) = &*local.borrow()
                && std::ptr::eq(local.dispatcher, self)
                && let Some(life) = life.take()
            {
                local.queue.push(life);
                self.share(local.queue.len());
            }
        });
        if let Some(life) = life {
            self.inject(life);
        }
    }

    /// Wakes a worker that has nothing to do where one has several lives to run. Where that is
    /// missed for once, it is made up for at the next life.
    #[inline]
    fn share(&self, queued: usize) {
        if queued > 1 && self.parked.load(Ordering::Relaxed) > 0 {
            self.wake_one();
        }
    }

    #[cold]
    fn wake_one(&self) {
        let woken = self.next_parked(&mut lock(&self.shared));
        if let Some(worker) = woken {
            worker.wake();
        }
    }

    fn next_parked(&self, shared: &mut Shared) -> Option<Waker> {
        let (_, worker) = shared.parked.pop()?;
        self.parked.store(shared.parked.len(), Ordering::Relaxed);
        Some(worker)
    }

    /// Puts a life into the queue for all.
    fn inject(&self, life: Box<Life>) {
        let mut shared = lock(&self.shared);
        if self.is_closed() {
            drop(shared);
            return drop(life);
        }
        shared.queue.push_back(life);
        self.waiting.store(shared.queue.len(), Ordering::Relaxed);
        let woken = self.next_parked(&mut shared);
        drop(shared);
        if let Some(worker) = woken {
            worker.wake();
        }
    }

    /// The runtime is gone: what waits stays, and is to be dropped.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Runs nothing any more.
    fn close(&self) {
        let mut shared = lock(&self.shared);
        self.closed.store(true, Ordering::SeqCst);
        let queued = std::mem::take(&mut shared.queue);
        drop(shared);
        drop(queued);
    }

    /// Has the workers end: no actor is left.
    pub(super) fn end(&self) {
        let mut shared = lock(&self.shared);
        shared.over = true;
        let parked = std::mem::take(&mut shared.parked);
        drop(shared);
        for (_, worker) in parked {
            worker.wake();
        }
    }

    /// Takes a life out of the queue for all, and some more for the worker's own.
    fn take(&self, queue: &Deque<Box<Life>>) -> Option<Box<Life>> {
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut shared = lock(&self.shared);
        let first = shared.queue.pop_front();
        let share = (shared.queue.len() / self.queues.len()).min(BATCH);
        shared.queue.drain(..share).for_each(|life| queue.push(life));
        self.waiting.store(shared.queue.len(), Ordering::Relaxed);
        first
    }

    /// Takes half of what another worker has queued.
    fn steal(&self, index: usize, queue: &Deque<Box<Life>>) -> Option<Box<Life>> {
        let workers = self.queues.len();
        let others = (1..workers).map(|next| &self.queues[(index + next) % workers]);
        others.into_iter().find_map(|other| {
            loop {
                match other.steal_batch_and_pop(queue) {
                    Steal::Success(life) => return Some(life),
                    Steal::Empty => return None,
                    Steal::Retry => {}
                }
            }
        })
    }
}

impl Worker {
    fn next(&mut self) -> Option<Box<Life>> {
        self.runs = self.runs.wrapping_add(1);
        let dispatcher = &*self.dispatcher;
        LOCAL.with_borrow(|local| {
            let Local { queue, .. } = local.as_ref()?;
            let first = self.runs.is_multiple_of(LOOK);
            let injected = first.then(|| dispatcher.take(queue)).flatten();
            let next = injected
                .or_else(|| queue.pop())
                .or_else(|| dispatcher.take(queue))
                .or_else(|| dispatcher.steal(self.index, queue))?;
            dispatcher.share(queue.len() + 1);
            Some(next)
        })
    }

    /// Waits for something to do, or ends; `None` where there is something.
    fn park(&mut self, waker: &Waker) -> Option<Poll<()>> {
        let mut shared = lock(&self.dispatcher.shared);
        if shared.over {
            return Some(Poll::Ready(()));
        }
        if !shared.queue.is_empty() {
            return None;
        }
        shared.parked.push((self.index, waker.clone()));
        let parked = shared.parked.len();
        self.dispatcher.parked.store(parked, Ordering::Relaxed);
        self.is_parked = true;
        Some(Poll::Pending)
    }

    fn unpark(&mut self) {
        if std::mem::take(&mut self.is_parked) {
            let mut shared = lock(&self.dispatcher.shared);
            let found = shared.parked.iter().position(|(of, _)| *of == self.index);
            let left = found.map(|at| shared.parked.swap_remove(at));
            let parked = shared.parked.len();
            self.dispatcher.parked.store(parked, Ordering::Relaxed);
            drop(shared);
            drop(left);
        }
    }
}

/// Has the queue of a worker in [`LOCAL`], and what was there before.
struct AtWork<'a> {
    worker: &'a mut Worker,
    before: Option<Local>,
}

impl<'a> AtWork<'a> {
    fn begin(worker: &'a mut Worker) -> Self {
        let local = worker.queue.take().map(|queue| Local {
            dispatcher: Arc::as_ptr(&worker.dispatcher),
            queue,
        });
        let before = LOCAL.replace(local);
        Self { worker, before }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let local = LOCAL.replace(self.before.take());
        self.worker.queue = local.map(|local| local.queue);
    }
}

impl Future for Worker {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        self.unpark();
        let at_work = AtWork::begin(&mut self);
        for _ in 0..RUNS {
            let Some(life) = at_work.worker.next() else {
                match at_work.worker.park(task.waker()) {
                    Some(poll) => return poll,
                    None => continue,
                }
            };
            // What panics here is not an actor's code but somebody's hook; it ends that actor alone.
            drop(catch_unwind(AssertUnwindSafe(|| life.run())));
            if !coop::has_budget_remaining() {
                break;
            }
        }
        task.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Worker {
    /// It is over, or the runtime is gone: then every actor is dropped, now or when it is next to
    /// wait.
    fn drop(&mut self) {
        if lock(&self.dispatcher.shared).over {
            return;
        }
        self.dispatcher.close();
        if let Some(queue) = self.queue.take() {
            while let Some(life) = queue.pop() {
                drop(life);
            }
        }
        if let Some(hub) = self.hub.upgrade() {
            hub.registry.drop_parked();
        }
    }
}
