//! The shared objects of the participants, the private ones of each, and the records.

use std::any::Any;
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as TaskContext, Poll, Waker};

use actor_core::fs::File;
use actor_core::journal::Journal;
use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_core::services::{Group, Probe, Topics};
use actor_core::sync::{self, blocking, broadcast, mpsc, oneshot, watch};
use actor_core::{Piped, task, thread};

use super::actors::{Caller, Child, Echo, Note, Player, Talks};
use super::program::{Part, Program};

/// The records of each participant after each step: an assertion of a participant can depend on nothing else.
pub(crate) type Seen = BTreeSet<(usize, Vec<u64>)>;

/// The records of one participant, or of a helper that acts for it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) of: usize,
    noted: Vec<u64>,
    seen: Arc<Mutex<Seen>>,
}

impl Row {
    pub(crate) fn new(of: usize, seen: &Arc<Mutex<Seen>>) -> Self {
        Self {
            of,
            noted: Vec::new(),
            seen: Arc::clone(seen),
        }
    }

    /// Returns the records of another participant.
    pub(crate) fn other(&self, of: usize) -> Self {
        Self::new(of, &self.seen)
    }

    pub(crate) fn note(&mut self, what: u64) {
        self.noted.push(what);
        let mut seen = self.seen.lock().expect("nobody panics here");
        seen.insert((self.of, self.noted.clone()));
    }
}

/// A future that was begun.
pub(crate) type Kept = Pin<Box<dyn Future<Output = u64> + Send>>;

/// The synchronisation objects that all participants share.
pub(crate) struct Things {
    pub(crate) lock: Arc<sync::Mutex<u64>>,
    pub(crate) read_lock: Arc<sync::RwLock<u64>>,
    pub(crate) notify: Arc<sync::Notify>,
    pub(crate) semaphore: Arc<sync::Semaphore>,
    pub(crate) barrier: sync::Barrier,
    pub(crate) cell: sync::OnceCell<u64>,
    /// A sleep that any participant may take.
    pub(crate) nap: sync::Mutex<Option<task::Sleep>>,
    pub(crate) number: blocking::atomic::AtomicU64,
    pub(crate) other_number: blocking::atomic::AtomicU64,
    pub(crate) blocking_lock: blocking::Mutex<u64>,
    pub(crate) blocking_read_lock: blocking::RwLock<u64>,
    pub(crate) changed: blocking::Condvar,
    pub(crate) once: blocking::Once,
    pub(crate) once_lock: blocking::OnceLock<u64>,
    pub(crate) lazy: blocking::LazyLock<u64>,
    pub(crate) blocking_barrier: blocking::Barrier,
    pub(crate) race: sync::RaceCell<u64>,
    /// The handle of a task that may be aborted.
    pub(crate) aborts: sync::Mutex<Option<task::AbortHandle>>,
    /// The handle of a thread that may be unparked.
    pub(crate) parked: sync::Mutex<Option<thread::Thread>>,
}

/// The objects that all participants know.
pub(crate) struct Common {
    pub(crate) sys: System,
    /// The server, which all may send to; `None` if no participant uses it.
    pub(crate) server: Option<ActorRef<Player>>,
    /// The players, set before the first of them starts.
    pub(crate) players: OnceLock<Vec<ActorRef<Player>>>,
    pub(crate) things: Things,
    pub(crate) services: Services,
}

/// The services of the runtime; each is `None` if no participant uses it.
pub(crate) struct Services {
    pub(crate) group: Option<Group<Note>>,
    pub(crate) topics: Option<Topics<u64, Note>>,
    pub(crate) probe: Option<Probe<dyn Talks>>,
}

/// The node with an echo.
pub(crate) const FIRST_NODE: &str = "first";
/// The node from which the echo is called.
pub(crate) const SECOND_NODE: &str = "second";

impl Services {
    pub(crate) fn new(program: &Program, sys: &System, seen: &Arc<Mutex<Seen>>) -> Self {
        let is_used = |what: &str| program.parts.iter().any(|part| part.makes(what));
        let has_room = |room: &str| program.rules().any(|rule| rule.topic == room);
        let has_links = has_room("links");
        if has_links || has_room("nodes") {
            let row = Row::new(700, seen);
            sys.node(FIRST_NODE, move |node| {
                let echo = node.spawner().name("echo").registered();
                echo.spawn(Echo::new(row.clone()));
            });
        }
        if has_links {
            let row = Row::new(701, seen);
            sys.node(SECOND_NODE, move |node| {
                node.spawn(Caller(row.clone()));
            });
        }
        Self {
            group: is_used("Group").then(|| Group::new(sys)),
            topics: is_used("Topics").then(|| Topics::new(sys)),
            probe: is_used("Probe").then(|| Probe::new(sys)),
        }
    }
}

/// The private objects of a participant.
pub(crate) struct Kit {
    pub(crate) row: Row,
    pub(crate) common: Option<Arc<Common>>,
    pub(crate) ends: Ends,
    /// Guards and similar objects, until they are released.
    pub(crate) held: Vec<Box<dyn Any + Send>>,
    /// Futures that were begun, oldest first; each is awaited later or never.
    pub(crate) kept: Vec<Kept>,
    pub(crate) child: Option<ActorRef<Child>>,
    pub(crate) timer: Option<Timer>,
    pub(crate) piped: Option<Piped>,
    pub(crate) tasks: Vec<task::JoinHandle<u64>>,
    pub(crate) set: Option<task::JoinSet<u64>>,
    pub(crate) threads: Vec<thread::JoinHandle<u64>>,
    pub(crate) file: Option<File>,
    pub(crate) journal: Option<Journal>,
}

/// The ends of channels. A unique end goes to the first participant
/// that uses it, and no participant has an end that it does not use.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) watch_send: Option<watch::Sender<u64>>,
    pub(crate) watch: Option<watch::Receiver<u64>>,
    pub(crate) send: Option<mpsc::Sender<u64>>,
    pub(crate) receive: Option<mpsc::Receiver<u64>>,
    pub(crate) send_unbounded: Option<mpsc::UnboundedSender<u64>>,
    pub(crate) receive_unbounded: Option<mpsc::UnboundedReceiver<u64>>,
    pub(crate) once_send: Option<oneshot::Sender<u64>>,
    pub(crate) once_receive: Option<oneshot::Receiver<u64>>,
    pub(crate) cast: Option<broadcast::Sender<u64>>,
    pub(crate) heard: Option<broadcast::Receiver<u64>>,
    pub(crate) pass: Option<blocking::mpsc::Sender<u64>>,
    pub(crate) passed: Option<blocking::mpsc::Receiver<u64>>,
    pub(crate) push: Option<blocking::mpsc::SyncSender<u64>>,
    pub(crate) pushed: Option<blocking::mpsc::Receiver<u64>>,
}

impl Ends {
    /// Distributes the ends. A channel without users is not created, since the drop of an end is a step.
    pub(crate) fn deal(program: &Program) -> Vec<Self> {
        fn made<S, R>(is_used: bool, make: impl FnOnce() -> (S, R)) -> (Option<S>, Option<R>) {
            is_used.then(make).unzip()
        }
        fn if_used<T: Clone>(end: &Option<T>, is_used: bool) -> Option<T> {
            end.as_ref().filter(|_| is_used).cloned()
        }
        let is_used = |what: &str| program.parts.iter().any(|part| part.makes(what));
        let (mut watch_send, watch) = made(is_used("sync::watch"), || watch::channel(0));
        let bounded = ["sync::mpsc::Sender", "sync::mpsc::Receiver"].map(is_used);
        let (send, mut receive) = made(bounded.contains(&true), || mpsc::channel(1));
        let unbounded = [
            "sync::mpsc::UnboundedSender",
            "sync::mpsc::UnboundedReceiver",
        ]
        .map(is_used);
        let (send_unbounded, mut receive_unbounded) =
            made(unbounded.contains(&true), mpsc::unbounded_channel);
        let (mut once_send, mut once_receive) = made(is_used("sync::oneshot"), oneshot::channel);
        let (cast, heard) = made(is_used("sync::broadcast"), || broadcast::channel(1));
        let pulls = is_used("sync::blocking::mpsc::Receiver");
        let passes = is_used("sync::blocking::mpsc::Sender");
        let pushes = is_used("sync::blocking::mpsc::SyncSender");
        let (pass, mut passed) = made(passes || pulls && !pushes, blocking::mpsc::channel);
        let (push, mut pushed) = made(pushes, || blocking::mpsc::sync_channel(1));
        let ends = program.parts.iter().map(|part: &Part| {
            let uses = |what: &str| part.makes(what);
            Self {
                watch_send: watch_send.take_if(|_| uses("sync::watch::Sender")),
                watch: if_used(&watch, uses("sync::watch::Receiver")),
                send: if_used(&send, uses("sync::mpsc::Sender")),
                receive: receive.take_if(|_| uses("sync::mpsc::Receiver")),
                send_unbounded: if_used(&send_unbounded, uses("sync::mpsc::UnboundedSender")),
                receive_unbounded: receive_unbounded
                    .take_if(|_| uses("sync::mpsc::UnboundedReceiver")),
                once_send: once_send.take_if(|_| uses("sync::oneshot::Sender")),
                once_receive: once_receive.take_if(|_| uses("sync::oneshot::Receiver")),
                cast: if_used(&cast, uses("sync::broadcast::Sender")),
                heard: heard
                    .as_ref()
                    .filter(|_| uses("sync::broadcast::Receiver"))
                    .map(|heard| heard.resubscribe()),
                pass: if_used(&pass, uses("sync::blocking::mpsc::Sender")),
                passed: passed.take_if(|_| uses("sync::blocking::mpsc::Receiver")),
                push: if_used(&push, uses("sync::blocking::mpsc::SyncSender")),
                pushed: pushed.take_if(|_| uses("sync::blocking::mpsc::Receiver")),
            }
        });
        ends.collect()
    }
}

impl Things {
    pub(crate) fn new() -> Self {
        Self {
            lock: Arc::default(),
            read_lock: Arc::default(),
            notify: Arc::default(),
            semaphore: Arc::new(sync::Semaphore::new(1)),
            barrier: sync::Barrier::new(2),
            cell: sync::OnceCell::new(),
            nap: sync::Mutex::default(),
            number: blocking::atomic::AtomicU64::new(0),
            other_number: blocking::atomic::AtomicU64::new(0),
            blocking_lock: blocking::Mutex::new(0),
            blocking_read_lock: blocking::RwLock::new(0),
            changed: blocking::Condvar::new(),
            once: blocking::Once::new(),
            once_lock: blocking::OnceLock::new(),
            lazy: blocking::LazyLock::new(|| 7),
            blocking_barrier: blocking::Barrier::new(2),
            race: sync::RaceCell::new(0),
            aborts: sync::Mutex::default(),
            parked: sync::Mutex::default(),
        }
    }
}

impl Kit {
    /// Creates an empty kit.
    pub(crate) fn new(row: Row, common: Option<Arc<Common>>) -> Self {
        Self {
            row,
            common,
            ends: Ends::default(),
            held: Vec::new(),
            kept: Vec::new(),
            child: None,
            timer: None,
            piped: None,
            tasks: Vec::new(),
            set: None,
            threads: Vec::new(),
            file: None,
            journal: None,
        }
    }

    pub(crate) fn common(&self) -> &Arc<Common> {
        self.common
            .as_ref()
            .expect("only the server has none, and does nothing by itself")
    }

    pub(crate) fn sys(&self) -> System {
        self.common().sys.clone()
    }

    pub(crate) fn services(&self) -> &Services {
        &self.common().services
    }

    pub(crate) fn things(&self) -> &Things {
        &self.common().things
    }

    pub(crate) fn server(&self) -> ActorRef<Player> {
        let server = self.common().server.clone();
        server.expect("it is there where somebody has a use for it")
    }

    /// Returns another actor.
    pub(crate) fn peer(&self, number: u64) -> ActorRef<Player> {
        let players = self
            .common()
            .players
            .get()
            .expect("they are known before one starts");
        let mut others = players.iter().enumerate();
        let others = others
            .by_ref()
            .filter(|(of, _)| *of != self.row.of)
            .map(|(_, player)| player);
        let mut all: Vec<&ActorRef<Player>> = others.collect();
        all.extend(&self.common().server);
        all[number as usize % all.len()].clone()
    }

    pub(crate) fn hold(&mut self, what: impl Any + Send) -> u64 {
        self.held.push(Box::new(what));
        1
    }

    pub(crate) fn keep(&mut self, what: impl Future<Output = u64> + Send + 'static) -> u64 {
        self.kept.push(Box::pin(what));
        0
    }

    /// Polls all futures that were begun, and returns the value of the first ready one.
    fn poll_each(&mut self, task: &mut TaskContext<'_>) -> Poll<u64> {
        let mut all = self.kept.iter_mut().enumerate();
        let ready = all.find_map(|(at, kept)| match kept.as_mut().poll(task) {
            Poll::Ready(value) => Some((at, value)),
            Poll::Pending => None,
        });
        match ready {
            Some((at, value)) => {
                drop(self.kept.remove(at));
                Poll::Ready(10 * (1 + at as u64) + value)
            }
            None => Poll::Pending,
        }
    }

    /// Polls once, with a no-op waker.
    pub(crate) fn poll_kept(&mut self) -> u64 {
        match self.poll_each(&mut TaskContext::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => 1,
        }
    }

    pub(crate) async fn await_one_kept(&mut self) -> u64 {
        if self.kept.is_empty() {
            return 0;
        }
        poll_fn(|task| self.poll_each(task)).await
    }

    pub(crate) async fn await_all_kept(&mut self) -> u64 {
        let mut all = 0;
        while !self.kept.is_empty() {
            all = 100 * all + self.await_one_kept().await;
        }
        all
    }

    /// Returns the number of the player that a name refers to.
    pub(crate) fn who(&self, found: Result<ActorRef<Player>, LookupError>) -> u64 {
        let players = self.common().players.get().into_iter().flatten();
        match found {
            Ok(found) => 2 + players.take_while(|player| **player != found).count() as u64,
            Err(LookupError::Unknown) => 0,
            Err(_) => 1,
        }
    }
}
