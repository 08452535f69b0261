//! The registry of all running actors of a system, for shutdown and abort.

use std::pin::pin;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::dispatcher::Dispatcher;
use super::live_actor::LiveActor;
use crate::identity::ActorId;
use crate::panics::lock;
use crate::production::mailbox::signals::{KILL, QUIT};

/// The number of places read before the lock is released.
const BATCH: u32 = 1024;

pub(in crate::production) struct Registry {
    state: Mutex<RegistryState>,
    /// Notified when the last actor of a closed registry leaves.
    emptied: Notify,
    /// Ended when the last actor of a closed registry leaves.
    dispatcher: Arc<Dispatcher>,
}

struct RegistryState {
    /// The actors in no order, at places that others have left or at new ones.
    actors: Vec<Option<Arc<LiveActor>>>,
    free: Vec<u32>,
    /// True once the system shuts down: no actor enters any more.
    closed: bool,
}

impl Registry {
    pub(in crate::production) fn new(dispatcher: Arc<Dispatcher>) -> Self {
        Self {
            state: Mutex::new(RegistryState {
                actors: Vec::new(),
                free: Vec::new(),
                closed: false,
            }),
            emptied: Notify::new(),
            dispatcher,
        }
    }

    /// Adds an actor that is about to start, and returns its place; `None` if the system shuts down.
    #[must_use]
    pub(in crate::production) fn enter(&self, actor: Arc<LiveActor>) -> Option<u32> {
        let mut state = lock(&self.state);
        if state.closed {
            return None;
        }
        let place = match state.free.pop() {
            Some(place) => place,
            None => {
                state.actors.push(None);
                state.actors.len() as u32 - 1
            }
        };
        state.actors[place as usize] = Some(actor);
        Some(place)
    }

    /// Calls `f` with some of the actors, from a place on; returns the place to continue from.
    pub(in crate::production) fn visit(
        &self,
        from: u32,
        mut f: impl FnMut(&LiveActor),
    ) -> Option<u32> {
        let state = lock(&self.state);
        let places = state.actors.len() as u32;
        let to = from.saturating_add(BATCH).min(places);
        let actors = state.actors.get(from as usize..to as usize).into_iter();
        actors.flatten().flatten().for_each(|actor| f(actor));
        (to < places).then_some(to)
    }

    /// Returns the name of an actor that is alive. The search is linear.
    pub(in crate::production) fn name_of(&self, id: ActorId) -> Option<String> {
        let state = lock(&self.state);
        let mut actors = state.actors.iter().flatten();
        let found = actors.find(|actor| actor.id() == id)?;
        Some(found.name().into_owned())
    }

    /// Removes an actor that has ended.
    pub(in crate::production) fn leave(&self, place: u32) {
        let (actor, emptied) = {
            let mut state = lock(&self.state);
            let actor = state.actors[place as usize].take();
            state.free.push(place);
            let emptied = state.is_empty() && state.closed;
            (actor, emptied)
        };
        drop(actor);
        if emptied {
            self.dispatcher.end();
            self.emptied.notify_waiters();
        }
    }

    /// Closes the registry to new actors; returns the actors in the order of their spawns.
    pub(in crate::production) fn close(&self) -> Vec<Arc<LiveActor>> {
        let mut state = lock(&self.state);
        state.closed = true;
        if state.is_empty() {
            self.dispatcher.end();
        }
        state.in_order()
    }

    /// Aborts the remaining actors in the order of their spawns, each at its next `.await`.
    pub(in crate::production) fn abort(&self) {
        // Outside the lock: if the runtime is gone, the abort of an actor drops it.
        for actor in self.close() {
            actor.order(KILL | QUIT);
        }
    }

    /// Drops every parked actor, since nobody will run it.
    pub(in crate::production) fn drop_parked(&self) {
        for actor in self.close() {
            actor.drop_parked();
        }
    }

    /// Waits until every actor has left.
    pub(in crate::production) async fn emptied(&self) {
        loop {
            let mut notified = pin!(self.emptied.notified());
            notified.as_mut().enable();
            if self.len() == 0 {
                return;
            }
            notified.await;
        }
    }

    pub(in crate::production) fn len(&self) -> usize {
        lock(&self.state).len()
    }
}

impl RegistryState {
    fn len(&self) -> usize {
        self.actors.len() - self.free.len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the actors by identity, which is the order of their spawns.
    fn in_order(&self) -> Vec<Arc<LiveActor>> {
        let mut actors: Vec<_> = self.actors.iter().flatten().cloned().collect();
        actors.sort_unstable_by_key(|actor| actor.id());
        actors
    }
}
