//! The live half of a context: [`Side`].

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

use super::cell::Cell;
use super::hooks::{FailureKind, Fault};
use super::inbox::{Inbox, Next};
use super::life;
use super::registry::Managed;
use super::timer::{Armed, Fired, LiveTimer};
use crate::actor::Actor;
use crate::event::Event;
use crate::monitor::Moment;
use crate::reference::ActorRef;
use crate::timer::Timer;
use crate::watch::StopReason;

/// After how many items an actor lets others run.
const BUDGET: u32 = 128;

/// What a live actor owns beside its state. Boxed, so that a controlled context stays small.
pub(crate) struct Side<A: Actor>(Box<Own<A>>);

struct Own<A: Actor> {
    cell: Arc<Cell<A>>,
    inbox: Inbox<A>,
    /// Items left until the actor lets others run.
    budget: u32,
    /// Timers and piped futures, aborted with the actor. Most actors have none.
    tasks: Option<Box<JoinSet<()>>>,
}

impl<A: Actor> Side<A> {
    pub(super) fn new(cell: Arc<Cell<A>>) -> Self {
        Self(Box::new(Own {
            cell,
            inbox: Inbox::new(),
            budget: BUDGET,
            tasks: None,
        }))
    }

    pub(super) fn cell(&self) -> &Arc<Cell<A>> {
        &self.0.cell
    }

    pub(crate) fn spawn<B: Actor>(&self, actor: B) -> ActorRef<B> {
        life::spawn(self.0.cell.hub(), actor, None)
    }

    pub(crate) fn now(&self) -> Duration {
        self.0.cell.hub().now()
    }

    pub(crate) fn announce<E: Event>(&self, event: &E) {
        self.0.cell.hub().announce(event);
    }

    pub(crate) fn after(&mut self, delay: Duration, message: A::Message) -> Timer {
        let cell = self.0.cell.clone();
        let armed = Arc::new(Armed::default());
        let sleep = sleep(delay); // made here: the delay counts from now
        let fires = armed.clone();
        let task = self.background(async move {
            sleep.await;
            fire(&cell, message, Fired::new(fires));
        });
        Timer::live(LiveTimer::new(armed, task))
    }

    pub(crate) fn every(
        &mut self,
        period: Duration,
        next: impl Fn() -> A::Message + Send + 'static,
    ) -> Timer {
        let cell = self.0.cell.clone();
        let armed = Arc::new(Armed::default());
        let mut interval = interval_at(Instant::now() + period, period);
        interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let fires = armed.clone();
        let task = self.background(async move {
            let mut unread = Weak::new();
            loop {
                interval.tick().await;
                // An actor that is slow has one unread tick, not many.
                if unread.upgrade().is_none() {
                    let fired = Fired::new(fires.clone());
                    unread = Arc::downgrade(&fired);
                    fire(&cell, next(), fired);
                }
            }
        });
        Timer::live(LiveTimer::new(armed, task))
    }

    pub(crate) fn pipe(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        self.background(future);
    }

    /// Runs a future beside the actor until the actor stops; a panic in it is reported.
    fn background(&mut self, future: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let Own { cell, tasks, .. } = &mut *self.0;
        let tasks = tasks.get_or_insert_default();
        while tasks.try_join_next().is_some() {}
        let owner = cell.clone();
        let contained = async move {
            let mut future = pin!(future);
            let poll = |task: &mut TaskContext<'_>| match catch_unwind(AssertUnwindSafe(|| {
                future.as_mut().poll(task)
            })) {
                Ok(poll) => poll.map(Ok),
                Err(payload) => Poll::Ready(Err(payload)),
            };
            if let Err(payload) = poll_fn(poll).await {
                owner.lost_in_background(payload);
            }
        };
        tasks.spawn_on(contained, &cell.hub().handle)
    }

    pub(crate) fn watch<B: Actor>(
        &self,
        other: &ActorRef<B>,
        notice: impl FnOnce(StopReason) -> A::Message + Send + 'static,
    ) {
        let watcher = Arc::downgrade(&self.0.cell);
        let managed: Weak<dyn Managed> = watcher.clone();
        let notify = move |reason| {
            if let Some(cell) = watcher.upgrade() {
                cell.notify(notice(reason), None);
            }
        };
        other.watched().watch(managed, Box::new(notify));
    }

    pub(crate) fn failed(&self, event: &str, error: &str) {
        self.0.cell.failed(Fault {
            kind: FailureKind::Error,
            message: format!("`{event}`: {error}"),
        });
    }

    /// Looks at the next item of the inbox, or lets others run where the budget is spent.
    #[inline]
    pub(super) fn poll_next(
        &mut self,
        state: usize,
        task: &TaskContext<'_>,
    ) -> Poll<Next<A::Message>> {
        let Own {
            cell,
            inbox,
            budget,
            ..
        } = &mut *self.0;
        if *budget == 0 {
            *budget = BUDGET;
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        *budget -= 1;
        let next = inbox.poll_next(cell, state, task);
        match &next {
            Poll::Ready(Next::Handle { message, sender }) if cell.hub().is_observed() => {
                cell.observe(Moment::Handled, message, *sender);
            }
            Poll::Ready(_) => {}
            Poll::Pending => *budget = BUDGET,
        }
        next
    }

    /// Takes the first queued event of that kind, keeping the others in their order.
    pub(crate) fn poll_receive(
        &mut self,
        event: u16,
        task: &mut TaskContext<'_>,
    ) -> Poll<A::Message> {
        let Own { cell, inbox, .. } = &mut *self.0;
        let received = inbox.poll_receive(cell, event, task);
        received.map(|(message, sender)| {
            if cell.hub().is_observed() {
                cell.observe(Moment::Handled, &message, sender);
            }
            message
        })
    }

    /// The actor is gone: its tasks are aborted, what is left of its inbox becomes dead letters,
    /// and its watchers are told.
    pub(super) fn end(&mut self, reason: StopReason) {
        let Own {
            cell, inbox, tasks, ..
        } = &mut *self.0;
        drop(tasks.take());
        for message in inbox.close(cell) {
            cell.dead_letter(message);
        }
        cell.ended(reason);
        cell.hub().registry.leave(cell.id());
    }
}

/// A timer is due.
fn fire<A: Actor>(cell: &Cell<A>, message: A::Message, timer: Arc<Fired>) {
    if !timer.is_cancelled() {
        cell.notify(message, Some(timer));
    }
}
