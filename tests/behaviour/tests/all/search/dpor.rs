//! Inbox-DPOR covers each behaviour exactly once, and misses none.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::specification::World;
use actor_core::{actor, monitor};
use actor_test::strategy::Gap;
use actor_test::strategy::{Reduction, StepConstruct};
use actor_test::{BugKind, Report};
use behaviour::closures::{Handles, at_start, awaiting, handler, handles};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{exhaust, same_for_workers, timeless, whole};
use behaviour::programs::*;
use behaviour::talkers::{FeatureSet, Found, HistoryProgram};
use rand_core::Rng;

use crate::search::{Here, callers, programs, reduction};

fn explore(program: impl Fn(&System) + Sync) -> Report {
    let report = whole("dpor").run(|sys| program(&sys));
    report.assert_clean();
    report
}

/// The number of behaviours that are always executed.
const FIRST: u64 = 32;

/// Returns the number of behaviours. No behaviour is executed twice.
pub(crate) fn count(program: impl Fn(&System) + Sync) -> u64 {
    let report = exhaust(&whole("dpor"), |sys| program(&sys));
    assert_eq!(report.executions, report.behaviours.seen, "one twice");
    let behaviours = report.verdict.behaviours().expect("a search");
    assert!(report.executions >= behaviours.min(FIRST), "{report:?}");
    behaviours
}

/// The bug depends on the first race of the execution, with millions of behaviours after it.
#[test]
fn a_race_at_the_start_is_found_before_what_comes_later_is_explored() {
    let report = whole("dpor").iterations(1_000).run(|sys| {
        callers(&sys, &second(&sys, false), 0..2);
        fan_in(&sys, 4, 4);
    });
    let bug = report.assert_bug("the second was first");
    // The sixteen other events have 63 million orders.
    assert!(bug.iteration <= 400, "{}", bug.iteration);
}

/// Panics if another caller comes before the first one.
fn second(sys: &System, mut is_here: bool) -> ActorRef<Handles<Here>> {
    handles(sys, move |here: Here, _| {
        assert!(is_here || here.0 == 0, "the second was first");
        is_here = true;
        SHARED.set(here.0);
    })
}

#[derive(Debug)]
struct Unlock;

/// Defers everything until it is unlocked.
struct Chest;

#[actor(states(Locked(defer(Go)), Unlocked))]
impl Chest {
    #[on]
    fn go(&mut self, _: Go) {}

    #[on(Locked)]
    fn unlock(&mut self, _: Unlock, cx: &mut Context<Self>) {
        cx.goto(ChestState::Unlocked);
    }
}

/// The arrival of a deferred event is visible only relative to other deferred events.
#[test]
fn what_is_put_off_is_taken_in_the_orders_in_which_it_may_come() {
    for (putters, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        let found = count(|sys| {
            let chest = sys.spawn(Chest);
            for number in 0..=putters {
                let chest = chest.clone();
                at_start(sys, move |_| match number == putters {
                    true => chest.tell(Unlock),
                    false => chest.tell(Go),
                });
            }
        });
        assert_eq!(found, orders);
    }
}

/// Handles the events of its timers, and others.
struct Sleeper {
    /// The delays of the timers in seconds.
    timers: &'static [u64],
    /// True if another event cancels the first timer.
    cancels: bool,
    armed: Option<Timer>,
}

#[actor]
impl Sleeper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for seconds in self.timers {
            let timer = cx.after(Duration::from_secs(*seconds), Tick);
            self.armed.get_or_insert(timer);
        }
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if let Some(timer) = self.armed.take_if(|_| self.cancels) {
            cx.cancel(timer);
        }
    }
}

/// Returns the number of distinct behaviours of a program
/// that is small enough for every behaviour to be executed.
fn seen(program: impl Fn(&System) + Sync) -> u64 {
    let report = explore(program);
    // In executions without a timer, time stands still between two reads of the clock.
    let stood = |gap: &Gap| matches!(gap, Gap::Clock { .. });
    let verdict = &report.verdict;
    assert!(verdict.gaps.iter().all(stood), "{verdict:?}");
    assert!(verdict.behaviours() < Some(FIRST), "{verdict:?}");
    report.behaviours.seen
}

#[test]
fn timers_and_events_are_taken_in_the_orders_in_which_they_may_come() {
    let count = |timers, is_sent: bool, cancels| {
        seen(move |sys| {
            let sleeper = sys.spawn(Sleeper {
                timers,
                cancels,
                armed: None,
            });
            if is_sent {
                sleeper.tell(Go);
            }
        })
    };
    // Timers fire in the order of their deadlines, and those with the same deadline in any order.
    let alone: [(&[u64], u64); 5] = [
        (&[1, 2, 3], 1),
        (&[3, 2, 1], 1),
        (&[1, 1], 2),
        (&[1, 2, 1], 2),
        (&[1, 1, 1], 6),
    ];
    for (timers, orders) in alone {
        assert_eq!(count(timers, false, false), orders, "{timers:?}");
    }
    // Another event may come before, between and after the timers. If it cancels the first timer, that
    // timer fires before it, or never.
    for cancels in [false, true] {
        assert_eq!(count(&[1], true, cancels), 2, "cancels: {cancels}");
        assert_eq!(count(&[1, 2], true, cancels), 3, "cancels: {cancels}");
    }
}

/// Reads the clock, and chooses if it sets a timer; the timer's event does nothing.
fn drawer(sys: &System) -> ActorRef<Handles<bool>> {
    handles(sys, |draws, cx| {
        if draws {
            let _ = cx.now();
            if cx.choose_bool() {
                cx.after(Duration::from_secs(1), false);
            }
        }
    })
}

#[test]
fn which_timers_run_is_up_to_what_was_chosen() {
    let program = |sys: &System| drawer(sys).tell(true);
    assert_eq!(seen(program), 2);
    let twice = |sys: &System| {
        let drawer = drawer(sys);
        drawer.tell(true);
        drawer.tell(true);
    };
    // If the first choice sets a timer, that timer fires before the second
    // choice or after it; a second timer fires before or after the first.
    assert_eq!(seen(twice), 2 + 2 + 1 + 2);
}

/// Fires some time after the last event that it received.
#[derive(Default)]
struct Patient(Option<Timer>);

#[actor]
impl Patient {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.0 = Some(cx.after(Duration::from_secs(9), Tick));
    }

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if let Some(timer) = self.0.replace(cx.after(Duration::from_secs(9), Tick)) {
            cx.cancel(timer);
        }
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// The search can't know that a step cancels a timer before it has executed the step.
#[test]
fn a_timer_fires_before_a_step_that_was_not_run_yet() {
    exhaust(&whole("dpor"), async |sys: System| {
        let patient = sys.spawn(Patient::default());
        sys.sleep(Duration::from_secs(6)).await;
        patient.tell(Go);
    });
}

/// An actor awaits two replies, the second one with a time limit; it may accept a time-out.
#[test]
fn a_reply_comes_in_time_or_does_not() {
    let program = |sys: System, copes| {
        let slow = handles(&sys, |_: Go, _| 7);
        awaiting(&sys, async move {
            let (one, other) = (slow.ask(Go), slow.ask(Go));
            let other = other.timeout(Duration::from_secs(1)).await;
            assert!(copes || other.is_ok(), "it took too long");
            assert_eq!(one.await, Ok(7));
        });
    };
    exhaust(&whole("dpor"), |sys| program(sys, true));
    let report = whole("dpor").run(|sys| program(sys, false));
    report.assert_bug("it took too long");
}

/// Returns the result of one worker, which is the result of several.
pub(crate) fn by_any_number_of_workers(program: fn(&System)) -> Report {
    same_for_workers(&[1, 3], |workers| {
        timeless(whole("dpor").workers(workers).run(|sys| program(&sys)))
    })
}

/// The search is large enough to be divided into parts, in several rounds.
#[test]
fn paxos_with_two_proposers_and_three_acceptors() {
    let report = by_any_number_of_workers(|sys| paxos(sys, 2, 3));
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(report.verdict.behaviours(), Some(26_136));
}

/// The bug occurs in one of 40 320 orders, after the search was divided.
#[test]
fn several_workers_find_the_bug_that_one_finds() {
    let program = |sys: &System| {
        let mut order = Vec::new();
        let picky = handles(sys, move |here: Here, _| {
            order.push(here.0);
            assert!(order != [3, 0, 6, 1, 7, 4, 2, 5], "just this order");
        });
        callers(sys, &picky, 0..8);
    };
    let alone = by_any_number_of_workers(program);
    let bug = alone.assert_bug("just this order");
    assert!(bug.iteration > 8_000, "{}", bug.iteration);
    // A bound right before the bug.
    let bounded = whole("dpor").iterations(bug.iteration - 1).workers(3);
    let before = bounded.run(|sys| program(&sys));
    let found = (before.executions, before.bugs.len());
    assert_eq!(found, (bug.iteration - 1, 0));
}

/// Counts its events.
#[derive(Default)]
struct Counter(u32);

#[actor]
impl Counter {
    #[on]
    fn here(&mut self, _: Here) {
        self.0 += 1;
    }
}

/// Starts three independent counters, each of which starts and handles two events.
fn counters(sys: &System) -> [ActorRef<Counter>; 3] {
    let all = [(); 3].map(|()| sys.spawn(Counter::default()));
    for one in &all {
        one.tell(Here(0));
        one.tell(Here(1));
    }
    all
}

/// Returns the count of a counter.
fn counted(world: &World, one: &ActorRef<Counter>) -> u32 {
    world.get(one).map_or(0, |counter| counter.0)
}

/// Returns the number of behaviours that the observers distinguish.
fn distinguished(program: impl Fn(&System) + Sync) -> u64 {
    let report = exhaust(&whole("dpor"), |sys| program(&sys));
    report.verdict.behaviours().expect("a search")
}

#[test]
fn a_predicate_tells_the_orders_apart_of_those_at_which_it_looks() {
    let observing = |groups: &'static [&'static [usize]]| {
        move |sys: &System| {
            let all = counters(sys);
            for group in groups {
                let all = all.clone();
                sys.always("few", move |w| {
                    let counts = group.iter().map(|one| counted(w, &all[*one]));
                    counts.sum::<u32>() <= 6
                });
            }
        }
    };
    // Two counters with two steps each have 4!/(2! 2!) orders.
    let rows: [(&[&[usize]], u64); 7] = [
        (&[], 1),
        (&[&[0]], 1),
        (&[&[0], &[1], &[2]], 1),
        (&[&[0, 1]], 6),
        (&[&[0, 1], &[0]], 6),
        (&[&[0, 1], &[1, 2]], 6 * 6),
        (&[&[0, 1, 2]], 90),
    ];
    for (groups, behaviours) in rows {
        assert_eq!(distinguished(observing(groups)), behaviours, "{groups:?}");
    }
    // The predicate reads the second counter only after a step of the first.
    let turns = |sys: &System| {
        let [one, other, _] = counters(sys);
        sys.always("few", move |w| {
            counted(w, &one) != 1 || counted(w, &other) <= 2
        });
    };
    assert_eq!(distinguished(turns), 6);
    // The predicate iterates over all counters, which the body spawns one after another.
    let sought = distinguished(|sys| {
        sys.always("few", |w| {
            w.all::<Counter>().map(|one| one.0).sum::<u32>() <= 6
        });
        counters(sys);
    });
    assert!(sought >= 90, "{sought}");
}

/// Searches that run every schedule, or leave out schedules that no observer distinguishes.
const EVERY_WAY: [&str; 6] = [
    "dfs",
    "dfs:local",
    "dpor",
    "states",
    "states:order=breadth",
    "pos:local",
];

/// Asserts that each of these searches finds a bug, or none.
#[track_caller]
fn assert_every_way<F: Future<Output = ()> + 'static>(
    has_bug: bool,
    program: impl Fn(System) -> F + Sync,
) {
    for strategy in EVERY_WAY {
        let report = whole(strategy).iterations(20_000).run(&program);
        let (found, verdict) = (!report.bugs().is_empty(), &report.verdict);
        assert_eq!(found, has_bug, "{strategy}, {verdict:?}");
    }
}

#[test]
fn who_looks_on_does_so_from_when_it_is_there() {
    for (bad, is_there) in [(0, true), (1, true), (2, true), (3, false)] {
        assert_every_way(is_there, |sys| async move {
            let [one, other, _] = counters(&sys);
            let _ = other.ask(Here(2)).await;
            sys.always("not that", move |w| counted(w, &one) != bad);
        });
    }
}

/// Counts the events that counters handle.
#[derive(Clone, Default, Hash)]
struct Latecomer(u32);

#[monitor(cold(Quiet))]
impl Latecomer {
    #[on(handled)]
    fn here(&mut self, _: &Here) {
        self.0 += 1;
        assert!(self.0 < 4, "four are seen");
    }
}

#[test]
fn a_monitor_watches_from_when_it_is_there() {
    for is_late in [true, false] {
        assert_every_way(true, |sys| async move {
            let [_, other, _] = counters(&sys);
            let answer = other.ask(Here(2));
            if is_late {
                let _ = answer.await;
            }
            sys.monitor::<Latecomer>();
        });
    }
}

/// Asserts that DPOR finds each behaviour of brute force exactly once, and the same ends and bugs.
pub(crate) fn assert_as_brute_force(uses: FeatureSet, programs: u64, schedules_max: u64) -> u64 {
    let mut compared = 0;
    for number in 0..programs {
        let talk = HistoryProgram::random(number, uses);
        let (mut all, report) = talk.explore("dfs:local", schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (mut found, dpor) = talk.explore("dpor", u64::MAX);
        assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
        all.ends.dedup();
        let has_time = uses.timers || uses.waits;
        let is_observed = uses.monitor || uses.compared || uses.predicate || uses.has_predicates;
        if is_observed || has_time {
            // Their records do not contain everything that they have observed.
            found.ends.dedup();
        } else if all.bugs.is_empty() {
            let behaviours = dpor.verdict.behaviours();
            assert_eq!(behaviours, Some(all.ends.len() as u64), "{talk:?}");
        }
        assert_eq!(kinds(&found), kinds(&all), "{talk:?}");
        if dpor.verdict.behaviours() < Some(FIRST) && !has_time && !uses.compared {
            assert_eq!(found.ends, all.ends, "{talk:?}");
        } else {
            // Not every behaviour was executed, but the ends of each actor and observer are complete.
            let is_known = |end| all.ends.contains(end);
            assert!(found.ends.iter().all(is_known), "{talk:?}");
            assert_eq!(apart(&found), apart(&all), "{talk:?}");
        }
        compared += 1;
    }
    compared
}

/// Returns the bugs, without the messages of events deferred for ever. If several actors
/// have deferred events, the message names only one, and numbers do not distinguish bugs.
pub(crate) fn kinds(found: &Found) -> BTreeSet<(BugKind, &str)> {
    let bugs = found.bugs.iter();
    let kinds = bugs.map(|(kind, message)| match kind {
        BugKind::DeferredForever => (*kind, ""),
        kind => (*kind, message.as_str()),
    });
    kinds.collect()
}

/// Returns the end of each actor and observer, separately.
fn apart(found: &Found) -> BTreeSet<(u64, u64)> {
    let ends = found.ends.iter();
    let notes = ends.flat_map(|(notes, _)| notes.iter());
    notes.map(|(who, heard)| (*who, *heard)).collect()
}

/// Each feature by itself, and most of them together.
pub(crate) fn all_uses() -> impl Iterator<Item = FeatureSet> {
    let all = ", choices, spawns, halts, asks, panics, monitor asks, has_predicates panics, \
        has_predicates spawns halts asks, predicate choices, choices spawns halts, choices \
        spawns asks, defers, defers asks, defers choices spawns monitor, timers, timers \
        defers halts choices, asks waits, timers monitor, timers spawns, timers spawns halts \
        choices defers, timers spawns asks monitor";
    all.split(", ").map(FeatureSet::of)
}

/// These programs are too large for brute force. In each, a timer fires whose step was not executed
/// yet when others ran; in the last one, actors that were spawned later choose beside timers.
#[test]
fn nobody_is_said_to_share_what_nobody_shares() {
    for (uses, numbers) in [
        ("timers", &[115, 88][..]),
        ("timers monitor", &[132]),
        ("timers spawns", &[24]),
        ("timers spawns asks monitor", &[112, 24]),
        ("timers spawns choices halts defers", &[67, 77, 42]),
    ] {
        for number in numbers {
            let program = HistoryProgram::random(*number, FeatureSet::of(uses));
            let gaps = program.explore("dpor", 150).1.verdict.gaps;
            assert!(!gaps.contains(&Gap::Nondeterministic), "{number}: {gaps:?}");
        }
    }
}

/// Compares this number of programs for each set of features. Programs with more schedules are left out.
fn assert_all_as_brute_force(programs: u64, schedules_max: u64) {
    let all = all_uses().map(|uses| assert_as_brute_force(uses, programs, schedules_max));
    let compared: u64 = all.sum();
    assert!(compared > 2 * programs, "{compared}");
}

#[test]
fn random_programs_have_the_behaviours_of_all_schedules() {
    assert_all_as_brute_force(programs("DPOR", 40), 300);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn ten_thousand_random_programs_have_the_behaviours_of_all_schedules() {
    assert_all_as_brute_force(programs("DPOR", 1_250), 5_000);
}

/// Asserts that the verdict names the unsupported operation and its actor, and claims no proof.
#[track_caller]
fn assert_outside(what: StepConstruct, who: &str, program: impl Fn(&System) + Sync) {
    let report = explore(program);
    let who = Some(who.to_owned());
    assert_eq!(report.verdict.gaps, [Gap::Unsupported { what, who }]);
}

fn clerk(sys: &System, mut act: impl FnMut(&mut Context<Handles<Go>>) + Send + 'static) {
    handles(sys, move |_: Go, cx| act(cx)).tell(Go);
    // Another event after the operation.
    handles(sys, |_: Go, _| {}).tell(Go);
}

/// Spawns an actor that counts its references, which the search can't follow.
fn ref_counted<A: Actor>(cx: &mut Context<A>) -> ActorRef<Handles<Go>> {
    cx.spawner().ref_counted().spawn(handler(|_: Go, _| {}))
}

#[test]
fn what_it_cannot_follow_is_named() {
    assert_outside(StepConstruct::References, "Handles#1", |sys| {
        clerk(sys, |cx| drop(ref_counted(cx)));
    });
    // Also after operations that are treated as dependent on everything.
    assert_outside(StepConstruct::References, "Handles#2", |sys| {
        let one = sys.spawner().mailbox(Mailbox::bounded(1));
        one.spawn(handler(|_: Go, _| {})).tell(Go);
        clerk(sys, |cx| drop(ref_counted(cx)));
    });
    assert_outside(StepConstruct::Predicate, "test", |sys| {
        sys.always("they are few", |w| w.in_flight() < 9);
        clerk(sys, |_| {});
    });
    let report = explore(|sys| {
        clerk(sys, |cx| {
            let _ = cx.rng().next_u32();
        });
    });
    assert_eq!(report.verdict.gaps, [Gap::Seeds { executions: 1 }]);
}

/// Uses an unsupported operation after its own timer has fired.
struct Late;

#[actor]
impl Late {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        drop(ref_counted(cx));
    }
}

/// The timer's step has no actor of its own; the report must name the timer's owner.
#[test]
fn what_it_cannot_follow_behind_a_timer_is_named() {
    assert_outside(StepConstruct::References, "Late", |sys| {
        drop(sys.spawn(Late))
    });
}

/// With atomic handlers, the sends of one handler reach several inboxes in one step.
#[test]
fn sends_that_leave_together_are_taken_as_dependent_on_everything() {
    let explore = |sends: usize| {
        let tester = whole("dpor").iterations(1_000).keep_going();
        tester
            .atomic_handlers(true)
            .run(move |sys| drop(sys.spawn(Crier { sends })))
    };
    assert!(explore(1).verdict.is_exhaustive(), "it sends one");
    let together = explore(2);
    assert!(together.verdict.is_exhaustive(), "{:?}", together.verdict);
    let everywhere = match reduction(&together) {
        Reduction::Steps { everywhere, .. } => everywhere.iter().collect(),
        _ => Vec::new(),
    };
    assert_eq!(everywhere, [StepConstruct::Together]);
}

/// Sends `Go` to itself a number of times.
struct Crier {
    sends: usize,
}

#[actor]
impl Crier {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        (0..self.sends).for_each(|_| cx.me().tell(Go));
    }

    #[on]
    fn go(&mut self, _: Go) {}
}

thread_local! {
    static SHARED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[derive(Debug)]
struct Ball {
    left: u32,
    back: Recipient<Ball>,
}

/// Plays with another player, and sends an event at the end if caller 2 was the last to act.
fn player(sys: &System, to: ActorRef<Handles<Go>>) -> ActorRef<Handles<Ball>> {
    handles(sys, move |ball: Ball, cx| match ball.left {
        0 if SHARED.get() == 2 => to.tell(Go),
        0 => {}
        left => ball.back.tell(Ball {
            left: left - 1,
            back: cx.recipient(),
        }),
    })
}

/// A player with the same history does different things, since the actors share memory.
#[test]
fn what_actors_share_is_noticed_where_one_does_something_else() {
    let report = explore(|sys| {
        SHARED.set(0);
        callers(sys, &second(sys, true), 1..4);
        let to = handles(sys, |_: Go, _| {});
        let players = [to.clone(), to].map(|to| player(sys, to));
        players[0].tell(Ball {
            left: 20,
            back: players[1].recipient(),
        });
    });
    assert_eq!(report.verdict.gaps, [Gap::Nondeterministic]);
}

#[test]
fn it_stops_where_it_knows_as_much_as_it_may() {
    let report = whole("dpor:50").run(|sys| fan_in(&sys, 3, 2));
    report.assert_clean();
    assert_eq!(report.verdict.gaps, [Gap::Histories { bound: 50 }]);
    assert_eq!(report.strategies[0].name, "dpor:50");
}
