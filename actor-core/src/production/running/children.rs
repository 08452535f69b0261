//! The children of one live supervisor: [`LiveChildren`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use super::actor::{Hub, LiveActor};
use super::background::Contained;
use super::spawning::AskSupervisor;
use super::target::Target;
use crate::contained::contained;
use crate::production::host::executor::sleep;
use crate::production::host::{chance, lock};
use crate::production::mailbox::lane::{
    CLOSED, EXHAUSTED, FINISH, GIVE_UP, KILL, LINKED, QUIT, START, STOP,
};
use crate::production::observing::hooks::Fault;
use crate::supervision::{
    Backoff, ChildOptions, Children, Decision, Failure, FailureKind, Order, StopReason, Supervision,
};

/// Shared by a supervisor and its children, who tell it what has become of them. It is no actor
/// itself: whoever tells also passes on what is ordered, one after another, so that no actor is told
/// two things in the wrong order. Not under the lock: where the runtime is gone, an actor that is told
/// something is dropped by that, and has to tell of its end.
pub(in crate::production) struct LiveChildren {
    hub: Arc<Hub>,
    /// `None` for children of the system.
    supervisor: Option<Weak<LiveActor>>,
    state: Mutex<State>,
}

/// How the children of the system are supervised, and their group, where it was told.
#[derive(Default)]
pub(crate) struct Family(Mutex<Option<(Supervision, Weak<LiveChildren>)>>);

struct State {
    children: Children,
    /// What is ordered and not passed on yet.
    orders: VecDeque<Order>,
    /// Somebody passes it on.
    passes_on: bool,
    /// Those that are in it.
    cells: BTreeMap<u64, Arc<LiveActor>>,
    /// What asks the supervisor about failures, where it decides itself.
    ask: Option<AskSupervisor>,
    /// What it is asked about.
    failures: BTreeMap<u64, Failure>,
}

impl LiveChildren {
    /// Those of an actor that has had none.
    pub(in crate::production) fn of(supervisor: &Arc<LiveActor>) -> Arc<Self> {
        Self::new(supervisor.hub(), Some(Arc::downgrade(supervisor)))
    }

    /// That of a child of the system that is spawned now: it is one of a group, where the system was
    /// told how to supervise.
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

    /// Says how the children of the system are supervised that are spawned from now on; those of the
    /// group that there is as well.
    pub(in crate::production) fn supervise_system(hub: &Arc<Hub>, supervision: Supervision) {
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
            state: Mutex::new(State {
                children: Children::new(Supervision::default()),
                orders: VecDeque::new(),
                passes_on: false,
                cells: BTreeMap::new(),
                ask: None,
                failures: BTreeMap::new(),
            }),
        })
    }

    pub(in crate::production) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(in crate::production) fn supervise(&self, supervision: Supervision) {
        lock(&self.state).children.supervise(supervision);
    }

    /// The supervisor decides itself what becomes of a child that has failed.
    pub(in crate::production) fn decide_failures(&self, ask: AskSupervisor) {
        let mut state = lock(&self.state);
        state.children.ask();
        state.ask = Some(ask);
    }

    /// Why it gives up.
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
                // The system has given this group up a moment ago.
                orders.push(Order::Stop {
                    child: id,
                    at_once: true,
                });
            }
        });
    }

    /// The value of a child is dropped, which had started or not; `fault` is what it has failed with last,
    /// if ever.
    pub(in crate::production) fn ended(
        self: &Arc<Self>,
        child: &LiveActor,
        reason: StopReason,
        has_started: bool,
        fault: Option<Fault>,
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
            // What it was told by now was told to the value before.
            child.lane.take(STOP | GIVE_UP | LINKED | CLOSED);
            let told = child.lane.has(QUIT | KILL);
            let id = child.id().number();
            let children = &mut state.children;
            children.ended(id, reason, told, has_started, now, orders);
        });
    }

    /// A child has run its start hook, or the first part of it.
    pub(in crate::production) fn started(self: &Arc<Self>, child: &LiveActor) {
        let id = child.id().number();
        self.update(|state, now, orders| state.children.started(id, now, orders));
    }

    /// A child has ended for good.
    pub(in crate::production) fn left(self: &Arc<Self>, child: &LiveActor) {
        self.update(|state, _, orders| {
            let id = child.id().number();
            state.cells.remove(&id);
            state.failures.remove(&id);
            state.children.left(id, orders);
        });
    }

    /// The supervisor ends; it is told when no child is left.
    pub(in crate::production) fn close(self: &Arc<Self>, at_once: bool) {
        self.update(|state, _, orders| state.children.close(at_once, orders));
    }

    fn waited(self: &Arc<Self>, child: u64) {
        self.update(|state, _, orders| state.children.waited(child, orders));
    }

    fn update(self: &Arc<Self>, change: impl FnOnce(&mut State, Duration, &mut Vec<Order>)) {
        let mut state = lock(&self.state);
        let mut orders = Vec::new();
        change(&mut state, self.hub.now(), &mut orders);
        state.orders.extend(orders);
        if state.passes_on {
            return;
        }
        state.passes_on = true;
        while let Some(order) = state.orders.pop_front() {
            let child = order.child().and_then(|id| state.cells.get(&id)).cloned();
            drop(state);
            self.pass_on(child.as_ref(), order);
            state = lock(&self.state);
        }
        state.passes_on = false;
    }

    /// Passes an order on to the child that it is about.
    fn pass_on(self: &Arc<Self>, child: Option<&Arc<LiveActor>>, order: Order) {
        let tell = |what| {
            if let Some(child) = child {
                child.order(what);
            }
        };
        match order {
            Order::Stop { at_once: true, .. } => tell(STOP),
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
            Order::Start { .. } => tell(START),
            Order::Finish {
                exhausted: true, ..
            } => tell(EXHAUSTED),
            Order::Finish { .. } => tell(FINISH),
            Order::Decide { child } => self.ask_supervisor(child),
            Order::GiveUp if self.supervisor.is_none() => self.close(true),
            Order::GiveUp => self.tell_supervisor(GIVE_UP),
            Order::Closed => self.tell_supervisor(CLOSED),
        }
    }

    fn tell_supervisor(&self, what: u16) {
        let supervisor = self.supervisor.as_ref().and_then(Weak::upgrade);
        if let Some(supervisor) = supervisor {
            supervisor.order(what);
        }
    }

    /// Asks the supervisor what becomes of a child that has failed. Where it does not say, the child is
    /// brought back; so it is where the question panics, which is reported as the supervisor's failure.
    fn ask_supervisor(self: &Arc<Self>, child: u64) {
        let (ask, failure) = {
            let mut state = lock(&self.state);
            (state.ask, state.failures.remove(&child))
        };
        let supervisor = self.supervisor.as_ref().and_then(Weak::upgrade);
        let (Some(supervisor), Some(ask), Some(failure)) = (supervisor, ask, failure) else {
            return self.decided(child, Decision::default());
        };
        let answer = ask(Target::live(supervisor.clone()), failure);
        let answer = Contained::new(answer, supervisor);
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
        let delay = Backoff::left_to_chance(delay, jitter, 2.0 * chance::part() - 1.0);
        let id = child.id().number();
        let slept = {
            let _clock = self.hub.executor.enter();
            contained(|| sleep(delay))
        };
        let slept = match slept {
            Ok(slept) => slept,
            // There is no time driver: better at once than never.
            Err(message) => {
                child.failed(Fault {
                    kind: FailureKind::Background,
                    message: format!("it is brought back at once: {message}"),
                });
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
