//! The scheduler of one system's actors: [`Dispatcher`], with work-stealing run queues.
//!
//! An actor is not a task of the runtime, but something to [run](ActorTask::run), which lies in its own mailbox while
//! parked; a sender takes it out and puts it into a run queue. A few tasks of the runtime, the [`DispatcherWorker`]s,
//! one for each of its threads, take actors out and run them. Each worker has a queue of its own for the
//! actors that its actors wake, from which idle workers steal. Actors that are woken on other threads go
//! into one shared queue.
//!
//! Queues are first in, first out; a worker alternates between its own queue and the shared one. A worker
//! yields to the other tasks of the runtime and to its driver when the time slice is used up. The worker
//! yields to the tasks alone when tokio's budget is used up, and after each actor from the shared queue:
//! other tasks like the one that woke the actor may wait for this thread.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::{Future, ready};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::task::{Context as TaskContext, Poll, Waker};

use crossbeam_deque::{Steal, Stealer, Worker as Deque};
use crossbeam_queue::ArrayQueue;
use scoped_tls::scoped_thread_local;
use tokio::runtime::Handle;
use tokio::task::{coop, yield_now};

use super::actor_task::ActorTask;
use super::hub::Hub;
use super::sentinel::{self, QueueProgress, SentinelState};
use crate::panics::{catch_panic, lock};
use crate::production::host::executor::Executor;
use crate::production::host::slice;

/// The capacity of the lock-free part of the shared queue.
const ROOM: usize = 256;

/// The maximum number of workers: `parked` has one bit for each.
const MOST: usize = 64;

pub(crate) struct Dispatcher {
    /// The shared queue: actors that were not woken on a worker.
    injected: ArrayQueue<Box<ActorTask>>,
    /// The shared queue's overflow.
    overflow: Mutex<VecDeque<Box<ActorTask>>>,
    /// True if the overflow is not empty. Written under its lock; a read without the lock may be late.
    overflows: AtomicBool,
    workers: Box<[WorkerHandle]>,
    /// The idle workers, a bit each.
    parked: AtomicU64,
    /// True if the workers are tasks of tokio.
    on_tokio: bool,
    /// The runtime for substitute workers; `None` if they are of no use.
    pub(super) runtime: Option<Handle>,
    /// The state of the [sentinel](super::sentinel).
    pub(super) sentinel_state: SentinelState,
    /// True once no actor is left and none will come.
    over: AtomicBool,
    /// True once the runtime is gone.
    closed: AtomicBool,
}

/// The part of a worker that other threads see.
struct WorkerHandle {
    queue: Stealer<Box<ActorTask>>,
    /// The waker of the worker's task, which never changes; `None` before the first poll.
    waker: OnceLock<Waker>,
    /// True while the worker yields to the driver of the runtime; it runs again afterwards.
    deferred: AtomicBool,
    /// The number of actors that the worker has run.
    lives: AtomicU32,
}

/// A task of the runtime that runs actors.
struct DispatcherWorker {
    local: WorkerQueue,
    index: usize,
    /// True if the last actor came from the shared queue.
    injected: Cell<bool>,
    /// True if the driver of the runtime may have run since this worker ran last.
    rested: Cell<bool>,
    /// The holder of the parked actors.
    holder: Weak<Hub>,
}

scoped_thread_local! {
    /// The queue of the worker that is polled on this thread.
    static LOCAL: WorkerQueue
}

/// The queue of one worker.
struct WorkerQueue {
    dispatcher: Arc<Dispatcher>,
    queue: Deque<Box<ActorTask>>,
}

/// Makes a dispatcher, and the queues for its workers.
pub(in crate::production) fn new(
    executor: &Executor,
) -> (Arc<Dispatcher>, Vec<Deque<Box<ActorTask>>>) {
    let workers = executor.threads().min(MOST);
    let queues: Vec<_> = (0..workers).map(|_| Deque::new_fifo()).collect();
    let peer = |queue: &Deque<_>| WorkerHandle {
        queue: queue.stealer(),
        waker: OnceLock::new(),
        deferred: AtomicBool::new(false),
        lives: AtomicU32::new(0),
    };
    let runtime = executor.hands_over().cloned();
    let dispatcher = Dispatcher {
        injected: ArrayQueue::new(ROOM),
        overflow: Mutex::default(),
        overflows: AtomicBool::new(false),
        workers: queues.iter().map(peer).collect(),
        parked: AtomicU64::new(0),
        on_tokio: executor.is_tokio(),
        sentinel_state: SentinelState::new(runtime.is_some()),
        runtime,
        over: AtomicBool::new(false),
        closed: AtomicBool::new(false),
    };
    (Arc::new(dispatcher), queues)
}

pub(in crate::production) fn start(
    dispatcher: &Arc<Dispatcher>,
    queues: Vec<Deque<Box<ActorTask>>>,
    executor: &Executor,
    holder: &Weak<Hub>,
) {
    for (index, queue) in queues.into_iter().enumerate() {
        executor.spawn(DispatcherWorker {
            local: WorkerQueue {
                dispatcher: dispatcher.clone(),
                queue,
            },
            index,
            injected: Cell::new(false),
            rested: Cell::new(true),
            holder: holder.clone(),
        });
    }
}

impl Dispatcher {
    /// Queues an actor; drops it if the runtime is gone.
    #[inline]
    pub(in crate::production) fn dispatch(self: &Arc<Self>, life: Box<ActorTask>) {
        if !LOCAL.is_set() {
            return self.inject(life);
        }
        LOCAL.with(|WorkerQueue { dispatcher, queue }| {
            if !Arc::ptr_eq(dispatcher, self) {
                return self.inject(life);
            }
            queue.push(life);
            self.start_sentinel();
            self.share(queue);
        });
    }

    /// Starts the sentinel, if it does not run, since an actor was queued.
    #[inline]
    fn start_sentinel(self: &Arc<Self>) {
        if self.sentinel_state.begins() {
            sentinel::watch(self.clone());
        }
    }

    /// Wakes an idle worker if this one has several actors queued. A miss is made up for at the next one.
    #[inline]
    fn share(&self, queue: &Deque<Box<ActorTask>>) {
        if self.parked.load(Ordering::Relaxed) != 0 && queue.len() > 1 {
            self.wake_other();
        }
    }

    /// Wakes an idle worker, called on a worker that may not return for long.
    fn wake_other(&self) {
        if self.wake_one() {
            self.bump();
        }
    }

    /// Makes sure that another thread finds the worker that was just woken. Tokio keeps the task that was
    /// woken last for this thread (the LIFO slot), so this spawns a later one, which does nothing.
    fn bump(&self) {
        if self.on_tokio {
            tokio::spawn(ready(()));
        }
    }

    /// Wakes a task after the driver of the runtime has run. Tokio runs a task that wakes itself some
    /// sixty times before it polls the driver.
    pub(super) fn defer_task(&self, task: &mut TaskContext<'_>) {
        if self.on_tokio {
            let _ = pin!(yield_now()).poll(task);
        } else {
            task.waker().wake_by_ref();
        }
    }

    /// Wakes an idle worker; `false` if there is none.
    ///
    /// This always writes `parked`, as a worker does that parks and then checks the queues: the later of
    /// the two sees what the other did before.
    fn wake_one(&self) -> bool {
        let mut parked = self.parked.load(Ordering::Relaxed);
        loop {
            let bit = parked & parked.wrapping_neg();
            let before = self.parked.fetch_and(!bit, Ordering::AcqRel);
            if before & bit != 0 {
                self.wake(bit.trailing_zeros() as usize);
                return true;
            }
            if before == 0 {
                return false;
            }
            parked = before;
        }
    }

    fn wake(&self, index: usize) {
        if let Some(waker) = self.workers[index].waker.get() {
            waker.wake_by_ref();
        }
    }

    /// Returns true if there is one worker. A single worker sets no parked bit, since no other could be
    /// woken instead: it is woken in any case, and checks the queues again if that happens during a check.
    fn is_alone(&self) -> bool {
        self.workers.len() == 1
    }

    /// Clears the worker's parked bit; returns `false` if the bit was not set.
    fn unpark(&self, index: usize) -> bool {
        let bit = 1 << index;
        self.parked.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// Clears the parked bit of a worker that is polled.
    fn rise(&self, index: usize) {
        if self.parked.load(Ordering::Relaxed) & (1 << index) != 0 {
            self.unpark(index);
        }
    }

    /// Puts an actor into the shared queue.
    fn inject(self: &Arc<Self>, life: Box<ActorTask>) {
        // An overflow keeps its order: new actors go behind it.
        let life = match self.overflows.load(Ordering::Relaxed) {
            false => self.injected.push(life).err(),
            true => Some(life),
        };
        if let Some(life) = life {
            let mut overflow = lock(&self.overflow);
            overflow.push_back(life);
            self.overflows.store(true, Ordering::Relaxed);
        }
        self.start_sentinel();
        if !self.is_alone() {
            self.wake_one();
        } else if !self.workers[0].is_deferred() {
            self.wake(0);
        }
        if self.is_closed() {
            self.drop_injected();
        }
    }

    /// Returns true if the runtime is gone: parked actors have to be dropped.
    #[inline]
    pub(in crate::production) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Closes the dispatcher: nothing runs any more.
    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        // Written as by a worker that parks: either this sees the injected actor, or `inject` sees the end.
        self.parked.fetch_and(u64::MAX, Ordering::AcqRel);
        self.drop_injected();
    }

    fn drop_injected(&self) {
        let next = || self.injected.pop().or_else(|| self.take_overflow());
        while let Some(life) = next() {
            drop(life);
        }
    }

    fn take_overflow(&self) -> Option<Box<ActorTask>> {
        let mut overflow = lock(&self.overflow);
        let first = overflow.pop_front();
        if overflow.is_empty() {
            // Frees the memory.
            *overflow = VecDeque::new();
            self.overflows.store(false, Ordering::Relaxed);
        }
        first
    }

    /// Ends the workers, since no actor is left.
    pub(in crate::production) fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        for index in 0..self.workers.len() {
            if self.unpark(index) || self.is_alone() {
                self.wake(index);
            }
        }
    }

    pub(in crate::production) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Takes an actor out of the shared queue.
    #[inline]
    fn take(&self) -> Option<Box<ActorTask>> {
        if !self.injected.is_empty() {
            let injected = self.injected.pop();
            if injected.is_some() {
                return injected;
            }
        }
        let overflows = self.overflows.load(Ordering::Relaxed);
        overflows.then(|| self.take_overflow()).flatten()
    }

    /// Steals half of the queue of another worker.
    fn steal(&self, index: usize, queue: &Deque<Box<ActorTask>>) -> Option<Box<ActorTask>> {
        let count = self.workers.len();
        let others = (1..count).map(|next| &self.workers[(index + next) % count].queue);
        others
            .filter(|other| !other.is_empty())
            .find_map(|other| until_sure(|| other.steal_batch_and_pop(queue)))
    }

    /// Returns true if any queue holds an actor.
    pub(super) fn is_busy(&self) -> bool {
        let mut queues = self.workers.iter().map(|worker| &worker.queue);
        self.has_injected() || queues.any(|queue| !queue.is_empty())
    }

    /// Returns true if the shared queue holds an actor.
    fn has_injected(&self) -> bool {
        !self.injected.is_empty() || self.overflows.load(Ordering::Relaxed)
    }
}

/// The dispatcher as the sentinel sees it.
impl Dispatcher {
    /// Returns true if nothing runs any more.
    pub(super) fn is_done(&self) -> bool {
        self.is_closed() || self.is_over()
    }

    /// Returns the number of actors that each worker has run.
    pub(super) fn lives(&self) -> Vec<u32> {
        let workers = self.workers.iter();
        workers
            .map(|worker| worker.lives.load(Ordering::Relaxed))
            .collect()
    }

    /// Returns true if a worker with a non-empty queue, or for the shared queue all workers, made no
    /// progress.
    pub(super) fn is_stuck(&self, before: &QueueProgress, now: &QueueProgress) -> bool {
        let lives = before.workers.iter().zip(&now.workers);
        let mut queues = self.workers.iter().zip(lives);
        let kept = queues.any(|(worker, (before, now))| before == now && !worker.queue.is_empty());
        kept || before == now && self.has_injected()
    }

    /// Wakes an idle worker; returns `false` if there is none. Workers that yield may be queued on a blocked
    /// thread, so they are woken, too.
    pub(super) fn wake_who_rests(&self) -> bool {
        for (index, worker) in self.workers.iter().enumerate() {
            if worker.deferred.load(Ordering::Relaxed) {
                self.wake(index);
            }
        }
        self.wake_one()
    }

    /// Takes an actor out of any queue; the returned function runs it.
    pub(super) fn take_any(&self) -> Option<Box<dyn FnOnce()>> {
        let mut queues = self.workers.iter().map(|worker| &worker.queue);
        let steal = || queues.find_map(|queue| until_sure(|| queue.steal()));
        let life = self.take().or_else(steal)?;
        Some(Box::new(|| drop(catch_panic(|| life.run()))))
    }
}

fn until_sure<T>(steal: impl Fn() -> Steal<T>) -> Option<T> {
    loop {
        match steal() {
            Steal::Success(stolen) => return Some(stolen),
            Steal::Empty => return None,
            Steal::Retry => {}
        }
    }
}

impl WorkerHandle {
    /// Returns true if the worker will run later and check the queues then.
    #[inline]
    fn is_deferred(&self) -> bool {
        // A write, like the worker's before it checks the queues: the later one sees the other's.
        self.deferred.load(Ordering::Relaxed) && self.deferred.fetch_and(true, Ordering::AcqRel)
    }
}

impl DispatcherWorker {
    fn peer(&self) -> &WorkerHandle {
        &self.local.dispatcher.workers[self.index]
    }

    #[inline]
    fn next(&self) -> Option<Box<ActorTask>> {
        let WorkerQueue { dispatcher, queue } = &self.local;
        // Alternates, so that neither queue starves.
        let first = if self.injected.get() {
            None
        } else {
            dispatcher.take()
        };
        let local = match first {
            Some(_) => None,
            None => queue.pop(),
        };
        let injected = match local {
            Some(_) => None,
            None => first.or_else(|| dispatcher.take()),
        };
        self.injected.set(injected.is_some());
        let next = injected
            .or(local)
            .or_else(|| dispatcher.steal(self.index, queue))?;
        if dispatcher.parked.load(Ordering::Relaxed) != 0 && !queue.is_empty() {
            dispatcher.wake_other();
        }
        Some(next)
    }

    /// Parks the worker; returns `false` if there is something to do.
    fn park(&self) -> bool {
        let dispatcher = &*self.local.dispatcher;
        if dispatcher.is_alone() {
            return true;
        }
        let bit = 1 << self.index;
        dispatcher.parked.fetch_or(bit, Ordering::AcqRel);
        let stays = !dispatcher.is_busy() && !dispatcher.is_over();
        // A thread that cleared the bit has also woken this task, which does no harm.
        stays || !dispatcher.unpark(self.index)
    }

    /// Returns true if the worker's own queue or the shared queue holds an actor.
    fn has_more(&self) -> bool {
        let WorkerQueue { dispatcher, queue } = &self.local;
        !queue.is_empty() || dispatcher.has_injected()
    }

    /// Runs actors until there are none, or the worker has to yield.
    fn work(&self, task: &mut TaskContext<'_>) -> Poll<()> {
        let _shift = slice::begin(self.rested.replace(true));
        loop {
            let Some(life) = self.next() else {
                if self.local.dispatcher.is_over() {
                    return Poll::Ready(());
                }
                if self.park() {
                    return Poll::Pending;
                }
                continue;
            };
            let lives = &self.peer().lives;
            lives.store(
                lives.load(Ordering::Relaxed).wrapping_add(1),
                Ordering::Relaxed,
            );
            // Nothing should panic here; if something does, the other actors go on.
            drop(catch_panic(|| life.run()));
            if slice::is_over() {
                self.yield_to(task, YieldTo::All);
                return Poll::Pending;
            }
            if self.injected.get() || !coop::has_budget_remaining() {
                self.yield_to(task, YieldTo::Tasks);
                return Poll::Pending;
            }
        }
    }

    /// Yields if there is more to do; otherwise parks.
    fn yield_to(&self, task: &mut TaskContext<'_>, others: YieldTo) {
        if !self.has_more() && self.park() {
            return;
        }
        match others {
            YieldTo::All => {
                self.peer().deferred.store(true, Ordering::Release);
                self.local.dispatcher.defer_task(task);
            }
            YieldTo::Tasks => {
                self.rested.set(false);
                task.waker().wake_by_ref();
            }
        }
    }
}

/// The tasks that a worker yields to.
enum YieldTo {
    /// Yields to tasks that wait for this thread.
    Tasks,
    /// Yields to these tasks, to timers and to sockets.
    All,
}

impl Future for DispatcherWorker {
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        let worker = &*self;
        let dispatcher = &*worker.local.dispatcher;
        let peer = worker.peer();
        if peer.deferred.load(Ordering::Relaxed) {
            peer.deferred.swap(false, Ordering::AcqRel);
        }
        if peer.waker.get().is_none() && peer.waker.set(task.waker().clone()).is_ok() {
            // A thread that found no waker just before relies on a later poll of this task.
            task.waker().wake_by_ref();
        }
        dispatcher.rise(worker.index);
        LOCAL.set(&worker.local, || worker.work(task))
    }
}

impl Drop for DispatcherWorker {
    /// Closes the dispatcher if the runtime is gone: actors are dropped, now or when they would park.
    fn drop(&mut self) {
        let WorkerQueue { dispatcher, queue } = &self.local;
        if dispatcher.is_over() {
            return;
        }
        dispatcher.close();
        while let Some(life) = queue.pop() {
            drop(life);
        }
        if let Some(holder) = self.holder.upgrade() {
            holder.registry.drop_parked();
        }
    }
}
