//! Several actors of one type that share their work: [`Pool`]. Here is which worker an event goes to.

mod elastic;
mod events;
mod moving;
mod places;

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::elastic::Elastic;
use self::events::{Done, Job, Ticket};
use self::moving::Moving;
use self::places::place;
use crate::actor::{AcceptedBy, Actor, ActorRef, Context};
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;
use crate::slab::Slot;

/// A reference to a pool of such workers.
pub type PoolRef<A> = ActorRef<Pool<A>>;

/// Several actors of one type, its *workers*, behind one: an actor that handles what they handle and
/// hands each event to one of them.
///
/// A pool is spawned as any actor and known by an [`ActorRef`], called [`PoolRef`]: it is told and
/// asked, named, watched and registered as any. Who asks gets the worker's reply.
///
/// Which worker an event goes to is the kind of the pool: [in turn](Pool::round_robin), [the least
/// busy](Pool::least_busy) or [by a key](Pool::keyed). Events from one sender to one
/// worker keep their order; between workers there is none. They handle 253 types of events at most;
/// more is an error where the pool is compiled.
///
/// A worker that fails or halts is brought back, however often, and takes no other with it. As any
/// [supervised child](crate::Spawner::spawn_with) it keeps its inbox: the event at which it failed is gone,
/// and who asked is told; what was handed to it after that, the new worker handles. One that was stopped,
/// or that ends before its start is over, stays down, and what was in its inbox is lost as with any actor;
/// a new one replaces it when its turn comes.
///
/// Workers end with their pool, and before it, as the children of any supervisor: where it is stopped, each
/// has handled what it was handed by then, and who asked gets the answer.
///
/// A pool has as many workers as it is made with, until it is [resized](ActorRef::resize); one that
/// takes the least busy may be [elastic](Pool::elastic).
///
/// ```
/// use actor_core::Pool;
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
    /// How many workers there are at first.
    first: usize,
    /// Makes the worker of a place, when it is started and when it is brought back.
    make: Arc<Mutex<Make<A>>>,
    workers: Vec<Worker<A>>,
    /// How busy each is, and which it is; of the kind for which that matters.
    order: BTreeSet<(usize, usize)>,
    kind: Kind,
    /// Whose turn is next.
    turn: usize,
    /// Where there may be more and fewer as they are busy.
    elastic: Option<Elastic>,
    /// Where keys may move to other workers.
    moving: Option<Moving<A>>,
    /// Held by each event that was counted and that the pool has not heard of since.
    open: Arc<()>,
}

struct Worker<A: Actor> {
    actor: ActorRef<A>,
    /// How many events it was handed and has not handled yet; counted where that matters.
    busy: usize,
    /// Since when it has none; known where that matters.
    idle_since: Duration,
}

type Make<A> = Box<dyn FnMut(usize) -> A + Send>;

enum Kind {
    RoundRobin,
    LeastBusy,
    Keyed(Vec<Key>),
}

/// Hashes the key of an event of one type; `None` for any other.
type Key = Box<dyn Fn(&dyn Any) -> Option<u64> + Send>;

impl<A: Actor> Pool<A> {
    /// Each event goes to the next worker, in turn. `make` makes the workers, also when they are brought
    /// back, and is told which: 0 and up.
    ///
    /// # Panics
    ///
    /// Where there are to be no workers.
    #[track_caller]
    pub fn round_robin(workers: usize, make: impl FnMut(usize) -> A + Send + 'static) -> Self {
        Self::new(workers, Box::new(make), Kind::RoundRobin)
    }

    /// Each event goes to the worker with the fewest events before it that the pool has handed out and
    /// that are not handled yet; to the first of them, where several have as few.
    ///
    /// The pool keeps count by itself: the end of each handler is an event to it, so this kind costs
    /// more than the others, and under test more steps. What the workers are sent past the pool is not
    /// counted. Who asked is told [`AskError::Dropped`](crate::AskError::Dropped) where the worker
    /// fails at the event, or stops before it.
    ///
    /// ```
    /// use actor_core::Pool;
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
    /// Where there are to be no workers.
    #[track_caller]
    pub fn least_busy(workers: usize, make: impl FnMut(usize) -> A + Send + 'static) -> Self {
        Self::new(workers, Box::new(make), Kind::LeastBusy)
    }

    /// Events with the same key go to the same worker, and keep their order there. Which worker that
    /// is, is the same in every run. Events of types without a key, see [`by`](Pool::by), go in turn.
    ///
    /// ```
    /// use actor_core::Pool;
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
    /// Where there are to be no workers.
    #[track_caller]
    pub fn keyed(workers: usize, make: impl FnMut(usize) -> A + Send + 'static) -> Self {
        Self::new(workers, Box::new(make), Kind::Keyed(Vec::new()))
    }

    /// Says what the key of an event of type `E` is, in a [keyed](Pool::keyed) pool. Equal keys of
    /// different event types are one key.
    ///
    /// # Panics
    ///
    /// Where the pool is of another kind.
    #[must_use]
    #[track_caller]
    pub fn by<E: AcceptedBy<A>, K: Hash>(mut self, key: impl Fn(&E) -> K + Send + 'static) -> Self {
        let Kind::Keyed(keys) = &mut self.kind else {
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
    /// Then a key may move to another worker, and its events keep their order all the same: as long as the
    /// former worker has events of that key, what comes after them waits in the pool. As few keys move as
    /// can be. For that the pool keeps count of what is not handled yet, as [`least_busy`](Pool::least_busy)
    /// does, at the same price.
    ///
    /// # Panics
    ///
    /// Where the pool is of another kind: those are resized as they are.
    ///
    /// ```
    /// use actor_core::Pool;
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
        let is_keyed = matches!(self.kind, Kind::Keyed(_));
        assert!(
            is_keyed,
            "only keyed pools need to be told that they are resized"
        );
        self.moving = Some(Moving::default());
        self
    }

    /// Lets a pool that takes the [least busy](Pool::least_busy) grow and shrink by itself: where an event
    /// comes and every worker is busy, a new one is started, up to `max`; and where the last one has had
    /// nothing to do for `idle`, it is stopped, down to as many as there were at first.
    ///
    /// ```
    /// use actor_core::Pool;
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
    /// Where the pool is of another kind, and where `max` is less than what it has at first.
    #[must_use]
    #[track_caller]
    pub fn elastic(mut self, max: usize, idle: Duration) -> Self {
        let is_counted = matches!(self.kind, Kind::LeastBusy);
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

    /// How many workers there are now: for a test's predicate.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    #[track_caller]
    fn new(first: usize, make: Make<A>, kind: Kind) -> Self {
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

    /// Starts as many as are missing.
    fn grow(&mut self, size: usize, cx: &mut Context<Self>) {
        let idle_since = match self.elastic {
            Some(_) => cx.now(),
            None => Duration::ZERO,
        };
        for index in self.workers.len()..size {
            let actor = self.engage(index, cx);
            self.workers.push(Worker {
                actor,
                busy: 0,
                idle_since,
            });
            self.order.insert((0, index));
        }
    }

    /// Starts a worker.
    fn engage(&self, index: usize, cx: &mut Context<Self>) -> ActorRef<A> {
        let make = self.make.clone();
        let make = move || {
            let mut make = make.lock().unwrap_or_else(PoisonError::into_inner);
            make(index)
        };
        cx.spawner().worker().spawn_with(make)
    }

    fn resize(&mut self, size: usize, cx: &mut Context<Self>) {
        if matches!(self.kind, Kind::Keyed(_)) && self.moving.is_none() {
            cx.report("a keyed pool keeps its size unless it is made `resizable()`");
            return;
        }
        self.grow(size, cx);
        while self.workers.len() > size {
            self.dismiss_last(cx);
        }
        self.turn %= self.workers.len();
        self.watch_for_idle(cx);
    }

    /// Stops the last worker when it has handled what it was handed.
    fn dismiss_last(&mut self, cx: &mut Context<Self>) {
        let Some(worker) = self.workers.pop() else {
            return;
        };
        self.order.remove(&(worker.busy, self.workers.len()));
        let stays = self
            .moving
            .as_mut()
            .is_some_and(|moving| moving.leaves(&worker.actor));
        if !stays {
            cx.stop(&worker.actor);
        }
    }

    /// The worker there, or a new one where it has stopped.
    fn worker(&mut self, index: usize, cx: &mut Context<Self>) -> &ActorRef<A> {
        if self.workers[index].actor.target().has_stopped() {
            let actor = self.engage(index, cx);
            self.set_busy(index, 0);
            self.workers[index].actor = actor;
        }
        &self.workers[index].actor
    }

    fn hand_out(&mut self, job: Job<A>, cx: &mut Context<Self>) {
        match &self.kind {
            Kind::RoundRobin => {
                let index = self.next_turn();
                self.pass(index, job, cx);
            }
            Kind::LeastBusy => {
                let index = self.least_busy_now(cx);
                self.worker(index, cx);
                self.set_busy(index, self.workers[index].busy + 1);
                let ticket = self.ticket(index, None);
                (job.count)(job.message, ticket, &self.workers[index].actor, cx);
            }
            Kind::Keyed(keys) => {
                let event = A::event(&job.message);
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

    fn pass(&mut self, index: usize, job: Job<A>, cx: &mut Context<Self>) {
        let worker = self.worker(index, cx);
        worker.target().pass_on::<A>(&mut Slot::Full(job.message));
    }

    /// Hands an event to the worker of its key, or keeps it until the former one has done its part.
    fn hand_out_by(&mut self, key: u64, job: Job<A>, cx: &mut Context<Self>) {
        let index = place(key, self.first, self.workers.len());
        let worker = self.worker(index, cx).clone();
        let moving = self.moving.as_mut().expect("keys are counted");
        if let Some(job) = moving.enter(key, &worker, job) {
            let ticket = self.ticket(index, Some(key));
            (job.count)(job.message, ticket, &worker, cx);
        }
    }

    fn ticket(&self, index: usize, key: Option<u64>) -> Ticket {
        Ticket {
            index,
            key,
            _open: self.open.clone(),
        }
    }

    /// It was not told of the end of all that it has counted.
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

    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        match done.ticket {
            Ticket { key: Some(key), .. } => self.key_done(key, done.worker, cx),
            Ticket {
                index, key: None, ..
            } => {
                // It may have been replaced, or be let go.
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

    /// A worker has handled an event of that key.
    fn key_done(&mut self, key: u64, by: ActorId, cx: &mut Context<Self>) {
        let Some(moving) = &mut self.moving else {
            return;
        };
        let (waiting, left) = moving.done(key, by);
        if let Some(left) = left {
            cx.stop(&left);
        }
        for job in waiting {
            self.hand_out_by(key, job, cx);
        }
    }
}

impl<A: Actor> Pool<A> {
    /// Tells who its workers are, how busy, and whose turn is next; not where it depends on how long
    /// they have been idle.
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
    /// Has the pool have so many workers, when it comes to this among what it is sent. New ones are
    /// started at once. Of those that are too many, the last ones, each is stopped when it has handled
    /// what it was handed.
    ///
    /// A [keyed](Pool::keyed) pool has to be [`resizable`](Pool::resizable): else it stays as it is, and
    /// reports that. One that is [elastic](Pool::elastic) goes on growing and shrinking from there.
    ///
    /// # Panics
    ///
    /// Where there are to be no workers.
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
