//! The typed parts of an actor: its mail, and the actor itself at rest.
//!
//! They are made here, where the actor's type is known, and run by the two executors, which see
//! them as [`AnyMail`] and [`Resting`]. What is generic is compiled once for every actor type of a
//! program, so it is kept to what needs the type: [`Body`] and everything around it does not.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use crate::actor::{Actor, ActorInfo, Call, Flow, State};
use crate::context::Context;
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::reference::Target;
use crate::runtime::{Announce, Spawn};

/// Values in numbered slots; a slot that was emptied is used again, the last one first.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// Most slabs never hold more than one value.
    first: Slot<T>,
    more: Vec<Slot<T>>,
    /// The first free slot; [`NONE`] where all are full.
    free: u32,
    /// How many are full.
    full: u32,
}

/// A place for a value; also what a value comes in, so that it is moved in once and whole. Taken
/// out and put in again it would be copied in pieces, and a processor that reads what it has just
/// written in other pieces has to wait.
#[derive(Debug)]
pub enum Slot<T> {
    /// It holds the value.
    Full(T),
    /// Names the next free slot.
    Free(u32),
}

/// Past the end of every slab.
const NONE: u32 = u32::MAX;

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self {
            first: Slot::Free(NONE),
            more: Vec::new(),
            free: 0,
            full: 0,
        }
    }

    /// Moves the value in; what it came in is free.
    #[inline]
    pub(crate) fn insert(&mut self, value: &mut Slot<T>) -> u32 {
        if self.free == NONE {
            self.grow();
        }
        let slot = self.free;
        if let Some(place) = self.place(slot) {
            mem::swap(place, value);
            if let Slot::Free(next) = value {
                self.free = *next;
            }
            self.full += 1;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        if self.more.len() == self.more.capacity() {
            // Twice as many; left to itself, a slab of one grows to five.
            self.more.reserve_exact(self.more.len() + 1);
        }
        self.more.push(Slot::Free(NONE));
        self.free = self.more.len() as u32;
        assert!(self.free < NONE, "fewer than 2^32 messages at a time");
    }

    #[inline]
    fn place(&mut self, slot: u32) -> Option<&mut Slot<T>> {
        match slot.checked_sub(1) {
            None => Some(&mut self.first),
            Some(at) => self.more.get_mut(at as usize),
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot<T>> {
        std::iter::once(&self.first).chain(&self.more)
    }

    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        let free = self.free;
        let place = self.place(slot)?;
        if let Slot::Free(_) = place {
            return None;
        }
        let full = mem::replace(place, Slot::Free(free));
        self.free = slot;
        self.full -= 1;
        match full {
            Slot::Full(value) => Some(value),
            Slot::Free(_) => None,
        }
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match self.place(slot) {
            Some(Slot::Full(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        let place = match slot.checked_sub(1) {
            None => Some(&self.first),
            Some(at) => self.more.get(at as usize),
        };
        match place {
            Some(Slot::Full(value)) => Some(value),
            _ => None,
        }
    }

    /// Everything in it, slot by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots().filter_map(|slot| match slot {
            Slot::Full(value) => Some(value),
            Slot::Free(_) => None,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.full == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.full as usize
    }

    /// How many slots there are, full or free.
    pub(crate) fn places(&self) -> u32 {
        self.more.len() as u32 + 1
    }
}

/// The mail of one actor: messages sent to it and not yet handled, in whatever order.
pub struct Mail<A: Actor> {
    messages: RefCell<Slab<A::Message>>,
}

/// Makes empty mail of one actor type.
pub type MakeMail = fn() -> Box<dyn AnyMail>;

impl<A: Actor> Mail<A> {
    fn boxed() -> Box<dyn AnyMail> {
        Box::new(Self {
            messages: RefCell::new(Slab::new()),
        })
    }

    /// Takes the message over.
    #[inline]
    pub(crate) fn insert(&self, message: &mut Slot<A::Message>) -> u32 {
        self.messages.borrow_mut().insert(message)
    }

    /// Takes a message that is there.
    #[inline]
    pub(crate) fn take(&self, slot: u32) -> A::Message {
        let message = self.messages.borrow_mut().remove(slot);
        message.expect("a queue names full slots")
    }
}

/// The mail by its type.
#[inline]
pub(crate) fn mail_of<A: Actor>(mail: &dyn AnyMail) -> &Mail<A> {
    let mail: &dyn Any = mail;
    mail.downcast_ref().expect("an actor's mail is of its type")
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
pub trait AnyMail: AnySlab + Send {
    /// Takes the message out of `message`, a `Slot<A::Message>`, and tells its slot and event.
    fn put(&self, message: &mut dyn Any) -> (u32, u16);
    /// Feeds to whom the reply to the event in the slot goes, and what the event offers for a
    /// fingerprint; `false` where that is nothing.
    fn fingerprint(&self, slot: u32, to: &mut Fingerprinter) -> bool;
    /// Takes over a message of another mail of the same type.
    fn adopt(&self, other: &dyn AnyMail, slot: u32) -> u32;
}

impl<A: Actor> AnySlab for Mail<A> {
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event)) {
        if let Some(message) = self.messages.borrow().get(slot) {
            f(A::event(message));
        }
    }

    fn discard(&self, slot: u32) {
        let message = self.messages.borrow_mut().remove(slot);
        drop(message);
    }

    fn clear(&self) {
        if !self.messages.borrow().is_empty() {
            let held = self.messages.replace(Slab::new());
            drop(held);
        }
    }
}

impl<A: Actor> AnyMail for Mail<A> {
    #[inline]
    fn put(&self, message: &mut dyn Any) -> (u32, u16) {
        let Some(letter) = message.downcast_mut() else {
            unreachable!("the message is of the target's type")
        };
        let Slot::Full(message) = letter else {
            unreachable!("a message is sent once")
        };
        let event = A::event_index(message);
        (self.insert(letter), event)
    }

    fn fingerprint(&self, slot: u32, to: &mut Fingerprinter) -> bool {
        let messages = self.messages.borrow();
        let message = messages.get(slot);
        message.is_some_and(|message| A::offer_event(message, to))
    }

    fn adopt(&self, other: &dyn AnyMail, slot: u32) -> u32 {
        self.insert(&mut Slot::Full(mail_of::<A>(other).take(slot)))
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

/// An actor between two steps, with its context and without its type.
///
/// Whatever runs answers [`Ran::Suspended`] where an async handler is next: then the actor is given
/// to its driver.
pub trait Resting: Any + Send {
    /// Runs the `#[start]` hook and the first `#[entry]`.
    fn start(&mut self) -> Ran;
    /// Runs the handler for the message in that slot of the mail, and what follows from it.
    fn handle(&mut self, mail: &dyn AnyMail, slot: u32) -> Ran;
    /// Runs the `#[stop]` hook.
    fn stop(&mut self) -> Ran;
    /// Runs what follows from an async handler that has returned.
    fn follow(&mut self) -> Ran;
    /// Handles what is due in production, until something else is to be done.
    fn work(&mut self, task: &TaskContext<'_>) -> Due;
    /// Makes the future that runs async handlers of this type; `None` where it has none.
    fn driver(&self) -> Option<Driver>;
    /// The position of the current state.
    fn state(&self) -> usize;
    /// The actor.
    fn actor(&self) -> &dyn Any;
    /// Feeds what the actor offers for a fingerprint; `false` where that is nothing.
    fn fingerprint(&self, to: &mut Fingerprinter) -> bool;
}

/// What an actor in production has to do next, where it is not to go on with its inbox.
#[derive(Debug)]
pub enum Due {
    /// To wait: for an event, or since others are to run.
    Wait,
    /// To stop, since the system says so.
    Stop,
    /// To look at what was ordered.
    Order,
    /// To fail: the state has no use for an event, which is printed here.
    Unhandled(String),
    /// To see to what a handler ended with.
    Ran(Ran),
}

/// Runs the async handlers of one actor, one after another and for ever, so that a handler costs no
/// allocation. The actor is handed to it and back.
pub type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The body of one actor: its state, its context and, where a handler is suspended, its future.
pub struct Body {
    /// `None` while the driver has the actor, and once it is gone.
    resting: Option<Box<dyn Resting>>,
    /// Most actors have none, and pay for one word.
    driver: Option<Box<Driver>>,
    /// The state before the handler that the driver runs.
    state: usize,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Body {
    /// A body without an actor.
    pub const fn new() -> Self {
        Self {
            resting: None,
            driver: None,
            state: 0,
        }
    }

    /// Moves in; the driver of the actor before serves this one too, which is of the same type.
    pub fn install(&mut self, resting: Box<dyn Resting>) {
        self.resting = Some(resting);
    }

    /// Runs the `#[start]` hook and the first `#[entry]`.
    pub fn start(&mut self, waker: &Waker) -> Ran {
        let ran = self.resting().start();
        self.drive_after(ran, waker)
    }

    /// Runs the handler for the message in that slot of the mail, and what follows from it.
    #[inline]
    pub fn handle(&mut self, mail: &dyn AnyMail, slot: u32, waker: &Waker) -> Ran {
        let ran = self.resting().handle(mail, slot);
        self.drive_after(ran, waker)
    }

    /// Runs the `#[stop]` hook.
    pub fn stop(&mut self, waker: &Waker) -> Ran {
        let ran = self.resting().stop();
        self.drive_after(ran, waker)
    }

    /// Handles what is due in production, until something else is to be done.
    pub(crate) fn work(&mut self, task: &TaskContext<'_>) -> Due {
        match self.resting().work(task) {
            Due::Ran(ran) => Due::Ran(self.drive_after(ran, task.waker())),
            due => due,
        }
    }

    /// Polls a suspended handler.
    pub fn resume(&mut self, waker: &Waker) -> Ran {
        let mut task = TaskContext::from_waker(waker);
        loop {
            let driver = self.driver.as_mut().expect("who is suspended has a driver");
            let never = (**driver).as_mut().poll(&mut task);
            debug_assert!(never.is_pending(), "a driver serves its body for ever");
            let Some(Done { resting, panic }) = DONE.take() else {
                return Ran::Suspended;
            };
            let resting = self.resting.insert(resting);
            if let Some(payload) = panic {
                resume_unwind(payload);
            }
            match resting.follow() {
                Ran::Suspended => self.hand_over(),
                ran => return ran,
            }
        }
    }

    /// An async handler waits.
    pub(crate) fn is_suspended(&self) -> bool {
        self.resting.is_none()
    }

    /// The position of the current state; while a handler is suspended, of the one before it.
    pub fn state(&self) -> usize {
        match &self.resting {
            Some(resting) => resting.state(),
            None => self.state,
        }
    }

    /// The actor, unless it is suspended or gone.
    pub fn actor(&self) -> Option<&dyn Any> {
        self.resting.as_ref().map(|resting| resting.actor())
    }

    /// Feeds what the actor offers for a fingerprint; `false` where that is nothing, and `None`
    /// while it is suspended or gone.
    pub fn fingerprint(&self, to: &mut Fingerprinter) -> Option<bool> {
        let resting = self.resting.as_ref()?;
        Some(resting.fingerprint(to))
    }

    /// Drops the actor. A user's `Drop` may run.
    pub fn clear(&mut self) {
        match self.resting.take() {
            Some(resting) => drop(resting),
            // It is with its driver.
            None => self.driver = None,
        }
    }

    fn resting(&mut self) -> &mut dyn Resting {
        let resting = self.resting.as_mut().expect("a resting actor is run");
        &mut **resting
    }

    #[inline]
    fn drive_after(&mut self, ran: Ran, waker: &Waker) -> Ran {
        match ran {
            Ran::Suspended => {
                self.hand_over();
                self.resume(waker)
            }
            ran => ran,
        }
    }

    fn hand_over(&mut self) {
        let resting = self.resting.take().expect("a resting actor is run");
        self.state = resting.state();
        if self.driver.is_none() {
            self.driver = resting.driver().map(Box::new);
        }
        JOB.set(Some(resting));
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::new()
    }
}

/// What a panic carried.
type Payload = Box<dyn Any + Send>;

/// An actor whose async handler has ended, and the panic that it ended with.
struct Done {
    resting: Box<dyn Resting>,
    panic: Option<Payload>,
}

thread_local! {
    /// An actor on the way to its driver, which is polled at once. Not in a field that the two
    /// share: a driver may move between threads, and a lock would cost what a whole step does.
    static JOB: Cell<Option<Box<dyn Resting>>> = const { Cell::new(None) };
    /// An actor on the way back.
    static DONE: Cell<Option<Done>> = const { Cell::new(None) };
}

/// Waits for the next job.
struct Job;

impl Future for Job {
    type Output = Box<dyn Resting>;

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match JOB.take() {
            Some(resting) => Poll::Ready(resting),
            None => Poll::Pending,
        }
    }
}

/// Runs a handler; a panic in it is handed back with the actor, which is not dropped by it.
struct Contained<'a>(Pin<&'a mut (dyn Future<Output = ()> + Send)>);

impl Future for Contained<'_> {
    type Output = Option<Payload>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(task))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(())) => Poll::Ready(None),
            Err(payload) => Poll::Ready(Some(payload)),
        }
    }
}

/// The [`Driver`] of one actor type, for an actor that has async handlers.
pub async fn drive<A: Actor>() {
    loop {
        let resting: Box<dyn Any + Send> = Job.await;
        let mut rest: Box<Rest<A>> = match resting.downcast() {
            Ok(rest) => rest,
            Err(_) => unreachable!("a driver serves actors of one type"),
        };
        let panic = {
            let Rest { actor, cx, .. } = &mut *rest;
            let call = cx.postponed();
            Contained(pin!(actor.call_async(call, cx))).await
        };
        let resting = rest;
        DONE.set(Some(Done { resting, panic }));
    }
}

/// An actor at rest, with its context.
struct Rest<A: Actor> {
    actor: A,
    /// Dropped after the actor, whose destructor may send.
    cx: Context<A>,
    /// The state when nothing was left to follow.
    settled: A::State,
}

impl<A: Actor> Rest<A> {
    /// Runs one call after another, beginning with `call`, until nothing follows or one is async.
    fn run(&mut self, mut call: Call<A>) -> Ran {
        let Self { actor, cx, settled } = self;
        loop {
            cx.enter_call(&call);
            if let Flow::Async(call) = actor.call(call, cx) {
                cx.postpone(call);
                return Ran::Suspended;
            }
            match cx.settle() {
                Some(next) => call = next,
                None => break,
            }
        }
        *settled = cx.state();
        cx.ran()
    }
}

impl<A: Actor> Resting for Rest<A> {
    fn start(&mut self) -> Ran {
        self.cx.begin();
        self.run(Call::Start)
    }

    fn handle(&mut self, mail: &dyn AnyMail, slot: u32) -> Ran {
        let message = mail_of::<A>(mail).take(slot);
        self.run(Call::Event(message))
    }

    fn stop(&mut self) -> Ran {
        self.run(Call::Stop)
    }

    fn follow(&mut self) -> Ran {
        match self.cx.settle() {
            Some(call) => self.run(call),
            None => {
                self.settled = self.cx.state();
                self.cx.ran()
            }
        }
    }

    fn work(&mut self, task: &TaskContext<'_>) -> Due {
        self.cx.begin_work();
        loop {
            let message = match self.cx.next(task) {
                Ok(message) => message,
                Err(due) => return due,
            };
            match self.run(Call::Event(message)) {
                Ran::Done => {}
                ran => return Due::Ran(ran),
            }
        }
    }

    fn driver(&self) -> Option<Driver> {
        A::driver()
    }

    fn state(&self) -> usize {
        self.settled.index()
    }

    fn actor(&self) -> &dyn Any {
        &self.actor
    }

    fn fingerprint(&self, to: &mut Fingerprinter) -> bool {
        self.cx.fingerprint(to);
        self.actor.offer(to)
    }
}

/// An actor on its way into a system.
pub(crate) struct Spawning<A: Actor>(pub(crate) Option<A>);

impl<A: Actor> Spawn for Spawning<A> {
    fn info(&self) -> &'static ActorInfo {
        A::INFO
    }

    fn actor_type(&self) -> TypeId {
        TypeId::of::<A>()
    }

    fn path(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn mail(&self) -> MakeMail {
        Mail::<A>::boxed
    }

    fn rest(&mut self, me: &Target) -> Box<dyn Resting> {
        rest(self.0.take().expect("an actor is spawned once"), me)
    }
}

/// What makes the values of a supervised actor, one after another.
pub(crate) struct Making<F>(pub(crate) F);

impl<A: Actor, F: FnMut() -> A> Spawn for Making<F> {
    fn info(&self) -> &'static ActorInfo {
        A::INFO
    }

    fn actor_type(&self) -> TypeId {
        TypeId::of::<A>()
    }

    fn path(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn mail(&self) -> MakeMail {
        Mail::<A>::boxed
    }

    fn rest(&mut self, me: &Target) -> Box<dyn Resting> {
        rest((self.0)(), me)
    }
}

/// Gives the actor a context, in which it is `me`.
fn rest<A: Actor>(actor: A, me: &Target) -> Box<dyn Resting> {
    Box::new(Rest {
        actor,
        cx: Context::new(me),
        settled: A::first_state(),
    })
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
        slab.0.borrow_mut().insert(&mut Slot::Full(event))
    }

    fn slab(&self) -> Rc<dyn AnySlab> {
        Rc::new(Announcements::<E>(RefCell::new(Slab::new())))
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
        let held = self.0.replace(Slab::new());
        drop(held);
    }
}
