//! Futures beside an actor whose event may be cancelled: [`Piped`].

use std::fmt;
use std::future::{Future, poll_fn};
use std::hash::Hasher;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Context;
use crate::actor::{AcceptedBy, Actor};
use crate::asking::Reply;
use crate::environment::Timer;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::production::{Fire, LiveActor, LiveTimer};
use crate::runtime::{self, Address, Home, Purpose};
use crate::slab::Slot;
use crate::sync::oneshot;

/// A future that runs beside an actor and whose event has not been handled yet, as returned by
/// [`Context::pipe`]. Dropping it leaves the future running.
#[derive(Clone)]
pub struct Piped(Inner);

#[derive(Clone)]
enum Inner {
    Live(LiveTimer),
    Controlled(Arc<Mutex<Stage>>),
}

/// How far a future under test has come.
enum Stage {
    /// It runs; dropped, this ends it.
    Runs(oneshot::Sender<()>),
    /// Its event is under way, as that of a timer which fires at once.
    Sent(Timer),
    /// It was cancelled.
    Cancelled,
}

// It names a future, which a panic changes in nothing.
impl UnwindSafe for Piped {}
impl RefUnwindSafe for Piped {}

impl Piped {
    /// Runs a future beside an actor, and sends what `map` makes of its output.
    pub(super) fn begin<A: Actor, F, E>(
        cx: &mut Context<A>,
        future: F,
        map: impl FnOnce(F::Output) -> E + Send + 'static,
    ) -> Self
    where
        F: Future + Send + 'static,
        E: AcceptedBy<A>,
    {
        // It refers to the actor until it is done.
        let me = cx.me();
        match &mut cx.home {
            Home::Live(side) => {
                let made = async move {
                    let message = map(future.await).into_message(Reply::nobody());
                    let fire = move |actor: &LiveActor, fired| {
                        actor.notify::<A>(message, Some(fired));
                        drop(me);
                    };
                    Box::new(fire) as Fire
                };
                Self(Inner::Live(side.when(Box::pin(made))))
            }
            Home::Controlled(owner) => {
                let owner = *owner;
                let (runs, cancelled) = oneshot::channel();
                let stage = Arc::new(Mutex::new(Stage::Runs(runs)));
                let piped = Self(Inner::Controlled(stage.clone()));
                cx.beside(async move {
                    if let Some(output) = unless(cancelled, future).await {
                        let message = map(output).into_message(Reply::nobody());
                        send::<A>(owner, message, &stage);
                    }
                    drop(me);
                });
                piped
            }
        }
    }

    /// Ends the future, and removes its event where that was not handled yet.
    pub(crate) fn cancel(self) {
        match self.0 {
            Inner::Live(timer) => timer.cancel(),
            Inner::Controlled(stage) => {
                let before = std::mem::replace(&mut *lock(&stage), Stage::Cancelled);
                match before {
                    Stage::Runs(runs) => drop(runs),
                    Stage::Sent(timer) => timer.cancel(),
                    Stage::Cancelled => {}
                }
            }
        }
    }

    /// Neither does the future run, nor is its event unread.
    pub(crate) fn is_over(&self) -> bool {
        match &self.0 {
            Inner::Live(timer) => timer.is_over(),
            Inner::Controlled(_) => self.mark() == 0,
        }
    }

    /// Under test: which of the owner's timers its event is, counted from two; one while it runs, zero
    /// once it is over.
    pub(crate) fn mark(&self) -> u64 {
        match &self.0 {
            Inner::Live(_) => 0,
            Inner::Controlled(stage) => match &*lock(stage) {
                Stage::Runs(_) => 1,
                Stage::Sent(timer) => match timer.mark() {
                    0 => 0,
                    mark => mark + 1,
                },
                Stage::Cancelled => 0,
            },
        }
    }
}

/// The output of the future, unless it is cancelled before.
async fn unless<F: Future>(mut cancelled: oneshot::Receiver<()>, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|task| {
        if Pin::new(&mut cancelled).poll(task).is_ready() {
            return std::task::Poll::Ready(None);
        }
        future.as_mut().poll(task).map(Some)
    })
    .await
}

/// Has the event fire at once.
fn send<A: Actor>(owner: Address, message: A::Message, stage: &Mutex<Stage>) {
    let message = &mut Slot::Full(message);
    let timer = runtime::arm(owner, Duration::ZERO, message, None, Purpose::Event);
    let timer = Timer::controlled(timer);
    let before = {
        let mut stage = lock(stage);
        match *stage {
            Stage::Cancelled => None,
            _ => Some(std::mem::replace(&mut *stage, Stage::Sent(timer.clone()))),
        }
    };
    if before.is_none() {
        timer.cancel();
    }
}

fn lock(stage: &Mutex<Stage>) -> MutexGuard<'_, Stage> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Piped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Piped")
    }
}

/// Under test: whether it runs, or which of its owner's timers its event is.
impl Fingerprint for Piped {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u64(self.mark());
    }
}
