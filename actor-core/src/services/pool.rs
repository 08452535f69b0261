//! Several actors of one type that share their work: [`Pool`].

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::outcome;
use super::table::{EVENTS_MAX, handled, joined};
use crate::actor::{AcceptedBy, Actor, ActorRef, Call, Context, Flow, Handler};
use crate::asking::Reply;
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;
use crate::parts::CannotCross;
use crate::slab::Slot;
use crate::supervision::Restart;
use crate::table::{ActorInfo, EventInfo, Stateless};

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
/// worker keep their order; between workers there is none. A worker that has stopped is replaced
/// by a new one when its turn comes, and what was in its inbox is lost as with any actor; so a worker
/// that fails takes no other with it. Workers end with their pool, and before it, as the children of
/// any [supervisor](crate::Spawner::spawn_with): where it is stopped, each has handled what it was
/// handed by then. They handle 255 types of events at most; more is an error where the pool is compiled.
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
/// # sys.shutdown().await
/// # }
/// ```
pub struct Pool<A: Actor> {
    /// How many workers there are to be.
    size: usize,
    make: Box<dyn FnMut(usize) -> A + Send>,
    workers: Vec<Worker<A>>,
    /// How busy each is, and which it is; of the kind for which that matters.
    order: BTreeSet<(usize, usize)>,
    kind: Kind,
    /// Whose turn is next.
    turn: usize,
}

struct Worker<A: Actor> {
    actor: ActorRef<A>,
    /// How many events it was handed and has not handled yet; counted where that matters.
    busy: usize,
}

enum Kind {
    RoundRobin,
    LeastBusy,
    Keyed(Vec<Key>),
}

/// Hashes the key of an event of one type; `None` for any other.
type Key = Box<dyn Fn(&dyn Any) -> Option<u64> + Send>;

impl<A: Actor> Pool<A> {
    /// Each event goes to the next worker, in turn. `make` makes the workers, and is told which: 0 and
    /// up.
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
    /// stops.
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
    /// # sys.shutdown().await
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
    /// # sys.shutdown().await
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

    #[track_caller]
    fn new(size: usize, make: Box<dyn FnMut(usize) -> A + Send>, kind: Kind) -> Self {
        assert!(size > 0, "a pool has one worker at least");
        Self {
            size,
            make,
            workers: Vec::new(),
            order: BTreeSet::new(),
            kind,
            turn: 0,
        }
    }

    fn start(&mut self, cx: &mut Context<Self>) {
        for index in 0..self.size {
            let actor = self.engage(index, cx);
            self.workers.push(Worker { actor, busy: 0 });
            self.order.insert((0, index));
        }
    }

    /// Starts a worker, which is a child that is not brought back.
    fn engage(&mut self, index: usize, cx: &mut Context<Self>) -> ActorRef<A> {
        let mut worker = Some((self.make)(index));
        let make = move || worker.take().expect("a worker is made once");
        cx.spawner().restart(Restart::Temporary).spawn_with(make)
    }

    fn hand_out(&mut self, job: Job<A>, cx: &mut Context<Self>) {
        let index = self.choose(A::event(&job.message));
        if self.workers[index].actor.target().has_stopped() {
            let actor = self.engage(index, cx);
            self.set_busy(index, 0);
            self.workers[index].actor = actor;
        }
        if let Kind::LeastBusy = self.kind {
            self.set_busy(index, self.workers[index].busy + 1);
            (job.count)(job.message, index, &self.workers[index].actor, cx);
        } else {
            let worker = &self.workers[index];
            let target = worker.actor.target();
            target.pass_on::<A>(&mut Slot::Full(job.message));
        }
    }

    fn choose(&mut self, event: &dyn Event) -> usize {
        match &self.kind {
            Kind::RoundRobin => self.next_turn(),
            Kind::LeastBusy => self.least_busy_now(),
            Kind::Keyed(keys) => match keys.iter().find_map(|key| key(event)) {
                Some(key) => (key % self.size as u64) as usize,
                None => self.next_turn(),
            },
        }
    }

    fn next_turn(&mut self) -> usize {
        let turn = self.turn;
        self.turn = (turn + 1) % self.size;
        turn
    }

    fn least_busy_now(&self) -> usize {
        self.order.first().map_or(0, |(_, index)| *index)
    }

    fn set_busy(&mut self, index: usize, busy: usize) {
        let before = std::mem::replace(&mut self.workers[index].busy, busy);
        self.order.remove(&(before, index));
        self.order.insert((busy, index));
    }

    fn done(&mut self, done: Done, cx: &Context<Self>) {
        let worker = &self.workers[done.index];
        // It may have been replaced.
        if worker.actor.id() == done.worker {
            self.set_busy(done.index, worker.busy - 1);
        }
        if let Some(error) = done.failure {
            cx.report(&format!("`{}` was answered with Err({error})", done.event));
        }
    }
}

impl<A: Actor> fmt::Debug for Pool<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// An event for a worker.
struct Job<A: Actor> {
    message: A::Message,
    /// Hands it to a worker, and tells the pool when it was handled.
    count: Count<A>,
}

/// Hands an event to the worker of that index.
type Count<A> = fn(<A as Actor>::Message, usize, &ActorRef<A>, &mut Context<Pool<A>>);

/// A worker has handled an event.
#[derive(Debug)]
struct Done {
    index: usize,
    worker: ActorId,
    event: &'static str,
    /// What it failed with, where nobody else receives that.
    failure: Option<String>,
}

fn count<A: Handler<E>, E: Event>(
    message: A::Message,
    index: usize,
    worker: &ActorRef<A>,
    cx: &mut Context<Pool<A>>,
) {
    let Ok((event, reply)) = A::unwrap(message) else {
        unreachable!("a job is counted as what it is");
    };
    let (pool, worker) = (cx.me(), worker.clone());
    let (asked, ask) = worker.target().begin_ask();
    let message = A::message(event, asked);
    worker.target().pass_on::<A>(&mut Slot::Full(message));
    let ask = ask.limited(worker.target());
    cx.beside(async move {
        let answer = ask.await;
        let mut failure = None;
        if let Ok(value) = answer {
            if reply.is_nobody() {
                failure = outcome::failure(&value);
            }
            reply.send(value);
        }
        let done = Done {
            index,
            worker: worker.id(),
            event: A::INFO.events[usize::from(A::EVENT)].name,
            failure,
        };
        let done = Message(Inner::Done(done));
        pool.target().post::<Pool<A>>(&mut Slot::Full(done));
    });
}

/// What a pool is sent.
pub struct Message<A: Actor>(Inner<A>);

enum Inner<A: Actor> {
    Job(Job<A>),
    Done(Done),
}

/// The events of the workers, and the pool's own.
struct Table<A>(PhantomData<A>);

impl<A: Actor> Table<A> {
    const OWN: [EventInfo; 1] = [EventInfo::of::<Done>("Done")];
    const LEN: usize = A::INFO.events.len() + Self::OWN.len();
    const ALL: &'static [EventInfo; EVENTS_MAX] = &joined(A::INFO.events, Self::OWN);
    const EVENTS: &'static [EventInfo] = Self::ALL.split_at(Self::LEN).0;
}

impl<A: Actor> Actor for Pool<A> {
    type Message = Message<A>;
    type State = Stateless;
    const INFO: &'static ActorInfo = &ActorInfo {
        name: "Pool",
        events: Table::<A>::EVENTS,
        states: &[],
        dispositions: handled(Table::<A>::LEN),
        starts: true,
        defers: false,
        relays: true,
    };

    fn first_state() -> Stateless {
        Stateless
    }

    fn event_index(message: &Message<A>) -> u16 {
        match &message.0 {
            Inner::Job(job) => A::event_index(&job.message),
            Inner::Done(_) => A::INFO.events.len() as u16,
        }
    }

    fn event(message: &Message<A>) -> &dyn Event {
        match &message.0 {
            Inner::Job(job) => A::event(&job.message),
            Inner::Done(done) => done,
        }
    }

    /// Who its workers are, how busy, and whose turn is next.
    fn offer(&self, to: &mut Fingerprinter) -> bool {
        to.write_usize(self.turn);
        for worker in &self.workers {
            worker.actor.fingerprint(to);
            to.write_usize(worker.busy);
        }
        true
    }

    fn offer_event(message: &Message<A>, to: &mut Fingerprinter) -> bool {
        match &message.0 {
            Inner::Job(job) => A::offer_event(&job.message, to),
            Inner::Done(done) => {
                done.worker.hash(to);
                done.failure.hash(to);
                true
            }
        }
    }

    fn carry(message: &Message<A>) -> Result<Message<A>, CannotCross> {
        match &message.0 {
            Inner::Job(Job { message, count }) => {
                let (message, count) = (A::carry(message)?, *count);
                Ok(Message(Inner::Job(Job { message, count })))
            }
            Inner::Done(_) => unreachable!("a pool tells itself, on its own node"),
        }
    }

    fn call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self> {
        match call {
            Call::Start => self.start(cx),
            Call::Event(Message(Inner::Job(job))) => self.hand_out(job, cx),
            Call::Event(Message(Inner::Done(done))) => self.done(done, cx),
            Call::Entry(_) | Call::Exit(_) | Call::Stop => {}
        }
        Flow::Done
    }
}

impl<E: Event, A: Handler<E>> Handler<E> for Pool<A> {
    type Reply = A::Reply;
    const EVENT: u16 = A::EVENT;

    fn message(event: E, reply: Reply<A::Reply>) -> Message<A> {
        Message(Inner::Job(Job {
            message: A::message(event, reply),
            count: count::<A, E>,
        }))
    }

    fn unwrap(message: Message<A>) -> Result<(E, Reply<A::Reply>), Message<A>> {
        match message.0 {
            Inner::Job(Job { message, count }) => {
                A::unwrap(message).map_err(|message| Message(Inner::Job(Job { message, count })))
            }
            done => Err(Message(done)),
        }
    }
}
