//! The state machine of a running actor: start, work, stop, restart and end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::children::LiveChildren;
use super::dispatcher::Dispatcher;
use super::host_threads::HostThreads;
use super::hub::Hub;
use super::live_actor::LiveActor;
use super::reply::losing;
use super::telemetry;
use crate::panics::Payload;
use crate::production::host::{current, forever, slice};
use crate::production::mailbox::signals::{
    CLOSED, EXHAUSTED, FINISH, GIVE_UP, KILL, LINKED, QUIT, START, STOP,
};
use crate::production::observing::hooks::FailureCause;
use crate::production::observing::work::{START_HOOK, STOP_HOOK};
use crate::seam::{
    AnyInstance, AskError, Body, Factory, Host, NextWork, RunOutcome, Spawn, SpawnOptions,
};
use crate::supervision::{FailureKind, StopReason, Unread};

/// Starts an actor. If the system shuts down, the actor is dropped, and the result has stopped.
pub(crate) fn spawn(
    hub: &Arc<Hub>,
    spawned: &mut dyn Spawn<Arc<LiveActor>>,
    options: &SpawnOptions,
) -> Arc<LiveActor> {
    let actor = LiveActor::new(hub.clone(), options, spawned.of());
    let actor = Arc::new(actor);
    match hub.registry.enter(actor.clone()) {
        Some(place) => {
            let resting = spawned.instance(actor.clone());
            launch(&actor, place, resting, None, options.host);
        }
        None => actor.end(StopReason::Aborted),
    }
    actor
}

/// Starts a supervised child of an actor, or of the system, as [`spawn`] does other actors.
pub(crate) fn spawn_with(
    hub: &Arc<Hub>,
    supervisor: Option<&Arc<LiveActor>>,
    mut factory: Factory<Arc<LiveActor>>,
    options: &SpawnOptions,
) -> Arc<LiveActor> {
    let children = match supervisor {
        Some(supervisor) => supervisor.children(),
        None => LiveChildren::of_system(hub),
    };
    let actor = LiveActor::new(hub.clone(), options, factory.of());
    let actor = Arc::new(actor);
    let resting = factory.instance(actor.clone());
    match hub.registry.enter(actor.clone()) {
        Some(place) => {
            children.add(&actor, options.child);
            let supervised = SupervisedTask {
                factory,
                children,
                unread: options.child.unread,
                fault: None,
            };
            launch(&actor, place, resting, Some(supervised), options.host);
        }
        None => {
            drop(resting);
            actor.end(StopReason::Aborted);
        }
    }
    actor
}

fn launch(
    actor: &Arc<LiveActor>,
    place: u32,
    resting: Box<dyn AnyInstance>,
    supervised: Option<SupervisedTask>,
    host: Host,
) {
    let mut body = Body::new();
    body.install(resting);
    let stage = match (host, actor.hub().executor.blocking_threads()) {
        (Host::Workers, _) => None,
        (Host::BlockingThreads, Some(runtime)) => {
            Some(HostThreads::BlockingThreads(runtime.clone()))
        }
        (Host::BlockingThreads | Host::Thread, _) => {
            let started =
                HostThreads::thread(&actor.name(), &actor.hub().executor).map_err(|error| {
                    actor.fail(
                        FailureKind::Background,
                        format!("it has no thread: {error}"),
                    );
                    actor.signals.add(KILL | QUIT);
                });
            started.ok()
        }
    };
    let extras =
        (stage.is_some() || supervised.is_some()).then(|| Box::new(Extras { stage, supervised }));
    let life = ActorTask {
        body,
        part: TaskState::first(actor),
        waker: Waker::from(actor.clone()),
        actor: actor.clone(),
        place,
        extras,
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        turn: None,
    };
    telemetry::spawned(actor);
    Box::new(life).dispatch(&actor.hub().dispatcher);
}

/// The task of a running actor. Dropping it is an abort, which closes the inbox and notifies watchers.
pub(crate) struct ActorTask {
    body: Body,
    part: TaskState,
    actor: Arc<LiveActor>,
    waker: Waker,
    place: u32,
    /// `None` for most actors: one word each.
    extras: Option<Box<Extras>>,
    /// The suspended turn, while a handler waits.
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    turn: Option<super::turn::HandlerSpan>,
}

/// The data that only some actors have.
struct Extras {
    /// The threads on which the actor runs; `None` for the workers.
    stage: Option<HostThreads>,
    supervised: Option<SupervisedTask>,
}

/// The factory of a child, and the group of its supervisor.
struct SupervisedTask {
    factory: Factory<Arc<LiveActor>>,
    children: Arc<LiveChildren>,
    unread: Unread,
    /// The last failure, until the supervisor knows of it.
    fault: Option<FailureCause>,
}

/// The state of an actor task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TaskState {
    /// Running the `#[start]` hook and the first `#[entry]`.
    Starting,
    /// Handling events.
    Working,
    /// Running the `#[stop]` hook, on an order to stop.
    Stopping,
    /// Failing, since code around the handlers has panicked.
    Failing(StopReason),
    /// Waiting for the ends of the children.
    Closing(StopReason),
    /// Dropping the value.
    Dropping(StopReason),
    /// Down, without a value, until the supervisor decides.
    Down(StopReason),
    /// Ended for good.
    Ended,
}

impl TaskState {
    fn first(actor: &LiveActor) -> Self {
        if actor.info().starts {
            Self::Starting
        } else {
            Self::Working
        }
    }
}

/// The effect of the signals on the actor.
enum SignalOutcome {
    /// The actor goes on.
    Nothing,
    /// The `#[stop]` hook runs.
    Stop,
    /// The actor ends.
    End(StopReason),
}

impl ActorTask {
    pub(in crate::production) fn state(&self) -> usize {
        self.body.state()
    }

    #[inline]
    fn stage(&self) -> Option<&HostThreads> {
        self.extras.as_ref()?.stage.as_ref()
    }

    fn supervised(&self) -> Option<&SupervisedTask> {
        self.extras.as_ref()?.supervised.as_ref()
    }

    fn supervised_mut(&mut self) -> Option<&mut SupervisedTask> {
        self.extras.as_mut()?.supervised.as_mut()
    }

    fn park(self: Box<Self>) {
        let actor = self.actor.clone();
        actor.park(self);
    }

    /// Ends the actor, in one more run, after a panic around its handlers: a failure of the actor.
    #[cold]
    fn go_on_after(mut self: Box<Self>, payload: Payload) {
        self.waker = Waker::from(self.actor.clone());
        let reason = self.panicked(payload);
        match self.part {
            TaskState::Starting | TaskState::Working | TaskState::Stopping => {
                self.part = TaskState::Failing(reason)
            }
            TaskState::Failing(_) | TaskState::Closing(_) => {
                self.part = TaskState::Dropping(reason)
            }
            // A second panic here is likely: the actor is aborted if it did not come to its end.
            TaskState::Dropping(_) => return,
            TaskState::Down(_) | TaskState::Ended => {}
        }
        self.actor.wake_up();
        self.park();
    }

    fn poll(&mut self) -> Poll<()> {
        // One guard for a whole batch, since a batch is one poll.
        let _current = current::enter(self.actor.id());
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        let shift = super::turn::HandlerSpanGuard::begin(self.turn.take());
        self.actor.work.resume();
        forever::begin_count();
        let waker = std::mem::replace(&mut self.waker, Waker::noop().clone());
        let poll = self.live(&waker);
        self.waker = waker;
        let waits = self.waits_in_handler();
        self.actor.work.leave(waits);
        self.actor.work.waits_forever(forever::balance(), waits);
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        {
            self.turn = shift.end(&self.actor, waits);
        }
        poll
    }

    fn live(&mut self, waker: &Waker) -> Poll<()> {
        let life = self;
        loop {
            match life.part {
                TaskState::Starting | TaskState::Working | TaskState::Stopping => {
                    let reason = match catch_unwind(AssertUnwindSafe(|| life.work(waker))) {
                        Ok(Poll::Pending) => return Poll::Pending,
                        Ok(Poll::Ready(Ok(reason))) => reason,
                        Ok(Poll::Ready(Err(fault))) => life.failed(fault),
                        Err(payload) => life.panicked(payload),
                    };
                    life.close(reason);
                }
                TaskState::Failing(reason) => life.close(reason),
                TaskState::Closing(reason) => {
                    if life.actor.signals.has(KILL) {
                        life.part = TaskState::Dropping(StopReason::Aborted);
                    } else if life.actor.signals.take(CLOSED) != 0 {
                        life.part = TaskState::Dropping(reason);
                    } else {
                        return Poll::Pending;
                    }
                }
                TaskState::Dropping(reason) => {
                    let reason = life.drop_value(reason);
                    life.actor.break_links(reason);
                    let Some(supervised) = life.supervised_mut() else {
                        life.leave(reason);
                        return Poll::Ready(());
                    };
                    let (children, fault) = (supervised.children.clone(), supervised.fault.take());
                    let has_started = life.actor.has_started();
                    life.actor.start_is_ahead();
                    children.ended(&life.actor, reason, has_started, fault);
                    life.part = TaskState::Down(reason);
                }
                TaskState::Down(reason) => {
                    let taken = life.actor.signals.take(START | FINISH | EXHAUSTED);
                    if let Some(reason) = life.is_final(taken, reason) {
                        life.leave(reason);
                        return Poll::Ready(());
                    }
                    if taken & START != 0 {
                        life.restart();
                    } else {
                        return Poll::Pending;
                    }
                }
                TaskState::Ended => return Poll::Ready(()),
            }
        }
    }

    /// Returns true if an async handler or hook is pending.
    fn waits_in_handler(&self) -> bool {
        let runs = matches!(
            self.part,
            TaskState::Starting | TaskState::Working | TaskState::Stopping
        );
        runs && self.body.is_suspended()
    }

    fn work(&mut self, waker: &Waker) -> Poll<Result<StopReason, FailureCause>> {
        let mut ran = match self.taken() {
            SignalOutcome::End(reason) => return Poll::Ready(Ok(reason)),
            SignalOutcome::Stop => self.stop(waker),
            SignalOutcome::Nothing if self.body.is_suspended() => self.body.resume(waker),
            SignalOutcome::Nothing if self.part == TaskState::Starting => self.start(waker),
            SignalOutcome::Nothing => RunOutcome::Done,
        };
        loop {
            match ran {
                RunOutcome::Suspended => return Poll::Pending,
                RunOutcome::Halted => return Poll::Ready(Ok(StopReason::Halted)),
                RunOutcome::Done if self.part == TaskState::Stopping => {
                    return Poll::Ready(Ok(StopReason::Stopped));
                }
                RunOutcome::Done => {
                    if self.part == TaskState::Starting {
                        self.actor.start_is_over();
                    }
                    self.part = TaskState::Working;
                    self.actor.work.leave(false);
                }
            }
            ran = match self.body.work(waker) {
                NextWork::Wait if !self.actor.is_ordered() => return Poll::Pending,
                NextWork::Wait | NextWork::Order => match self.taken() {
                    SignalOutcome::End(reason) => return Poll::Ready(Ok(reason)),
                    SignalOutcome::Stop => self.stop(waker),
                    SignalOutcome::Nothing => RunOutcome::Done,
                },
                NextWork::Ran(ran) => ran,
                NextWork::Stop => self.stop(waker),
                NextWork::Unhandled(event) => {
                    let state = self.body.state();
                    return Poll::Ready(Err(unhandled(&self.actor, state, &event)));
                }
            };
        }
    }

    /// Takes the signals ahead of the inbox.
    fn taken(&mut self) -> SignalOutcome {
        if !self.actor.is_ordered() {
            return SignalOutcome::Nothing;
        }
        let signals = &self.actor.signals;
        if signals.has(KILL) {
            return SignalOutcome::End(StopReason::Aborted);
        }
        if signals.take(GIVE_UP) != 0 {
            return SignalOutcome::End(StopReason::Exhausted);
        }
        if signals.take(LINKED) != 0 {
            return SignalOutcome::End(StopReason::Linked);
        }
        match (signals.take(STOP), self.part) {
            (0, _) | (_, TaskState::Stopping) => SignalOutcome::Nothing,
            _ if self.body.is_suspended() => SignalOutcome::End(StopReason::Stopped),
            (_, TaskState::Starting) => SignalOutcome::End(StopReason::Stopped),
            _ => SignalOutcome::Stop,
        }
    }

    fn start(&mut self, waker: &Waker) -> RunOutcome {
        self.actor.work.begin(START_HOOK, self.body.state());
        let ran = self.body.start(waker);
        if let Some(supervised) = self.supervised() {
            supervised.children.started(&self.actor);
        }
        ran
    }

    fn stop(&mut self, waker: &Waker) -> RunOutcome {
        self.part = TaskState::Stopping;
        self.actor.work.begin(STOP_HOOK, self.body.state());
        self.body.stop(waker)
    }

    fn failed(&mut self, fault: FailureCause) -> StopReason {
        if let Some(supervised) = self.supervised_mut() {
            supervised.fault = Some(fault.clone());
        }
        self.actor.failed(fault);
        StopReason::Failed
    }

    fn panicked(&mut self, payload: Payload) -> StopReason {
        self.failed(FailureCause::from_panic(payload))
    }

    /// Stops the children, and waits for their ends, unless the actor is killed.
    fn close(&mut self, reason: StopReason) {
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        super::turn::finish(&self.actor);
        let in_order = matches!(reason, StopReason::Halted | StopReason::Stopped);
        self.part = match self.disband(!in_order) {
            true if reason != StopReason::Aborted => TaskState::Closing(reason),
            _ => TaskState::Dropping(reason),
        };
    }

    /// Stops the children; returns `false` if there never were any.
    fn disband(&self, at_once: bool) -> bool {
        let children = self
            .actor
            .with_relations(|relations| relations.as_mut()?.children.take());
        let Some(Some(children)) = children else {
            return false;
        };
        self.actor.signals.take(CLOSED);
        children.close(at_once);
        true
    }

    /// Drops the value: events that its destructor sends are sent before the inbox closes.
    fn drop_value(&mut self, reason: StopReason) -> StopReason {
        let lost = match reason {
            StopReason::Failed => AskError::Failed,
            _ => AskError::Stopped,
        };
        let lost = self.actor.hub().lost(lost);
        let clear = || losing(lost, || self.body.clear());
        match catch_unwind(AssertUnwindSafe(clear)) {
            Ok(()) => reason,
            Err(payload) => self.panicked(payload),
        }
    }

    /// Returns the reason if the actor ends for good.
    fn is_final(&self, taken: u16, reason: StopReason) -> Option<StopReason> {
        if taken & EXHAUSTED != 0 {
            if let Some(supervised) = self.supervised() {
                self.actor
                    .fail(FailureKind::Exhausted, supervised.children.limit());
            }
            return Some(StopReason::Exhausted);
        }
        if taken & FINISH != 0 {
            return Some(reason);
        }
        if self.actor.signals.has(KILL) {
            return Some(StopReason::Aborted);
        }
        self.actor.signals.has(QUIT).then_some(StopReason::Stopped)
    }

    /// Restarts the actor with a new value.
    fn restart(&mut self) {
        let extras = self.extras.as_mut();
        let Some(supervised) = extras.and_then(|extras| extras.supervised.as_mut()) else {
            return;
        };
        self.actor.next_life();
        telemetry::restarted(&self.actor);
        if supervised.unread == Unread::Drop {
            self.actor.drop_unread();
        }
        let me = self.actor.clone();
        let made = catch_unwind(AssertUnwindSafe(|| supervised.factory.instance(me)));
        match made {
            Ok(resting) => {
                self.body.install(resting);
                self.part = TaskState::first(&self.actor);
                if self.part == TaskState::Working {
                    self.actor.start_is_over();
                    supervised.children.started(&self.actor);
                }
            }
            Err(payload) => self.part = TaskState::Dropping(self.panicked(payload)),
        }
    }

    /// Ends for good: closes the inbox and notifies the watchers.
    fn leave(&mut self, reason: StopReason) {
        self.part = TaskState::Ended;
        self.actor.end(reason);
        telemetry::ended(&self.actor, reason);
        self.actor.hub().registry.leave(self.place);
        if let Some(supervised) = self.supervised() {
            supervised.children.left(&self.actor);
        }
    }
}

impl ActorTask {
    /// Runs a batch, and parks the actor in its mailbox afterwards.
    pub(super) fn run(mut self: Box<Self>) {
        slice::admit();
        // Around everything, since a tracing subscriber may panic, too.
        match catch_unwind(AssertUnwindSafe(|| self.poll())) {
            Ok(Poll::Pending) => self.park(),
            Ok(Poll::Ready(())) => {}
            Err(payload) => self.go_on_after(payload),
        }
    }

    /// Queues the actor: with the dispatcher, unless it has a stage of its own.
    pub(super) fn dispatch(self: Box<Self>, dispatcher: &Arc<Dispatcher>) {
        match self.stage() {
            None => dispatcher.dispatch(self),
            Some(stage) => stage.clone().run(self),
        }
    }
}

impl Drop for ActorTask {
    fn drop(&mut self) {
        if self.part != TaskState::Ended {
            let _current = current::enter(self.actor.id());
            self.disband(true);
            let reason = self.drop_value(StopReason::Aborted);
            self.actor.break_links(reason);
            self.leave(reason);
        }
    }
}

fn unhandled(actor: &LiveActor, state: usize, event: &str) -> FailureCause {
    let state = actor.info().state_name(state).unwrap_or("Stateless");
    FailureCause {
        kind: FailureKind::Unhandled,
        message: format!("{event} in state {state}, which neither handles, defers nor ignores it"),
    }
}
