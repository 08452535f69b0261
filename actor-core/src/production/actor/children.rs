//! Supervision in production: the children of one supervisor, [`LiveChildren`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use super::background::ReportPanic;
use super::hub::Hub;
use super::live_actor::LiveActor;
use crate::panics::{catch_panic, lock};
use crate::production::host::chance;
use crate::production::host::executor::sleep;
use crate::production::mailbox::signals::{
    CLOSED, EXHAUSTED, FINISH, GIVE_UP, KILL, LINKED, QUIT, START, STOP,
};
use crate::production::observing::hooks::FailureCause;
use crate::seam::AskSupervisor;
use crate::supervision::{
    Backoff, ChildOptions, Children, Decision, Failure, FailureKind, Order, StopReason, Supervision,
};

/// The supervision state that a supervisor and its children share; the children report their ends to it.
/// The state is no actor: the thread that reports also passes on the resulting orders, one after another,
/// so that every actor gets them in the right order. Orders are passed on outside the lock: if the runtime
/// is gone, an actor that gets an order is dropped at once, and reports its end.
pub(in crate::production) struct LiveChildren {
    hub: Arc<Hub>,
    /// `None` for children of the system.
    supervisor: Option<Weak<LiveActor>>,
    state: Mutex<SystemChildrenState>,
}

/// The supervision of the system's children, with their group, if the program has set one.
#[derive(Default)]
pub(crate) struct SystemSupervision(Mutex<Option<(Supervision, Weak<LiveChildren>)>>);

struct SystemChildrenState {
    children: Children,
    /// The orders that are not passed on yet.
    orders: VecDeque<Order>,
    /// True while a thread passes orders on.
    is_draining: bool,
    /// The children, by their numbers.
    cells: BTreeMap<u64, Arc<LiveActor>>,
    /// The function that asks the supervisor about failures, if the supervisor decides itself.
    ask: Option<AskSupervisor<Arc<LiveActor>>>,
    /// The failures to ask the supervisor about.
    failures: BTreeMap<u64, Failure>,
}

impl LiveActor {
    /// Makes the actor decide itself about its failed children.
    pub(crate) fn decide_failures(self: &Arc<Self>, ask: AskSupervisor<Arc<Self>>) {
        self.children().decide_failures(ask);
    }
}

/// Sets the supervision of the children of an actor, or of the system, from now on.
pub(crate) fn supervise(
    hub: &Arc<Hub>,
    supervisor: Option<&Arc<LiveActor>>,
    supervision: Supervision,
) {
    match supervisor {
        Some(supervisor) => supervisor.children().supervise(supervision),
        None => LiveChildren::supervise_system(hub, supervision),
    }
}

impl LiveChildren {
    /// Makes the group of an actor that has had no children.
    pub(in crate::production) fn of(supervisor: &Arc<LiveActor>) -> Arc<Self> {
        Self::new(supervisor.hub(), Some(Arc::downgrade(supervisor)))
    }

    /// Returns the group of a new child of the system: shared if a supervision is set, otherwise its own.
    pub(in crate::production) fn of_system(hub: &Arc<Hub>) -> Arc<Self> {
        let mut family = lock(&hub.family.0);
        let Some((supervision, group)) = &mut *family else {
            return Self::new(hub, None);
        };
        if let Some(group) = group.upgrade().filter(|group| group.is_open()) {
            return group;
        }
        let founded = Self::new(hub, None);
        founded.supervise(*supervision);
        *group = Arc::downgrade(&founded);
        founded
    }

    /// Sets the supervision of the system's children from now on, and of the current group.
    fn supervise_system(hub: &Arc<Hub>, supervision: Supervision) {
        let group = {
            let mut family = lock(&hub.family.0);
            let (kept, group) = family.get_or_insert((supervision, Weak::new()));
            *kept = supervision;
            group.upgrade()
        };
        if let Some(group) = group {
            group.supervise(supervision);
        }
    }

    fn is_open(&self) -> bool {
        lock(&self.state).children.is_open()
    }

    fn new(hub: &Arc<Hub>, supervisor: Option<Weak<LiveActor>>) -> Arc<Self> {
        Arc::new(Self {
            hub: hub.clone(),
            supervisor,
            state: Mutex::new(SystemChildrenState {
                children: Children::new(Supervision::default()),
                orders: VecDeque::new(),
                is_draining: false,
                cells: BTreeMap::new(),
                ask: None,
                failures: BTreeMap::new(),
            }),
        })
    }

    fn supervise(&self, supervision: Supervision) {
        lock(&self.state).children.supervise(supervision);
    }

    /// Makes the supervisor decide itself about failed children.
    fn decide_failures(&self, ask: AskSupervisor<Arc<LiveActor>>) {
        let mut state = lock(&self.state);
        state.children.ask();
        state.ask = Some(ask);
    }

    /// Returns the restart limit, as the reason of giving up.
    pub(in crate::production) fn limit(&self) -> String {
        lock(&self.state).children.limit()
    }

    pub(in crate::production) fn add(
        self: &Arc<Self>,
        child: &Arc<LiveActor>,
        options: ChildOptions,
    ) {
        self.update(|state, now, orders| {
            let id = child.id().number();
            state.cells.insert(id, child.clone());
            state.children.add(id, options, now);
            if !state.children.is_open() {
                // The system has given up this group a moment ago.
                orders.push(Order::Stop {
                    child: id,
                    at_once: true,
                });
            }
        });
    }

    /// Records the end of a child's value. `fault` is the last failure of the child, if any.
    pub(in crate::production) fn ended(
        self: &Arc<Self>,
        child: &LiveActor,
        reason: StopReason,
        has_started: bool,
        fault: Option<FailureCause>,
    ) {
        self.update(|state, now, orders| {
            if state.ask.is_some() && reason.is_failure() {
                let (actor, name) = (child.id(), child.name().into_owned());
                let failure = match fault {
                    Some(fault) if reason == StopReason::Failed => {
                        Failure::new(actor, name, fault.kind, fault.message)
                    }
                    _ => Failure::shared(actor, name, reason),
                };
                state.failures.insert(actor.number(), failure);
            }
            // Signals up to now were meant for the old value.
            child.signals.take(STOP | GIVE_UP | LINKED | CLOSED);
            let was_stopped = child.signals.has(QUIT | KILL);
            let id = child.id().number();
            let children = &mut state.children;
            children.ended(id, reason, was_stopped, has_started, now, orders);
        });
    }

    /// Records that a child has run its start hook, up to the first await.
    pub(in crate::production) fn started(self: &Arc<Self>, child: &LiveActor) {
        let id = child.id().number();
        self.update(|state, now, orders| state.children.started(id, now, orders));
    }

    /// Records that a child has ended for good.
    pub(in crate::production) fn left(self: &Arc<Self>, child: &LiveActor) {
        self.update(|state, _, orders| {
            let id = child.id().number();
            state.cells.remove(&id);
            state.failures.remove(&id);
            state.children.left(id, orders);
        });
    }

    /// Ends the supervisor's children; the supervisor is notified when no child is left.
    pub(in crate::production) fn close(self: &Arc<Self>, at_once: bool) {
        self.update(|state, _, orders| state.children.close(at_once, orders));
    }

    fn waited(self: &Arc<Self>, child: u64) {
        self.update(|state, _, orders| state.children.waited(child, orders));
    }

    fn update(
        self: &Arc<Self>,
        change: impl FnOnce(&mut SystemChildrenState, Duration, &mut Vec<Order>),
    ) {
        let mut state = lock(&self.state);
        let mut orders = Vec::new();
        change(&mut state, self.hub.now(), &mut orders);
        state.orders.extend(orders);
        if state.is_draining {
            return;
        }
        state.is_draining = true;
        while let Some(order) = state.orders.pop_front() {
            let child = order.child().and_then(|id| state.cells.get(&id)).cloned();
            drop(state);
            self.pass_on(child.as_ref(), order);
            state = lock(&self.state);
        }
        state.is_draining = false;
    }

    fn pass_on(self: &Arc<Self>, child: Option<&Arc<LiveActor>>, order: Order) {
        let signal = |what| {
            if let Some(child) = child {
                child.order(what);
            }
        };
        match order {
            Order::Stop { at_once: true, .. } => signal(STOP),
            Order::Stop { .. } => {
                if let Some(child) = child {
                    child.stop_in_order();
                }
            }
            Order::Wait { delay, jitter, .. } => {
                if let Some(child) = child {
                    self.wait(child, delay, jitter);
                }
            }
            Order::Start { .. } => signal(START),
            Order::Finish {
                exhausted: true, ..
            } => signal(EXHAUSTED),
            Order::Finish { .. } => signal(FINISH),
            Order::Decide { child } => self.ask_supervisor(child),
            Order::GiveUp if self.supervisor.is_none() => self.close(true),
            Order::GiveUp => self.signal_supervisor(GIVE_UP),
            Order::Closed => self.signal_supervisor(CLOSED),
        }
    }

    fn signal_supervisor(&self, what: u16) {
        let supervisor = self.supervisor.as_ref().and_then(Weak::upgrade);
        if let Some(supervisor) = supervisor {
            supervisor.order(what);
        }
    }

    /// Asks the supervisor to decide about a failed child. Without an answer the child is restarted, also
    /// after a panic of the question, which is reported as the supervisor's failure.
    fn ask_supervisor(self: &Arc<Self>, child: u64) {
        let (ask, failure) = {
            let mut state = lock(&self.state);
            (state.ask, state.failures.remove(&child))
        };
        let supervisor = self.supervisor.as_ref().and_then(Weak::upgrade);
        let (Some(supervisor), Some(ask), Some(failure)) = (supervisor, ask, failure) else {
            return self.decided(child, Decision::default());
        };
        let answer = ask(supervisor.clone(), failure);
        let answer = ReportPanic::new(answer, supervisor);
        let children = Arc::downgrade(self);
        self.hub.executor.spawn(async move {
            let decision = answer.await.unwrap_or_default();
            if let Some(children) = children.upgrade() {
                children.decided(child, decision);
            }
        });
    }

    fn decided(self: &Arc<Self>, child: u64, decision: Decision) {
        self.update(|state, now, orders| state.children.decided(child, decision, now, orders));
    }

    fn wait(self: &Arc<Self>, child: &Arc<LiveActor>, delay: Duration, jitter: f64) {
        let delay = Backoff::with_jitter(delay, jitter, 2.0 * chance::part() - 1.0);
        let id = child.id().number();
        let slept = {
            let _clock = self.hub.executor.enter();
            catch_panic(|| sleep(delay))
        };
        let slept = match slept {
            Ok(slept) => slept,
            // Without a time driver, a restart at once is better than none.
            Err(message) => {
                child.fail(
                    FailureKind::Background,
                    format!("it is brought back at once: {message}"),
                );
                return self.waited(id);
            }
        };
        let children = Arc::downgrade(self);
        self.hub.executor.spawn(async move {
            slept.await;
            if let Some(children) = children.upgrade() {
                children.waited(id);
            }
        });
    }
}
