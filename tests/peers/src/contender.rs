//! The interface of a contender: the operations that all scenarios use.

use std::future::Future;
use std::hint::spin_loop;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::entrant::Entrant;

/// A future of a scenario.
pub(crate) type Run<T = ()> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The capacity of a bounded mailbox, in events.
pub(crate) const ROOM: usize = 64;

/// Actors, or their replacement. All scenarios use only these
/// operations, so that contenders differ in nothing else.
///
/// A counter counts the events and questions that it receives; a node passes each ball to the next.
pub(crate) trait Contender: Copy + Send + Sync + 'static {
    /// The system, which is kept while its actors must live.
    type System: Send + Sync + 'static;
    /// The address of a counter.
    type Counter: Clone + Send + Sync + 'static;
    /// The address of a node.
    type Node: Send + Sync + 'static;

    /// The name of the contender in the table.
    fn name(self) -> &'static str;
    fn role(self) -> Role {
        Role::Peer
    }
    /// Returns the same contender with mailboxes of [`ROOM`] events; `None` if it has none.
    fn bounded(self) -> Option<Box<dyn Entrant>>;
    /// Creates the system; called inside the executor.
    fn system(self) -> Self::System;
    fn counter(self, system: &Self::System) -> impl Future<Output = Self::Counter> + Send;
    /// Sends an event to a counter, and waits for capacity if the mailbox is bounded.
    fn tell(self, counter: &Self::Counter) -> impl Future<Output = ()> + Send;
    /// Asks a counter for its count, this question included.
    fn ask(self, counter: &Self::Counter) -> impl Future<Output = u64> + Send;
    /// Sends an event to a counter, which then signs the list.
    fn sign(self, counter: &Self::Counter, list: Arc<List>) -> impl Future<Output = ()> + Send;
    /// Creates a ring of nodes; each reports `done` when it receives a ball without hops left.
    fn ring(
        self,
        system: &Self::System,
        size: usize,
        done: Done,
    ) -> impl Future<Output = Vec<Self::Node>> + Send;
    /// Throws a ball to a node.
    fn throw(self, node: &Self::Node, ball: Ball) -> impl Future<Output = ()> + Send;

    /// Starts the task of a sender; `_index` is the number of the task.
    fn start(self, _index: usize, task: Run) {
        tokio::spawn(task);
    }

    /// Runs a task on a number of workers, or on the current thread if there are none.
    fn execute(self, workers: usize, run: Run<f64>) -> f64 {
        let runtime = runtime(workers);
        // A task, so that it runs on a worker.
        let figure = runtime.block_on(async { tokio::spawn(run).await.expect("a run ends") });
        runtime.shutdown_background();
        figure
    }
}

/// The role of a contender in the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Ours,
    /// Another actor framework.
    Peer,
    /// A solution without a framework.
    Plain,
}

/// Creates a tokio runtime with this number of workers, or with none.
pub(crate) fn runtime(workers: usize) -> Runtime {
    let mut builder = match workers {
        0 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let builder = builder.worker_threads(workers.max(1)).enable_time();
    builder.build().expect("a runtime starts")
}

/// A ball, with the number of hops that are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball(pub(crate) u64);

impl Ball {
    /// Returns the ball with one hop less, or reports the arrival.
    #[inline]
    pub(crate) fn hand_on(self, done: &Done) -> Option<Self> {
        let left = self.0.checked_sub(1);
        if left.is_none() {
            done.say();
        }
        left.map(Self)
    }
}

/// Reports that a part of a scenario is done.
#[derive(Clone, Debug)]
pub(crate) struct Done(UnboundedSender<()>);

impl Done {
    /// Creates a sender of such reports, and its receiver.
    pub(crate) fn new() -> (Self, UnboundedReceiver<()>) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), receiver)
    }

    fn say(&self) {
        // The receiver is closed only when the scenario is over.
        let _ = self.0.send(());
    }
}

/// A list with a number of signatures left.
#[derive(Debug)]
pub(crate) struct List {
    left: AtomicU64,
    done: Done,
    /// The time for which a signer occupies its thread.
    takes: Duration,
}

impl List {
    pub(crate) fn new(count: u64, takes: Duration, done: Done) -> Self {
        Self {
            left: AtomicU64::new(count),
            done,
            takes,
        }
    }

    /// Signs the list. The last signer reports that the list is complete.
    pub(crate) fn sign(&self) {
        if !self.takes.is_zero() {
            let begun = Instant::now();
            while begun.elapsed() < self.takes {
                spin_loop();
            }
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.say();
        }
    }
}
