//! What a run in production did is a behaviour that the tester's semantics allows.
//!
//! Random programs run on tokio, on two workers. Each actor notes what it handles, in order, and in
//! which state. From that follows in which order its inbox must have been filled, if the rules hold
//! (first in, first out from each sender; the next event is the first that is not deferred): a
//! constraint for each pair of events, and any order that satisfies them will do. A strategy then
//! lets an execution of the same program fill its inboxes in that order, and leaves the rest to
//! chance. It has to handle the same events in the same order everywhere.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::strategy::{
    Choice, Enabled, Execution, Fairness, OperationId, Pending, StepKind, Strategy,
};

/// Who sent it, and how many it had sent before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    from: usize,
    serial: u64,
}

/// Goes on as up to two tokens with a hop less.
#[derive(Debug)]
struct Token {
    stamp: Stamp,
    hops: u32,
}

/// Opens its receiver.
#[derive(Debug)]
struct Key(Stamp);

/// Asks for a key.
#[derive(Debug)]
struct KeyPlease(Stamp);

/// Asks for what its receiver has seen so far, as a number.
#[derive(Debug)]
struct Query(Stamp);

/// What a node handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Handled {
    stamp: Stamp,
    is_token: bool,
    while_closed: bool,
}

/// What all nodes handled, node by node.
type Logs = Vec<Vec<Handled>>;

/// What the nodes of one run share.
struct Shared {
    nodes: OnceLock<Vec<ActorRef<Node>>>,
    logs: Mutex<Logs>,
    /// Events that were sent and not handled yet.
    open: AtomicUsize,
    /// Whether nodes halt.
    mortal: bool,
}

struct Node {
    index: usize,
    /// All that it has handled, as a number: what it does next depends on that alone.
    seen: u64,
    sent: u64,
    shared: Arc<Shared>,
}

const fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xbf58_476d_1ce4_e5b9) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

impl Node {
    fn stamp(&mut self) -> Stamp {
        self.shared.open.fetch_add(1, Ordering::SeqCst);
        self.sent += 1;
        Stamp {
            from: self.index,
            serial: self.sent,
        }
    }

    fn note(&mut self, stamp: Stamp, is_token: bool, cx: &Context<Self>) {
        self.seen = mix(self.seen, mix(stamp.from as u64, stamp.serial));
        let handled = Handled {
            stamp,
            is_token,
            while_closed: cx.state() == NodeState::Closed,
        };
        self.shared.logs.lock().unwrap()[self.index].push(handled);
    }

    /// An event is done with, and whatever it led to has been sent.
    fn done(&self) {
        self.shared.open.fetch_sub(1, Ordering::SeqCst);
    }

    fn peer(&self, number: u64) -> ActorRef<Self> {
        let nodes = self.shared.nodes.get().unwrap();
        nodes[number as usize % nodes.len()].clone()
    }
}

#[actor(states(Open, Closed(defer(Token))))]
impl Node {
    #[on(Open)]
    async fn token(&mut self, token: Token, cx: &mut Context<Self>) {
        self.note(token.stamp, true, cx);
        // Asks go upwards, so that no two wait for each other.
        let above = self.index as u64 + 1;
        let count = self.shared.nodes.get().unwrap().len() as u64;
        if self.seen % 3 == 0 && above < count && !self.shared.mortal {
            let peer = self.peer(above + (self.seen >> 32) % (count - above));
            let query = Query(self.stamp());
            self.seen = mix(self.seen, peer.ask(query).await.unwrap());
        }
        if token.hops > 0 {
            for number in 0..self.seen % 3 {
                let token = Token {
                    stamp: self.stamp(),
                    hops: token.hops - 1,
                };
                self.peer(self.seen >> (8 * number + 8)).tell(token);
            }
        }
        if self.shared.mortal {
            if self.seen.is_multiple_of(11) {
                cx.halt();
            }
        } else if self.seen.is_multiple_of(4) {
            let please = KeyPlease(self.stamp());
            self.peer(self.seen >> 40).tell(please);
            cx.goto(NodeState::Closed);
        }
        self.done();
    }

    #[on]
    fn key_please(&mut self, please: KeyPlease, cx: &mut Context<Self>) {
        self.note(please.0, false, cx);
        let key = Key(self.stamp());
        self.peer(please.0.from as u64).tell(key);
        self.done();
    }

    #[on]
    fn key(&mut self, key: Key, cx: &mut Context<Self>) {
        self.note(key.0, false, cx);
        if cx.state() == NodeState::Closed {
            cx.goto(NodeState::Open);
        }
        self.done();
    }

    #[on]
    fn query(&mut self, query: Query, cx: &mut Context<Self>) -> u64 {
        self.note(query.0, false, cx);
        self.done();
        self.seen
    }
}

/// Who sent the first tokens.
const NOBODY: usize = usize::MAX;

#[derive(Clone, Copy)]
struct Program {
    seed: u64,
    mortal: bool,
}

impl Program {
    fn nodes(self) -> usize {
        2 + self.seed as usize % 4
    }

    fn set_up(self, sys: &System) -> Arc<Shared> {
        let count = self.nodes();
        let shared = Arc::new(Shared {
            nodes: OnceLock::new(),
            logs: Mutex::new(vec![Vec::new(); count]),
            open: AtomicUsize::new(0),
            mortal: self.mortal,
        });
        let nodes = (0..count).map(|index| {
            sys.spawn(Node {
                index,
                seen: mix(self.seed, index as u64),
                sent: 0,
                shared: shared.clone(),
            })
        });
        let nodes = shared.nodes.get_or_init(|| nodes.collect());
        for serial in 0..2 * count as u64 {
            shared.open.fetch_add(1, Ordering::SeqCst);
            let stamp = Stamp {
                from: NOBODY,
                serial,
            };
            nodes[mix(self.seed, serial) as usize % count].tell(Token { stamp, hops: 4 });
        }
        shared
    }

    /// What the nodes handle on tokio.
    fn in_production(self) -> Logs {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let sys = System::new();
            let lost = Arc::new(AtomicUsize::new(0));
            let counted = lost.clone();
            let live = sys.as_live().unwrap();
            live.on_dead_letter(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
            });
            let shared = self.set_up(&sys);
            while shared.open.load(Ordering::SeqCst) != lost.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
            sys.shutdown().await.unwrap();
            shared.logs.lock().unwrap().clone()
        })
    }

    /// What the nodes handle under test, where their inboxes are filled by these senders in this
    /// order; `None` where an execution comes to a point where that can't be.
    fn under_test(self, arrivals: &[Vec<usize>], seed: u64) -> Option<Logs> {
        let stuck = Arc::new(AtomicBool::new(false));
        let guide = Guide {
            arrivals: arrivals
                .iter()
                .map(|of| of.iter().copied().collect())
                .collect(),
            random: seed,
            stuck: stuck.clone(),
        };
        let logs = Mutex::new(None);
        let report = Tester::new()
            .iterations(1)
            .run_with(Box::new(guide), |sys| {
                *logs.lock().unwrap() = Some(self.set_up(sys));
            });
        assert!(report.bugs().is_empty(), "{report:?}");
        let shared = logs.into_inner().unwrap().unwrap();
        let logs = shared.logs.lock().unwrap().clone();
        (!stuck.load(Ordering::SeqCst)).then_some(logs)
    }
}

/// Who sent the first, the second and so on of an inbox, so that its actor handles the events in the
/// order that was noted; `None` where the rules know no such order.
fn arrivals(log: &[Handled]) -> Option<Vec<usize>> {
    // Which events have to come before: earlier ones of the same sender, and those that were handled
    // in a state that does not defer this one.
    let comes_before = |first: usize, second: usize| {
        let (a, b) = (&log[first], &log[second]);
        let fifo = a.stamp.from == b.stamp.from && a.stamp.serial < b.stamp.serial;
        let handled = first < second && !(b.is_token && a.while_closed);
        fifo || handled
    };
    let mut left: Vec<usize> = (0..log.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let free = |at: &usize| {
            !left
                .iter()
                .any(|other| other != at && comes_before(*other, *at))
        };
        let next = left.iter().position(free)?;
        order.push(log[left.remove(next)].stamp.from);
    }
    Some(order)
}

/// Fills inboxes in a given order; the rest is left to chance.
#[derive(Debug)]
struct Guide {
    /// What is left to arrive at each node: its senders.
    arrivals: Vec<VecDeque<usize>>,
    random: u64,
    stuck: Arc<AtomicBool>,
}

/// The body is operation zero, and the nodes come in the order of their spawns.
fn node(operation: OperationId) -> usize {
    operation.index().wrapping_sub(1)
}

impl Guide {
    /// The step would append to that inbox.
    fn appends(pending: &Pending) -> Option<(usize, usize)> {
        let inbox = pending
            .inbox
            .filter(|_| pending.kind == StepKind::Flush && pending.event.is_some())?;
        Some((node(inbox), node(pending.operation)))
    }

    fn is_allowed(&self, pending: &Pending) -> bool {
        match Self::appends(pending) {
            // What comes after the last that was handled is a dead letter.
            Some((inbox, sender)) => self.arrivals[inbox]
                .front()
                .is_none_or(|next| *next == sender),
            None => true,
        }
    }
}

impl Strategy for Guide {
    fn name(&self) -> String {
        "guide".into()
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        execution.iteration == 0
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> usize {
        let allowed: Vec<usize> = (0..enabled.len())
            .filter(|at| self.is_allowed(&enabled[*at]))
            .collect();
        if allowed.is_empty() {
            self.stuck.store(true, Ordering::SeqCst);
            return 0;
        }
        self.random = mix(self.random, 1);
        let pick = allowed[self.random as usize % allowed.len()];
        if let Some((inbox, _)) = Self::appends(&enabled[pick]) {
            self.arrivals[inbox].pop_front();
        }
        pick
    }

    fn choose(&mut self, _: Choice) -> u32 {
        0
    }
}

fn every_run_is_a_behaviour(mortal: bool) {
    for seed in 0..150 {
        let program = Program { seed, mortal };
        let seen = program.in_production();
        let orders: Option<Vec<_>> = seen.iter().map(|log| arrivals(log)).collect();
        let orders = orders.unwrap_or_else(|| panic!("no inbox can lead to {seen:?}"));
        for chance in 0..3 {
            assert_eq!(
                program.under_test(&orders, chance),
                Some(seen.clone()),
                "program {seed}"
            );
        }
    }
}

#[test]
fn what_production_does_with_deferred_events_and_asks_the_tester_can_do() {
    every_run_is_a_behaviour(false);
}

#[test]
fn what_production_does_with_actors_that_halt_the_tester_can_do() {
    every_run_is_a_behaviour(true);
}

/// The other side: orders that break a rule are recognised.
#[test]
fn an_order_that_the_rules_forbid_is_no_behaviour() {
    let (mut overtaken, mut causeless) = (0, 0);
    for seed in 0..30 {
        let program = Program {
            seed,
            mortal: false,
        };
        let seen = program.in_production();
        for node in 0..program.nodes() {
            for at in 1..seen[node].len() {
                let mut changed = seen.clone();
                changed[node].swap(at - 1, at);
                let (a, b) = (seen[node][at - 1], seen[node][at]);
                let orders: Option<Vec<_>> = changed.iter().map(|log| arrivals(log)).collect();
                if a.stamp.from == b.stamp.from && a.is_token == b.is_token {
                    assert_eq!(orders, None, "{a:?} overtakes {b:?}");
                    overtaken += 1;
                } else if let Some(orders) = orders
                    && program.under_test(&orders, 0).is_none()
                {
                    causeless += 1;
                }
            }
        }
    }
    assert!(overtaken > 0 && causeless > 0, "{overtaken} {causeless}");
}
