//! Every running actor of a system: whom to stop, whom to abort, and when all are gone.

use std::pin::pin;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::cell::Cell;
use super::lock;
use crate::reference::ActorId;
use crate::slab::{Slab, Slot};

/// How many places are looked at before others may have the registry.
const LOOK: u32 = 1024;

pub(super) struct Registry {
    state: Mutex<State>,
    /// Notified when the last actor of a closed registry leaves.
    emptied: Notify,
}

struct State {
    /// In whatever order.
    actors: Slab<Entry>,
    phase: Phase,
}

struct Entry {
    actor: Arc<Cell>,
    /// `None` for a moment, between entering and the spawn of the task.
    task: Option<AbortHandle>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// Shutting down: nobody enters any more.
    Closed,
    /// As closed, and who is left is aborted.
    Aborted,
}

impl Registry {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                actors: Slab::new(),
                phase: Phase::Open,
            }),
            emptied: Notify::new(),
        }
    }

    /// Adds an actor that is about to start, and tells its place; `None` where the system shuts
    /// down.
    #[must_use]
    pub(super) fn enter(&self, actor: Arc<Cell>) -> Option<u32> {
        let mut state = lock(&self.state);
        if state.phase != Phase::Open {
            return None;
        }
        let entry = Entry { actor, task: None };
        Some(state.actors.insert(&mut Slot::Full(entry)))
    }

    /// Names the task of an actor that has entered; it may have left meanwhile.
    pub(super) fn attach(&self, place: u32, actor: ActorId, task: AbortHandle) {
        let aborted = {
            let mut state = lock(&self.state);
            if state.phase == Phase::Aborted {
                Some(task)
            } else {
                // The place may be another's by now.
                let entry = state.actors.get_mut(place);
                if let Some(entry) = entry.filter(|entry| entry.actor.id() == actor) {
                    entry.task = Some(task);
                }
                None
            }
        };
        if let Some(task) = aborted {
            task.abort();
        }
    }

    /// Shows some of the actors, from a place on; tells from which place to go on.
    pub(super) fn look(&self, from: u32, mut f: impl FnMut(&Cell)) -> Option<u32> {
        let state = lock(&self.state);
        let to = from.saturating_add(LOOK).min(state.actors.places());
        let places = (from..to).filter_map(|place| state.actors.get(place));
        places.for_each(|entry| f(&entry.actor));
        (to < state.actors.places()).then_some(to)
    }

    /// Removes an actor that has ended.
    pub(super) fn leave(&self, place: u32) {
        let (entry, emptied) = {
            let mut state = lock(&self.state);
            let entry = state.actors.remove(place);
            let emptied = state.actors.is_empty() && state.phase != Phase::Open;
            (entry, emptied)
        };
        drop(entry);
        if emptied {
            self.emptied.notify_waiters();
        }
    }

    /// Lets nobody enter any more; returns who is there, in the order of their spawns.
    pub(super) fn close(&self) -> Vec<Arc<Cell>> {
        let mut state = lock(&self.state);
        if state.phase == Phase::Open {
            state.phase = Phase::Closed;
        }
        let entries = in_order(&state.actors);
        entries.iter().map(|entry| entry.actor.clone()).collect()
    }

    /// Aborts who is left, in the order of their spawns. Their tasks end at their next `.await`.
    pub(super) fn abort(&self) {
        let left: Vec<_> = {
            let mut state = lock(&self.state);
            state.phase = Phase::Aborted;
            let entries = in_order(&state.actors).into_iter();
            entries.filter_map(|entry| entry.task.clone()).collect()
        };
        // Not under the lock: where the runtime is gone, a task is dropped by its abort.
        left.iter().for_each(AbortHandle::abort);
    }

    /// Waits until every actor has left.
    pub(super) async fn emptied(&self) {
        loop {
            let mut notified = pin!(self.emptied.notified());
            notified.as_mut().enable();
            if self.len() == 0 {
                return;
            }
            notified.await;
        }
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.state).actors.len()
    }
}

/// By identity, which is the order of their spawns.
fn in_order(actors: &Slab<Entry>) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = actors.iter().collect();
    entries.sort_unstable_by_key(|entry| entry.actor.id());
    entries
}
