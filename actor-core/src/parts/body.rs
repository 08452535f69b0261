//! The typed parts of an actor: its [mail](AnyMail), and the actor itself at rest.
//!
//! They are made here, where the actor's type is known, and run by the two executors, which see
//! them as [`AnyMail`] and [`Resting`]. What is generic is compiled once for every actor type of a
//! program, so it is kept to what needs the type: [`Body`] and everything around it does not.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use super::AnyMail;
use crate::contained::Payload;
use crate::fingerprint::Fingerprinter;

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
    fn work(&mut self) -> Due;
    /// Makes the future that runs async handlers of this type; `None` where it has none.
    fn driver(&self) -> Option<Driver>;
    /// The position of the current state.
    fn state(&self) -> usize;
    /// The actor.
    fn actor(&self) -> &dyn Any;
    /// The actor as something to print, where its type has a `Debug`.
    fn debug(&self) -> Option<&dyn fmt::Debug>;
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
    pub(crate) fn work(&mut self, waker: &Waker) -> Due {
        match self.resting().work() {
            Due::Ran(ran) => Due::Ran(self.drive_after(ran, waker)),
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

    /// The actor as something to print, where its type has a `Debug`; `None` as well while it is
    /// suspended or gone.
    pub fn debug(&self) -> Option<&dyn fmt::Debug> {
        self.resting.as_ref()?.debug()
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

    #[inline]
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

/// The actor is on its way back from its driver.
pub(crate) fn hand_back(resting: Box<dyn Resting>, panic: Option<Payload>) {
    DONE.set(Some(Done { resting, panic }));
}

/// Waits for the next job.
pub(crate) struct Job;

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
pub(crate) struct Contained<'a>(pub(crate) Pin<&'a mut (dyn Future<Output = ()> + Send)>);

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
