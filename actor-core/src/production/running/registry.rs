//! Every running actor of a system: whom to stop, whom to abort, and when all are gone.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::dispatcher::{Dispatcher, Run};
use crate::identity::ActorId;
use crate::production::host::lock;

/// How many places are looked at before others may have the registry.
const LOOK: u32 = 1024;

/// An actor, as far as its system has to know it.
pub(crate) trait Member: Send + Sync + Sized + 'static {
    /// What runs it.
    type Life: Run;
    /// Who it is.
    fn id(&self) -> ActorId;
    /// What it is called.
    fn name(&self) -> Cow<'_, str>;
    /// Ends it at its next `.await`.
    fn abort(&self);
    /// Drops it where it waits: nobody will run it.
    fn drop_parked(&self);
}

pub(in crate::production) struct Registry<A: Member> {
    state: Mutex<State<A>>,
    /// Notified when the last actor of a closed registry leaves.
    emptied: Notify,
    /// Is over then.
    dispatcher: Arc<Dispatcher<A::Life>>,
}

struct State<A> {
    /// In whatever order, at places that others have left or at new ones.
    actors: Vec<Option<Arc<A>>>,
    left: Vec<u32>,
    /// Shutting down: nobody enters any more.
    closed: bool,
}

impl<A: Member> Registry<A> {
    pub(in crate::production) fn new(dispatcher: Arc<Dispatcher<A::Life>>) -> Self {
        Self {
            state: Mutex::new(State {
                actors: Vec::new(),
                left: Vec::new(),
                closed: false,
            }),
            emptied: Notify::new(),
            dispatcher,
        }
    }

    /// Adds an actor that is about to start, and tells its place; `None` where the system shuts
    /// down.
    #[must_use]
    pub(in crate::production) fn enter(&self, actor: Arc<A>) -> Option<u32> {
        let mut state = lock(&self.state);
        if state.closed {
            return None;
        }
        let place = match state.left.pop() {
            Some(place) => place,
            None => {
                state.actors.push(None);
                state.actors.len() as u32 - 1
            }
        };
        state.actors[place as usize] = Some(actor);
        Some(place)
    }

    /// Shows some of the actors, from a place on; tells from which place to go on.
    pub(in crate::production) fn look(&self, from: u32, mut f: impl FnMut(&A)) -> Option<u32> {
        let state = lock(&self.state);
        let places = state.actors.len() as u32;
        let to = from.saturating_add(LOOK).min(places);
        let actors = state.actors.get(from as usize..to as usize).into_iter();
        actors.flatten().flatten().for_each(|actor| f(actor));
        (to < places).then_some(to)
    }

    /// The name of an actor, where it still lives. It looks at all of them.
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
            state.left.push(place);
            let emptied = state.is_empty() && state.closed;
            (actor, emptied)
        };
        drop(actor);
        if emptied {
            self.dispatcher.end();
            self.emptied.notify_waiters();
        }
    }

    /// Lets nobody enter any more; returns who is there, in the order of their spawns.
    pub(in crate::production) fn close(&self) -> Vec<Arc<A>> {
        let mut state = lock(&self.state);
        state.closed = true;
        if state.is_empty() {
            self.dispatcher.end();
        }
        state.in_order()
    }

    /// Aborts who is left, in the order of their spawns, each at its next `.await`.
    pub(in crate::production) fn abort(&self) {
        // Not under the lock: where the runtime is gone, an actor is dropped by its abort.
        for actor in self.close() {
            actor.abort();
        }
    }

    /// Drops every actor that waits: nobody will run it.
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

impl<A: Member> State<A> {
    fn len(&self) -> usize {
        self.actors.len() - self.left.len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// By identity, which is the order of their spawns.
    fn in_order(&self) -> Vec<Arc<A>> {
        let mut actors: Vec<_> = self.actors.iter().flatten().cloned().collect();
        actors.sort_unstable_by_key(|actor| actor.id());
        actors
    }
}
