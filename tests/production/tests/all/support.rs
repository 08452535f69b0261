//! Support for the tests of the production executor.

use std::fmt::Debug;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use actor_core::LiveSystem;
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

    /// Notes the dead letters of a system, too, each as `lost`, its event and the reason.
    pub(crate) fn note_dead_letters(&self, sys: &System) {
        let journal = self.clone();
        live(sys).on_dead_letter(move |letter| {
            journal.note(format!("lost {:?}: {:?}", letter.event, letter.reason));
        });
    }
}

/// Returns what only a system in production has.
pub(crate) fn live(sys: &System) -> &LiveSystem {
    sys.as_live().expect("a system in production")
}

/// Returns a system, and the journal of its failures.
pub(crate) fn system() -> (System, Journal) {
    let (sys, journal) = (System::new(), Journal::new());
    let noted = journal.clone();
    live(&sys).on_failure(move |failure| {
        noted.note(format!("{:?}: {}", failure.kind, failure.message));
    });
    (sys, journal)
}

/// Returns a journal of the messages of all failures in a system.
pub(crate) fn failures(sys: &System) -> Journal {
    let journal = Journal::new();
    let noted = journal.clone();
    live(sys).on_failure(move |failure| noted.note(&*failure.message));
    journal
}

/// Returns a system whose failures are part of the test.
pub(crate) fn fallible() -> System {
    let sys = System::new();
    live(&sys).on_failure(|_| {});
    sys
}

/// Waits until nothing is left to do: a paused clock only moves when every task waits.
pub(crate) async fn idle() {
    tokio::time::sleep(Duration::from_nanos(1)).await;
}

/// Waits for seconds.
pub(crate) async fn later(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// Returns the number of tasks of the runtime.
pub(crate) fn tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

/// Polls a future once, and does not wake anybody when it is ready.
pub(crate) fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut TaskContext::from_waker(Waker::noop()))
}

/// Spawns an actor with a journal, in a system of its own.
pub(crate) fn journaled<A: Actor>(
    make: impl FnOnce(Journal) -> A,
) -> (System, ActorRef<A>, Journal) {
    let (sys, journal) = (System::new(), Journal::new());
    let actor = sys.spawn(make(journal.clone()));
    (sys, actor, journal)
}

/// Does nothing at `Go`, waits for ever, ends or fails.
pub(crate) struct Mortal;

#[derive(Debug)]
pub(crate) struct Go;
#[derive(Debug)]
pub(crate) struct Wait;
#[derive(Debug)]
pub(crate) struct Halt;
#[derive(Debug)]
pub(crate) struct Break;

#[actor]
impl Mortal {
    #[on]
    fn go(&mut self, _: Go) {}

    #[on]
    async fn wait(&mut self, _: Wait) {
        std::future::pending::<()>().await;
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }
}
