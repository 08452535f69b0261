//! Every running actor of a system: whom to stop, whom to abort, and when all are gone.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::lock;
use crate::reference::ActorId;

/// An actor without its type, as its system manages it.
pub(super) trait Managed: Send + Sync {
    fn id(&self) -> ActorId;
    fn name(&self) -> &str;
    /// Its inbox still takes events.
    fn is_running(&self) -> bool;
    /// Stops the actor when it has handled what was sent to it before.
    fn stop(&self);
}

pub(super) struct Registry {
    state: Mutex<State>,
    /// Notified when the last actor of a closed registry leaves.
    emptied: Notify,
}

struct State {
    /// By identity, which is the order of their spawns.
    actors: BTreeMap<ActorId, Entry>,
    phase: Phase,
}

struct Entry {
    actor: Arc<dyn Managed>,
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
                actors: BTreeMap::new(),
                phase: Phase::Open,
            }),
            emptied: Notify::new(),
        }
    }

    /// Adds an actor that is about to start; `false` where the system shuts down.
    #[must_use]
    pub(super) fn enter(&self, actor: Arc<dyn Managed>) -> bool {
        let mut state = lock(&self.state);
        if state.phase != Phase::Open {
            return false;
        }
        state.actors.insert(actor.id(), Entry { actor, task: None });
        true
    }

    /// Names the task of an actor that has entered; it may have left meanwhile.
    pub(super) fn attach(&self, id: ActorId, task: AbortHandle) {
        let aborted = {
            let mut state = lock(&self.state);
            if state.phase == Phase::Aborted {
                Some(task)
            } else {
                if let Some(entry) = state.actors.get_mut(&id) {
                    entry.task = Some(task);
                }
                None
            }
        };
        if let Some(task) = aborted {
            task.abort();
        }
    }

    /// Removes an actor that has ended.
    pub(super) fn leave(&self, id: ActorId) {
        let (entry, emptied) = {
            let mut state = lock(&self.state);
            let entry = state.actors.remove(&id);
            (entry, state.actors.is_empty() && state.phase != Phase::Open)
        };
        drop(entry);
        if emptied {
            self.emptied.notify_waiters();
        }
    }

    /// Lets nobody enter any more; returns who is there.
    pub(super) fn close(&self) -> Vec<Arc<dyn Managed>> {
        let mut state = lock(&self.state);
        if state.phase == Phase::Open {
            state.phase = Phase::Closed;
        }
        state
            .actors
            .values()
            .map(|entry| entry.actor.clone())
            .collect()
    }

    /// Aborts who is left; returns their names. Their tasks end at their next `.await`.
    pub(super) fn abort(&self) -> Vec<String> {
        let left: Vec<_> = {
            let mut state = lock(&self.state);
            state.phase = Phase::Aborted;
            let entries = state.actors.values();
            entries
                .map(|entry| (entry.actor.clone(), entry.task.clone()))
                .collect()
        };
        // Not under the lock: where the runtime is gone, a task is dropped by its abort.
        for task in left.iter().filter_map(|(_, task)| task.as_ref()) {
            task.abort();
        }
        left.iter()
            .map(|(actor, _)| actor.name().to_owned())
            .collect()
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
