//! The scenarios of the benchmark.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use crate::contender::{Ball, Contender, Done, List, Run};

const TOLD: u64 = 1_000_000;
const ASKED: u64 = 200_000;
const SPAWNED: u64 = 100_000;
const HOPS: u64 = 400_000;
/// The number of nodes in a long ring.
const RING: usize = 1_000;
/// The number of tasks that ask at the same time in the latency scenario.
const CROWD: usize = 64;
/// The number of events after which a sender yields, so that a queue does not grow without limit.
const BURST: u64 = 1_000;

/// The sleep of a task beside a busy counter.
const NAP: Duration = Duration::from_millis(1);
/// The maximum number of samples while the counter is busy.
const TRIES: usize = 20;

/// The time limit of a scenario that should take seconds.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scenario {
    /// One task sends to a counter, which counts all events.
    Tell,
    /// The same into a mailbox of [`ROOM`](crate::contender::ROOM) events.
    BoundedSend,
    /// Four tasks send to one counter.
    FanIn,
    /// Two nodes throw a ball to and fro.
    PingPong,
    /// A task asks a counter, again and again.
    Ask,
    /// Counters are spawned and receive one event each, until all
    /// have handled theirs. The end of the counters is not measured.
    Spawn,
    /// A ball goes around a ring.
    Ring,
    /// 64 balls go around a ring.
    CrowdedRing,
    /// The 99.9th percentile of the time for an answer, while 64 tasks ask one counter.
    Latency,
    /// The delay of a task's wake-up from a sleep of one millisecond, beside
    /// a counter with a full mailbox of events that take this time each.
    Sleep(Handler),
    /// The time for an answer of an idle counter beside such a busy one.
    AskBeside(Handler),
    /// The memory of a counter that has counted one event
    /// and one question, measured in a process of its own.
    Idle,
}

/// The time that a handler of a busy counter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handler {
    None,
    Short,
    Long,
}

impl Handler {
    /// Returns that time, and the number of events that keep the counter busy for long enough.
    fn load(self) -> (Duration, u64) {
        match self {
            Self::None => (Duration::ZERO, 3_000_000),
            Self::Short => (Duration::from_micros(100), 3_000),
            Self::Long => (Duration::from_millis(1), 300),
        }
    }
}

impl Scenario {
    pub(crate) const ALL: [Self; 16] = [
        Self::Tell,
        Self::BoundedSend,
        Self::FanIn,
        Self::PingPong,
        Self::Ask,
        Self::Spawn,
        Self::Ring,
        Self::CrowdedRing,
        Self::Latency,
        Self::Sleep(Handler::None),
        Self::Sleep(Handler::Short),
        Self::Sleep(Handler::Long),
        Self::AskBeside(Handler::None),
        Self::AskBeside(Handler::Short),
        Self::AskBeside(Handler::Long),
        Self::Idle,
    ];

    /// True for a scenario about delays, whose result depends on the number of workers.
    pub(crate) fn is_delay(self) -> bool {
        matches!(self, Self::Sleep(_) | Self::AskBeside(_))
    }

    /// The name of the scenario on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tell => "tell",
            Self::BoundedSend => "bounded-send",
            Self::FanIn => "fan-in",
            Self::PingPong => "ping-pong",
            Self::Ask => "ask",
            Self::Spawn => "spawn",
            Self::Ring => "ring",
            Self::CrowdedRing => "crowded-ring",
            Self::Latency => "latency",
            Self::Sleep(Handler::None) => "sleep-0",
            Self::Sleep(Handler::Short) => "sleep-100us",
            Self::Sleep(Handler::Long) => "sleep-1ms",
            Self::AskBeside(Handler::None) => "ask-beside-0",
            Self::AskBeside(Handler::Short) => "ask-beside-100us",
            Self::AskBeside(Handler::Long) => "ask-beside-1ms",
            Self::Idle => "idle",
        }
    }

    /// The name of the scenario in the table.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Tell => "tell",
            Self::BoundedSend => "bounded send, 64 places",
            Self::FanIn => "fan-in from 4 senders",
            Self::PingPong => "ping-pong, round trip",
            Self::Ask => "ask",
            Self::Spawn => "spawn and first event",
            Self::Ring => "ring of 1 000, 1 ball, hop",
            Self::CrowdedRing => "ring of 1 000, 64 balls, hop",
            Self::Latency => "ask of 64 tasks, 99.9th percentile",
            Self::Sleep(Handler::None) => "delay of a sleep beside handlers of no time",
            Self::Sleep(Handler::Short) => "delay of a sleep beside handlers of 100 µs",
            Self::Sleep(Handler::Long) => "delay of a sleep beside handlers of 1 ms",
            Self::AskBeside(Handler::None) => "ask beside handlers of no time",
            Self::AskBeside(Handler::Short) => "ask beside handlers of 100 µs",
            Self::AskBeside(Handler::Long) => "ask beside handlers of 1 ms",
            Self::Idle => "idle actor, bytes",
        }
    }

    /// Runs the scenario, and returns the nanoseconds per
    /// operation; NaN if the scenario exceeds the time limit.
    pub(crate) fn of<C: Contender>(self, contender: C) -> Run<f64> {
        let run = self.play(contender);
        Box::pin(async { timeout(PATIENCE, run).await.unwrap_or(f64::NAN) })
    }

    fn play<C: Contender>(self, contender: C) -> Run<f64> {
        match self {
            Self::Tell | Self::BoundedSend => Box::pin(per(TOLD, tell(contender, 1, TOLD))),
            Self::FanIn => Box::pin(per(TOLD, tell(contender, 4, TOLD / 4))),
            Self::PingPong => Box::pin(per(ASKED, ring(contender, 2, 1, 2 * ASKED))),
            Self::Ask => Box::pin(per(ASKED, ask(contender))),
            Self::Spawn => Box::pin(per(SPAWNED, spawn(contender))),
            Self::Ring => Box::pin(per(HOPS, ring(contender, RING, 1, HOPS))),
            Self::CrowdedRing => Box::pin(per(HOPS, ring(contender, RING, 64, HOPS / 64))),
            Self::Latency => Box::pin(latency(contender)),
            Self::Sleep(handler) => Box::pin(beside(contender, handler, false)),
            Self::AskBeside(handler) => Box::pin(beside(contender, handler, true)),
            Self::Idle => unreachable!("a process of its own is to weigh"),
        }
    }
}

async fn per(times: u64, run: impl Future<Output = Duration>) -> f64 {
    run.await.as_nanos() as f64 / times as f64
}

async fn tell<C: Contender>(contender: C, senders: usize, each: u64) -> Duration {
    let system = contender.system();
    let counter = contender.counter(&system).await;
    let begun = Instant::now();
    together(contender, senders, || {
        let counter = counter.clone();
        async move {
            for sent in 1..=each {
                contender.tell(&counter).await;
                if sent % BURST == 0 {
                    yield_now().await;
                }
            }
        }
    })
    .await;
    let mut asked = 1;
    // Not all contenders handle the events of one task in order.
    while contender.ask(&counter).await < senders as u64 * each + asked {
        asked += 1;
    }
    begun.elapsed()
}

async fn ask<C: Contender>(contender: C) -> Duration {
    let system = contender.system();
    let counter = contender.counter(&system).await;
    let begun = Instant::now();
    for asked in 1..=ASKED {
        let total = contender.ask(&counter).await;
        assert_eq!(total, asked, "every question is counted");
    }
    begun.elapsed()
}

async fn spawn<C: Contender>(contender: C) -> Duration {
    let (done, mut over) = Done::new();
    let list = Arc::new(List::new(SPAWNED, Duration::ZERO, done));
    let system = contender.system();
    let mut counters = Vec::with_capacity(SPAWNED as usize);
    let begun = Instant::now();
    for _ in 0..SPAWNED {
        let counter = contender.counter(&system).await;
        contender.sign(&counter, list.clone()).await;
        counters.push(counter);
    }
    over.recv().await.expect("all have signed");
    begun.elapsed()
}

/// Sends a number of balls around the ring, each for this number of hops.
async fn ring<C: Contender>(contender: C, size: usize, balls: usize, hops: u64) -> Duration {
    let (done, mut over) = Done::new();
    let system = contender.system();
    let nodes = contender.ring(&system, size, done).await;
    // One warm-up round, so that every node is started and knows the next.
    contender.throw(&nodes[0], Ball(size as u64)).await;
    over.recv().await.expect("a ball arrives");
    let begun = Instant::now();
    for ball in 0..balls {
        contender
            .throw(&nodes[ball * size / balls], Ball(hops))
            .await;
    }
    for _ in 0..balls {
        over.recv().await.expect("every ball arrives");
    }
    begun.elapsed()
}

/// Returns the mean delay of a sleep, or the mean time
/// for an answer, beside a busy counter, in nanoseconds.
async fn beside<C: Contender>(contender: C, handler: Handler, asks: bool) -> f64 {
    let (takes, count) = handler.load();
    let (done, mut over) = Done::new();
    let list = Arc::new(List::new(count, takes, done));
    let system = contender.system();
    let (idle, busy) = (
        contender.counter(&system).await,
        contender.counter(&system).await,
    );
    contender.ask(&idle).await;
    contender.ask(&busy).await;
    for _ in 0..count {
        contender.sign(&busy, list.clone()).await;
    }
    let (mut total, mut tries) = (Duration::ZERO, 0);
    while tries < TRIES && over.try_recv().is_err() {
        let begun = Instant::now();
        if asks {
            contender.ask(&idle).await;
            total += begun.elapsed();
        } else {
            sleep(NAP).await;
            total += begun.elapsed().saturating_sub(NAP);
        }
        tries += 1;
    }
    total.as_nanos() as f64 / tries.max(1) as f64
}

/// Returns the 99.9th percentile of the time for an answer, in nanoseconds.
async fn latency<C: Contender>(contender: C) -> f64 {
    let system = contender.system();
    let counter = contender.counter(&system).await;
    let times = together(contender, CROWD, || {
        let counter = counter.clone();
        async move {
            let mut times = Vec::with_capacity(ASKED as usize / CROWD);
            for _ in 0..times.capacity() {
                let begun = Instant::now();
                contender.ask(&counter).await;
                times.push(begun.elapsed());
            }
            times
        }
    })
    .await;
    let mut times: Vec<Duration> = times.into_iter().flatten().collect();
    let total = contender.ask(&counter).await;
    assert_eq!(total, times.len() as u64 + 1, "every question is counted");
    times.sort_unstable();
    times[times.len() * 999 / 1000].as_nanos() as f64
}

/// Runs a number of tasks, and waits until all have ended.
async fn together<C, F, T>(contender: C, count: usize, task: impl Fn() -> F) -> Vec<T>
where
    C: Contender,
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let mut ends = Vec::with_capacity(count);
    for index in 0..count {
        let (end, ended) = oneshot::channel();
        let task = task();
        let task = async move { drop(end.send(task.await)) };
        contender.start(index, Box::pin(task));
        ends.push(ended);
    }
    let mut results = Vec::with_capacity(count);
    for ended in ends {
        results.push(ended.await.expect("a task ends"));
    }
    results
}
