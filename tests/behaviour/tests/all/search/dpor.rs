//! Inbox-DPOR covers each behaviour exactly once, and misses none.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::specification::World;
use actor_core::{actor, monitor};
use actor_test::report::SearchKind;
use actor_test::strategy::Gap;
use actor_test::strategy::{Reduction, StepConstruct, StrategySpec};
use actor_test::{BugKind, Report, Tester};
use behaviour::programs::*;
use behaviour::talkers::{FeatureSet, Found, HistoryProgram};
use rand_core::Rng;

fn explore(program: impl Fn(&System) + Sync) -> Report {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dpor(None))
        .run(|sys| program(&sys));
    report.assert_clean();
    report
}

/// The number of behaviours that are always executed.
const FIRST: u64 = 32;

/// Returns the number of behaviours. No behaviour is executed twice.
fn count(program: impl Fn(&System) + Sync) -> u64 {
    let report = explore(program);
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(report.executions, report.behaviours.seen, "one twice");
    let behaviours = report.verdict.behaviours().expect("a search");
    assert!(report.executions >= behaviours.min(FIRST), "{report:?}");
    behaviours
}

#[test]
fn known_programs_have_as_many_behaviours_as_they_should() {
    assert_eq!(count(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count(|sys| fan_in(sys, 4, 1)), 24);
    assert_eq!(count(|sys| fan_in(sys, 5, 1)), 120);
    assert_eq!(count(|sys| fan_in(sys, 2, 3)), 20);
    assert_eq!(count(|sys| fan_in(sys, 2, 4)), 70);
    assert_eq!(count(|sys| fan_in(sys, 3, 2)), 90);
    assert_eq!(count(|sys| fan_in(sys, 2, 6)), 924);
    assert_eq!(count(|sys| pairs(sys, 3)), 1);
    assert_eq!(count(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count(|sys| two_phase_commit(sys, 3)), 48);
    assert_eq!(count(|sys| two_phase_commit(sys, 4)), 384);
    assert_eq!(count(|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count(|sys| client_server(sys, 2, 4)), 70);
    assert_eq!(count(|sys| client_server(sys, 3, 2)), 90);
    assert_eq!(count(|sys| ping_pong(sys, 5)), 1);
    assert_eq!(count(|sys| triangle(sys, false)), 1);
    assert_eq!(count(|sys| triangle(sys, true)), 2);
    assert_eq!(count(|sys| readers_writer(sys, 2)), 6);
    assert_eq!(count(|sys| readers_writer(sys, 3)), 24);
    assert_eq!(count(|sys| readers_writer(sys, 4)), 120);
    assert_eq!(count(|sys| flood(sys, 2)), 1);
    assert_eq!(count(|sys| flood(sys, 3)), 8);
    assert_eq!(count(|sys| flood(sys, 4)), 1296);
    assert_eq!(count(|sys| lock_server(sys, 2)), 4);
    assert_eq!(count(|sys| lock_server(sys, 3)), 30);
    assert_eq!(count(|sys| lock_server(sys, 4)), 336);
    assert_eq!(count(|sys| philosophers(sys, 2)), 5);
    assert_eq!(count(|sys| philosophers(sys, 3)), 37);
    assert_eq!(count(|sys| pipeline(sys, 3, 3)), 1);
    assert_eq!(count(|sys| paxos(sys, 1, 3)), 72);
    assert_eq!(count(|sys| paxos(sys, 2, 2)), 100);
    assert_eq!(count(|sys| ring_election(sys, &[1, 2, 3])), 1);
    assert_eq!(count(|sys| ring_election(sys, &[3, 2, 1])), 1);
    assert_eq!(count(|sys| ring_election(sys, &[4, 3, 2, 1])), 1);
}

#[test]
fn two_phase_commit_with_five_participants() {
    assert_eq!(count(|sys| two_phase_commit(sys, 5)), 3_840);
}

/// The bug depends on the first race of the execution, with millions of behaviours after it.
#[test]
fn a_race_at_the_start_is_found_before_what_comes_later_is_explored() {
    let report = Tester::new()
        .iterations(1_000)
        .strategy(StrategySpec::Dpor(None))
        .run(|sys| {
            let first = sys.spawn(Second::default());
            for number in 0..2 {
                let first = first.clone();
                sys.spawn(Entrant { first, number });
            }
            fan_in(&sys, 4, 4);
        });
    let bug = report.assert_bug("the second was first");
    // The sixteen other events have 63 million orders.
    assert!(bug.iteration <= 400, "{}", bug.iteration);
}

#[derive(Debug)]
struct Here(u32);

/// Panics if entrant 2 arrives before entrant 1.
#[derive(Default)]
struct Second {
    is_here: bool,
}

#[actor]
impl Second {
    #[on]
    fn here(&mut self, here: Here) {
        assert!(self.is_here || here.0 == 0, "the second was first");
        self.is_here = true;
        SHARED.set(here.0);
    }
}

struct Entrant {
    first: ActorRef<Second>,
    number: u32,
}

#[actor]
impl Entrant {
    #[start]
    fn start(&mut self) {
        self.first.tell(Here(self.number));
    }
}

#[derive(Debug)]
struct Put;

#[derive(Debug)]
struct Unlock;

/// Defers everything until it is unlocked.
struct Chest;

#[actor(states(Locked(defer(Put)), Unlocked))]
impl Chest {
    #[on]
    fn put(&mut self, _: Put) {}

    #[on(Locked)]
    fn unlock(&mut self, _: Unlock, cx: &mut Context<Self>) {
        cx.goto(ChestState::Unlocked);
    }
}

struct Putter {
    chest: ActorRef<Chest>,
    has_key: bool,
}

#[actor]
impl Putter {
    #[start]
    fn start(&mut self) {
        match self.has_key {
            true => self.chest.tell(Unlock),
            false => self.chest.tell(Put),
        }
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
                let has_key = number == putters;
                sys.spawn(Putter { chest, has_key });
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

#[derive(Debug)]
struct Rings;

#[actor]
impl Sleeper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for seconds in self.timers {
            let timer = cx.after(Duration::from_secs(*seconds), Rings);
            self.armed.get_or_insert(timer);
        }
    }

    #[on]
    fn rings(&mut self, _: Rings) {}

    #[on]
    fn put(&mut self, _: Put, cx: &mut Context<Self>) {
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
    let stood =
        |gap: &actor_test::strategy::Gap| matches!(gap, actor_test::strategy::Gap::Clock { .. });
    let verdict = &report.verdict;
    assert!(verdict.gaps.iter().all(stood), "{verdict:?}");
    assert!(
        report.verdict.behaviours() < Some(FIRST),
        "{:?}",
        report.verdict
    );
    report.behaviours.seen
}

fn sleeper(sys: &System, timers: &'static [u64], cancels: bool) -> ActorRef<Sleeper> {
    let armed = None;
    sys.spawn(Sleeper {
        timers,
        cancels,
        armed,
    })
}

#[test]
fn timers_and_events_are_taken_in_the_orders_in_which_they_may_come() {
    let only = |timers, cancels| move |sys: &System| drop(sleeper(sys, timers, cancels));
    let sleeping = |timers, cancels| move |sys: &System| sleeper(sys, timers, cancels).tell(Put);
    // Timers fire in the order of their deadlines.
    assert_eq!(seen(only(&[1, 2, 3], false)), 1);
    assert_eq!(seen(only(&[3, 2, 1], false)), 1);
    // Timers with the same deadline fire in any order.
    assert_eq!(seen(only(&[1, 1], false)), 2);
    assert_eq!(seen(only(&[1, 2, 1], false)), 2);
    assert_eq!(seen(only(&[1, 1, 1], false)), 6);
    // Another event may come before, between and after the timers.
    assert_eq!(seen(sleeping(&[1], false)), 2);
    assert_eq!(seen(sleeping(&[1, 2], false)), 3);
    // The first timer fires before the event that cancels it, or never.
    assert_eq!(seen(sleeping(&[1], true)), 2);
    assert_eq!(seen(sleeping(&[1, 2], true)), 3);
}

/// Reads the clock, and chooses if it sets a timer.
struct Drawer;

#[actor]
impl Drawer {
    #[on]
    fn put(&mut self, _: Put, cx: &mut Context<Self>) {
        let _ = cx.now();
        if cx.choose_bool() {
            cx.after(Duration::from_secs(1), Rings);
        }
    }

    #[on]
    fn rings(&mut self, _: Rings) {}
}

#[test]
fn which_timers_run_is_up_to_what_was_chosen() {
    let program = |sys: &System| sys.spawn(Drawer).tell(Put);
    assert_eq!(seen(program), 2);
    let twice = |sys: &System| {
        let drawer = sys.spawn(Drawer);
        drawer.tell(Put);
        drawer.tell(Put);
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
        self.0 = Some(cx.after(Duration::from_secs(9), Rings));
    }

    #[on]
    fn put(&mut self, _: Put, cx: &mut Context<Self>) {
        if let Some(timer) = self.0.replace(cx.after(Duration::from_secs(9), Rings)) {
            cx.cancel(timer);
        }
    }

    #[on]
    fn rings(&mut self, _: Rings, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// The search can't know that a step cancels a timer before it has executed the step.
#[test]
fn a_timer_fires_before_a_step_that_was_not_run_yet() {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dpor(None))
        .run(async |sys: System| {
            let patient = sys.spawn(Patient::default());
            sys.sleep(Duration::from_secs(6)).await;
            patient.tell(Put);
        });
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
}

#[derive(Debug)]
struct Ask;

struct Slow;

#[actor]
impl Slow {
    #[on]
    fn ask(&mut self, _: Ask) -> u32 {
        7
    }
}

/// Awaits two replies, the second one with a time limit.
struct Impatient {
    slow: ActorRef<Slow>,
    /// True if a time-out is accepted.
    copes: bool,
}

#[actor]
impl Impatient {
    #[start]
    async fn start(&mut self) {
        let (one, other) = (self.slow.ask(Ask), self.slow.ask(Ask));
        let other = other.timeout(Duration::from_secs(1)).await;
        assert!(self.copes || other.is_ok(), "it took too long");
        assert_eq!(one.await, Ok(7));
    }
}

#[test]
fn a_reply_comes_in_time_or_does_not() {
    let program = |copes: bool| {
        move |sys: &System| {
            let slow = sys.spawn(Slow);
            sys.spawn(Impatient { slow, copes });
        }
    };
    let report = explore(program(true));
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    let tester = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dpor(None));
    let fails = program(false);
    let report = tester.run(|sys| fails(&sys));
    report.assert_bug("it took too long");
}

pub(crate) fn with_workers(workers: usize, program: impl Fn(&System) + Sync) -> Report {
    Tester::new()
        .iterations(u64::MAX)
        .workers(workers)
        .strategy(StrategySpec::Dpor(None))
        .run(|sys| program(&sys))
}

/// Returns a report without times, for comparison.
pub(crate) fn said(report: &Report) -> impl PartialEq + std::fmt::Debug {
    let bugs = report
        .bugs
        .iter()
        .map(|bug| (bug.token.clone(), bug.iteration, bug.trace.clone()));
    (
        (
            report.executions,
            report.steps_total,
            report.verdict.clone(),
        ),
        (report.behaviours, report.coverage.clone()),
        (report.vacuous.clone(), bugs.collect::<Vec<_>>()),
    )
}

/// The search is large enough to be divided into parts, in several rounds.
#[test]
fn paxos_with_two_proposers_and_three_acceptors() {
    let alone = with_workers(1, |sys| paxos(sys, 2, 3));
    assert!(alone.verdict.is_exhaustive(), "{:?}", alone.verdict);
    assert_eq!(alone.verdict.behaviours(), Some(26_136));
    let together = with_workers(3, |sys| paxos(sys, 2, 3));
    assert_eq!(said(&together), said(&alone));
}

/// The bug occurs in one of 40 320 orders, after the search was divided.
#[test]
fn several_workers_find_the_bug_that_one_finds() {
    let program = |sys: &System| {
        let last = sys.spawn(Picky::default());
        for number in 0..8 {
            let last = last.clone();
            sys.spawn(Caller { last, number });
        }
    };
    let alone = with_workers(1, program);
    let bug = alone.assert_bug("just this order");
    assert!(bug.iteration > 8_000, "{}", bug.iteration);
    let together = with_workers(3, program);
    assert_eq!(said(&together), said(&alone));
    // A bound right before the bug.
    let before = Tester::new()
        .iterations(bug.iteration - 1)
        .workers(3)
        .strategy(StrategySpec::Dpor(None))
        .run(|sys| program(&sys));
    assert_eq!(
        (before.executions, before.bugs.len()),
        (bug.iteration - 1, 0)
    );
}

/// Records the callers in order.
#[derive(Default)]
struct Picky {
    order: Vec<u32>,
}

#[actor]
impl Picky {
    #[on]
    fn here(&mut self, here: Here) {
        self.order.push(here.0);
        assert!(self.order != PICKED, "just this order");
    }
}

const PICKED: [u32; 8] = [3, 0, 6, 1, 7, 4, 2, 5];

struct Caller {
    last: ActorRef<Picky>,
    number: u32,
}

#[actor]
impl Caller {
    #[start]
    fn start(&mut self) {
        self.last.tell(Here(self.number));
    }
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
    let report = explore(program);
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
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
    assert_eq!(distinguished(observing(&[])), 1);
    assert_eq!(distinguished(observing(&[&[0]])), 1);
    assert_eq!(distinguished(observing(&[&[0], &[1], &[2]])), 1);
    assert_eq!(distinguished(observing(&[&[0, 1]])), 6);
    assert_eq!(distinguished(observing(&[&[0, 1], &[0]])), 6);
    assert_eq!(distinguished(observing(&[&[0, 1], &[1, 2]])), 6 * 6);
    assert_eq!(distinguished(observing(&[&[0, 1, 2]])), 90);
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

#[test]
fn who_looks_on_does_so_from_when_it_is_there() {
    let late = |bad: u32| {
        move |sys: System| async move {
            let [one, other, _] = counters(&sys);
            let _ = other.ask(Here(2)).await;
            sys.always("not that", move |w| counted(w, &one) != bad);
        }
    };
    for (bad, is_there) in [(0, true), (1, true), (2, true), (3, false)] {
        for strategy in EVERY_WAY {
            let report = Tester::new()
                .iterations(20_000)
                .strategy(strategy.parse().expect("a strategy"))
                .run(late(bad));
            assert_eq!(
                !report.bugs().is_empty(),
                is_there,
                "{strategy}, {bad}, {:?}",
                report.verdict
            );
        }
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
    let late = |is_late: bool| {
        move |sys: System| async move {
            let [_, other, _] = counters(&sys);
            let answer = other.ask(Here(2));
            if is_late {
                let _ = answer.await;
            }
            sys.monitor::<Latecomer>();
        }
    };
    for is_late in [true, false] {
        for strategy in EVERY_WAY {
            let report = Tester::new()
                .iterations(20_000)
                .strategy(strategy.parse().expect("a strategy"))
                .run(late(is_late));
            assert!(
                !report.bugs().is_empty(),
                "{strategy}, {:?}",
                report.verdict
            );
        }
    }
}

/// The number of programs of each kind; `DPOR` raises it for a nightly run.
pub(crate) fn programs(short: u64) -> u64 {
    let given = std::env::var("DPOR").ok();
    given.map_or(short, |given| given.parse().expect("a number"))
}

/// Asserts that DPOR finds each behaviour of brute force exactly once, and the same ends and bugs.
pub(crate) fn assert_as_brute_force(uses: FeatureSet, programs: u64, schedules_max: u64) -> u64 {
    let spec = |name: &str| -> StrategySpec { name.parse().expect("a strategy") };
    let (mut compared, mut spared) = (0, 0);
    let (mut schedules, mut behaviours, mut most) = (0, 0, 0);
    for number in 0..programs {
        let talk = HistoryProgram::random(number, uses);
        let (mut all, report) = talk.explore(&spec("dfs:local"), schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (mut found, dpor) = talk.explore(&spec("dpor"), u64::MAX);
        assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
        all.ends.dedup();
        if uses.monitor
            || uses.compared
            || uses.predicate
            || uses.has_predicates
            || uses.timers
            || uses.waits
        {
            // Their records do not contain everything that they have observed.
            found.ends.dedup();
        } else if all.bugs.is_empty() {
            let behaviours = dpor.verdict.behaviours();
            assert_eq!(behaviours, Some(all.ends.len() as u64), "{talk:?}");
        }
        assert_eq!(kinds(&found), kinds(&all), "{talk:?}");
        let is_apart = uses.timers || uses.waits || uses.compared;
        if dpor.verdict.behaviours() < Some(FIRST) && !is_apart {
            assert_eq!(found.ends, all.ends, "{talk:?}");
        } else {
            // Not every behaviour was executed, but the ends of each actor and observer are complete.
            spared += 1;
            assert!(
                found.ends.iter().all(|end| all.ends.contains(end)),
                "{talk:?}"
            );
            assert_eq!(apart(&found), apart(&all), "{talk:?}");
        }
        compared += 1;
        schedules += report.executions;
        behaviours += all.ends.len();
        most = most.max(all.ends.len());
    }
    println!(
        "{uses:?}: {compared} programs, {spared} of them not run in whole, {schedules} schedules, {behaviours} behaviours, {most} at most"
    );
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

pub(crate) const TELLS: FeatureSet = FeatureSet {
    choices: false,
    spawns: false,
    halts: false,
    asks: false,
    panics: false,
    monitor: false,
    compared: false,
    judge: false,
    predicate: false,
    has_predicates: false,
    defers: false,
    timers: false,
    waits: false,
    watches: false,
};

/// Each feature by itself, and most of them together.
pub(crate) const ALL_USES: [FeatureSet; 22] = [
    TELLS,
    FeatureSet {
        choices: true,
        ..TELLS
    },
    FeatureSet {
        spawns: true,
        ..TELLS
    },
    FeatureSet {
        halts: true,
        ..TELLS
    },
    FeatureSet {
        asks: true,
        ..TELLS
    },
    FeatureSet {
        panics: true,
        ..TELLS
    },
    FeatureSet {
        monitor: true,
        asks: true,
        ..TELLS
    },
    FeatureSet {
        has_predicates: true,
        panics: true,
        ..TELLS
    },
    FeatureSet {
        has_predicates: true,
        spawns: true,
        halts: true,
        asks: true,
        ..TELLS
    },
    FeatureSet {
        predicate: true,
        choices: true,
        ..TELLS
    },
    FeatureSet {
        choices: true,
        spawns: true,
        halts: true,
        ..TELLS
    },
    FeatureSet {
        choices: true,
        spawns: true,
        asks: true,
        ..TELLS
    },
    FeatureSet {
        defers: true,
        ..TELLS
    },
    FeatureSet {
        defers: true,
        asks: true,
        ..TELLS
    },
    FeatureSet {
        defers: true,
        choices: true,
        spawns: true,
        monitor: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        defers: true,
        halts: true,
        choices: true,
        ..TELLS
    },
    FeatureSet {
        asks: true,
        waits: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        monitor: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        spawns: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        spawns: true,
        halts: true,
        choices: true,
        defers: true,
        ..TELLS
    },
    FeatureSet {
        timers: true,
        spawns: true,
        asks: true,
        monitor: true,
        ..TELLS
    },
];

/// These programs are too large for brute force. In each, a timer fires whose step was not executed
/// yet when others ran; in the last one, actors that were spawned later choose beside timers.
#[test]
fn nobody_is_said_to_share_what_nobody_shares() {
    let spec: StrategySpec = "dpor".parse().expect("a strategy");
    let timers = FeatureSet {
        timers: true,
        ..TELLS
    };
    let monitor = FeatureSet {
        monitor: true,
        ..timers
    };
    let spawns = FeatureSet {
        spawns: true,
        ..timers
    };
    let asks = FeatureSet {
        asks: true,
        monitor: true,
        ..spawns
    };
    let all = FeatureSet {
        choices: true,
        halts: true,
        defers: true,
        ..spawns
    };
    for (uses, number) in [
        (timers, 115),
        (timers, 88),
        (monitor, 132),
        (spawns, 24),
        (asks, 112),
        (asks, 24),
        (all, 67),
        (all, 77),
        (all, 42),
    ] {
        let (_, report) = HistoryProgram::random(number, uses).explore(&spec, 150);
        let gaps = &report.verdict.gaps;
        assert!(!gaps.contains(&Gap::Nondeterministic), "{number}: {gaps:?}");
    }
}

#[test]
fn random_programs_have_the_behaviours_of_all_schedules() {
    let all = ALL_USES.map(|uses| assert_as_brute_force(uses, programs(40), 300));
    // Programs with more schedules were left out.
    assert!(all.iter().sum::<u64>() > 2 * programs(40), "{all:?}");
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn ten_thousand_random_programs_have_the_behaviours_of_all_schedules() {
    let all = ALL_USES.map(|uses| assert_as_brute_force(uses, programs(1_250), 5_000));
    assert!(all.iter().sum::<u64>() > 2 * programs(1_250), "{all:?}");
}

/// Asserts that the verdict names the unsupported operation and its actor, and claims no proof.
#[track_caller]
fn assert_outside(what: StepConstruct, who: &str, program: impl Fn(&System) + Sync) {
    let report = explore(program);
    let who = Some(who.to_owned());
    assert_eq!(report.verdict.gaps, [Gap::Unsupported { what, who }]);
}

#[derive(Clone, Debug)]
struct Go;

struct Clerk {
    act: fn(&mut Context<Clerk>),
}

#[actor]
impl Clerk {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        (self.act)(cx);
    }
}

fn clerk(sys: &System, act: fn(&mut Context<Clerk>)) {
    sys.spawn(Clerk { act }).tell(Go);
    // Another event after the operation.
    sys.spawn(Clerk { act: |_| {} }).tell(Go);
}

#[test]
fn what_it_cannot_follow_is_named() {
    assert_outside(StepConstruct::Ticks, "Clerk#1", |sys| {
        clerk(sys, |cx| drop(cx.every(Duration::from_secs(1), Go)));
    });
    // Also after operations that are treated as dependent on everything.
    assert_outside(StepConstruct::Ticks, "Clerk#2", |sys| {
        let one = sys.spawner().mailbox(Mailbox::bounded(1));
        one.spawn(Clerk { act: |_| {} }).tell(Go);
        clerk(sys, |cx| drop(cx.every(Duration::from_secs(1), Go)));
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
        drop(cx.every(Duration::from_secs(1), Go));
    }

    #[on]
    fn go(&mut self, _: Go) {}
}

/// The timer's step has no actor of its own; the report must name the timer's owner.
#[test]
fn what_it_cannot_follow_behind_a_timer_is_named() {
    assert_outside(StepConstruct::Ticks, "Late", |sys| drop(sys.spawn(Late)));
}

/// With atomic handlers, the sends of one handler reach several inboxes in one step.
#[test]
fn sends_that_leave_together_are_taken_as_dependent_on_everything() {
    let explore = |sends: usize| {
        let tester = Tester::new().atomic_handlers(true).keep_going();
        let tester = tester.strategy(StrategySpec::Dpor(None)).iterations(1_000);
        tester.run(move |sys| drop(sys.spawn(Crier { sends })))
    };
    assert!(explore(1).verdict.is_exhaustive(), "it sends one");
    let together = explore(2).verdict;
    assert!(together.is_exhaustive(), "{together:?}");
    let SearchKind::Systematic { reduction, .. } = together.searched else {
        unreachable!("dpor is a search");
    };
    let everywhere = match reduction {
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
    back: ActorRef<Player>,
}

/// Plays with another player, and sends an event at the end if entrant 2 was the last to act.
struct Player {
    to: ActorRef<Clerk>,
}

#[actor]
impl Player {
    #[on]
    fn ball(&mut self, ball: Ball, cx: &mut Context<Self>) {
        match ball.left {
            0 if SHARED.get() == 2 => self.to.tell(Go),
            0 => {}
            left => ball.back.tell(Ball {
                left: left - 1,
                back: cx.me(),
            }),
        }
    }
}

/// A player with the same history does different things, since the actors share memory.
#[test]
fn what_actors_share_is_noticed_where_one_does_something_else() {
    let report = explore(|sys| {
        SHARED.set(0);
        let both = sys.spawn(Second { is_here: true });
        for number in 1..4 {
            let first = both.clone();
            sys.spawn(Entrant { first, number });
        }
        let to = sys.spawn(Clerk { act: |_| {} });
        let players = [to.clone(), to].map(|to| sys.spawn(Player { to }));
        players[0].tell(Ball {
            left: 20,
            back: players[1].clone(),
        });
    });
    assert_eq!(report.verdict.gaps, [Gap::Nondeterministic]);
}

#[test]
fn it_stops_where_it_knows_as_much_as_it_may() {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dpor(Some(50)))
        .run(|sys| fan_in(&sys, 3, 2));
    report.assert_clean();
    assert_eq!(report.verdict.gaps, [Gap::Histories { bound: 50 }]);
    assert_eq!(report.strategies[0].name, "dpor:50");
}
