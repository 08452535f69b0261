//! The local half of a context in production: [`LocalActor`].

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::inbox::{Found, LocalInbox, Next};
use super::timer::LiveTimer;
use crate::identity::ActorId;
use crate::production::actor::background::ReportPanic;
use crate::production::actor::hub::Hub;
use crate::production::actor::live_actor::LiveActor;
use crate::production::actor::relations::{OwnWatches, SendNotice, Watcher};
use crate::production::actor::reply::losing;
use crate::production::host::executor::{PoolTasks, TaskHandle, Ticks, sleep};
use crate::production::host::slice;
use crate::production::mailbox::fired::{FiredTimer, TimerCancellation};
use crate::production::observing::observer_flags::{AGES, DEPTH, STUCK};
use crate::seam::{AnyMail, AskError, NextWork};
use crate::specification::Moment;

/// The local half of a live actor, independent of the actor's type.
pub(crate) struct LocalActor {
    actor: Arc<LiveActor>,
    inbox: LocalInbox,
    /// Timers and piped futures, aborted with the actor. Most actors have none.
    tasks: Option<Box<PoolTasks>>,
    watched: Option<Box<OwnWatches>>,
}

/// Sends a timer's event to its actor.
pub(crate) type Fire = Box<dyn FnOnce(&LiveActor, Arc<FiredTimer>) + Send>;

/// Sends a periodic timer's event to its actor.
pub(crate) type FireAgain = Box<dyn Fn(&LiveActor, Arc<FiredTimer>) + Send>;

impl LocalActor {
    pub(crate) fn new(actor: Arc<LiveActor>) -> Self {
        Self {
            inbox: LocalInbox::of(&actor),
            actor,
            tasks: None,
            watched: None,
        }
    }

    pub(crate) fn live_actor(&self) -> &Arc<LiveActor> {
        &self.actor
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        self.actor.hub()
    }

    pub(crate) fn node(&self) -> Option<String> {
        self.actor.hub().node.as_deref().map(str::to_owned)
    }

    pub(crate) fn now(&self) -> Duration {
        self.actor.hub().now()
    }

    pub(crate) fn after(&mut self, delay: Duration, fire: Fire) -> LiveTimer {
        let sleep = sleep(delay); // called before the task runs, since the delay counts from now
        self.when(Box::pin(async move {
            sleep.await;
            fire
        }))
    }

    pub(crate) fn every(&mut self, period: Duration, fire: FireAgain) -> LiveTimer {
        let actor = self.actor.clone();
        let armed = Arc::new(TimerCancellation::new(&self.actor));
        let mut ticks = Ticks::new(period);
        let fires = armed.clone();
        let task = self.background(Box::pin(async move {
            let mut unread = Weak::new();
            loop {
                ticks.next().await;
                // A slow actor has at most one unread tick.
                if unread.upgrade().is_none() && !fires.is_cancelled() {
                    let fired = FiredTimer::new(fires.clone());
                    unread = Arc::downgrade(&fired);
                    fire(&actor, fired);
                }
            }
        }));
        LiveTimer::new(armed, task)
    }

    /// Sends the event that a future makes, unless the timer is cancelled before.
    pub(crate) fn when(&mut self, future: Pin<Box<dyn Future<Output = Fire> + Send>>) -> LiveTimer {
        let actor = self.actor.clone();
        let armed = Arc::new(TimerCancellation::new(&self.actor));
        let fires = armed.clone();
        let task = self.background(Box::pin(async move {
            let fire = future.await;
            if !fires.is_cancelled() {
                fire(&actor, FiredTimer::new(fires));
            }
        }));
        LiveTimer::new(armed, task)
    }

    pub(crate) fn pipe(&mut self, future: Background) {
        self.background(future);
    }

    /// Runs a future beside the actor until the actor stops; a panic in it is reported.
    pub(in crate::production) fn background(&mut self, future: Background) -> TaskHandle {
        let contained = ReportPanic::new(future, self.actor.clone());
        let task = self.actor.hub().executor.spawn(async move {
            contained.await;
        });
        self.tasks.get_or_insert_default().add(task.clone());
        task
    }

    /// Watches an actor, which the watcher knows by that identity.
    pub(crate) fn watch(&mut self, other: &LiveActor, of: ActorId, notify: SendNotice) {
        let watched = self.watched.get_or_insert_default();
        other.watch(Watcher {
            watcher: Arc::downgrade(&self.actor),
            of,
            mark: watched.mark(of),
            notify,
        });
    }

    pub(crate) fn unwatch(&mut self, of: ActorId) {
        if let Some(watched) = &mut self.watched {
            watched.forget(of);
        }
    }

    /// Returns the mail that holds the messages of the returned slots.
    #[inline]
    pub(crate) fn mail(&self) -> &dyn AnyMail {
        self.inbox.mail()
    }

    /// Records the call of an async handler or hook.
    pub(crate) fn begin_async(&self, event: u16, state: usize) {
        let work = &self.actor.work;
        work.go_on(event, state);
        self.publish_unread();
    }

    /// Publishes the number and the age of the unread fetched events.
    fn publish_unread(&self) {
        let LiveActor { work, .. } = &*self.actor;
        work.set_fetched(self.inbox.unread());
        if self.actor.hub().observer_flags.bits() & AGES != 0 {
            work.set_oldest(self.inbox.oldest());
        }
    }

    /// Begins a piece of work; other actors may have run since the last event.
    pub(crate) fn begin_work(&mut self) {
        self.inbox.begin_work();
    }

    /// Returns the slot of the next event to be handled, or another kind of work that is due.
    #[inline]
    pub(crate) fn next(&mut self, state: usize) -> Result<u32, NextWork> {
        let plain = self.actor.hub().is_unwatched() && !self.actor.is_ordered();
        if plain && slice::take() {
            match self.inbox.poll_plain(&self.actor, state) {
                Poll::Pending => return Err(self.wait()),
                Poll::Ready(Some(slot)) => return Ok(slot),
                Poll::Ready(None) => return self.next_of_any_kind(state, true),
            }
        }
        self.next_of_any_kind(state, false)
    }

    fn wait(&mut self) -> NextWork {
        let observer_flags = self.actor.hub().observer_flags.bits();
        if self.actor.work.fetched() != 0 || observer_flags & (DEPTH | AGES) != 0 {
            self.publish_unread();
        }
        NextWork::Wait
    }

    /// Returns the next event or work; if `granted`, the first event is already taken off the budget.
    fn next_of_any_kind(&mut self, state: usize, mut granted: bool) -> Result<u32, NextWork> {
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        crate::production::actor::turn::finish(&self.actor);
        loop {
            if self.actor.is_ordered() {
                return Err(NextWork::Order);
            }
            if !(std::mem::take(&mut granted) || slice::take()) {
                self.actor.wake_up();
                return Err(self.wait());
            }
            match self.inbox.poll_next(&self.actor, state) {
                Poll::Pending => return Err(self.wait()),
                Poll::Ready(Next::Nothing) => {}
                Poll::Ready(Next::Handle(found)) => {
                    self.observe_handled(found);
                    self.take_in_hand(found, state);
                    return Ok(found.slot);
                }
                Poll::Ready(Next::Stop) => return Err(NextWork::Stop),
                Poll::Ready(Next::Unhandled(slot)) => {
                    return Err(NextWork::Unhandled(self.print(slot)));
                }
            }
        }
    }

    /// Publishes the event that this actor handles next.
    fn take_in_hand(&mut self, found: Found, state: usize) {
        let event = found.event;
        #[cfg(feature = "tracing")]
        let carried = self.inbox.take_carried(found.slot);
        let LiveActor { work, .. } = &*self.actor;
        let observer_flags = self.actor.hub().observer_flags.bits();
        if observer_flags & STUCK != 0 {
            work.begin(event, state);
        }
        if observer_flags & (DEPTH | AGES) != 0 {
            self.publish_unread();
        }
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        crate::production::actor::turn::begin(
            &self.actor,
            crate::production::actor::turn::HandledMessage {
                event,
                state,
                #[cfg(feature = "tracing")]
                carried,
            },
        );
    }

    /// Takes the first queued event of that kind, and keeps the others in their order.
    pub(crate) fn poll_receive(&mut self, event: u16, task: &TaskContext<'_>) -> Poll<u32> {
        let received = self.inbox.poll_receive(&self.actor, event, task);
        received.map(|found| {
            self.observe_handled(found);
            found.slot
        })
    }

    #[inline]
    fn observe_handled(&self, found: Found) {
        if self.actor.hub().is_observed() {
            let Found {
                event,
                slot,
                sender,
            } = found;
            self.mail().inspect(slot, &mut |shown| {
                self.actor.observe(Moment::Handled, event, shown, sender);
            });
        }
    }

    fn print(&self, slot: u32) -> String {
        let mut text = String::new();
        let mail = self.mail();
        mail.inspect(slot, &mut |event| text = format!("{event:?}"));
        losing(AskError::Failed, || mail.discard(slot));
        text
    }
}

impl Drop for LocalActor {
    /// Aborts timers and futures, and returns unhandled events to the mailbox, which closes next.
    fn drop(&mut self) {
        drop(self.tasks.take());
        let letters = std::mem::take(&mut self.inbox).into_letters();
        self.actor.work.set_fetched(0);
        self.actor.mailbox().give_back(letters);
    }
}

/// A future beside an actor, boxed so that tokio's code is compiled once.
pub(crate) type Background = Pin<Box<dyn Future<Output = ()> + Send>>;
