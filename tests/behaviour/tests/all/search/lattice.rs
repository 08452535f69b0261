//! Inbox-DPOR and monitors: each behaviour is shown to monitors in every order that they may observe.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{ActorId, actor, monitor};
use actor_test::strategy::Gap;
use actor_test::strategy::Reduction;
use actor_test::{BugKind, Report};
use behaviour::closures::{at_start, starter};
use behaviour::harness::events::Tick;
use behaviour::harness::{exhaust, only_bug, whole};
use behaviour::node::Message;
use behaviour::programs::*;
use behaviour::talkers::{FeatureSet, Found, HistoryProgram};

use crate::search::dpor::{assert_as_brute_force, by_any_number_of_workers};
use crate::search::{Program, programs, reduction};

/// The features of the random programs with comparable monitors.
fn uses() -> impl Iterator<Item = FeatureSet> {
    let uses = ", asks choices, defers choices, timers, spawns halts, panics";
    uses.split(", ").map(FeatureSet::of)
}

/// Compares this number of programs for each set of features. Programs with more schedules are left out.
fn assert_every_order_is_seen(programs: u64, schedules_max: u64) {
    let all = uses().map(|uses| {
        let compared = true;
        assert_as_brute_force(FeatureSet { compared, ..uses }, programs, schedules_max)
    });
    let compared: u64 = all.sum();
    assert!(compared > programs, "{compared}");
}

/// A monitor that distinguishes all orders observes each order that brute force finds.
#[test]
fn a_monitor_sees_every_order() {
    assert_every_order_is_seen(programs("DPOR", 25), 300);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_monitor_sees_every_order_of_thousands_of_programs() {
    assert_every_order_is_seen(programs("DPOR", 600), 3_000);
}

/// Returns true if the observed order is a part of behaviours, and if a behaviour may have several.
fn observers(report: &Report) -> (bool, bool) {
    match reduction(report) {
        Reduction::Inboxes {
            observers, orders, ..
        } => (*observers, *orders),
        other => panic!("{other:?}"),
    }
}

/// A monitor fails, or is hot at the end, exactly if it does in some
/// schedule; the number of behaviours is the same as without the monitor.
fn assert_judged(programs: u64, schedules_max: u64) {
    let (mut failing, mut hot, mut silent, mut counted) = (0, 0, 0, 0);
    let bug_kinds =
        |found: &Found| -> BTreeSet<BugKind> { found.bugs.iter().map(|(kind, _)| *kind).collect() };
    for uses in uses() {
        for number in 0..programs {
            let judge = true;
            let talk = HistoryProgram::random(number, FeatureSet { judge, ..uses });
            let (all, report) = talk.explore("dfs:local", schedules_max);
            if !report.verdict.is_exhaustive() {
                continue;
            }
            let (found, dpor) = talk.explore("dpor", u64::MAX);
            let (kinds, all_kinds) = (bug_kinds(&found), bug_kinds(&all));
            let fails = all_kinds.contains(&BugKind::Monitor);
            assert_eq!(kinds.contains(&BugKind::Monitor), fails, "{talk:?}");
            if fails {
                failing += 1;
                continue;
            }
            assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
            assert_eq!(kinds, all_kinds, "{talk:?}");
            match all.bugs.is_empty() {
                true => silent += 1,
                false => hot += 1,
            }
            if observers(&dpor) == (false, true) {
                let without = HistoryProgram::random(number, uses);
                let (_, without) = without.explore("dpor", u64::MAX);
                assert_eq!(dpor.verdict.behaviours(), without.verdict.behaviours());
                counted += 1;
            }
        }
    }
    let least = programs / 8;
    assert!(failing > least && hot > least && silent > least && counted > least);
}

#[test]
fn a_monitor_fails_where_it_does_in_some_schedule() {
    assert_judged(programs("DPOR", 24), 400);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn a_monitor_fails_where_it_does_in_some_schedule_of_thousands_of_programs() {
    assert_judged(programs("DPOR", 600), 3_000);
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

/// The senders, in order; one order of four fails, after an initial 9 as well.
#[derive(Default, Hash)]
struct Order(Vec<usize>);

#[monitor]
impl Order {
    #[on]
    fn message(&mut self, message: &Message) {
        self.0.push(message.from);
        let is_last_first = matches!(self.0[..], [6 | 9, 4, 2, 0]);
        assert!(!is_last_first, "the last was first");
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
    whole("dpor").run(|sys| program(&sys))
}

/// Disjoint pairs: one behaviour, in which a monitor may observe n events in n! orders.
#[test]
fn what_is_seen_in_several_orders_is_one_behaviour() {
    let compared = exhaust(&whole("dpor"), |sys| {
        sys.monitor::<Senders>();
        pairs(&sys, 4);
    });
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
    let rows: [(&str, BugKind, &str, Program); 8] = [
        (
            "one order fails",
            BugKind::Monitor,
            "the last was first",
            |sys| {
                sys.monitor::<Order>();
                pairs(sys, 4);
            },
        ),
        ("an obligation is left", BugKind::HotAtEnd, "", |sys| {
            sys.monitor::<Last>();
            pairs(sys, 4);
        }),
        ("one of two monitors fails", BugKind::Monitor, "", |sys| {
            sys.monitor::<Senders>();
            sys.monitor::<Order>();
            pairs(sys, 4);
        }),
        // Two paths lead to one monitor state with different messages left; the search continues from both.
        ("the first is second", BugKind::Monitor, "", second::<0>),
        ("the second is second", BugKind::Monitor, "", second::<2>),
        ("the third is second", BugKind::Monitor, "", second::<4>),
        // The search notices different behaviour in the same state.
        ("the hash is incomplete", BugKind::Monitor, "", |sys| {
            sys.monitor::<Closed>();
            pairs(sys, 3);
        }),
        (
            "the initial state is chosen by the body",
            BugKind::Monitor,
            "",
            |sys| {
                let begin = vec![9; sys.choose(2)];
                sys.monitor_with(Order(begin));
                pairs(sys, 3);
            },
        ),
    ];
    for (name, kind, message, program) in rows {
        let report = explore(program);
        let bug = only_bug(&report);
        assert_eq!(bug.kind(), kind, "{name}");
        assert!(bug.message().contains(message), "{name}: {bug:?}");
    }
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

/// The number of an actor depends on the order of creation, so monitors with actor numbers can't be compared.
#[test]
fn actors_that_are_numbered_in_several_ways_are_told_apart() {
    let hosts = |hosts: usize| {
        explore(move |sys| {
            sys.monitor::<Known>();
            for _ in 0..hosts {
                let guest = sys.spawn(Quiet);
                at_start(sys, move |cx| {
                    cx.spawn(starter(move |_| guest.tell(Hello)));
                });
            }
        })
    };
    let one = hosts(1);
    assert_eq!(one.verdict.behaviours(), Some(1));
    assert_eq!(observers(&one), (false, true));
    let two = hosts(2);
    assert!(two.verdict.is_exhaustive(), "{:?}", two.verdict);
    assert_eq!(two.verdict.behaviours(), Some(2));
    assert_eq!(observers(&two), (true, false));
}

/// The search is large enough to be divided into parts.
#[test]
fn several_workers_show_monitors_what_one_does() {
    let report = by_any_number_of_workers(|sys| {
        sys.monitor::<Parity>();
        fan_in(sys, 8, 1);
    });
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(report.verdict.behaviours(), Some(40_320));
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

fn second<const FROM: usize>(sys: &System) {
    sys.monitor::<Second<FROM>>();
    pairs(sys, 3);
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

#[derive(Debug)]
struct Turn(bool);

/// Spawns a child in its turn, which sends a greeting, and then lets the other parent spawn.
struct Parent {
    other: Option<ActorRef<Parent>>,
    guest: ActorRef<Quiet>,
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
        let guest = self.guest.clone();
        cx.spawn(starter(move |_| guest.tell(Hello)));
        if let (true, Some(other)) = (turn.0, &self.other) {
            other.tell(Turn(false));
        }
    }
}

/// Each behaviour has a single order of creation, but the order differs between behaviours.
#[test]
fn actors_that_are_numbered_otherwise_elsewhere_are_told_apart() {
    let report = explore(|sys| {
        sys.monitor::<Known>();
        let parents = [0, 1].map(|_| {
            let guest = sys.spawn(Quiet);
            sys.spawn(Parent { other: None, guest })
        });
        parents[0].tell(Meet(parents[1].clone()));
        parents[1].tell(Meet(parents[0].clone()));
        at_start(sys, move |cx| parents[cx.choose(2)].tell(Turn(true)));
    });
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(observers(&report), (true, false));
}

/// Sends a greeting after a while.
struct Sleeper(ActorRef<Quiet>);

#[actor]
impl Sleeper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.0.tell(Hello);
    }
}

/// The actors whose greetings were observed, in order.
#[derive(Default, Hash)]
struct Rung(Vec<ActorId>);

#[monitor]
impl Rung {
    #[on]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
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
                let guest = sys.spawn(Quiet);
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
