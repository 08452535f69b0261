//! The typed parts of a controlled actor: its mail and its body.
//!
//! They are made here, where the actor's type is known, and run by the test executor, which sees
//! them as [`AnyMail`] and [`AnyBody`]. Both are recycled from one execution to the next.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use crate::actor::{Actor, ActorInfo, Call, Flow, State};
use crate::context::Context;
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::reference::ActorRef;
use crate::runtime::{Address, Announce, Spawn};
use crate::tally::Count;

pub use crate::tally::{Counts, Tally};

/// Values in numbered slots; a slot that was emptied is used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    fn insert(&mut self, value: T) -> u32 {
        self.insert_from(&mut Some(value))
    }

    /// Takes the value out of `from`, without a copy in between.
    #[inline]
    fn insert_from(&mut self, from: &mut Option<T>) -> u32 {
        if let Some(slot) = self.free.pop() {
            std::mem::swap(&mut self.slots[slot as usize], from);
            return slot;
        }
        let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 messages at a time");
        self.slots.push(from.take());
        slot
    }

    #[inline]
    fn remove(&mut self, slot: u32) -> Option<T> {
        let value = self.slots.get_mut(slot as usize)?.take();
        if value.is_some() {
            self.free.push(slot);
        }
        value
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize)?.as_ref()
    }

    fn drain(&mut self) -> Vec<Option<T>> {
        self.free.clear();
        std::mem::take(&mut self.slots)
    }

    fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
    }
}

/// The mail of one actor: every message sent to it and not yet handled, in whatever queue.
pub struct Mail<A: Actor> {
    messages: RefCell<Slab<A::Message>>,
}

impl<A: Actor> Default for Mail<A> {
    fn default() -> Self {
        Self {
            messages: RefCell::default(),
        }
    }
}

impl<A: Actor> Mail<A> {
    #[inline]
    pub(crate) fn take(&self, slot: u32) -> Option<A::Message> {
        self.messages.borrow_mut().remove(slot)
    }
}

/// Events of one type, or of one actor, in numbered slots and without boxes.
///
/// `discard` and `clear` run a user's `Drop` with nothing borrowed.
pub trait AnySlab: Any {
    /// Shows the event in the slot, where there is one.
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event));
    /// Drops the event in the slot.
    fn discard(&self, slot: u32);
    /// Drops every event.
    fn clear(&self);
}

/// A [`Mail`] without its type.
pub trait AnyMail: AnySlab {
    /// Takes the message out of `message`, an `Option<A::Message>`, and tells its slot and event.
    fn put(&self, message: &mut dyn Any) -> (u32, u16);
    /// Feeds to whom the reply to the event in the slot goes, and what the event offers for a
    /// fingerprint; `false` where that is nothing.
    fn fingerprint(&self, slot: u32, to: &mut Fingerprinter) -> bool;
}

impl<A: Actor> AnySlab for Mail<A> {
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event)) {
        if let Some(message) = self.messages.borrow().get(slot) {
            f(A::event(message));
        }
    }

    fn discard(&self, slot: u32) {
        let message = self.take(slot);
        drop(message);
    }

    fn clear(&self) {
        if self.messages.borrow().is_empty() {
            return;
        }
        let drained = self.messages.borrow_mut().drain();
        drop(drained);
    }
}

impl<A: Actor> AnyMail for Mail<A> {
    #[inline]
    fn put(&self, message: &mut dyn Any) -> (u32, u16) {
        let message = message
            .downcast_mut::<Option<A::Message>>()
            .expect("the message is of the target's type");
        let event = message.as_ref().map(A::event_index);
        let event = event.expect("a message is sent once");
        (self.messages.borrow_mut().insert_from(message), event)
    }

    fn fingerprint(&self, slot: u32, to: &mut Fingerprinter) -> bool {
        let messages = self.messages.borrow();
        let message = messages.get(slot);
        message.is_some_and(|message| A::offer_event(message, to))
    }
}

/// How a run of a body ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ran {
    /// The handler returned, and everything that followed from it.
    Done,
    /// An async handler waits.
    Suspended,
    /// The handler returned, and the actor has stopped itself.
    Halted,
}

/// The body of one actor: its state, its context and, where a handler is suspended, its future.
pub struct Body<A: Actor> {
    mail: Rc<Mail<A>>,
    tally: Rc<Tally>,
    resting: Option<Resting<A>>,
    state: A::State,
    driver: Option<Pin<Box<dyn Future<Output = ()>>>>,
    exchange: Rc<RefCell<Exchange<A>>>,
}

/// An actor between two steps.
struct Resting<A: Actor> {
    actor: A,
    cx: Context<A>,
}

/// Through which a body and its driver hand the actor to and fro.
struct Exchange<A: Actor> {
    job: Option<(Resting<A>, Call<A>)>,
    done: Option<Resting<A>>,
}

/// A [`Body`] without its type.
pub trait AnyBody: Any {
    /// Runs the `#[start]` hook and the first `#[entry]`.
    fn start(&mut self, waker: &Waker) -> Ran;
    /// Runs the handler for the message in that slot of the mail, and what follows from it.
    fn handle(&mut self, slot: u32, waker: &Waker) -> Ran;
    /// Polls a suspended handler.
    fn resume(&mut self, waker: &Waker) -> Ran;
    /// The position of the current state.
    fn state(&self) -> usize;
    /// The actor, unless it is suspended or gone.
    fn actor(&self) -> Option<&dyn Any>;
    /// Feeds what the actor offers for a fingerprint; `false` where that is nothing, and `None`
    /// while it is suspended or gone.
    fn fingerprint(&self, to: &mut Fingerprinter) -> Option<bool>;
    /// Drops the actor. A user's `Drop` may run.
    fn clear(&mut self);
}

impl<A: Actor> Body<A> {
    fn new(mail: Rc<Mail<A>>, tally: Rc<Tally>) -> Self {
        Self {
            mail,
            tally,
            resting: None,
            state: A::first_state(),
            driver: None,
            exchange: Rc::new(RefCell::new(Exchange {
                job: None,
                done: None,
            })),
        }
    }

    #[inline(always)]
    fn run(&mut self, call: Call<A>, waker: &Waker) -> Ran {
        let Resting { actor, cx } = self.resting.as_mut().expect("a resting actor is run");
        match run_sync_counting(actor, call, cx, &*self.tally) {
            None => {
                self.state = cx.state();
                if cx.is_halted() {
                    Ran::Halted
                } else {
                    Ran::Done
                }
            }
            Some(call) => self.run_async(call, waker),
        }
    }

    fn run_async(&mut self, call: Call<A>, waker: &Waker) -> Ran {
        let resting = self.resting.take().expect("a resting actor is run");
        self.exchange.borrow_mut().job = Some((resting, call));
        let (exchange, tally) = (&self.exchange, &self.tally);
        self.driver
            .get_or_insert_with(|| Box::pin(drive(exchange.clone(), tally.clone())));
        self.poll(waker)
    }

    fn poll(&mut self, waker: &Waker) -> Ran {
        let driver = self.driver.as_mut().expect("a suspended actor is resumed");
        let never = driver.as_mut().poll(&mut TaskContext::from_waker(waker));
        debug_assert!(never.is_pending(), "a driver serves its body for ever");
        let Some(resting) = self.exchange.borrow_mut().done.take() else {
            return Ran::Suspended;
        };
        self.state = resting.cx.state();
        let halted = resting.cx.is_halted();
        self.resting = Some(resting);
        if halted { Ran::Halted } else { Ran::Done }
    }
}

impl<A: Actor> AnyBody for Body<A> {
    fn start(&mut self, waker: &Waker) -> Ran {
        if let Some(resting) = &mut self.resting {
            resting.cx.begin();
        }
        self.run(Call::Start, waker)
    }

    #[inline]
    fn handle(&mut self, slot: u32, waker: &Waker) -> Ran {
        let message = self.mail.take(slot).expect("an inbox names a full slot");
        self.run(Call::Event(message), waker)
    }

    fn resume(&mut self, waker: &Waker) -> Ran {
        self.poll(waker)
    }

    fn state(&self) -> usize {
        self.state.index()
    }

    fn actor(&self) -> Option<&dyn Any> {
        self.resting
            .as_ref()
            .map(|resting| &resting.actor as &dyn Any)
    }

    fn fingerprint(&self, to: &mut Fingerprinter) -> Option<bool> {
        let resting = self.resting.as_ref()?;
        Some(resting.actor.offer(to))
    }

    fn clear(&mut self) {
        if self.resting.take().is_none() {
            // A suspended handler, or one that panicked, holds the actor: the driver goes with it.
            self.driver = None;
            let (job, done) = {
                let mut exchange = self.exchange.borrow_mut();
                (exchange.job.take(), exchange.done.take())
            };
            drop((job, done));
        }
    }
}

/// Runs one call after another, beginning with `call`, until nothing follows.
/// Returns the first that is async.
#[inline]
pub(crate) fn run_sync<A: Actor>(
    actor: &mut A,
    call: Call<A>,
    cx: &mut Context<A>,
) -> Option<Call<A>> {
    run_sync_counting(actor, call, cx, &())
}

/// As [`run_sync`], from a call that is async.
pub(crate) fn run_async<A: Actor>(
    actor: &mut A,
    call: Call<A>,
    cx: &mut Context<A>,
) -> impl Future<Output = ()> + Send {
    run_async_counting(actor, call, cx, &())
}

#[inline]
fn run_sync_counting<A: Actor>(
    actor: &mut A,
    mut call: Call<A>,
    cx: &mut Context<A>,
    tally: &impl Count<A>,
) -> Option<Call<A>> {
    loop {
        let starting = matches!(call, Call::Start);
        tally.call(&call, cx.state());
        cx.enter_call(&call);
        if let Flow::Async(call) = actor.call(call, cx) {
            return Some(call);
        }
        call = follow(cx, starting, tally)?;
    }
}

async fn run_async_counting<A: Actor>(
    actor: &mut A,
    call: Call<A>,
    cx: &mut Context<A>,
    tally: &impl Count<A>,
) {
    let mut next = Some(call);
    while let Some(call) = next {
        let starting = matches!(call, Call::Start);
        actor.call_async(call, cx).await;
        next =
            follow(cx, starting, tally).and_then(|call| run_sync_counting(actor, call, cx, tally));
    }
}

/// What follows from the call that has just returned.
#[inline]
fn follow<A: Actor>(cx: &mut Context<A>, starting: bool, tally: &impl Count<A>) -> Option<Call<A>> {
    let before = cx.state();
    let call = cx.settle()?;
    tally.follow(starting, before, &call);
    Some(call)
}

/// Serves one body for ever, so that an async handler costs no allocation.
async fn drive<A: Actor>(exchange: Rc<RefCell<Exchange<A>>>, tally: Rc<Tally>) {
    loop {
        let (mut resting, call) = poll_fn(|_| match exchange.borrow_mut().job.take() {
            Some(job) => Poll::Ready(job),
            None => Poll::Pending,
        })
        .await;
        run_async_counting(&mut resting.actor, call, &mut resting.cx, &*tally).await;
        exchange.borrow_mut().done = Some(resting);
    }
}

/// An actor on its way into a body.
pub(crate) struct Spawning<A: Actor>(pub(crate) Option<A>);

impl<A: Actor> Spawn for Spawning<A> {
    fn info(&self) -> &'static ActorInfo {
        A::INFO
    }

    fn actor_type(&self) -> TypeId {
        TypeId::of::<A>()
    }

    fn tally(&self) -> Rc<Tally> {
        Rc::new(Tally::of::<A>())
    }

    fn parts(&self, tally: &Rc<Tally>) -> (Rc<dyn AnyMail>, Box<dyn AnyBody>) {
        let mail = Rc::new(Mail::<A>::default());
        (mail.clone(), Box::new(Body::new(mail, tally.clone())))
    }

    fn install(&mut self, body: &mut dyn AnyBody, address: Address) {
        let body = (body as &mut dyn Any)
            .downcast_mut::<Body<A>>()
            .expect("a body is pooled by its actor's type");
        let cx = Context::controlled(ActorRef::controlled(address));
        body.state = cx.state();
        if !A::INFO.starts {
            body.tally.start(body.state);
        }
        let actor = self.0.take().expect("an actor is installed once");
        body.resting = Some(Resting { actor, cx });
    }
}

/// An event on its way to the monitors.
pub(crate) struct Announcing<E>(pub(crate) Option<E>);

struct Announcements<E>(RefCell<Slab<E>>);

impl<E: Event> Announce for Announcing<E> {
    fn event_type(&self) -> TypeId {
        TypeId::of::<E>()
    }

    fn store(&mut self, slab: &dyn AnySlab) -> u32 {
        let slab = (slab as &dyn Any)
            .downcast_ref::<Announcements<E>>()
            .expect("announcements are kept by their type");
        let event = self.0.take().expect("an event is announced once");
        slab.0.borrow_mut().insert(event)
    }

    fn slab(&self) -> Rc<dyn AnySlab> {
        Rc::new(Announcements::<E>(RefCell::default()))
    }
}

impl<E: Event> AnySlab for Announcements<E> {
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event)) {
        if let Some(event) = self.0.borrow().get(slot) {
            f(event);
        }
    }

    fn discard(&self, slot: u32) {
        let event = self.0.borrow_mut().remove(slot);
        drop(event);
    }

    fn clear(&self) {
        let drained = self.0.borrow_mut().drain();
        drop(drained);
    }
}
