//! Differential test of the two executors: each run in production is a behaviour that the tester allows.
//!
//! Random programs run on tokio, on two workers. Each actor records the events that it
//! sends and handles, in order, and its state. The rules constrain the order of arrivals:
//! an event arrives before it is handled; the effects of a handler take place in order, and
//! before its actor handles the next event; the next event is the first that the state does
//! not defer. Any order of arrivals that satisfies these constraints will do. A strategy
//! then makes an execution of the same program fill its inboxes in that order, with all
//! other decisions random. Every actor must handle the same events in the same order.
//!
//! A handler that failed sends nothing more, and the next incarnation continues with the inbox. A
//! bounded mailbox never exceeds its capacity, and an actor that waits for capacity does nothing else.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use actor_core::actor;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::strategy::{
    Enabled, Execution, Fairness, OperationId, Pending, Pruned, StepKind, Strategy,
};

/// The sender of an event, and the number of events that it had sent before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    from: usize,
    serial: usize,
}

/// Leads to at most two tokens with one hop less.
#[derive(Debug)]
struct Token {
    stamp: Stamp,
    hops: u32,
}

/// Opens the receiver.
#[derive(Debug)]
struct Key(Stamp);

/// Asks for a key.
#[derive(Debug)]
struct KeyPlease(Stamp);

/// Asks for a hash of the events that the receiver has handled.
#[derive(Debug)]
struct Query(Stamp);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Token,
    KeyPlease,
    Key,
    Query,
}

/// A handled event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Handled {
    stamp: Stamp,
    kind: Kind,
    while_closed: bool,
    /// The number of events that the node had sent before.
    sent: usize,
}

/// The records of all nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Log {
    /// The handled events, by node.
    handled: Vec<Vec<Handled>>,
    /// The receivers of the sent events, by sender; the test body comes last.
    sent: Vec<Vec<usize>>,
    /// The number of failures of each node.
    failures: Vec<usize>,
}

/// The features of the nodes beside passing tokens on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Feature {
    /// Nodes close and defer tokens until a key arrives, and ask each other.
    Asks,
    /// Nodes halt.
    Halts,
    /// The same as asks, and nodes fail and are restarted.
    Failures,
    /// Nodes have bounded mailboxes, and wait for capacity.
    Bounds,
}

/// The number of failures of a node: the number of restarts that the system allows at once.
const FAILURES: usize = 3;

/// The state that the nodes of one run share.
struct Shared {
    nodes: OnceLock<Vec<ActorRef<Node>>>,
    log: Mutex<Log>,
    /// The number of events that were sent and not handled yet.
    open: AtomicUsize,
    feature: Feature,
}

struct Node {
    index: usize,
    /// The number of failures so far.
    failures: usize,
    /// A hash of the events handled in this incarnation, which alone decides the next actions.
    seen: u64,
    shared: Arc<Shared>,
}

const fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xbf58_476d_1ce4_e5b9) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

impl Shared {
    /// Records that an event is about to be sent.
    fn stamp(&self, from: usize, to: usize) -> Stamp {
        self.open.fetch_add(1, Ordering::SeqCst);
        let sent = &mut self.log.lock().unwrap().sent[from];
        sent.push(to);
        Stamp {
            from,
            serial: sent.len() - 1,
        }
    }
}

impl Node {
    fn stamp(&self, to: usize) -> Stamp {
        self.shared.stamp(self.index, to)
    }

    fn note(&mut self, stamp: Stamp, kind: Kind, cx: &Context<Self>) {
        self.seen = mix(self.seen, mix(stamp.from as u64, stamp.serial as u64));
        let mut log = self.shared.log.lock().unwrap();
        let handled = Handled {
            stamp,
            kind,
            while_closed: cx.state() == NodeState::Closed,
            sent: log.sent[self.index].len(),
        };
        log.handled[self.index].push(handled);
    }

    /// Records that an event is handled, after all its effects have been sent.
    fn done(&self) {
        self.shared.open.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns a node with a greater index, so that no two nodes wait for each other.
    fn above(&self, random: u64) -> Option<usize> {
        let above = self.index + 1;
        let count = self.count().checked_sub(above).filter(|count| *count > 0)?;
        Some(above + random as usize % count)
    }

    /// Asks another node now and then.
    async fn question(&mut self) {
        if let Some(to) = self.above(self.seen >> 32)
            && self.seen.is_multiple_of(3)
        {
            let query = Query(self.stamp(to));
            let answer = self.peer(to).ask(query).await.unwrap();
            self.seen = mix(self.seen, answer);
        }
    }

    /// Sends a token to another node.
    async fn hand_on(&self, hops: u32, random: u64) {
        if self.shared.feature != Feature::Bounds {
            let to = random as usize % self.count();
            let stamp = self.stamp(to);
            self.peer(to).tell(Token { stamp, hops });
        } else if let Some(to) = self.above(random) {
            let stamp = self.stamp(to);
            self.peer(to).send(Token { stamp, hops }).await.unwrap();
        }
    }

    fn count(&self) -> usize {
        self.shared.nodes.get().unwrap().len()
    }

    fn peer(&self, number: usize) -> &ActorRef<Self> {
        &self.shared.nodes.get().unwrap()[number]
    }
}

#[actor(states(Open, Closed(defer(Token))))]
impl Node {
    #[on(Open)]
    async fn token(&mut self, token: Token, cx: &mut Context<Self>) -> Result<(), &'static str> {
        self.note(token.stamp, Kind::Token, cx);
        let feature = self.shared.feature;
        if matches!(feature, Feature::Asks | Feature::Failures) {
            self.question().await;
        }
        if token.hops > 0 {
            for number in 0..self.seen % 3 {
                self.hand_on(token.hops - 1, self.seen >> (8 * number + 8))
                    .await;
            }
        }
        let chance = self.seen;
        match feature {
            Feature::Halts if chance.is_multiple_of(11) => cx.halt(),
            Feature::Failures if chance.is_multiple_of(5) && self.failures < FAILURES => {
                self.shared.log.lock().unwrap().failures[self.index] += 1;
                self.done();
                return Err("it fails now and then");
            }
            Feature::Asks | Feature::Failures if chance.is_multiple_of(4) => {
                let to = (chance >> 40) as usize % self.count();
                let please = KeyPlease(self.stamp(to));
                self.peer(to).tell(please);
                cx.goto(NodeState::Closed);
            }
            _ => {}
        }
        self.done();
        Ok(())
    }

    #[on]
    fn key_please(&mut self, please: KeyPlease, cx: &mut Context<Self>) {
        self.note(please.0, Kind::KeyPlease, cx);
        let to = please.0.from;
        let key = Key(self.stamp(to));
        self.peer(to).tell(key);
        self.done();
    }

    #[on]
    fn key(&mut self, key: Key, cx: &mut Context<Self>) {
        self.note(key.0, Kind::Key, cx);
        if cx.state() == NodeState::Closed {
            cx.goto(NodeState::Open);
        }
        self.done();
    }

    #[on]
    fn query(&mut self, query: Query, cx: &mut Context<Self>) -> u64 {
        self.note(query.0, Kind::Query, cx);
        self.done();
        self.seen
    }
}

#[derive(Clone, Copy)]
struct Program {
    seed: u64,
    feature: Feature,
}

impl Program {
    fn nodes(self) -> usize {
        2 + self.seed as usize % 4
    }

    /// Returns the capacity of the nodes' mailboxes, except the first node's.
    fn bound(self) -> Option<usize> {
        (self.feature == Feature::Bounds).then_some(1 + self.seed as usize % 3)
    }

    fn spawn(self, sys: &System, index: usize, shared: &Arc<Shared>) -> ActorRef<Node> {
        let Self { seed, feature } = self;
        let node = move |failures, shared| Node {
            index,
            failures,
            seen: mix(mix(seed, index as u64), failures as u64),
            shared,
        };
        match self.bound() {
            Some(bound) if index > 0 => {
                let spawner = sys.spawner().mailbox(Mailbox::bounded(bound));
                spawner.spawn(node(0, shared.clone()))
            }
            _ if feature == Feature::Failures => {
                let shared = shared.clone();
                let mut lives = 0..;
                sys.spawn_with(move || node(lives.next().unwrap(), shared.clone()))
            }
            _ => sys.spawn(node(0, shared.clone())),
        }
    }

    fn set_up(self, sys: &System) -> Arc<Shared> {
        let count = self.nodes();
        let shared = Arc::new(Shared {
            nodes: OnceLock::new(),
            log: Mutex::new(Log {
                handled: vec![Vec::new(); count],
                sent: vec![Vec::new(); count + 1],
                failures: vec![0; count],
            }),
            open: AtomicUsize::new(0),
            feature: self.feature,
        });
        let nodes = (0..count).map(|index| self.spawn(sys, index, &shared));
        let nodes = shared.nodes.get_or_init(|| nodes.collect());
        for number in 0..2 * count as u64 {
            let to = match self.feature {
                // A `tell` to a full mailbox would be lost.
                Feature::Bounds => 0,
                _ => mix(self.seed, number) as usize % count,
            };
            let stamp = shared.stamp(count, to);
            nodes[to].tell(Token { stamp, hops: 4 });
        }
        shared
    }

    /// Runs the program on tokio.
    fn in_production(self) -> Log {
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
            shared.log.lock().unwrap().clone()
        })
    }

    /// Runs the program under test, with inboxes filled by these senders in this
    /// order; `None` if the execution reaches a point where that is impossible.
    fn under_test(self, arrivals: &[Vec<usize>], seed: u64) -> Option<Log> {
        let stuck = Arc::new(AtomicBool::new(false));
        let inbox = |of: &Vec<usize>| of.iter().copied().collect();
        let body = arrivals.len();
        let asks = |of: &Vec<usize>| {
            let senders = of.iter().copied();
            senders.filter(|sender| *sender != body).collect()
        };
        let guide = Guide {
            arrivals: arrivals.iter().map(inbox).collect(),
            questions: (self.feature == Feature::Bounds)
                .then(|| arrivals.iter().map(asks).collect()),
            has_asked: vec![false; body],
            random: seed,
            stuck: stuck.clone(),
        };
        let shared = Mutex::new(None);
        let report = Tester::new()
            .supervised(self.feature == Feature::Failures)
            .iterations(1)
            .custom_strategy(Box::new(guide))
            .run(|sys| {
                *shared.lock().unwrap() = Some(self.set_up(&sys));
            });
        assert!(report.bugs().is_empty(), "{report:?}");
        let shared = shared.into_inner().unwrap().unwrap();
        let log = shared.log.lock().unwrap().clone();
        (!stuck.load(Ordering::SeqCst)).then_some(log)
    }
}

/// The moments of a run, numbered, and the order constraints between them.
struct Moments {
    after: Vec<Vec<usize>>,
    /// The number of predecessors of each moment.
    before: Vec<usize>,
}

impl Moments {
    fn new(count: usize) -> Self {
        Self {
            after: vec![Vec::new(); count],
            before: vec![0; count],
        }
    }

    fn order(&mut self, first: usize, second: usize) {
        self.after[first].push(second);
        self.before[second] += 1;
    }

    /// Returns the moments in an order that satisfies all constraints (topological sort), if there is one.
    fn sorted(mut self) -> Option<Vec<usize>> {
        let mut sorted: Vec<usize> = (0..self.before.len())
            .filter(|moment| self.before[*moment] == 0)
            .collect();
        let mut next = 0;
        while let Some(moment) = sorted.get(next).copied() {
            next += 1;
            for second in std::mem::take(&mut self.after[moment]) {
                self.before[second] -= 1;
                if self.before[second] == 0 {
                    sorted.push(second);
                }
            }
        }
        (next == self.before.len()).then_some(sorted)
    }
}

/// Returns the senders that fill each inbox, in an order that is consistent
/// with all handled events; `None` if the rules allow no such order.
fn arrivals(log: &Log, program: Program) -> Option<Vec<Vec<usize>>> {
    // Each event has two moments: its arrival and its handling.
    let first = log.sent.iter().scan(0, |total, sent| {
        Some(std::mem::replace(total, *total + sent.len()))
    });
    let first: Vec<usize> = first.collect();
    let events: usize = log.sent.iter().map(Vec::len).sum();
    let arrives = |from: usize, serial: usize| first[from] + serial;
    let arrival = |handled: &Handled| arrives(handled.stamp.from, handled.stamp.serial);
    let mut moments = Moments::new(2 * events);
    for (from, sent) in log.sent.iter().enumerate() {
        for serial in 1..sent.len() {
            moments.order(arrives(from, serial - 1), arrives(from, serial));
        }
    }
    for (node, handled) in log.handled.iter().enumerate() {
        for (at, event) in handled.iter().enumerate() {
            let is_handled = events + arrival(event);
            moments.order(arrival(event), is_handled);
            let next = handled.get(at + 1);
            let sent = next.map_or(log.sent[node].len(), |next| next.sent);
            for serial in event.sent..sent {
                moments.order(is_handled, arrives(node, serial));
                if let Some(next) = next {
                    moments.order(arrives(node, serial), events + arrival(next));
                }
            }
            if let Some(next) = next {
                moments.order(is_handled, events + arrival(next));
            }
            // An asking node does nothing before the answer.
            let Stamp { from, serial } = event.stamp;
            if event.kind == Kind::Query {
                if serial + 1 < log.sent[from].len() {
                    moments.order(is_handled, arrives(from, serial + 1));
                }
                if let Some(resumed) = log.handled[from].iter().find(|later| later.sent > serial) {
                    moments.order(is_handled, events + arrival(resumed));
                }
            }
            // Nodes with bounded mailboxes defer nothing, so events are handled in the order of arrival.
            if let Some(bound) = program.bound().filter(|_| node > 0)
                && let Some(later) = handled.get(at + bound)
            {
                moments.order(is_handled, arrival(later));
            }
            // An event that was handled later arrived later, or was deferred by its receiver.
            for later in &handled[at + 1..] {
                if !(later.kind == Kind::Token && event.while_closed) {
                    moments.order(arrival(event), arrival(later));
                }
            }
        }
    }
    // An event that was never handled arrived after its receiver had halted.
    let mut was_handled = vec![false; events];
    for event in log.handled.iter().flatten() {
        was_handled[arrival(event)] = true;
    }
    let all = log.sent.iter().enumerate().flat_map(|(from, sent)| {
        let receiver = move |(serial, to): (usize, &usize)| (from, serial, *to);
        sent.iter().enumerate().map(receiver)
    });
    let all: Vec<(usize, usize, usize)> = all.collect();
    for (from, serial, to) in &all {
        if !was_handled[arrives(*from, *serial)] {
            for event in &log.handled[*to] {
                moments.order(arrival(event), arrives(*from, *serial));
            }
        }
    }
    let mut inboxes = vec![Vec::new(); log.handled.len()];
    let sorted = moments.sorted()?.into_iter();
    for moment in sorted.filter(|moment| *moment < events) {
        let (from, _, to) = all[moment];
        inboxes[to].push(from);
    }
    Some(inboxes)
}

/// A strategy that fills the inboxes in a given order, and picks at random otherwise.
#[derive(Debug)]
struct Guide {
    /// The senders of the remaining arrivals at each node.
    arrivals: Vec<VecDeque<usize>>,
    /// If nodes wait for capacity, the senders that have yet to request it from
    /// each node. They request it in the order in which their events arrive.
    questions: Option<Vec<VecDeque<usize>>>,
    /// The nodes that have requested capacity and not sent yet.
    has_asked: Vec<bool>,
    random: u64,
    stuck: Arc<AtomicBool>,
}

impl Guide {
    /// Returns the number of a node: the body is operation zero, and nodes follow in order of spawning.
    fn node(&self, operation: OperationId) -> usize {
        let node = operation.index().checked_sub(1);
        node.unwrap_or(self.arrivals.len())
    }

    /// Returns the inbox to which the step appends, or requests capacity from, and the sender.
    fn appends(&self, pending: &Pending) -> Option<(usize, usize)> {
        let sends = pending.kind == StepKind::Flush && pending.event.is_some();
        let inbox = pending.inbox.filter(|_| sends)?;
        Some((self.node(inbox), self.node(pending.operation)))
    }

    /// Returns the queue in which that sender must be the first.
    fn line(&mut self, inbox: usize, sender: usize) -> &mut VecDeque<usize> {
        let asks = |asked: &bool| !asked;
        match &mut self.questions {
            Some(questions) if self.has_asked.get(sender).is_some_and(asks) => {
                &mut questions[inbox]
            }
            _ => &mut self.arrivals[inbox],
        }
    }

    fn is_allowed(&mut self, pending: &Pending) -> bool {
        match self.appends(pending) {
            Some((inbox, sender)) => self.line(inbox, sender).front() == Some(&sender),
            None => true,
        }
    }

    fn carry_out(&mut self, pending: &Pending) {
        if let Some((inbox, sender)) = self.appends(pending) {
            self.line(inbox, sender).pop_front();
            if let Some(asked) = self.has_asked.get_mut(sender) {
                *asked ^= self.questions.is_some();
            }
        }
    }
}

impl Strategy for Guide {
    fn name(&self) -> String {
        "guide".into()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        (execution.iteration == 0).then_some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let allowed: Vec<usize> = (0..enabled.len())
            .filter(|at| self.is_allowed(&enabled[*at]))
            .collect();
        if allowed.is_empty() {
            self.stuck.store(true, Ordering::SeqCst);
            return Err(Pruned::new());
        }
        self.random = mix(self.random, 1);
        let pick = allowed[self.random as usize % allowed.len()];
        self.carry_out(&enabled[pick]);
        Ok(pick)
    }
}

/// Runs a program in production; returns its records, and an order of arrivals that leads to them.
fn observed(program: Program) -> (Log, Vec<Vec<usize>>) {
    let log = program.in_production();
    let arrivals = arrivals(&log, program);
    let seed = program.seed;
    let arrivals = arrivals.unwrap_or_else(|| panic!("program {seed}: no order leads to {log:?}"));
    (log, arrivals)
}

fn every_run_is_a_behaviour(feature: Feature) {
    let mut failures = 0;
    for seed in 0..150 {
        let program = Program { seed, feature };
        let (log, arrivals) = observed(program);
        for chance in 0..3 {
            let tested = program.under_test(&arrivals, chance);
            assert_eq!(tested.as_ref(), Some(&log), "program {seed}");
        }
        failures += log.failures.iter().sum::<usize>();
    }
    assert_eq!(failures > 200, feature == Feature::Failures, "{failures}");
}

#[test]
fn what_production_does_with_deferred_events_and_asks_the_tester_can_do() {
    every_run_is_a_behaviour(Feature::Asks);
}

#[test]
fn what_production_does_with_actors_that_halt_the_tester_can_do() {
    every_run_is_a_behaviour(Feature::Halts);
}

#[test]
fn what_production_does_with_actors_that_fail_and_are_brought_back_the_tester_can_do() {
    every_run_is_a_behaviour(Feature::Failures);
}

#[test]
fn what_production_does_with_full_mailboxes_the_tester_can_do() {
    every_run_is_a_behaviour(Feature::Bounds);
}

/// A negative test: if two events of one actor to another change places, no
/// order of arrivals is left, since neither event is deferred without the other.
#[test]
fn an_overtaken_event_is_no_behaviour() {
    let mut overtaken = 0;
    for seed in 0..150 {
        let feature = Feature::Halts;
        let program = Program { seed, feature };
        let log = program.in_production();
        for node in 0..log.handled.len() {
            for at in 1..log.handled[node].len() {
                let mut changed = log.clone();
                let handled = &mut changed.handled[node];
                let (first, second) = (handled[at - 1].stamp, handled[at].stamp);
                if first.from == second.from {
                    handled[at - 1].stamp = second;
                    handled[at].stamp = first;
                    let order = arrivals(&changed, program);
                    assert_eq!(order, None, "{first:?} after {second:?}");
                    overtaken += 1;
                }
            }
        }
    }
    assert!(overtaken > 100, "{overtaken}");
}

/// A negative test: an execution with another
/// order of arrivals does not do the same.
#[test]
fn another_order_of_arrival_is_another_behaviour() {
    let mut different = 0;
    for seed in 0..50 {
        let feature = Feature::Halts;
        let program = Program { seed, feature };
        let (log, mut arrivals) = observed(program);
        for inbox in &mut arrivals {
            inbox.reverse();
        }
        different += usize::from(program.under_test(&arrivals, 0).as_ref() != Some(&log));
    }
    assert!(different > 40, "{different}");
}
