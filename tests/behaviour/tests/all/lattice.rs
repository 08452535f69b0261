//! Inbox-DPOR shows each behaviour to monitors in every order in which they may see it.

use std::collections::BTreeSet;

use actor_core::prelude::*;
use actor_core::{ActorId, actor, monitor};
use actor_test::strategy::{Reduction, StrategySpec};
use actor_test::{BugKind, Report, Searched};
use behaviour::node::Message;
use behaviour::programs::*;
use behaviour::talkers::{Found, Talk, Uses};

use crate::dpor::{TELLS, assert_as_brute_force, programs, said, with_workers};

/// The random programs whose monitors can be compared.
const USES: [Uses; 6] = [
    TELLS,
    Uses {
        asks: true,
        choices: true,
        ..TELLS
    },
    Uses {
        defers: true,
        choices: true,
        ..TELLS
    },
    Uses {
        timers: true,
        ..TELLS
    },
    Uses {
        spawns: true,
        halts: true,
        ..TELLS
    },
    Uses {
        panics: true,
        ..TELLS
    },
];

/// A monitor that tells all orders from each other sees each that brute force finds.
#[test]
fn a_monitor_sees_every_order() {
    let compared = |uses| Uses {
        compared: true,
        ..uses
    };
    let all = USES.map(|uses| assert_as_brute_force(compared(uses), programs(25), 300));
    assert!(all.iter().sum::<u64>() > programs(25), "{all:?}");
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_monitor_sees_every_order_of_thousands_of_programs() {
    let compared = |uses| Uses {
        compared: true,
        ..uses
    };
    let all = USES.map(|uses| assert_as_brute_force(compared(uses), programs(600), 3_000));
    assert!(all.iter().sum::<u64>() > programs(600), "{all:?}");
}

/// Is a part of behaviours what monitors see in which order? And may they see something in several?
fn onlookers(report: &Report) -> (bool, bool) {
    match report.verdict.searched {
        Searched::Systematic {
            reduction: Reduction::Inboxes {
                onlookers, orders, ..
            },
            ..
        } => (onlookers, orders),
        ref other => panic!("{other:?}"),
    }
}

/// A monitor that fails, or is hot in the end, does so where it does in some schedule; and behaviours are
/// as many as they are without it.
fn assert_judged(programs: u64, schedules_max: u64) {
    let spec = |name: &str| -> StrategySpec { name.parse().expect("a strategy") };
    let (mut failing, mut hot, mut silent, mut counted) = (0, 0, 0, 0);
    for uses in USES {
        for number in 0..programs {
            let judged = Uses {
                judge: true,
                ..uses
            };
            let talk = Talk::random(number, judged);
            let (all, report) = talk.explore(&spec("dfs-local"), schedules_max);
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
            if onlookers(&dpor) == (false, true) {
                let (_, without) = Talk::random(number, uses).explore(&spec("dpor"), u64::MAX);
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
    assert_judged(programs(40), 400);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_monitor_fails_where_it_does_in_some_schedule_of_thousands_of_programs() {
    assert_judged(programs(600), 3_000);
}

/// Who has sent something: the same in whichever order it was seen.
#[derive(Default, Hash)]
struct Senders(BTreeSet<usize>);

#[monitor]
impl Senders {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.insert(message.from);
    }
}

/// The same, which can't be compared.
#[derive(Default)]
struct Unseen(BTreeSet<usize>);

#[monitor]
impl Unseen {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.insert(message.from);
    }
}

/// Who has sent something, in order; and it may not be from the last to the first.
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

/// Nobody comes after the second.
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

/// Disjoint pairs: one behaviour, in which a monitor may see n things in n! orders.
#[test]
fn what_is_seen_in_several_orders_is_one_behaviour() {
    let compared = explore(|sys| {
        sys.monitor::<Senders>();
        pairs(sys, 4);
    });
    compared.assert_clean();
    assert!(compared.verdict.is_exhaustive(), "{:?}", compared.verdict);
    assert_eq!(compared.verdict.behaviours(), Some(1));
    assert_eq!(onlookers(&compared), (false, true));
    // A set of four, each of which may come to it: 4 times 2^3 things to learn, four at most in each
    // execution.
    assert!((8..=32).contains(&compared.executions), "{compared:?}");

    let apart = explore(|sys| {
        sys.monitor::<Unseen>();
        pairs(sys, 4);
    });
    apart.assert_clean();
    assert_eq!(apart.verdict.behaviours(), Some(24));
    assert_eq!(onlookers(&apart), (true, false));

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

/// Sees who has sent something, by the number.
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

/// Which number an actor has depends on who is created first, so what was seen by number can't be compared.
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
        (one.verdict.behaviours(), onlookers(&one)),
        (Some(1), (false, true))
    );
    let two = hosts(2);
    assert!(two.verdict.is_exhaustive(), "{:?}", two.verdict);
    assert_eq!(
        (two.verdict.behaviours(), onlookers(&two)),
        (Some(2), (true, false))
    );
}

/// Long enough to be divided into parts.
#[test]
fn several_workers_show_monitors_what_one_does() {
    let program = |sys: &System| {
        sys.monitor::<Senders>();
        paxos(sys, 2, 3);
    };
    let alone = with_workers(1, program);
    assert!(alone.verdict.is_exhaustive(), "{:?}", alone.verdict);
    assert_eq!(alone.verdict.behaviours(), Some(26_136));
    let together = with_workers(3, program);
    assert_eq!(said(&together), said(&alone));
}
