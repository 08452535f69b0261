//! The children of one live supervisor: [`Household`].

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use super::cell::Cell;
use super::executor::sleep;
use super::hub::Hub;
use super::lane::{CLOSED, EXHAUSTED, FINISH, GIVE_UP, KILL, LINKED, QUIT, START, STOP};
use super::lock;
use crate::family::{Family, Order};
use crate::supervision::{ChildOptions, Supervision};
use crate::watch::StopReason;

/// Shared by a supervisor and its children, who tell it what has become of them. It is no actor
/// itself: whoever tells also passes on what is ordered. That is done under its lock, so
/// that no actor is told two things in the wrong order; no code of the user runs there.
pub(super) struct Household {
    hub: Arc<Hub>,
    /// `None` for a child of the system.
    supervisor: Option<Weak<Cell>>,
    state: Mutex<State>,
}

struct State {
    family: Family,
    /// Those that are in it.
    cells: Vec<Arc<Cell>>,
}

impl Household {
    /// That of an actor.
    pub(super) fn of(supervisor: &Arc<Cell>) -> Arc<Self> {
        let make = || Self::new(supervisor.hub(), Some(Arc::downgrade(supervisor)));
        let found = supervisor.with_kin(|kin| {
            let kin = kin.get_or_insert_default();
            kin.household.get_or_insert_with(make).clone()
        });
        found.unwrap_or_else(make)
    }

    /// That of a child of the system.
    pub(super) fn of_system(hub: &Arc<Hub>) -> Arc<Self> {
        Self::new(hub, None)
    }

    fn new(hub: &Arc<Hub>, supervisor: Option<Weak<Cell>>) -> Arc<Self> {
        Arc::new(Self {
            hub: hub.clone(),
            supervisor,
            state: Mutex::new(State {
                family: Family::new(Supervision::default()),
                cells: Vec::new(),
            }),
        })
    }

    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(super) fn supervise(&self, supervision: Supervision) {
        lock(&self.state).family.supervise(supervision);
    }

    /// Why it gives up.
    pub(super) fn limit(&self) -> String {
        lock(&self.state).family.limit()
    }

    pub(super) fn add(&self, child: &Arc<Cell>, options: ChildOptions) {
        let mut state = lock(&self.state);
        state.cells.push(child.clone());
        let id = child.id().as_u64();
        state.family.add(id, options, self.hub.now());
    }

    /// The value of a child is dropped.
    pub(super) fn ended(self: &Arc<Self>, child: &Cell, reason: StopReason) {
        self.update(|state, now, orders| {
            // What it was told by now was told to the value before.
            child.lane.take(STOP | GIVE_UP | LINKED | CLOSED);
            let told = child.lane.has(QUIT | KILL);
            let id = child.id().as_u64();
            state.family.ended(id, reason, told, now, orders);
        });
    }

    /// A child has run its start hook, or the first part of it.
    pub(super) fn started(self: &Arc<Self>, child: &Cell) {
        let id = child.id().as_u64();
        self.update(|state, now, orders| state.family.started(id, now, orders));
    }

    /// A child has ended for good.
    pub(super) fn left(self: &Arc<Self>, child: &Cell) {
        self.update(|state, _, orders| {
            state.cells.retain(|cell| cell.id() != child.id());
            state.family.left(child.id().as_u64(), orders);
        });
    }

    /// The supervisor ends; it is told when no child is left.
    pub(super) fn close(self: &Arc<Self>, at_once: bool) {
        self.update(|state, _, orders| state.family.close(at_once, orders));
    }

    fn waited(self: &Arc<Self>, child: u64) {
        self.update(|state, _, orders| state.family.waited(child, orders));
    }

    fn update(self: &Arc<Self>, change: impl FnOnce(&mut State, Duration, &mut Vec<Order>)) {
        let mut orders = Vec::new();
        let mut state = lock(&self.state);
        change(&mut state, self.hub.now(), &mut orders);
        for order in orders {
            self.pass_on(&state.cells, order);
        }
    }

    fn pass_on(self: &Arc<Self>, cells: &[Arc<Cell>], order: Order) {
        let child = |id| cells.iter().find(|cell| cell.id().as_u64() == id);
        let tell = |id, what| {
            if let Some(child) = child(id) {
                child.order(what);
            }
        };
        match order {
            Order::Stop { child, at_once } if at_once => tell(child, STOP),
            Order::Stop { child: id, .. } => {
                if let Some(child) = child(id) {
                    child.stop_in_order();
                }
            }
            Order::Wait {
                child,
                delay,
                jitter,
            } => self.wait(child, delay, jitter),
            Order::Start { child } => tell(child, START),
            Order::Finish { child, exhausted } if exhausted => tell(child, EXHAUSTED),
            Order::Finish { child, .. } => tell(child, FINISH),
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

    fn wait(self: &Arc<Self>, child: u64, delay: Duration, jitter: f64) {
        let part = crate::random::choose(true, 1 << 20) as f64 / f64::from(1 << 20);
        let delay = delay.mul_f64(1.0 + jitter * (2.0 * part - 1.0));
        let household = Arc::downgrade(self);
        self.hub.executor.spawn(async move {
            sleep(delay).await;
            if let Some(household) = household.upgrade() {
                household.waited(child);
            }
        });
    }
}
