//! Inbox-DPOR and monitors: each behaviour is shown to monitors in every order that they may observe.

use std::collections::BTreeSet;

use actor_core::prelude::*;
use actor_core::{ActorId, actor, monitor};
use actor_test::report::SearchKind;
use actor_test::strategy::Gap;
use actor_test::strategy::{Reduction, StrategySpec};
use actor_test::{BugKind, Report};
use behaviour::node::Message;
use behaviour::programs::*;
use behaviour::talkers::{FeatureSet, Found, HistoryProgram};

use crate::search::dpor::{TELLS, assert_as_brute_force, programs, said, with_workers};

/// The features of the random programs with comparable monitors.
const USES: [FeatureSet; 6] = [
    TELLS,
    FeatureSet {
        asks: true,
        choices: true,
        ..TELLS
    },
    FeatureSet {
        defers: true,
        choices: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        ..TELLS
    },
    FeatureSet {
        spawns: true,
        halts: true,
        ..TELLS
    },
    FeatureSet {
        panics: true,
        ..TELLS
    },
];

/// A monitor that distinguishes all orders observes each order that brute force finds.
#[test]
fn a_monitor_sees_every_order() {
    let compared = |uses| FeatureSet {
        compared: true,
        ..uses
    };
    let all = USES.map(|uses| assert_as_brute_force(compared(uses), programs(25), 300));
    assert!(all.iter().sum::<u64>() > programs(25), "{all:?}");
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_monitor_sees_every_order_of_thousands_of_programs() {
    let compared = |uses| FeatureSet {
        compared: true,
        ..uses
    };
    let all = USES.map(|uses| assert_as_brute_force(compared(uses), programs(600), 3_000));
    assert!(all.iter().sum::<u64>() > programs(600), "{all:?}");
}

/// Returns true if the observed order is a part of behaviours, and if a behaviour may have several.
fn observers(report: &Report) -> (bool, bool) {
    match report.verdict.searched {
        SearchKind::Systematic {
            reduction: Reduction::Inboxes {
                observers, orders, ..
            },
            ..
        } => (observers, orders),
        ref other => panic!("{other:?}"),
    }
}

/// A monitor fails, or is hot at the end, exactly if it does in some
/// schedule; the number of behaviours is the same as without the monitor.
fn assert_judged(programs: u64, schedules_max: u64) {
    let spec = |name: &str| -> StrategySpec { name.parse().expect("a strategy") };
    let (mut failing, mut hot, mut silent, mut counted) = (0, 0, 0, 0);
    for uses in USES {
        for number in 0..programs {
            let judged = FeatureSet {
                judge: true,
                ..uses
            };
            let talk = HistoryProgram::random(number, judged);
            let (all, report) = talk.explore(&spec("dfs:local"), schedules_max);
            if !report.verdict.is_exhaustive() {
                continue;
            }
            let (found, dpor) = talk.explore(&spec("dpor"), u64::MAX);
            let fails = |found: &Found| {
                let mut bugs = found.bugs.iter();
                bugs.any(|(kind, _)| *kind == BugKind::Monitor)
            };
            assert_eq!(fails(&found), fails(&all), "{talk:?}");
            if fails(&all) {
                failing += 1;
                continue;
            }
            assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
            let kinds = |found: &Found| -> BTreeSet<BugKind> {
                found.bugs.iter().map(|(kind, _)| *kind).collect()
            };
            assert_eq!(kinds(&found), kinds(&all), "{talk:?}");
            match all.bugs.is_empty() {
                true => silent += 1,
                false => hot += 1,
            }
            if observers(&dpor) == (false, true) {
                let (_, without) =
                    HistoryProgram::random(number, uses).explore(&spec("dpor"), u64::MAX);
                assert_eq!(dpor.verdict.behaviours(), without.verdict.behaviours());
                counted += 1;
            }
        }
    }
    println!("{failing} fail, {hot} owe something, {silent} are silent; {counted} counted");
    let least = programs / 8;
    assert!(failing > least && hot > least && silent > least && counted > least);
}

#[test]
fn a_monitor_fails_where_it_does_in_some_schedule() {
    assert_judged(programs(24), 400);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_monitor_fails_where_it_does_in_some_schedule_of_thousands_of_programs() {
    assert_judged(programs(600), 3_000);
}

/// The senders so far, as a set: independent of the order.
#[derive(Default, Hash)]
struct Senders(BTreeSet<usize>);

#[monitor]
impl Senders {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.insert(message.from);
    }
}

/// The same without a comparable state.
#[derive(Default)]
struct Unseen(BTreeSet<usize>);

#[monitor]
impl Unseen {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.insert(message.from);
    }
}

/// The senders, in order; the reverse order fails.
#[derive(Default, Hash)]
struct Order(Vec<usize>);

#[monitor]
impl Order {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.push(message.from);
        assert!(self.0 != [6, 4, 2, 0], "the last was first");
    }
}

/// Stays hot unless another message follows the second sender's.
#[derive(Default, Hash)]
struct Last;

#[monitor(hot(Second), cold(Other))]
impl Last {
    #[on]
    fn message(&mut self, message: &Message, cx: &mut MonitorContext<Self>) {
        cx.goto(match message.from {
            2 => LastState::Second,
            _ => LastState::Other,
        });
    }
}

fn explore(program: impl Fn(&System) + Sync) -> Report {
    with_workers(1, program)
}

/// Disjoint pairs: one behaviour, in which a monitor may observe n events in n! orders.
#[test]
fn what_is_seen_in_several_orders_is_one_behaviour() {
    let compared = explore(|sys| {
        sys.monitor::<Senders>();
        pairs(sys, 4);
    });
    compared.assert_clean();
    assert!(compared.verdict.is_exhaustive(), "{:?}", compared.verdict);
    assert_eq!(compared.verdict.behaviours(), Some(1));
    assert_eq!(observers(&compared), (false, true));
    // A set of four elements, each of which may be the next: 4 times
    // 2^3 transitions to learn, at most four in each execution.
    assert!((8..=32).contains(&compared.executions), "{compared:?}");

    let apart = explore(|sys| {
        sys.monitor::<Unseen>();
        pairs(sys, 4);
    });
    apart.assert_clean();
    assert_eq!(apart.verdict.behaviours(), Some(24));
    assert_eq!(observers(&apart), (true, false));

    let ordered = explore(|sys| {
        sys.monitor::<Senders>();
        ping_pong(sys, 5);
    });
    assert_eq!(ordered.verdict.behaviours(), Some(1));
    assert_eq!(ordered.executions, 1, "there is one order");
}

#[test]
fn the_one_order_in_which_a_monitor_fails_is_found() {
    let report = explore(|sys| {
        sys.monitor::<Order>();
        pairs(sys, 4);
    });
    let [bug] = report.bugs() else {
        panic!("{report:?}");
    };
    assert_eq!(bug.kind(), BugKind::Monitor);
    assert!(bug.message().contains("the last was first"), "{bug:?}");
}

#[test]
fn what_a_monitor_owes_after_some_orders_is_found() {
    let report = explore(|sys| {
        sys.monitor::<Last>();
        pairs(sys, 4);
    });
    let [bug] = report.bugs() else {
        panic!("{report:?}");
    };
    assert_eq!(bug.kind(), BugKind::HotAtEnd);
}

/// The senders so far, by actor number.
#[derive(Default, Hash)]
struct Known(BTreeSet<ActorId>);

#[monitor]
impl Known {
    #[on]
    fn hello(&mut self, _: &Hello, cx: &mut MonitorContext<Self>) {
        self.0.extend(cx.sender());
    }
}

#[derive(Debug)]
struct Hello;

struct Host(ActorRef<Guest>);

#[actor]
impl Host {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let guest = self.0.clone();
        cx.spawn(Child(guest));
    }
}

struct Child(ActorRef<Guest>);

#[actor]
impl Child {
    #[start]
    fn start(&mut self) {
        self.0.tell(Hello);
    }
}

struct Guest;

#[actor]
impl Guest {
    #[on]
    fn hello(&mut self, _: Hello) {}
}

/// The number of an actor depends on the order of creation, so monitors with actor numbers can't be compared.
#[test]
fn actors_that_are_numbered_in_several_ways_are_told_apart() {
    let hosts = |hosts: usize| {
        explore(move |sys| {
            sys.monitor::<Known>();
            for _ in 0..hosts {
                let guest = sys.spawn(Guest);
                sys.spawn(Host(guest));
            }
        })
    };
    let one = hosts(1);
    assert_eq!(
        (one.verdict.behaviours(), observers(&one)),
        (Some(1), (false, true))
    );
    let two = hosts(2);
    assert!(two.verdict.is_exhaustive(), "{:?}", two.verdict);
    assert_eq!(
        (two.verdict.behaviours(), observers(&two)),
        (Some(2), (true, false))
    );
}

/// The search is large enough to be divided into parts.
#[test]
fn several_workers_show_monitors_what_one_does() {
    let program = |sys: &System| {
        sys.monitor::<Parity>();
        fan_in(sys, 8, 1);
    };
    let alone = with_workers(1, program);
    assert!(alone.verdict.is_exhaustive(), "{:?}", alone.verdict);
    assert_eq!(alone.verdict.behaviours(), Some(40_320));
    let together = with_workers(3, program);
    assert_eq!(said(&together), said(&alone));
}

/// The number of observed messages; one sender must not be the second.
#[derive(Default, Hash)]
struct Second<const FROM: usize>(u32);

#[monitor]
impl<const FROM: usize> Second<FROM> {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0 += 1;
        assert!(self.0 != 2 || message.from != FROM, "it is the second");
    }
}

/// Two paths lead to one monitor state with different messages left; the search continues from both.
#[test]
fn a_monitor_that_is_the_same_has_other_things_before_it() {
    fn fails<const FROM: usize>() {
        let report = explore(|sys| {
            sys.monitor::<Second<FROM>>();
            pairs(sys, 3);
        });
        let kinds: Vec<BugKind> = report.bugs().iter().map(|bug| bug.kind()).collect();
        assert_eq!(kinds, [BugKind::Monitor], "{FROM}");
    }
    fails::<0>();
    fails::<2>();
    fails::<4>();
}

/// Two monitors observe the same messages, and one of them fails.
#[test]
fn each_monitor_is_shown_all_orders() {
    let report = explore(|sys| {
        sys.monitor::<Senders>();
        sys.monitor::<Order>();
        pairs(sys, 4);
    });
    let kinds: Vec<BugKind> = report.bugs().iter().map(|bug| bug.kind()).collect();
    assert_eq!(kinds, [BugKind::Monitor]);
}

/// A monitor with an incomplete hash: the hash leaves out a part of its state.
#[derive(Default)]
struct Closed {
    seen: u32,
}

impl std::hash::Hash for Closed {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.seen >= 2).hash(state);
    }
}

#[monitor]
impl Closed {
    #[on]
    fn message(&mut self, message: &Message) {
        self.seen += 1;
        assert!(self.seen != 3 || message.from != 0, "the first is the last");
    }
}

/// The search notices different behaviour in the same state.
#[test]
fn a_monitor_that_keeps_something_for_itself_is_shown_each_order_for_itself() {
    let report = explore(|sys| {
        sys.monitor::<Closed>();
        pairs(sys, 3);
    });
    let kinds: Vec<BugKind> = report.bugs().iter().map(|bug| bug.kind()).collect();
    assert_eq!(kinds, [BugKind::Monitor], "{:?}", report.verdict);
}

#[derive(Debug)]
struct Turn(bool);

/// Spawns a child in its turn, which sends a greeting, and then lets the other parent spawn.
struct Parent {
    other: Option<ActorRef<Parent>>,
    guest: ActorRef<Guest>,
}

#[derive(Debug)]
struct Meet(ActorRef<Parent>);

#[actor]
impl Parent {
    #[on]
    fn meet(&mut self, meet: Meet) {
        self.other = Some(meet.0);
    }

    #[on]
    fn turn(&mut self, turn: Turn, cx: &mut Context<Self>) {
        cx.spawn(Child(self.guest.clone()));
        if let (true, Some(other)) = (turn.0, &self.other) {
            other.tell(Turn(false));
        }
    }
}

struct Starter([ActorRef<Parent>; 2]);

#[actor]
impl Starter {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.0[cx.choose(2)].tell(Turn(true));
    }
}

/// Each behaviour has a single order of creation, but the order differs between behaviours.
#[test]
fn actors_that_are_numbered_otherwise_elsewhere_are_told_apart() {
    let report = explore(|sys| {
        sys.monitor::<Known>();
        let parents = [0, 1].map(|_| {
            let guest = sys.spawn(Guest);
            sys.spawn(Parent { other: None, guest })
        });
        parents[0].tell(Meet(parents[1].clone()));
        parents[1].tell(Meet(parents[0].clone()));
        sys.spawn(Starter(parents));
    });
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(observers(&report), (true, false));
}

#[derive(Debug)]
struct Ring;

/// Sends a greeting after a while.
struct Sleeper(ActorRef<Guest>);

#[actor]
impl Sleeper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(std::time::Duration::from_secs(1), Ring);
    }

    #[on]
    fn ring(&mut self, _: Ring) {
        self.0.tell(Hello);
    }
}

/// The actors whose greetings were observed, in order.
#[derive(Default, Hash)]
struct Rung(Vec<ActorId>);

#[monitor]
impl Rung {
    #[on]
    fn ring(&mut self, _: &Ring, cx: &mut MonitorContext<Self>) {
        self.0.extend(cx.target());
    }
}

/// The order of timers is a part of the behaviour, and a monitor observes no other order.
#[test]
fn what_time_puts_in_order_is_seen_in_that_order() {
    let sleepers = |is_watched| {
        explore(move |sys| {
            if is_watched {
                sys.monitor::<Rung>();
            }
            for _ in 0..2 {
                let guest = sys.spawn(Guest);
                sys.spawn(Sleeper(guest));
            }
        })
    };
    let (watched, alone) = (sleepers(true), sleepers(false));
    assert!(watched.verdict.is_exhaustive(), "{:?}", watched.verdict);
    assert_eq!(observers(&watched), (false, true));
    assert_eq!(watched.verdict.behaviours(), alone.verdict.behaviours());
}

/// The parity of the number of observed messages.
#[derive(Default, Hash)]
struct Parity(bool);

#[monitor]
impl Parity {
    #[on]
    fn message(&mut self, _: &Message) {
        self.0 ^= true;
    }
}

/// 2^17 sets of observed messages exceed the limit, so the verdict is no proof.
#[test]
fn too_many_orders_are_not_claimed_to_be_seen() {
    let report = explore(|sys| {
        sys.monitor::<Parity>();
        pairs(sys, 17);
    });
    report.assert_clean();
    assert_eq!(report.verdict.gaps, [Gap::Orders { behaviours: 1 }]);
}

/// The initial state of the monitor depends on a choice of the test body.
#[test]
fn a_monitor_is_shown_all_from_each_beginning() {
    let report = explore(|sys| {
        let begin = vec![9; sys.choose(2)];
        sys.monitor_with(Longer(begin));
        pairs(sys, 3);
    });
    let kinds: Vec<BugKind> = report.bugs().iter().map(|bug| bug.kind()).collect();
    assert_eq!(kinds, [BugKind::Monitor]);
}

/// The observed senders, in order; one sequence of four fails.
#[derive(Hash)]
struct Longer(Vec<usize>);

#[monitor]
impl Longer {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.push(message.from);
        assert!(self.0 != [9, 4, 2, 0], "the last was first");
    }
}
