//! The type-erased actor: [`AnyInstance`], and its [`Body`] with a suspended handler.
//!
//! The typed parts are made where the actor's type is known, and run by the two executors, which see them
//! as [`AnyMail`] and [`AnyInstance`]. Generic code is compiled once for every actor type of a program, so
//! [`Body`] and everything around it is not generic.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use super::AnyMail;
use crate::fingerprint::Fingerprinter;
use crate::panics::Payload;

/// The outcome of a run of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunOutcome {
    /// The handler returned, and so did every call that followed from it.
    Done,
    /// An async handler is pending.
    Suspended,
    /// The handler returned, and the actor has stopped itself.
    Halted,
}

/// An actor instance between two steps, with its context and without its type.
///
/// A method returns [`RunOutcome::Suspended`] if an async handler is next: then the driver gets the actor.
pub trait AnyInstance: Any + Send {
    /// Runs the `#[start]` hook and the first `#[entry]`.
    fn start(&mut self) -> RunOutcome;
    /// Runs the handler for the message in that slot of the mail, and the calls that follow from it.
    fn handle(&mut self, mail: &dyn AnyMail, slot: u32) -> RunOutcome;
    /// Runs the `#[stop]` hook.
    fn stop(&mut self) -> RunOutcome;
    /// Runs the calls that follow from an async handler that has returned.
    fn follow(&mut self) -> RunOutcome;
    /// Handles events in production until another kind of work is due.
    fn work(&mut self) -> NextWork;
    /// Makes the future that runs async handlers of this type; `None` if the type has none.
    fn driver(&self) -> Option<Driver>;
    /// Returns the index of the current state.
    fn state(&self) -> usize;
    /// Returns the actor's value.
    fn actor(&self) -> &dyn Any;
    /// Returns the actor's value for printing, if its type has a `Debug`.
    fn debug(&self) -> Option<&dyn fmt::Debug>;
    /// Feeds the actor to a fingerprint; returns `false` if the type offers nothing to feed.
    fn fingerprint(&self, to: &mut Fingerprinter) -> bool;
}

/// The next work of an actor in production, other than an event of its inbox.
#[derive(Debug)]
pub enum NextWork {
    /// Wait for an event, or yield to other actors.
    Wait,
    /// Stop, since the system ordered it.
    Stop,
    /// Process the orders.
    Order,
    /// Fail: the state does not handle an event, which is printed here.
    Unhandled(String),
    /// Process the outcome of a handler.
    Ran(RunOutcome),
}

/// A future that runs the async handlers of one actor, one after another and for ever, so that a handler
/// costs no allocation. The actor is passed to the driver and back.
pub type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The body of one actor: its value and context, and its driver if a handler is async.
pub struct Body {
    /// `None` while the driver has the actor, and once the actor is dropped.
    resting: Option<Box<dyn AnyInstance>>,
    /// Boxed, since most actors have no driver: one word each.
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

    /// Installs an actor; the driver of the previous one, which is of the same type, serves it too.
    pub fn install(&mut self, resting: Box<dyn AnyInstance>) {
        self.resting = Some(resting);
    }

    /// Runs the `#[start]` hook and the first `#[entry]`.
    pub fn start(&mut self, waker: &Waker) -> RunOutcome {
        let ran = self.resting().start();
        self.drive_after(ran, waker)
    }

    /// Runs the handler for the message in that slot of the mail, and the calls that follow from it.
    #[inline]
    pub fn handle(&mut self, mail: &dyn AnyMail, slot: u32, waker: &Waker) -> RunOutcome {
        let ran = self.resting().handle(mail, slot);
        self.drive_after(ran, waker)
    }

    /// Runs the `#[stop]` hook.
    pub fn stop(&mut self, waker: &Waker) -> RunOutcome {
        let ran = self.resting().stop();
        self.drive_after(ran, waker)
    }

    /// Handles events in production until another kind of work is due.
    pub(crate) fn work(&mut self, waker: &Waker) -> NextWork {
        match self.resting().work() {
            NextWork::Ran(ran) => NextWork::Ran(self.drive_after(ran, waker)),
            due => due,
        }
    }

    /// Polls a suspended handler.
    pub fn resume(&mut self, waker: &Waker) -> RunOutcome {
        let mut task = TaskContext::from_waker(waker);
        loop {
            let driver = self.driver.as_mut().expect("who is suspended has a driver");
            let never = (**driver).as_mut().poll(&mut task);
            debug_assert!(never.is_pending(), "a driver serves its body for ever");
            let Some(DrivenActor { resting, panic }) = DONE.take() else {
                return RunOutcome::Suspended;
            };
            let resting = self.resting.insert(resting);
            if let Some(payload) = panic {
                resume_unwind(payload);
            }
            match resting.follow() {
                RunOutcome::Suspended => self.hand_over(),
                ran => return ran,
            }
        }
    }

    /// Returns true if an async handler is pending.
    pub(crate) fn is_suspended(&self) -> bool {
        self.resting.is_none()
    }

    /// Returns the index of the current state; of the state before, while a handler is suspended.
    pub fn state(&self) -> usize {
        match &self.resting {
            Some(resting) => resting.state(),
            None => self.state,
        }
    }

    /// Returns the actor's value, unless it is suspended or dropped.
    pub fn actor(&self) -> Option<&dyn Any> {
        self.resting.as_ref().map(|resting| resting.actor())
    }

    /// Returns the value for printing, if its type has a `Debug`; `None` while suspended or dropped.
    pub fn debug(&self) -> Option<&dyn fmt::Debug> {
        self.resting.as_ref()?.debug()
    }

    /// Feeds the actor to a fingerprint; `false` if it offers nothing, `None` while suspended or dropped.
    pub fn fingerprint(&self, to: &mut Fingerprinter) -> Option<bool> {
        let resting = self.resting.as_ref()?;
        Some(resting.fingerprint(to))
    }

    /// Drops the actor. A user's `Drop` may run.
    pub fn clear(&mut self) {
        match self.resting.take() {
            Some(resting) => drop(resting),
            // The driver has the actor.
            None => self.driver = None,
        }
    }

    #[inline]
    fn resting(&mut self) -> &mut dyn AnyInstance {
        let resting = self.resting.as_mut().expect("a resting actor is run");
        &mut **resting
    }

    #[inline]
    fn drive_after(&mut self, ran: RunOutcome, waker: &Waker) -> RunOutcome {
        match ran {
            RunOutcome::Suspended => {
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
struct DrivenActor {
    resting: Box<dyn AnyInstance>,
    panic: Option<Payload>,
}

thread_local! {
    /// An actor on the way to its driver, which is polled at once. Not in a shared field: a driver may
    /// move between threads, and a lock would cost as much as a whole step.
    static JOB: Cell<Option<Box<dyn AnyInstance>>> = const { Cell::new(None) };
    /// An actor on the way back from its driver.
    static DONE: Cell<Option<DrivenActor>> = const { Cell::new(None) };
}

/// Returns the actor from its driver to its body.
pub(crate) fn hand_back(resting: Box<dyn AnyInstance>, panic: Option<Payload>) {
    DONE.set(Some(DrivenActor { resting, panic }));
}

/// Waits for the next actor to drive.
pub(crate) struct NextJob;

impl Future for NextJob {
    type Output = Box<dyn AnyInstance>;

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match JOB.take() {
            Some(resting) => Poll::Ready(resting),
            None => Poll::Pending,
        }
    }
}

/// Runs a handler; a panic is returned as a payload and does not drop the actor.
pub(crate) struct CatchPanic<'a>(pub(crate) Pin<&'a mut (dyn Future<Output = ()> + Send)>);

impl Future for CatchPanic<'_> {
    type Output = Option<Payload>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(task))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(())) => Poll::Ready(None),
            Err(payload) => Poll::Ready(Some(payload)),
        }
    }
}
