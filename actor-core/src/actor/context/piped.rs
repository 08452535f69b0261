//! Cancellable futures piped to an actor: [`Piped`].

use std::fmt;
use std::future::{Future, poll_fn};
use std::hash::Hasher;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Context;
use crate::actor::{AcceptedBy, Actor};
use crate::asking::Reply;
use crate::dispatch::ActorExecutor;
use crate::environment::Timer;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::panics::lock;
use crate::production::{Fire, LiveActor, LiveTimer};
use crate::seam::{self, Address, Purpose, TimerEvent};
use crate::slab::Slot;
use crate::sync::oneshot;

/// A handle to a future that runs beside an actor and whose event has not been handled yet, as returned
/// by [`Context::pipe`]. Dropping the handle leaves the future running.
#[derive(Clone)]
pub struct Piped(Inner);

#[derive(Clone)]
enum Inner {
    Live(LiveTimer),
    Controlled(Arc<Mutex<PipeState>>),
}

/// The progress of a piped future under test.
enum PipeState {
    /// The future runs; dropping the sender cancels it.
    Runs(oneshot::Sender<()>),
    /// The event of the future is sent, as that of a timer that fires at once.
    Sent(Timer),
    Cancelled,
}

// A panic cannot leave the named future in an inconsistent state.
impl UnwindSafe for Piped {}
impl RefUnwindSafe for Piped {}

impl Piped {
    /// Runs a future beside an actor, and sends the event that `map` makes of its output.
    pub(super) fn begin<A: Actor, F, E>(
        cx: &mut Context<A>,
        future: F,
        map: impl FnOnce(F::Output) -> E + Send + 'static,
    ) -> Self
    where
        F: Future + Send + 'static,
        E: AcceptedBy<A>,
    {
        // The future holds a reference to the actor until it is done.
        let me = cx.me();
        match &mut cx.home {
            ActorExecutor::Live(local) => {
                let made = async move {
                    let message = map(future.await).__into_message(Reply::nobody());
                    let fire = move |actor: &LiveActor, fired| {
                        actor.notify::<A>(message, Some(fired));
                        drop(me);
                    };
                    Box::new(fire) as Fire
                };
                Self(Inner::Live(local.when(Box::pin(made))))
            }
            ActorExecutor::Controlled(owner) => {
                let owner = *owner;
                let (runs, cancelled) = oneshot::channel();
                let stage = Arc::new(Mutex::new(PipeState::Runs(runs)));
                let piped = Self(Inner::Controlled(stage.clone()));
                cx.beside(async move {
                    if let Some(output) = unless(cancelled, future).await {
                        let message = map(output).__into_message(Reply::nobody());
                        send::<A>(owner, message, &stage);
                    }
                    drop(me);
                });
                piped
            }
        }
    }

    /// Ends the future, and removes its event if that was not handled yet.
    pub(crate) fn cancel(self) {
        match self.0 {
            Inner::Live(timer) => timer.cancel(),
            Inner::Controlled(stage) => {
                let before = std::mem::replace(&mut *lock(&stage), PipeState::Cancelled);
                match before {
                    PipeState::Runs(runs) => drop(runs),
                    PipeState::Sent(timer) => timer.cancel(),
                    PipeState::Cancelled => {}
                }
            }
        }
    }

    /// Returns true if the future is over and its event is no longer unread.
    pub(crate) fn is_over(&self) -> bool {
        match &self.0 {
            Inner::Live(timer) => timer.is_over(),
            Inner::Controlled(_) => self.mark() == 0,
        }
    }

    /// Returns a mark of the state under test: two or more for the index of the event among the owner's
    /// timers, one while the future runs, zero once it is over.
    pub(crate) fn mark(&self) -> u64 {
        match &self.0 {
            Inner::Live(_) => 0,
            Inner::Controlled(stage) => match &*lock(stage) {
                PipeState::Runs(_) => 1,
                PipeState::Sent(timer) => match timer.fingerprint_position() {
                    0 => 0,
                    mark => mark + 1,
                },
                PipeState::Cancelled => 0,
            },
        }
    }
}

/// Returns the output of the future, or `None` if the future is cancelled first.
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

/// Sends the event by a timer that fires at once.
fn send<A: Actor>(owner: Address, message: A::Message, stage: &Mutex<PipeState>) {
    let event = TimerEvent {
        owner,
        message: &mut Slot::Full(message),
        again: None,
    };
    let timer = Timer::controlled(seam::arm(Duration::ZERO, Purpose::Event, Some(event)));
    let before = {
        let mut stage = lock(stage);
        match *stage {
            PipeState::Cancelled => None,
            _ => Some(std::mem::replace(
                &mut *stage,
                PipeState::Sent(timer.clone()),
            )),
        }
    };
    if before.is_none() {
        timer.cancel();
    }
}

impl fmt::Debug for Piped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Piped")
    }
}

/// Fingerprints the state under test: running, over, or the index of the event's timer.
impl Fingerprint for Piped {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u64(self.mark());
    }
}
