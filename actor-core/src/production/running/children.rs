//! The children of one live supervisor: [`LiveChildren`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use super::actor::LiveActor;
use super::hub::Hub;
use crate::contained::contained;
use crate::production::host::executor::sleep;
use crate::production::host::{chance, lock};
use crate::production::mailbox::lane::{
    CLOSED, EXHAUSTED, FINISH, GIVE_UP, KILL, LINKED, QUIT, START, STOP,
};
use crate::production::observing::hooks::{FailureKind, Fault};
use crate::supervision::{Backoff, ChildOptions, Children, Order, StopReason, Supervision};

/// Shared by a supervisor and its children, who tell it what has become of them. It is no actor
/// itself: whoever tells also passes on what is ordered, one after another, so that no actor is told
/// two things in the wrong order. Not under the lock: where the runtime is gone, an actor that is told
/// something is dropped by that, and has to tell of its end.
pub(super) struct LiveChildren {
    hub: Arc<Hub>,
    /// `None` for a child of the system.
    supervisor: Option<Weak<LiveActor>>,
    state: Mutex<State>,
}

struct State {
    children: Children,
    /// What is ordered and not passed on yet.
    orders: VecDeque<Order>,
    /// Somebody passes it on.
    passes_on: bool,
    /// Those that are in it.
    cells: BTreeMap<u64, Arc<LiveActor>>,
}

impl LiveChildren {
    /// That of an actor.
    pub(super) fn of(supervisor: &Arc<LiveActor>) -> Arc<Self> {
        let make = || Self::new(supervisor.hub(), Some(Arc::downgrade(supervisor)));
        let found = supervisor.with_relations(|relations| {
            let relations = relations.get_or_insert_default();
            relations.children.get_or_insert_with(make).clone()
        });
        found.unwrap_or_else(make)
    }

    /// That of a child of the system.
    pub(super) fn of_system(hub: &Arc<Hub>) -> Arc<Self> {
        Self::new(hub, None)
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
            }),
        })
    }

    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(super) fn supervise(&self, supervision: Supervision) {
        lock(&self.state).children.supervise(supervision);
    }

    /// Why it gives up.
    pub(super) fn limit(&self) -> String {
        lock(&self.state).children.limit()
    }

    pub(super) fn add(&self, child: &Arc<LiveActor>, options: ChildOptions) {
        let mut state = lock(&self.state);
        let id = child.id().as_u64();
        state.cells.insert(id, child.clone());
        state.children.add(id, options, self.hub.now());
    }

    /// The value of a child is dropped.
    pub(super) fn ended(self: &Arc<Self>, child: &LiveActor, reason: StopReason) {
        self.update(|state, now, orders| {
            // What it was told by now was told to the value before.
            child.lane.take(STOP | GIVE_UP | LINKED | CLOSED);
            let told = child.lane.has(QUIT | KILL);
            let id = child.id().as_u64();
            state.children.ended(id, reason, told, now, orders);
        });
    }

    /// A child has run its start hook, or the first part of it.
    pub(super) fn started(self: &Arc<Self>, child: &LiveActor) {
        let id = child.id().as_u64();
        self.update(|state, now, orders| state.children.started(id, now, orders));
    }

    /// A child has ended for good.
    pub(super) fn left(self: &Arc<Self>, child: &LiveActor) {
        self.update(|state, _, orders| {
            let id = child.id().as_u64();
            state.cells.remove(&id);
            state.children.left(id, orders);
        });
    }

    /// The supervisor ends; it is told when no child is left.
    pub(super) fn close(self: &Arc<Self>, at_once: bool) {
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

    fn wait(self: &Arc<Self>, child: &Arc<LiveActor>, delay: Duration, jitter: f64) {
        let delay = Backoff::left_to_chance(delay, jitter, 2.0 * chance::part() - 1.0);
        let id = child.id().as_u64();
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
