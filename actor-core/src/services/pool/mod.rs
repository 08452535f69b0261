//! Worker pools, and the routing of events to workers: [`Pool`].

mod elastic;
mod events;
mod places;
mod rebalancing;

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::elastic::Elastic;
use self::events::{CountedEvent, EventHandled, PoolJob};
use self::places::place;
use self::rebalancing::Rebalancing;
use crate::actor::Scope;
use crate::actor::{AcceptedBy, Actor, ActorRef, Context};
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;
use crate::panics::lock;
use crate::slab::Slot;

/// A reference to a [`Pool`] of `A`s.
pub type PoolRef<A> = ActorRef<Pool<A>>;

/// An actor that routes each event to one of several actors of one type, its *workers*.
///
/// A pool is spawned like any actor, and used by an [`ActorRef`], called [`PoolRef`]: it supports `tell`,
/// `ask`, names, watching and registration. An asker gets the worker's reply.
///
/// The kind of the pool determines the worker of an event: [round robin](Pool::round_robin), [the least
/// busy](Pool::least_busy) or [by a key](Pool::keyed). Events from one sender to one worker keep their order;
/// between workers there is no order. Workers have 253 types of events at most; more is a compile error.
///
/// A worker that fails or halts is restarted, without limit, and affects no other worker. Like any
/// [supervised child](crate::Spawner::spawn_with) it keeps its inbox: the event at which it failed is lost,
/// and its asker gets an error; the restarted worker handles the later events. A worker that was stopped, or
/// that ends during its start, stays down, and its inbox is lost as with any actor; a new worker replaces it
/// when the next event is routed there.
///
/// Workers end with their pool, and before it, as the children of any supervisor. When the pool is stopped,
/// each worker first handles the events that were routed to it, and askers get their replies.
///
/// A pool has as many workers as it was created with, until it is [resized](ActorRef::resize); a least-busy
/// pool may be [elastic](Pool::elastic).
///
/// ```
/// use actor_core::services::Pool;
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Square(u64);
///
/// struct Worker;
///
/// #[actor]
/// impl Worker {
///     #[on]
///     fn square(&mut self, square: Square) -> u64 {
///         square.0 * square.0
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let pool = sys.spawn(Pool::round_robin(4, |_| Worker));
/// assert_eq!(pool.ask(Square(7)).await, Ok(49));
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Pool<A: Actor> {
    first: usize,
    /// Creates the worker with that index, when it is started and when it is restarted.
    make: Arc<Mutex<Make<A>>>,
    workers: Vec<PoolWorker<A>>,
    /// The number of unhandled events and the index of each worker; unused unless the kind is least busy.
    order: BTreeSet<(usize, usize)>,
    kind: PoolKind,
    turn: usize,
    elastic: Option<Elastic>,
    /// The keys that move to other workers, in a resizable keyed pool.
    moving: Option<Rebalancing<A>>,
    /// A token, cloned for each counted event until its end is reported to the pool.
    open: Arc<()>,
}

struct PoolWorker<A: Actor> {
    actor: ActorRef<A>,
    /// The number of events that the worker has not handled yet, for the kinds that count.
    busy: usize,
    /// The time since which the worker is idle, in an elastic pool.
    idle_since: Duration,
}

type Make<A> = Box<dyn FnMut(usize) -> A + Send>;

enum PoolKind {
    RoundRobin,
    LeastBusy,
    Keyed(Vec<Key>),
}

/// A function that hashes the key of an event of one type; `None` for any other type.
type Key = Box<dyn Fn(&dyn Any) -> Option<u64> + Send>;

impl<A: Actor> Pool<A> {
    /// Returns a pool that routes each event to the next worker, in turn. `make` creates the workers, also
    /// for a restart, and gets the worker's index, from zero.
    ///
    /// # Panics
    ///
    /// If the number of workers is zero.
    #[track_caller]
    pub fn round_robin(workers: usize, make: impl FnMut(usize) -> A + Send + 'static) -> Self {
        Self::new(workers, Box::new(make), PoolKind::RoundRobin)
    }

    /// Returns a pool that routes each event to the worker with the fewest unhandled events from this pool;
    /// to the first of several such workers.
    ///
    /// The pool counts by itself: the end of each handler is an event to it, so this kind costs more than the
    /// others, and more steps under test. Events that reach a worker past the pool are not counted. If the
    /// worker fails at the event, or stops before, the asker gets
    /// [`AskError::Dropped`](crate::AskError::Dropped).
    ///
    /// ```
    /// use actor_core::services::Pool;
    /// use actor_core::prelude::*;
    /// # #[derive(Debug)]
    /// # struct Render(u32);
    /// # struct Renderer;
    /// # #[actor]
    /// # impl Renderer {
    /// #     #[on]
    /// #     async fn render(&mut self, render: Render) -> u32 { render.0 }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let pool = sys.spawn(Pool::least_busy(4, |_| Renderer));
    /// assert_eq!(pool.ask(Render(7)).await, Ok(7));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the number of workers is zero.
    #[track_caller]
    pub fn least_busy(workers: usize, make: impl FnMut(usize) -> A + Send + 'static) -> Self {
        Self::new(workers, Box::new(make), PoolKind::LeastBusy)
    }

    /// Returns a pool that routes events with the same key to the same worker, in order. The worker of a key
    /// is the same in every run. Events of types without a key, see [`by`](Pool::by), are routed round robin.
    ///
    /// ```
    /// use actor_core::services::Pool;
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Deposit(&'static str, u64);
    /// # struct Accounts;
    /// # #[actor]
    /// # impl Accounts {
    /// #     #[on]
    /// #     fn deposit(&mut self, deposit: Deposit) -> u64 { deposit.1 }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let pool = Pool::keyed(4, |_| Accounts).by(|deposit: &Deposit| deposit.0);
    /// let pool = sys.spawn(pool);
    /// assert_eq!(pool.ask(Deposit("ada", 7)).await, Ok(7));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the number of workers is zero.
    #[track_caller]
    pub fn keyed(workers: usize, make: impl FnMut(usize) -> A + Send + 'static) -> Self {
        Self::new(workers, Box::new(make), PoolKind::Keyed(Vec::new()))
    }

    /// Defines the key of events of type `E`, in a [keyed](Pool::keyed) pool. Equal keys of different event
    /// types are one key.
    ///
    /// # Panics
    ///
    /// If the pool is of another kind.
    #[must_use]
    #[track_caller]
    pub fn by<E: AcceptedBy<A>, K: Hash>(mut self, key: impl Fn(&E) -> K + Send + 'static) -> Self {
        let PoolKind::Keyed(keys) = &mut self.kind else {
            panic!("only the events of a keyed pool have keys");
        };
        keys.push(Box::new(move |event| {
            let mut to = Fingerprinter::new();
            key(event.downcast_ref()?).hash(&mut to);
            Some(to.finish())
        }));
        self
    }

    /// Lets a [keyed](Pool::keyed) pool be [resized](ActorRef::resize).
    ///
    /// A key may then move to another worker, and its events still keep their order: as long as the former
    /// worker has events of that key, later ones wait in the pool. As few keys move as possible. For that the
    /// pool counts unhandled events, as [`least_busy`](Pool::least_busy) does, at the same cost.
    ///
    /// # Panics
    ///
    /// If the pool is of another kind; the other kinds are always resizable.
    ///
    /// ```
    /// use actor_core::services::Pool;
    /// use actor_core::prelude::*;
    ///
    /// # #[derive(Debug)]
    /// # struct Deposit(&'static str, u64);
    /// # struct Accounts;
    /// # #[actor]
    /// # impl Accounts {
    /// #     #[on]
    /// #     fn deposit(&mut self, deposit: Deposit) -> u64 { deposit.1 }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let pool = Pool::keyed(4, |_| Accounts).by(|deposit: &Deposit| deposit.0);
    /// let pool = sys.spawn(pool.resizable());
    /// pool.tell(Deposit("ada", 1));
    /// pool.resize(8);
    /// assert_eq!(pool.ask(Deposit("ada", 7)).await, Ok(7)); // handled after the other
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    #[track_caller]
    pub fn resizable(mut self) -> Self {
        let is_keyed = matches!(self.kind, PoolKind::Keyed(_));
        assert!(is_keyed, "only keyed pools are notified of a resize");
        self.moving = Some(Rebalancing::default());
        self
    }

    /// Lets a [least-busy](Pool::least_busy) pool grow and shrink by itself. If an event arrives while every
    /// worker is busy, a new worker is started, up to `max`. If the last worker has been idle for `idle`, it
    /// is stopped, down to the initial number.
    ///
    /// ```
    /// use actor_core::services::Pool;
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// # #[derive(Debug)]
    /// # struct Render(u32);
    /// # struct Renderer;
    /// # #[actor]
    /// # impl Renderer {
    /// #     #[on]
    /// #     async fn render(&mut self, render: Render) -> u32 { render.0 }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let pool = Pool::least_busy(1, |_| Renderer).elastic(8, Duration::from_secs(30));
    /// let pool = sys.spawn(pool);
    /// let both = [pool.ask(Render(1)), pool.ask(Render(2))]; // at once, by two
    /// for (answer, number) in both.into_iter().zip([1, 2]) {
    ///     assert_eq!(answer.await, Ok(number));
    /// }
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool is of another kind, or if `max` is less than the initial number of workers.
    #[must_use]
    #[track_caller]
    pub fn elastic(mut self, max: usize, idle: Duration) -> Self {
        let is_counted = matches!(self.kind, PoolKind::LeastBusy);
        assert!(
            is_counted,
            "only a pool that takes the least busy knows who is"
        );
        assert!(
            max >= self.first,
            "a pool of {} has no fewer than that: {max}",
            self.first
        );
        self.elastic = Some(Elastic::new(max, idle));
        self
    }

    /// Returns the number of workers now, for a test's predicate.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    #[track_caller]
    fn new(first: usize, make: Make<A>, kind: PoolKind) -> Self {
        assert!(first > 0, "a pool has one worker at least");
        Self {
            first,
            make: Arc::new(Mutex::new(make)),
            workers: Vec::new(),
            order: BTreeSet::new(),
            kind,
            turn: 0,
            elastic: None,
            moving: None,
            open: Arc::new(()),
        }
    }

    fn start(&mut self, cx: &mut Context<Self>) {
        self.grow(self.first, cx);
    }

    fn grow(&mut self, size: usize, cx: &mut Context<Self>) {
        let idle_since = match self.elastic {
            Some(_) => cx.now(),
            None => Duration::ZERO,
        };
        for index in self.workers.len()..size {
            let actor = self.spawn_worker(index, cx);
            self.workers.push(PoolWorker {
                actor,
                busy: 0,
                idle_since,
            });
            self.order.insert((0, index));
        }
    }

    fn spawn_worker(&self, index: usize, cx: &mut Context<Self>) -> ActorRef<A> {
        let make = self.make.clone();
        let make = move || lock(&make)(index);
        cx.spawner().worker().spawn_with(make)
    }

    fn resize(&mut self, size: usize, cx: &mut Context<Self>) {
        if matches!(self.kind, PoolKind::Keyed(_)) && self.moving.is_none() {
            cx.report("a keyed pool keeps its size unless it is made `resizable()`");
            return;
        }
        self.grow(size, cx);
        while self.workers.len() > size {
            self.stop_last_worker();
        }
        self.turn %= self.workers.len();
        self.watch_for_idle(cx);
    }

    /// Stops the last worker, once it has handled all events that were routed to it.
    fn stop_last_worker(&mut self) {
        let Some(worker) = self.workers.pop() else {
            return;
        };
        self.order.remove(&(worker.busy, self.workers.len()));
        let stays = self
            .moving
            .as_mut()
            .is_some_and(|moving| moving.leaves(&worker.actor));
        if !stays {
            worker.actor.stop();
        }
    }

    /// Returns the worker at that index, after replacing a stopped one.
    fn worker(&mut self, index: usize, cx: &mut Context<Self>) -> &ActorRef<A> {
        if self.workers[index].actor.target().has_stopped() {
            let actor = self.spawn_worker(index, cx);
            self.set_busy(index, 0);
            self.workers[index].actor = actor;
        }
        &self.workers[index].actor
    }

    fn route(&mut self, job: PoolJob<A>, cx: &mut Context<Self>) {
        match &self.kind {
            PoolKind::RoundRobin => {
                let index = self.next_turn();
                self.pass(index, job, cx);
            }
            PoolKind::LeastBusy => {
                let index = self.least_busy_now(cx);
                self.worker(index, cx);
                self.set_busy(index, self.workers[index].busy + 1);
                let ticket = self.ticket(index, None);
                (job.count)(job.message, ticket, &self.workers[index].actor, cx);
            }
            PoolKind::Keyed(keys) => {
                let event = A::__event(&job.message);
                match (keys.iter().find_map(|key| key(event)), &self.moving) {
                    (None, _) => {
                        let index = self.next_turn();
                        self.pass(index, job, cx);
                    }
                    (Some(key), None) => self.pass((key % self.first as u64) as usize, job, cx),
                    (Some(key), Some(_)) => self.hand_out_by(key, job, cx),
                }
            }
        }
    }

    fn pass(&mut self, index: usize, job: PoolJob<A>, cx: &mut Context<Self>) {
        let worker = self.worker(index, cx);
        worker.target().pass_on::<A>(&mut Slot::Full(job.message));
    }

    /// Routes an event by its key, or keeps it until the key's former worker has handled its events.
    fn hand_out_by(&mut self, key: u64, job: PoolJob<A>, cx: &mut Context<Self>) {
        let index = place(key, self.first, self.workers.len());
        let worker = self.worker(index, cx).clone();
        let moving = self.moving.as_mut().expect("keys are counted");
        if let Some(job) = moving.enter(key, &worker, job) {
            let ticket = self.ticket(index, Some(key));
            (job.count)(job.message, ticket, &worker, cx);
        }
    }

    fn ticket(&self, index: usize, key: Option<u64>) -> CountedEvent {
        CountedEvent {
            index,
            key,
            _open: self.open.clone(),
        }
    }

    /// Returns true if the end of a counted event was not yet reported.
    fn has_open(&self) -> bool {
        Arc::strong_count(&self.open) > 1
    }

    fn next_turn(&mut self) -> usize {
        let turn = self.turn;
        self.turn = (turn + 1) % self.workers.len();
        turn
    }

    fn least_busy_now(&mut self, cx: &mut Context<Self>) -> usize {
        let (busy, index) = self.order.first().copied().unwrap_or_default();
        let size = self.workers.len();
        match &self.elastic {
            Some(elastic) if busy > 0 && size < elastic.max() => {
                self.grow(size + 1, cx);
                size
            }
            _ => index,
        }
    }

    fn set_busy(&mut self, index: usize, busy: usize) {
        let before = std::mem::replace(&mut self.workers[index].busy, busy);
        self.order.remove(&(before, index));
        self.order.insert((busy, index));
    }

    fn done(&mut self, done: EventHandled, cx: &mut Context<Self>) {
        match done.ticket {
            CountedEvent { key: Some(key), .. } => self.key_done(key, done.worker, cx),
            CountedEvent {
                index, key: None, ..
            } => {
                // The worker at that index may be a replacement, or none.
                let worker = self.workers.get(index);
                let known = worker.filter(|worker| worker.actor.id() == done.worker);
                if let Some(busy) = known.map(|worker| worker.busy) {
                    self.set_busy(index, busy - 1);
                    self.may_be_idle(index, cx);
                }
            }
        }
        if let Some(error) = done.failure {
            cx.report(&format!("`{}` was answered with Err({error})", done.event));
        }
    }

    fn key_done(&mut self, key: u64, by: ActorId, cx: &mut Context<Self>) {
        let Some(moving) = &mut self.moving else {
            return;
        };
        let (waiting, left) = moving.done(key, by);
        if let Some(left) = left {
            left.stop();
        }
        for job in waiting {
            self.hand_out_by(key, job, cx);
        }
    }
}

impl<A: Actor> Pool<A> {
    /// Feeds the workers, their counts and the turn. Returns false if the fingerprint is incomplete: for an
    /// elastic pool, whose behaviour depends on idle times, and for waiting events without a fingerprint.
    fn fingerprinted(&self, to: &mut Fingerprinter) -> bool {
        to.write_usize(self.turn);
        for worker in &self.workers {
            worker.actor.fingerprint(to);
            to.write_usize(worker.busy);
        }
        let moving = self.moving.as_ref();
        self.elastic.is_none() && moving.is_none_or(|moving| moving.fingerprint(to))
    }
}

impl<A: Actor> ActorRef<Pool<A>> {
    /// Resizes the pool, when it handles this request among its events. New workers are started at once.
    /// Surplus workers, the last ones, are each stopped after the events that were routed to them.
    ///
    /// A [keyed](Pool::keyed) pool must be [`resizable`](Pool::resizable); otherwise it keeps its size, and
    /// reports that. An [elastic](Pool::elastic) pool continues to grow and shrink from there.
    ///
    /// # Panics
    ///
    /// If the number of workers is zero.
    #[track_caller]
    pub fn resize(&self, workers: usize) {
        assert!(workers > 0, "a pool has one worker at least");
        self.target()
            .post::<Pool<A>>(&mut Slot::Full(events::resize(workers)));
    }
}

impl<A: Actor> fmt::Debug for Pool<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("workers", &self.workers.len())
            .finish_non_exhaustive()
    }
}
