//! Small programs whose bug takes a uniform walk hundreds of executions: planted
//! bugs, and correct programs in which one order of events is declared a failure.

use std::cell::RefCell;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{actor, monitor};
use actor_test::Tester;
use actor_test::strategy::StrategySpec;
use behaviour::closures::{Handles, handles};
use behaviour::node::{Acts, Message, Rule, spawn};
use behaviour::programs;

/// A program with a bug.
pub(crate) struct Mistake {
    pub(crate) name: String,
    pub(crate) program: Box<dyn Fn(&System) + Sync>,
}

fn mistake(name: &str, program: impl Fn(&System) + Sync + 'static) -> Mistake {
    Mistake {
        name: name.into(),
        program: Box::new(program),
    }
}

/// Returns all programs, those with planted bugs first.
pub(crate) fn all(orders: u64) -> Vec<Mistake> {
    let mut all = planted();
    all.extend((0..orders).filter_map(forbidden_order));
    all
}

fn rule(act: impl FnMut(&mut Acts<'_>, Option<Message>) + Send + 'static) -> Rule {
    Box::new(act)
}

/// Sends `messages` items to a node at its start.
fn source(to: usize, messages: u64) -> Rule {
    rule(move |acts, message| {
        if message.is_none() {
            (0..messages).for_each(|number| acts.send(to, "item", number));
        }
    })
}

/// A sink that fails if the senders of its first messages are exactly these.
fn sink(fails_at: Vec<usize>) -> Rule {
    let mut senders = Vec::new();
    rule(move |_, message| {
        senders.extend(message.map(|message| message.from));
        assert!(senders != fails_at, "the order that fails");
    })
}

fn planted() -> Vec<Mistake> {
    vec![
        mistake("one message after ten", |sys| {
            let mut order = vec![1; 10];
            order.push(2);
            spawn(sys, vec![sink(order), source(0, 10), source(0, 1)]);
        }),
        mistake("a burst before the others", |sys| {
            let sources = (0..3).map(|_| source(0, 5));
            let all = std::iter::once(sink(vec![3; 5])).chain(sources);
            spawn(sys, all.collect());
        }),
        mistake("in turn, seven times", |sys| {
            let order = [1, 2].repeat(6);
            spawn(sys, vec![sink(order), source(0, 7), source(0, 7)]);
        }),
        mistake("one permutation of six", |sys| {
            let order = vec![4, 2, 6, 1, 5, 3];
            let sources = (0..6).map(|_| source(0, 1));
            let all = std::iter::once(sink(order)).chain(sources);
            spawn(sys, all.collect());
        }),
        mistake("around four corners, first", |sys| overtaken(sys, 4, 1)),
        mistake("around three corners, twice", |sys| overtaken(sys, 3, 2)),
        mistake("an early majority", early_majority),
        mistake("a counter that stands at one", lost_updates),
        mistake("two leases at once", leases),
        mistake("the late answer of an early try", retries),
    ]
}

/// Fails if a message over a detour overtakes a direct one, `times` times.
fn overtaken(sys: &System, corners: usize, times: u64) {
    let mut early = 0;
    let mut straight = 0;
    let mut rules = vec![rule(move |_, message| match message {
        Some(message) if message.kind == "straight" => straight += 1,
        Some(message) if straight <= message.value => {
            early += 1;
            assert!(early < times, "overtaken");
        }
        _ => {}
    })];
    let first = 2;
    rules.push(rule(move |acts, message| {
        if message.is_none() {
            for number in 0..times {
                acts.send(first, "round", number);
                acts.send(0, "straight", number);
            }
        }
    }));
    for corner in 0..corners {
        let next = if corner + 1 == corners {
            0
        } else {
            first + corner + 1
        };
        rules.push(rule(move |acts, message| {
            if let Some(message) = message {
                acts.send(next, "round", message.value);
            }
        }));
    }
    spawn(sys, rules);
}

/// Commits once nine of twelve have voted, and ignores the other votes.
fn early_majority(sys: &System) {
    let (mut votes, mut no) = (0, 0);
    let mut rules = vec![rule(move |_, message| {
        if let Some(message) = message {
            votes += 1;
            no += message.value;
            assert!(votes != 9 || no > 0, "commits without the three who refuse");
        }
    })];
    for voter in 0..12 {
        rules.push(rule(move |acts, message| {
            if message.is_none() {
                acts.send(0, "vote", u64::from(voter % 5 == 0));
            }
        }));
    }
    spawn(sys, rules);
}

/// Three clients read a counter and write it back, twice each: all increments but one are lost.
fn lost_updates(sys: &System) {
    let (mut counter, mut writes) = (0, 0);
    let mut rules = vec![rule(move |acts, message| {
        let Some(message) = message else { return };
        if message.kind == "read" {
            acts.send(message.from, "value", counter);
        } else {
            counter = message.value;
            writes += 1;
            acts.send(message.from, "written", 0);
            assert!(writes < 6 || counter > 2, "four updates are lost");
        }
    })];
    for _ in 0..3 {
        let mut left = 2;
        rules.push(rule(move |acts, message| match message {
            Some(message) if message.kind == "value" => acts.send(0, "write", message.value + 1),
            Some(_) if left == 1 => {}
            next => {
                left -= u64::from(next.is_some());
                acts.send(0, "read", 0);
            }
        }));
    }
    spawn(sys, rules);
}

#[derive(Debug)]
struct Lease(ActorRef<Holder>);
#[derive(Debug)]
struct Granted;
#[derive(Debug)]
struct Expired;
#[derive(Debug)]
struct Returned;

/// Grants a lease for a second. A holder that returns it late still believes that it has the lease.
#[derive(Default)]
struct Landlord {
    held: u32,
    waiting: Vec<ActorRef<Holder>>,
    expired: u32,
}
#[actor]
impl Landlord {
    #[on]
    fn lease(&mut self, lease: Lease, cx: &mut Context<Self>) {
        self.waiting.push(lease.0);
        self.grant(cx);
    }
    #[on]
    fn expired(&mut self, _: Expired, cx: &mut Context<Self>) {
        if self.held > 0 {
            self.held -= 1;
            self.expired += 1;
            assert!(self.expired < 3, "three leases ran out");
        }
        self.grant(cx);
    }
    #[on]
    fn returned(&mut self, _: Returned, cx: &mut Context<Self>) {
        self.held = self.held.saturating_sub(1);
        self.expired = 0;
        self.grant(cx);
    }
    fn grant(&mut self, cx: &mut Context<Self>) {
        if self.held == 0
            && let Some(next) = self.waiting.pop()
        {
            self.held = 1;
            next.tell(Granted);
            cx.after(Duration::from_secs(1), Expired);
        }
    }
}

struct Holder {
    landlord: ActorRef<Landlord>,
    times: u32,
}
#[actor]
impl Holder {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.landlord.tell(Lease(cx.me()));
    }
    #[on]
    fn granted(&mut self, _: Granted, cx: &mut Context<Self>) {
        self.landlord.tell(Returned);
        self.times += 1;
        if self.times < 3 {
            self.landlord.tell(Lease(cx.me()));
        }
    }
}

fn leases(sys: &System) {
    let landlord = sys.spawn(Landlord::default());
    for _ in 0..3 {
        let landlord = landlord.clone();
        sys.spawn(Holder { landlord, times: 0 });
    }
}

#[derive(Debug)]
struct Get {
    attempt: u32,
    from: ActorRef<Caller>,
}
#[derive(Debug)]
struct Got(u32);
#[derive(Debug)]
struct Again;

/// Retries after a second, and takes any answer for that of the last attempt.
struct Caller {
    store: ActorRef<Handles<Get>>,
    attempt: u32,
}
#[actor]
impl Caller {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.call(cx);
    }
    #[on]
    fn got(&mut self, got: Got) {
        assert!(
            self.attempt < got.0 + 4,
            "an answer to what was asked four attempts ago"
        );
    }
    #[on]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        if self.attempt < 6 {
            self.call(cx);
        }
    }
    fn call(&mut self, cx: &mut Context<Self>) {
        self.attempt += 1;
        let (attempt, from) = (self.attempt, cx.me());
        self.store.tell(Get { attempt, from });
        cx.after(Duration::from_secs(1), Again);
    }
}

fn retries(sys: &System) {
    let store = handles(sys, |get: Get, _| get.from.tell(Got(get.attempt)));
    for _ in 0..2 {
        let store = store.clone();
        sys.spawn(Caller { store, attempt: 0 });
    }
}

/// The sender and the kind of each message that a node handled, in order.
type Order = Vec<(usize, &'static str)>;

thread_local! {
    /// The messages that each node has handled in the execution in progress.
    static HANDLED: RefCell<Vec<(u64, Order)>> = const { RefCell::new(Vec::new()) };
    /// The node whose order fails, by its actor number, and the order.
    static FORBIDDEN: RefCell<Option<(u64, Order)>> = const { RefCell::new(None) };
}

/// Fails if the forbidden order occurs.
#[derive(Default)]
struct Guard;

#[monitor(cold(Watching))]
impl Guard {
    #[on(handled)]
    fn message(&mut self, message: &Message, cx: &mut MonitorContext<Self>) {
        let Some(target) = cx.target() else { return };
        let what = (message.from, message.kind);
        HANDLED.with_borrow_mut(|handled| {
            let known = handled
                .iter_mut()
                .find(|(node, _)| *node == target.as_u64());
            match known {
                Some((_, order)) => order.push(what),
                None => handled.push((target.as_u64(), vec![what])),
            }
            let order = handled.iter().find(|(node, _)| *node == target.as_u64());
            FORBIDDEN.with_borrow(|forbidden| {
                assert!(
                    order.is_none() || order != forbidden.as_ref(),
                    "the order that fails"
                );
            });
        });
    }
}

fn correct(number: u64, sys: &System) {
    match number % 7 {
        0 => programs::two_phase_commit(sys, 4),
        1 => programs::lock_server(sys, 4),
        2 => programs::flood(sys, 4),
        3 => programs::paxos(sys, 2, 3),
        4 => programs::client_server(sys, 3, 3),
        5 => programs::philosophers(sys, 4),
        _ => programs::readers_writer(sys, 5),
    }
}

/// Makes a correct program fail for one order of events that occurred in an execution of a strategy.
fn forbidden_order(number: u64) -> Option<Mistake> {
    let strategies = crate::ARMS;
    let strategy: StrategySpec = strategies[number as usize % strategies.len()]
        .parse()
        .ok()?;
    FORBIDDEN.set(None);
    let report = Tester::new()
        .iterations(1 + number % 3)
        .seed(1_000 + number)
        .strategy(strategy)
        .run(|sys| {
            HANDLED.take();
            sys.monitor::<Guard>();
            correct(number, &sys);
        });
    report.assert_clean();
    // Picks one of the nodes that handled at least four messages.
    let mut orders = HANDLED.take();
    orders.retain(|(_, order)| order.len() >= 4);
    orders.sort();
    let (node, order) = orders
        .get(number as usize / 7 % orders.len().max(1))?
        .clone();
    let length = order.len().min(6 + number as usize % 4);
    let forbidden = (node, order[..length].to_vec());
    Some(mistake(&format!("order {number}"), move |sys| {
        HANDLED.take();
        FORBIDDEN.set(Some(forbidden.clone()));
        sys.monitor::<Guard>();
        correct(number, sys);
    }))
}
