//! Random walks against probabilities in closed form. Seeds are fixed; a deviation
//! of five standard errors, as allowed here, has a probability below 10^-6.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::strategy::{StrategySpec, Weights};

#[derive(Debug)]
struct From(char);
#[derive(Debug, Clone)]
struct Tick;

/// A sink that counts the executions in which A's message came last.
struct Sink<'a> {
    messages: u32,
    expected: u32,
    hits: &'a AtomicU64,
}

#[actor]
impl Sink<'static> {
    #[on]
    fn from(&mut self, from: From) {
        self.messages += 1;
        if self.messages == self.expected && from.0 == 'a' {
            self.hits.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Sends a number of messages at its start.
struct Sender {
    name: char,
    messages: u32,
    sink: ActorRef<Sink<'static>>,
}

#[actor]
impl Sender {
    #[start]
    fn start(&mut self) {
        (0..self.messages).for_each(|_| self.sink.tell(From(self.name)));
    }
    #[on]
    fn tick(&mut self, _: Tick) {}
}

fn run(strategy: StrategySpec, executions: u64, program: impl Fn(&System) + Sync) {
    let report = Tester::new()
        .iterations(executions)
        .check_every(0)
        .seed(11)
        .strategy(strategy)
        .run(|sys| program(&sys));
    report.assert_clean();
    assert_eq!(report.executions, executions);
}

#[track_caller]
fn assert_share(hits: u64, of: u64, expected: f64) {
    let share = hits as f64 / of as f64;
    let error = (expected * (1.0 - expected) / of as f64).sqrt();
    assert!(
        (share - expected).abs() < 5.0 * error,
        "{share:.5} of {of}, expected {expected:.5} within {:.5}",
        5.0 * error
    );
}

/// skew(K): A sends one message, B sends K; P is the probability that A's message is
/// last. The set-up spawns B, the sink and A in one step and does nothing else. The
/// rest is a random walk, computed below by the same recurrence over all its states.
#[test]
fn random_walks_are_uniform_over_enabled_operations() {
    static HITS: AtomicU64 = AtomicU64::new(0);
    let executions = 200_000;
    let b_messages = 4;
    run(StrategySpec::Random, executions, |sys| {
        let sink = sys.spawn(Sink {
            messages: 0,
            expected: b_messages + 1,
            hits: &HITS,
        });
        let b = Sender {
            name: 'b',
            messages: b_messages,
            sink: sink.clone(),
        };
        sys.spawn(b);
        sys.spawn(Sender {
            name: 'a',
            messages: 1,
            sink,
        });
    });
    assert_share(
        HITS.load(Ordering::Relaxed),
        executions,
        a_is_last(b_messages),
    );
}

/// Computes the probability by dynamic programming over the spawns that the set-up has yet to flush,
/// the remaining steps of A and B (a start and their sends), and the events in the sink's inbox.
fn a_is_last(b_messages: u32) -> f64 {
    fn walk(spawns: u32, a: u32, b: u32, inbox: u32, memo: &mut Memo) -> f64 {
        if a == 0 {
            // A's message is flushed: it is last if all of B's are.
            return f64::from(u8::from(b == 0));
        }
        if let Some(known) = memo.get(&(spawns, a, b, inbox)) {
            return *known;
        }
        // Three spawns: the sink, B, A; each is enabled once its own is flushed.
        let (b_lives, a_lives) = (spawns <= 1, spawns == 0);
        let mut ways = Vec::new();
        if spawns > 0 {
            ways.push((spawns - 1, a, b, inbox));
        }
        if b_lives && b > 0 {
            // The first step of a sender is its start; the others reach the sink.
            let sends = u32::from(b <= memo.b_messages);
            ways.push((spawns, a, b - 1, inbox + sends));
        }
        if a_lives {
            let sends = u32::from(a == 1);
            ways.push((spawns, a - 1, b, inbox + sends));
        }
        if inbox > 0 {
            ways.push((spawns, a, b, inbox - 1));
        }
        let count = ways.len() as f64;
        let total: f64 = ways
            .into_iter()
            .map(|(s, a, b, i)| walk(s, a, b, i, memo))
            .sum();
        memo.insert((spawns, a, b, inbox), total / count);
        total / count
    }
    let mut memo = Memo {
        known: Default::default(),
        b_messages,
    };
    walk(3, 2, b_messages + 1, 0, &mut memo)
}

struct Memo {
    known: std::collections::BTreeMap<(u32, u32, u32, u32), f64>,
    b_messages: u32,
}

impl Memo {
    fn get(&self, key: &(u32, u32, u32, u32)) -> Option<&f64> {
        self.known.get(key)
    }
    fn insert(&mut self, key: (u32, u32, u32, u32), value: f64) {
        self.known.insert(key, value);
    }
}

/// Sets a timer and sends to itself: a work step and a timer are enabled at the same time.
struct Races<'a> {
    hits: &'a AtomicU64,
    told: bool,
}

#[derive(Debug)]
struct Told;

#[actor]
impl Races<'static> {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Tick);
    }
    #[on]
    fn told(&mut self, _: Told) {
        self.told = true;
    }
    #[on]
    fn tick(&mut self, _: Tick) {
        if !self.told {
            self.hits.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Once the timer is set, only the timer and the send to its owner are
/// enabled, so the timer fires first with a probability given by its weight.
#[test]
fn weighted_walks_go_by_weights() {
    static HITS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
    let executions = 100_000;
    for (index, (work, timer)) in [(8, 1), (1, 1), (1, 8)].into_iter().enumerate() {
        let hits = &HITS[index];
        let weights = Weights { work, timer };
        run(StrategySpec::Weighted(weights), executions, |sys| {
            let races = sys.spawn(Races { hits, told: false });
            sys.spawn(Waker { races });
        });
        let (work, timer) = (f64::from(work), f64::from(timer));
        assert_share(
            hits.load(Ordering::Relaxed),
            executions,
            timer_first(work, timer, work),
        );
    }
}

/// An event may have its own weight, for its send and for the timer that fires it.
#[test]
fn weighted_walks_go_by_weights_of_events() {
    static HITS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
    let executions = 50_000;
    let cases = [
        ("weighted:8/1/Tick=16", timer_first(8.0, 16.0, 8.0)),
        ("weighted:8/3/Told=2", timer_first(8.0, 3.0, 2.0)),
        ("weighted:8/3/Told=80/Other=9", timer_first(8.0, 3.0, 80.0)),
    ];
    for (hits, (spec, share)) in HITS.iter().zip(cases) {
        run(spec.parse().expect("a strategy"), executions, |sys| {
            let races = sys.spawn(Races { hits, told: false });
            sys.spawn(Waker { races });
        });
        assert_share(hits.load(Ordering::Relaxed), executions, share);
    }
}

/// Sends an event at its start.
struct Waker {
    races: ActorRef<Races<'static>>,
}

#[actor]
impl Waker {
    #[start]
    fn start(&mut self) {
        self.races.tell(Told);
    }
    #[on]
    fn told(&mut self, _: Told) {}
}

/// The probability that the tick is handled before `Told`: it fires before `Told` is flushed.
/// The walk has two chains: the start of `Races` and then its timer; the second spawn, the
/// start of `Waker` and its send. Both chains begin once the first spawn is flushed.
fn timer_first(work: f64, timer: f64, told: f64) -> f64 {
    // (steps of `Races` taken: 0 none, 1 started; steps of the other chain taken: 0 to 3)
    fn walk(started: bool, chain: u32, weights: [f64; 3]) -> f64 {
        let [work, timer, told] = weights;
        let other = match chain {
            3 => return 0.0,
            2 => told,
            _ => work,
        };
        if started {
            let fires = timer / (timer + other);
            fires + (1.0 - fires) * walk(true, chain + 1, weights)
        } else {
            let starts = work / (work + other);
            starts * walk(true, chain, weights) + (1.0 - starts) * walk(false, chain + 1, weights)
        }
    }
    walk(false, 0, [work, timer, told])
}
