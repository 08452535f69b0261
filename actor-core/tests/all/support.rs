//! Support for the tests of the production executor.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::prelude::*;

/// A journal of events, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn take(&self) {
        self.0.lock().unwrap().clear();
    }

    pub(crate) fn remove(&self, what: &str) -> Option<usize> {
        let mut noted = self.0.lock().unwrap();
        let at = noted.iter().position(|note| note == what)?;
        noted.remove(at);
        Some(at)
    }

    /// Takes all notes since the last call, for the caller to check.
    pub(crate) fn noted(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Asserts and takes all notes since the last call.
    #[track_caller]
    pub(crate) fn expect<T: AsRef<str> + Debug>(&self, expected: impl AsRef<[T]>) {
        let noted = self.noted();
        let expected: Vec<_> = expected.as_ref().iter().map(AsRef::as_ref).collect();
        assert_eq!(noted, expected);
    }
}

/// Returns a system, and the journal of its failures.
pub(crate) fn system() -> (System, Journal) {
    let (sys, journal) = (System::new(), Journal::new());
    let noted = journal.clone();
    let live = sys.as_live().unwrap();
    live.on_failure(move |failure| noted.note(format!("{:?}: {}", failure.kind, failure.message)));
    (sys, journal)
}

/// Waits until nothing is left to do: a paused clock only moves when every task waits.
pub(crate) async fn idle() {
    tokio::time::sleep(Duration::from_nanos(1)).await;
}

/// Spawns an actor with a journal, in a system of its own.
pub(crate) fn journaled<A: Actor>(
    make: impl FnOnce(Journal) -> A,
) -> (System, ActorRef<A>, Journal) {
    let (sys, journal) = (System::new(), Journal::new());
    let actor = sys.spawn(make(journal.clone()));
    (sys, actor, journal)
}

/// Returns a journal of the messages of all failures in a system.
pub(crate) fn failures(sys: &System) -> Journal {
    let journal = Journal::new();
    let noted = journal.clone();
    let live = sys.as_live().expect("a system in production");
    live.on_failure(move |failure| noted.note(&*failure.message));
    journal
}
