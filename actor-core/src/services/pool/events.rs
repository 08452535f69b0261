//! The events of a pool as an actor: those of its workers, and its own.

use std::hash::Hash;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::Pool;
use crate::actor::instance::drive;
use crate::actor::{Actor, ActorRef, Call, Context, Flow, Handler};
use crate::asking::Reply;
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::identity::ActorId;
use crate::seam::{CannotCross, Driver};
use crate::services::outcome;
use crate::services::table::{EVENTS_MAX, handled, joined};
use crate::slab::Slot;
use crate::table::{ActorInfo, EventInfo, Stateless};

pub(super) struct PoolJob<A: Actor> {
    pub(super) message: A::Message,
    /// Hands the event to a worker, and notifies the pool when it was handled.
    pub(super) count: Count<A>,
}

/// The worker and key for which an event was counted.
#[derive(Debug)]
pub(super) struct CountedEvent {
    pub(super) index: usize,
    pub(super) key: Option<u64>,
    /// The clone of [`Pool::open`] that marks the event as unfinished: the pool waits for it before it ends.
    pub(super) _open: Arc<()>,
}

type Count<A> = fn(<A as Actor>::Message, CountedEvent, &ActorRef<A>, &mut Context<Pool<A>>);

#[derive(Debug)]
pub(super) struct EventHandled {
    pub(super) ticket: CountedEvent,
    pub(super) worker: ActorId,
    pub(super) event: &'static str,
    /// The error of the handler, if nobody else receives it.
    pub(super) failure: Option<String>,
}

#[derive(Debug)]
struct Resize(usize);

#[derive(Debug)]
struct IdleCheck;

pub(super) fn resize<A: Actor>(workers: usize) -> Message<A> {
    Message(Inner::Resize(Resize(workers)))
}

pub(super) fn idle<A: Actor>() -> Message<A> {
    Message(Inner::Idle(IdleCheck))
}

fn count<A: Handler<E>, E: Event>(
    message: A::Message,
    ticket: CountedEvent,
    worker: &ActorRef<A>,
    cx: &mut Context<Pool<A>>,
) {
    let Ok((event, reply)) = A::__unwrap(message) else {
        unreachable!("a job is counted as what it is");
    };
    let (pool, worker) = (cx.me(), worker.clone());
    let (asked, ask) = worker.target().begin_ask_beside();
    let message = A::__message(event, asked);
    worker.target().pass_on::<A>(&mut Slot::Full(message));
    let ask = ask.limited(worker.target());
    cx.beside(async move {
        let answer = ask.await;
        // User code in here may panic, and the pool must be notified of the end of the event in any case.
        let handed_on = catch_unwind(AssertUnwindSafe(|| {
            let value = answer.ok()?;
            let is_unheard = reply.is_nobody();
            let failure = is_unheard.then(|| outcome::failure(&value)).flatten();
            reply.send(value);
            failure
        }));
        let (failure, panic) = match handed_on {
            Ok(failure) => (failure, None),
            Err(payload) => (None, Some(payload)),
        };
        let done = EventHandled {
            ticket,
            worker: worker.id(),
            event: A::INFO.events[usize::from(A::EVENT)].name,
            failure,
        };
        let done = Message(Inner::Done(done));
        pool.target().tell_own::<Pool<A>>(done);
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    });
}

/// The messages of a pool.
pub struct Message<A: Actor>(Inner<A>);

enum Inner<A: Actor> {
    Job(PoolJob<A>),
    Done(EventHandled),
    Resize(Resize),
    Idle(IdleCheck),
}

/// The event table of a pool: the workers' events, and the pool's own.
struct Table<A>(PhantomData<A>);

impl<A: Actor> Table<A> {
    const OWN: [EventInfo; 3] = [
        EventInfo::own::<EventHandled>("Done"),
        EventInfo::of::<Resize>("Resize"),
        EventInfo::own::<IdleCheck>("Idle"),
    ];
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

    fn __event_index(message: &Message<A>) -> u16 {
        match &message.0 {
            Inner::Job(job) => A::__event_index(&job.message),
            Inner::Done(_) => Self::DONE,
            Inner::Resize(_) => A::INFO.events.len() as u16 + 1,
            Inner::Idle(_) => A::INFO.events.len() as u16 + 2,
        }
    }

    fn __event(message: &Message<A>) -> &dyn Event {
        match &message.0 {
            Inner::Job(job) => A::__event(&job.message),
            Inner::Done(done) => done,
            Inner::Resize(resize) => resize,
            Inner::Idle(idle) => idle,
        }
    }

    fn __offer(&self, to: &mut Fingerprinter) -> bool {
        self.fingerprinted(to)
    }

    fn __offer_event(message: &Message<A>, to: &mut Fingerprinter) -> bool {
        match &message.0 {
            Inner::Job(job) => A::__offer_event(&job.message, to),
            Inner::Done(done) => {
                done.worker.hash(to);
                done.ticket.key.hash(to);
                done.failure.hash(to);
                true
            }
            Inner::Resize(resize) => {
                resize.0.hash(to);
                true
            }
            Inner::Idle(_) => true,
        }
    }

    fn __carry(message: &Message<A>) -> Result<Message<A>, CannotCross> {
        match &message.0 {
            Inner::Job(PoolJob { message, count }) => {
                let (message, count) = (A::__carry(message)?, *count);
                Ok(Message(Inner::Job(PoolJob { message, count })))
            }
            Inner::Resize(Resize(workers)) => Ok(resize(*workers)),
            Inner::Done(_) | Inner::Idle(_) => {
                unreachable!("a pool tells itself, on its own node")
            }
        }
    }

    fn __call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self> {
        match call {
            Call::Start => self.start(cx),
            Call::Event(Message(Inner::Job(job))) => self.route(job, cx),
            Call::Event(Message(Inner::Done(done))) => self.done(done, cx),
            Call::Event(Message(Inner::Resize(resize))) => self.resize(resize.0, cx),
            Call::Event(Message(Inner::Idle(_))) => self.stop_idle_workers(cx),
            Call::Stop if self.has_open() => return Flow::Async(Call::Stop),
            Call::Stop | Call::Entry(_) | Call::Exit(_) => {}
        }
        Flow::Done
    }

    async fn __call_async(&mut self, _: Call<Self>, cx: &mut Context<Self>) {
        self.drain(cx).await;
    }

    fn __driver() -> Option<Driver> {
        Some(Box::pin(drive::<Self>()))
    }
}

impl<A: Actor> Pool<A> {
    /// The position of [`EventHandled`] among the pool's events.
    const DONE: u16 = A::INFO.events.len() as u16;

    /// Waits, at the end of the pool, for all counted events, so that askers still get their replies.
    async fn drain(&mut self, cx: &mut Context<Self>) {
        while self.has_open() {
            let message = cx.receive_message(Self::DONE).await;
            if let Inner::Done(done) = message.0 {
                self.done(done, cx);
            }
        }
    }
}

impl<E: Event, A: Handler<E>> Handler<E> for Pool<A> {
    type Reply = A::Reply;
    const EVENT: u16 = A::EVENT;

    fn __message(event: E, reply: Reply<A::Reply>) -> Message<A> {
        Message(Inner::Job(PoolJob {
            message: A::__message(event, reply),
            count: count::<A, E>,
        }))
    }

    fn __unwrap(message: Message<A>) -> Result<(E, Reply<A::Reply>), Message<A>> {
        match message.0 {
            Inner::Job(PoolJob { message, count }) => A::__unwrap(message)
                .map_err(|message| Message(Inner::Job(PoolJob { message, count }))),
            own => Err(Message(own)),
        }
    }
}
