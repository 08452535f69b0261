//! Who runs next: [`Dispatcher`], the run queues of one system.
//!
//! An actor is not a task of the runtime. It is a life, something to [`Run`], which lies in its own mailbox while it
//! waits; whoever sends to it takes it out and puts it into a run queue. A few tasks of the runtime,
//! one for each of its threads, take lives out and run them: the [`Worker`]s. Each has a queue of
//! its own, into which goes what the actors that it runs rouse, and from which others steal when
//! they have nothing to do; what is roused elsewhere goes into one queue for all.
//!
//! Queues are first in, first out; a worker takes from its own and from that for all in turns. It
//! lets the other tasks of its runtime run after so much time, the runtime's driver included; and the
//! tasks alone when tokio says that it has used up its share, and after each life that a task has
//! roused: others like that one may wait for this thread.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::{Future, ready};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::task::{Context as TaskContext, Poll, Waker};

use crossbeam_deque::{Steal, Stealer, Worker as Deque};
use crossbeam_queue::ArrayQueue;
use scoped_tls::ScopedKey;
use tokio::runtime::Handle;
use tokio::task::{coop, yield_now};

use super::sentinel::{self, Progress, Queues, Vigil};
use crate::contained::contained;
use crate::production::host::executor::Executor;
use crate::production::host::{lock, slice};

/// How many lives the quicker of the queues for all holds.
const ROOM: usize = 256;

/// No more workers than there are bits for them.
const MOST: usize = 64;

/// A life: what is queued and run.
pub(crate) trait Run: Send + Sized + 'static {
    /// Runs until it waits or is over.
    fn run(self: Box<Self>);
    /// Has it run where it is to run: by this dispatcher, unless it has a place of its own.
    fn dispatch(self: Box<Self>, dispatcher: &Arc<Dispatcher<Self>>);
    /// The queue of the worker that is polled on this thread.
    fn local() -> &'static ScopedKey<Local<Self>>;
}

/// Who holds the lives that wait.
pub(in crate::production) trait Holds: Send + Sync {
    /// The runtime is gone: drops them, since nobody will run them.
    fn drop_parked(&self);
}

pub(crate) struct Dispatcher<L> {
    /// What was roused elsewhere than on a worker.
    injected: ArrayQueue<Box<L>>,
    /// What did not fit in there.
    overflow: Mutex<VecDeque<Box<L>>>,
    /// Whether anything is in there. Written under its lock; who reads it without may be late.
    overflows: AtomicBool,
    workers: Box<[Peer<L>]>,
    /// The workers that have nothing to do, a bit each.
    parked: AtomicU64,
    /// The workers are tasks of tokio.
    on_tokio: bool,
    /// Where substitutes run; `None` where none is of use.
    runtime: Option<Handle>,
    /// The [sentinel](super::sentinel)'s.
    vigil: Vigil,
    /// No actor is left, nor will there be one.
    over: AtomicBool,
    /// The runtime is gone.
    closed: AtomicBool,
}

/// A worker, as others see it.
struct Peer<L> {
    queue: Stealer<Box<L>>,
    /// Of its task, which always has the same; `None` before its first poll.
    waker: OnceLock<Waker>,
    /// It lets the driver of the runtime run, and runs again then.
    deferred: AtomicBool,
    /// How many lives it has run.
    lives: AtomicU32,
}

/// One of the tasks that run lives.
struct Worker<L: Run> {
    local: Local<L>,
    index: usize,
    /// The life that it ran last was in the queue for all.
    injected: Cell<bool>,
    /// The driver of the runtime has run, or may have, since it ran last.
    rested: Cell<bool>,
    /// Who holds the lives that wait.
    holder: Weak<dyn Holds>,
}

/// The queue of one worker.
pub(crate) struct Local<L> {
    dispatcher: Arc<Dispatcher<L>>,
    queue: Deque<Box<L>>,
}

/// A dispatcher, and the queues for its workers.
pub(in crate::production) fn new<L: Run>(
    executor: &Executor,
) -> (Arc<Dispatcher<L>>, Vec<Deque<Box<L>>>) {
    let workers = executor.threads().min(MOST);
    let queues: Vec<_> = (0..workers).map(|_| Deque::new_fifo()).collect();
    let peer = |queue: &Deque<_>| Peer {
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
        vigil: Vigil::new(runtime.is_some()),
        runtime,
        over: AtomicBool::new(false),
        closed: AtomicBool::new(false),
    };
    (Arc::new(dispatcher), queues)
}

/// Starts the workers of a system.
pub(in crate::production) fn start<L: Run>(
    dispatcher: &Arc<Dispatcher<L>>,
    queues: Vec<Deque<Box<L>>>,
    executor: &Executor,
    holder: &Weak<dyn Holds>,
) {
    for (index, queue) in queues.into_iter().enumerate() {
        executor.spawn(Worker {
            local: Local {
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

impl<L: Run> Dispatcher<L> {
    /// Has a life run; it is dropped where the runtime is gone.
    #[inline]
    pub(in crate::production) fn dispatch(self: &Arc<Self>, life: Box<L>) {
        let key = L::local();
        if !key.is_set() {
            return self.inject(life);
        }
        key.with(|Local { dispatcher, queue }| {
            if !Arc::ptr_eq(dispatcher, self) {
                return self.inject(life);
            }
            queue.push(life);
            self.see_to_it();
            self.share(queue);
        });
    }

    /// Something was queued: the sentinel looks after it.
    #[inline]
    fn see_to_it(self: &Arc<Self>) {
        if self.vigil.begins() {
            sentinel::watch(self.clone());
        }
    }

    /// Wakes a worker that has nothing to do where this one has several lives to run. Where that is
    /// missed for once, it is made up for at the next life.
    #[inline]
    fn share(&self, queue: &Deque<Box<L>>) {
        if self.parked.load(Ordering::Relaxed) != 0 && queue.len() > 1 {
            self.wake_other();
        }
    }

    /// As [`wake_one`](Self::wake_one), from a worker, which may not return for long.
    fn wake_other(&self) {
        if self.wake_one() {
            self.bump();
        }
    }

    /// Makes sure that another thread finds the worker that was just woken. Tokio keeps the task that
    /// was woken last for this thread; so there is to be a later one, which does nothing.
    fn bump(&self) {
        if self.on_tokio {
            tokio::spawn(ready(()));
        }
    }

    /// Has a task run again when the driver of the runtime has run. A task that wakes itself is run by
    /// tokio some sixty times before.
    fn defer_task(&self, task: &mut TaskContext<'_>) {
        if self.on_tokio {
            let _ = pin!(yield_now()).poll(task);
        } else {
            task.waker().wake_by_ref();
        }
    }

    /// Wakes a worker that has nothing to do; `false` where there is none.
    ///
    /// It changes `parked` in any case, as a worker does that parks and then looks at the queues: the
    /// later of the two sees what the other did before.
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

    /// There is one worker. It does not say when it parks, since there is no other to be woken
    /// instead: it is woken in any case, and where that happens while it looks, it looks again.
    fn is_alone(&self) -> bool {
        self.workers.len() == 1
    }

    /// `false` where the worker has something to do.
    fn unpark(&self, index: usize) -> bool {
        let bit = 1 << index;
        self.parked.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// The worker is polled, whoever woke it.
    fn rise(&self, index: usize) {
        if self.parked.load(Ordering::Relaxed) & (1 << index) != 0 {
            self.unpark(index);
        }
    }

    /// Puts a life into the queue for all.
    fn inject(self: &Arc<Self>, life: Box<L>) {
        // Behind what has not fit in before.
        let life = match self.overflows.load(Ordering::Relaxed) {
            false => self.injected.push(life).err(),
            true => Some(life),
        };
        if let Some(life) = life {
            let mut overflow = lock(&self.overflow);
            overflow.push_back(life);
            self.overflows.store(true, Ordering::Relaxed);
        }
        self.see_to_it();
        if !self.is_alone() {
            self.wake_one();
        } else if !self.workers[0].is_deferred() {
            self.wake(0);
        }
        if self.is_closed() {
            self.drop_injected();
        }
    }

    /// The runtime is gone: what waits stays, and is to be dropped.
    #[inline]
    pub(in crate::production) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Runs nothing any more.
    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        // As a worker that parks: either this sees what is injected, or that sees the end.
        self.parked.fetch_and(u64::MAX, Ordering::AcqRel);
        self.drop_injected();
    }

    fn drop_injected(&self) {
        let next = || self.injected.pop().or_else(|| self.take_overflow());
        while let Some(life) = next() {
            drop(life);
        }
    }

    fn take_overflow(&self) -> Option<Box<L>> {
        let mut overflow = lock(&self.overflow);
        let first = overflow.pop_front();
        if overflow.is_empty() {
            // Its memory is given back.
            *overflow = VecDeque::new();
            self.overflows.store(false, Ordering::Relaxed);
        }
        first
    }

    /// Has the workers end: no actor is left.
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

    /// Takes a life out of the queues for all.
    #[inline]
    fn take(&self) -> Option<Box<L>> {
        if !self.injected.is_empty() {
            let injected = self.injected.pop();
            if injected.is_some() {
                return injected;
            }
        }
        let overflows = self.overflows.load(Ordering::Relaxed);
        overflows.then(|| self.take_overflow()).flatten()
    }

    /// Takes half of what another worker has queued.
    fn steal(&self, index: usize, queue: &Deque<Box<L>>) -> Option<Box<L>> {
        let count = self.workers.len();
        let others = (1..count).map(|next| &self.workers[(index + next) % count].queue);
        others
            .filter(|other| !other.is_empty())
            .find_map(|other| until_sure(|| other.steal_batch_and_pop(queue)))
    }

    /// There is something to run.
    fn is_busy(&self) -> bool {
        let mut queues = self.workers.iter().map(|worker| &worker.queue);
        self.has_injected() || queues.any(|queue| !queue.is_empty())
    }

    /// There is something in the queues for all.
    fn has_injected(&self) -> bool {
        !self.injected.is_empty() || self.overflows.load(Ordering::Relaxed)
    }
}

/// To the sentinel.
impl<L: Run> Queues for Dispatcher<L> {
    fn runtime(&self) -> Option<&Handle> {
        self.runtime.as_ref()
    }

    fn vigil(&self) -> &Vigil {
        &self.vigil
    }

    fn is_done(&self) -> bool {
        self.is_closed() || self.is_over()
    }

    fn is_closed(&self) -> bool {
        Self::is_closed(self)
    }

    fn has_work(&self) -> bool {
        self.is_busy()
    }

    fn lives(&self) -> Vec<u32> {
        let workers = self.workers.iter();
        workers
            .map(|worker| worker.lives.load(Ordering::Relaxed))
            .collect()
    }

    fn is_stuck(&self, before: &Progress, now: &Progress) -> bool {
        let lives = before.workers.iter().zip(&now.workers);
        let mut queues = self.workers.iter().zip(lives);
        let kept = queues.any(|(worker, (before, now))| before == now && !worker.queue.is_empty());
        kept || before == now && self.has_injected()
    }

    /// Those that let others run may lie on a thread that is kept.
    fn wake_who_rests(&self) -> bool {
        for (index, worker) in self.workers.iter().enumerate() {
            if worker.deferred.load(Ordering::Relaxed) {
                self.wake(index);
            }
        }
        self.wake_one()
    }

    fn take_any(&self) -> Option<Box<dyn FnOnce()>> {
        let mut queues = self.workers.iter().map(|worker| &worker.queue);
        let steal = || queues.find_map(|queue| until_sure(|| queue.steal()));
        let life = self.take().or_else(steal)?;
        Some(Box::new(|| drop(contained(|| life.run()))))
    }

    fn defer(&self, task: &mut TaskContext<'_>) {
        self.defer_task(task);
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

impl<L> Peer<L> {
    /// It runs later, and looks at the queues then.
    #[inline]
    fn is_deferred(&self) -> bool {
        // That changes it, as its worker does before it looks: the later sees what the other did.
        self.deferred.load(Ordering::Relaxed) && self.deferred.fetch_and(true, Ordering::AcqRel)
    }
}

impl<L: Run> Worker<L> {
    fn peer(&self) -> &Peer<L> {
        &self.local.dispatcher.workers[self.index]
    }

    #[inline]
    fn next(&self) -> Option<Box<L>> {
        let Local { dispatcher, queue } = &self.local;
        // In turns, so that neither queue holds up the other.
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

    /// Waits for something to do; `false` where there is something.
    fn park(&self) -> bool {
        let dispatcher = &*self.local.dispatcher;
        if dispatcher.is_alone() {
            return true;
        }
        let bit = 1 << self.index;
        dispatcher.parked.fetch_or(bit, Ordering::AcqRel);
        let stays = !dispatcher.is_busy() && !dispatcher.is_over();
        // Whoever takes the bit away wakes this task, which is no harm.
        stays || !dispatcher.unpark(self.index)
    }

    /// There is something to run without a look at what others have queued.
    fn has_more(&self) -> bool {
        let Local { dispatcher, queue } = &self.local;
        !queue.is_empty() || dispatcher.has_injected()
    }

    /// Runs lives until there are none, or others are to run.
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
            // Nothing is left to panic here; but if something does, the other actors are to go on.
            drop(contained(|| life.run()));
            if slice::is_over() {
                self.yield_to(task, Others::All);
                return Poll::Pending;
            }
            if self.injected.get() || !coop::has_budget_remaining() {
                self.yield_to(task, Others::Tasks);
                return Poll::Pending;
            }
        }
    }

    /// Lets others run where there is more to do; else waits.
    fn yield_to(&self, task: &mut TaskContext<'_>, others: Others) {
        if !self.has_more() && self.park() {
            return;
        }
        match others {
            Others::All => {
                self.peer().deferred.store(true, Ordering::Release);
                self.local.dispatcher.defer_task(task);
            }
            Others::Tasks => {
                self.rested.set(false);
                task.waker().wake_by_ref();
            }
        }
    }
}

/// Whom a worker lets run.
enum Others {
    /// Tasks that wait for this thread.
    Tasks,
    /// These, timers and sockets.
    All,
}

impl<L: Run> Future for Worker<L> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        let worker = &*self;
        let dispatcher = &*worker.local.dispatcher;
        let peer = worker.peer();
        if peer.deferred.load(Ordering::Relaxed) {
            peer.deferred.swap(false, Ordering::AcqRel);
        }
        if peer.waker.get().is_none() && peer.waker.set(task.waker().clone()).is_ok() {
            // Who has found no waker just before relies on this task's being polled later.
            task.waker().wake_by_ref();
        }
        dispatcher.rise(worker.index);
        L::local().set(&worker.local, || worker.work(task))
    }
}

impl<L: Run> Drop for Worker<L> {
    /// It is over, or the runtime is gone: then every actor is dropped, now or when it is next to
    /// wait.
    fn drop(&mut self) {
        let Local { dispatcher, queue } = &self.local;
        if dispatcher.is_over() {
            return;
        }
        dispatcher.close();
        while let Some(life) = queue.pop() {
            drop(life);
        }
        if let Some(holder) = self.holder.upgrade() {
            holder.drop_parked();
        }
    }
}
