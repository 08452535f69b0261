//! What a contender can do: [`Contender`].

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

/// How many events a bounded mailbox holds.
pub(crate) const ROOM: usize = 64;

/// Actors, or what takes their place. All scenarios are made of this, so that they differ in
/// nothing else.
///
/// A counter counts the events that it is told or asked; a node hands each ball on to the next.
pub(crate) trait Contender: Copy + Send + Sync + 'static {
    /// Kept for as long as its actors are to live.
    type System: Send + Sync + 'static;
    /// The address of a counter.
    type Counter: Clone + Send + Sync + 'static;
    /// The address of a node.
    type Node: Send + Sync + 'static;

    /// How the table calls it.
    fn name(self) -> &'static str;
    fn role(self) -> Role {
        Role::Peer
    }
    /// The same with mailboxes that hold [`ROOM`] events; `None` where it has none.
    fn bounded(self) -> Option<Box<dyn Entrant>>;
    /// Within the executor.
    fn system(self) -> Self::System;
    fn counter(self, system: &Self::System) -> impl Future<Output = Self::Counter> + Send;
    /// Tells a counter an event, and waits for room where its mailbox is bounded.
    fn tell(self, counter: &Self::Counter) -> impl Future<Output = ()> + Send;
    /// Asks a counter how much it has counted, this question included.
    fn ask(self, counter: &Self::Counter) -> impl Future<Output = u64> + Send;
    /// Tells a counter an event, by which it signs.
    fn sign(self, counter: &Self::Counter, list: Arc<List>) -> impl Future<Output = ()> + Send;
    /// Nodes in a ring; each says `done` when it gets a ball that is to go no further.
    fn ring(
        self,
        system: &Self::System,
        size: usize,
        done: Done,
    ) -> impl Future<Output = Vec<Self::Node>> + Send;
    /// Throws a ball to a node.
    fn throw(self, node: &Self::Node, ball: Ball) -> impl Future<Output = ()> + Send;

    /// Starts the task of a sender, beside so many others.
    fn start(self, _index: usize, task: Run) {
        tokio::spawn(task);
    }

    /// Runs a task on so many workers, or on the current thread where there are none.
    fn execute(self, workers: usize, run: Run<f64>) -> f64 {
        let runtime = runtime(workers);
        // A task, so that it is on a worker.
        let figure = runtime.block_on(async { tokio::spawn(run).await.expect("a run ends") });
        runtime.shutdown_background();
        figure
    }
}

/// Why it is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Ours,
    /// Another framework of actors.
    Peer,
    /// What can be had without one.
    Plain,
}

/// Tokio's, with so many workers or with none.
pub(crate) fn runtime(workers: usize) -> Runtime {
    let mut builder = match workers {
        0 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let builder = builder.worker_threads(workers.max(1)).enable_time();
    builder.build().expect("a runtime starts")
}

/// How often a ball is still to be handed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball(pub(crate) u64);

impl Ball {
    /// The ball as the next one gets it, or word that it has arrived.
    #[inline]
    pub(crate) fn hand_on(self, done: &Done) -> Option<Self> {
        let left = self.0.checked_sub(1);
        if left.is_none() {
            done.say();
        }
        left.map(Self)
    }
}

/// Says that something is done.
#[derive(Clone, Debug)]
pub(crate) struct Done(UnboundedSender<()>);

impl Done {
    /// This, and what hears it.
    pub(crate) fn new() -> (Self, UnboundedReceiver<()>) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), receiver)
    }

    fn say(&self) {
        // Nobody listens only where the scenario is over.
        let _ = self.0.send(());
    }
}

/// To be signed so many times.
#[derive(Debug)]
pub(crate) struct List {
    left: AtomicU64,
    done: Done,
    /// For how long who signs keeps its thread.
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

    /// The last one says that it is done.
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
