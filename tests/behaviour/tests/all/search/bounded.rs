//! Delay-bounded and preemption-bounded search against exhaustive enumeration.
//! An independent account counts the deviations of each schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use actor_core::prelude::*;
use actor_core::{Fingerprint, actor};
use actor_test::report::DeviationBound;
use actor_test::strategy::Gap;
use actor_test::strategy::{
    Bounded, Choice, CoverageClaim, DelayingExplorer, Dfs, Enabled, Ending, Execution, Fairness,
    Needs, OperationId, Pending, Pruned, RoundRobin, RunToCompletion, Strategy, StrategyEvent,
};
use actor_test::{Report, Tester};
use behaviour::automata::Automata;
use behaviour::closures::{handles, machine, tells};
use behaviour::end_recorder::EndRecorder;
use behaviour::harness::events::Go;
use behaviour::harness::{exhaust, strategy, whole};
use behaviour::noted_explorer::NotedExplorer;
use behaviour::programs::*;
use behaviour::talkers::{FeatureSet, HistoryProgram};

use crate::search::{Program, programs, search};

/// A tester without an end, for the strategies of this file.
fn tester() -> Tester {
    Tester::new()
        .iterations(u64::MAX)
        .check_every(0)
        .keep_going()
}

/// The number of schedules with each number of deviations.
type Histogram = BTreeMap<u32, u64>;

/// Runs all schedules, and counts the deviations of each.
#[derive(Debug)]
struct DeviationCounter<A> {
    all: Dfs,
    account: A,
    first: Option<Execution>,
    deviations: u32,
    found: Arc<Mutex<Histogram>>,
}

trait Accounts: std::fmt::Debug + Send {
    fn begin(&mut self, execution: &Execution);
    /// Returns the number of deviations that the pick of that position costs.
    fn picks(&mut self, enabled: &Enabled<'_>, picked: usize) -> u32;
    fn answers(&self, answer: u32) -> u32;
}

#[derive(Debug)]
struct Delays<E> {
    explorer: E,
    met: BTreeSet<OperationId>,
    last: Option<OperationId>,
}

impl<E: DelayingExplorer> Accounts for Delays<E> {
    fn begin(&mut self, execution: &Execution) {
        self.met.clear();
        self.last = None;
        self.explorer.begin(execution);
    }
    fn picks(&mut self, enabled: &Enabled<'_>, picked: usize) -> u32 {
        let mut deviations = 0;
        for pending in enabled.iter() {
            if self.met.insert(pending.operation) {
                self.explorer.started(pending.operation);
            }
        }
        if let Some(last) = self.last
            && !enabled.iter().any(|pending| pending.operation == last)
        {
            self.explorer.finished(last);
        }
        self.explorer.observe(enabled);
        while self.explorer.next(enabled) != picked {
            self.explorer.delay(enabled);
            deviations += 1;
        }
        self.last = Some(enabled[picked].operation);
        self.explorer.stepped(&enabled[picked]);
        deviations
    }
    fn answers(&self, answer: u32) -> u32 {
        answer
    }
}

#[derive(Debug, Default)]
struct Preemptions(Option<OperationId>);

impl Accounts for Preemptions {
    fn begin(&mut self, _: &Execution) {
        self.0 = None;
    }
    fn picks(&mut self, enabled: &Enabled<'_>, picked: usize) -> u32 {
        let last = self.0.replace(enabled[picked].operation);
        let could = enabled
            .iter()
            .any(|pending| Some(pending.operation) == last);
        u32::from(could && self.0 != last)
    }
    fn answers(&self, _: u32) -> u32 {
        0
    }
}

impl<A: Accounts> Strategy for DeviationCounter<A> {
    fn name(&self) -> String {
        "account".into()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.deviations = 0;
        self.account
            .begin(self.first.get_or_insert_with(|| execution.clone()));
        self.all.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.all.pick(enabled)?;
        self.deviations += self.account.picks(enabled, picked);
        Ok(picked)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        let answer = self.all.choose(choice)?;
        self.deviations += self.account.answers(answer);
        Some(answer)
    }
    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Ended(ended) = event {
            assert_eq!(ended.ending, Ending::Complete);
            let mut found = self.found.lock().expect("nobody panics here");
            *found.entry(self.deviations).or_default() += 1;
        }
    }
    fn needs(&self) -> Needs {
        self.all.needs()
    }
    fn covered(&self) -> CoverageClaim {
        self.all.covered()
    }
}

fn histogram(account: impl Accounts + 'static, program: impl Fn(&System) + Sync) -> Histogram {
    let found: Arc<Mutex<Histogram>> = Arc::default();
    let account = DeviationCounter {
        all: Dfs::new(),
        account,
        first: None,
        deviations: 0,
        found: Arc::clone(&found),
    };
    let report = tester()
        .custom_strategy(Box::new(account))
        .run(|sys| program(&sys));
    assert!(report.verdict.is_exhaustive());
    std::mem::take(&mut *found.lock().expect("nobody panics here"))
}

/// Up to each bound, the search runs exactly the schedules within it, and the verdict states it.
fn agrees(name: &str, all: &Histogram, program: impl Fn(&System) + Sync) {
    let (most, _) = all.last_key_value().expect("there is a schedule");
    let mut schedules = 0;
    for bound in 0..=*most {
        schedules += all.get(&bound).copied().unwrap_or(0);
        let spec = match name.contains(':') {
            true => format!("{name}/{bound}"),
            false => format!("{name}:{bound}"),
        };
        let report = search(&spec, &program);
        assert_eq!(report.executions, schedules, "{spec}");
        let within = match name {
            "pb" => DeviationBound::Preemptions(bound),
            _ => DeviationBound::Delays(bound),
        };
        let is_all = bound == *most;
        assert_eq!(report.verdict.is_exhaustive(), is_all, "{spec}");
        let expected = Some(within).filter(|_| !is_all);
        assert_eq!(report.verdict.within(), expected, "{spec}");
    }
    let report = search(name, program);
    assert_eq!(report.executions, schedules, "{name}");
    assert!(report.verdict.is_exhaustive());
}

fn led<E>(explorer: E) -> Delays<E> {
    let (met, last) = (BTreeSet::new(), None);
    Delays {
        explorer,
        met,
        last,
    }
}

#[test]
fn each_schedule_comes_once_by_its_deviations() {
    let programs: [Program; 4] = [
        |sys| one_event_each(sys, 4),
        |sys| triangle(sys, true),
        |sys| fan_in(sys, 2, 1),
        dice,
    ];
    for program in programs {
        let all = histogram(led(RoundRobin::new()), program);
        assert!(all.len() > 3 && all[&0] == 1, "{all:?}");
        agrees("ses:rr/by=schedules", &all, program);
        agrees("ses:rr/by=schedules", &all, program);
        let all = histogram(led(RoundRobin::random()), program);
        agrees("ses:prr/by=schedules", &all, program);
        let all = histogram(led(RunToCompletion::new()), program);
        agrees("ses:rtc/by=schedules", &all, program);
        let all = histogram(Preemptions::default(), program);
        assert!(all.len() > 1, "{all:?}");
        agrees("pb", &all, program);
    }
}

fn dice(sys: &System) {
    let table = handles(sys, |rolled: usize, _| assert!(rolled < 3));
    let [one, other] = [(); 2].map(|()| {
        let table = table.clone();
        handles(sys, move |_: Go, cx| table.tell(cx.choose(3)))
    });
    other.tell(Go);
    one.tell(Go);
}

fn ends_of(program: &Automata, name: &str) -> (BTreeSet<u128>, BTreeSet<String>, Report) {
    let (recorder, ends) = EndRecorder::new(strategy(name).build(), |ended| {
        ended.state.as_ref().map(|state| state.print)
    });
    let report = tester()
        .iterations(300)
        .max_steps(60)
        .custom_strategy(Box::new(recorder.with_states()))
        .run(|sys| drop(program.set_up(&sys)));
    let ends = std::mem::take(&mut *ends.lock().expect("nobody panics here"));
    let ends = ends.into_iter().filter_map(|(state, _)| state).collect();
    let bugs = report.bugs().iter().map(|bug| bug.message().to_owned());
    (ends, bugs.collect(), report)
}

/// Programs with cycles are left out, since their schedules do not end.
#[test]
fn a_state_that_was_met_with_no_more_deviations_needs_no_other_way() {
    let (mut compared, mut schedules, mut executions) = (0, 0, 0);
    for number in 0..programs("BOUNDED", 12) {
        let program = Automata::random(number);
        for bound in 0..4 {
            for (each, once) in [
                ("ses:rr/BOUND/by=schedules", "ses:rr/BOUND"),
                ("ses:rtc/BOUND/by=schedules", "ses:rtc/BOUND"),
                ("ses:prr/BOUND/by=schedules", "ses:prr/BOUND"),
                ("pb:BOUND", "pb:BOUND/by=states"),
            ] {
                let [each, once] =
                    [each, once].map(|name| name.replace("BOUND", &bound.to_string()));
                let (ends, bugs, report) = ends_of(&program, &each);
                let is_whole = report.verdict.is_exhaustive() || report.verdict.within().is_some();
                if !is_whole {
                    continue;
                }
                let (found, seen, states) = ends_of(&program, &once);
                let case = || format!("program {number}, {once}: {program:#?}");
                assert_eq!(found, ends, "{}", case());
                assert_eq!(seen, bugs, "{}", case());
                assert!(states.executions <= report.executions, "{}", case());
                // The states beyond the bound may all be visited already.
                let verdict = &states.verdict;
                let is_within = verdict.within() == report.verdict.within();
                let is_whole = verdict.is_exhaustive() || is_within;
                assert!(is_whole, "{}: {verdict:?}", case());
                compared += 1;
                schedules += report.executions;
                executions += states.executions;
            }
        }
    }
    assert!(compared > 100 && executions < schedules);
}

/// Without a bound, the search visits exactly the states of the independent
/// model, however they are reached, also if the program has cycles.
#[test]
fn without_a_bound_every_state_is_met() {
    for number in 0..programs("BOUNDED", 12) {
        let program = Automata::random(number);
        let model = program.model();
        for name in ["ses:rr", "ses:prr", "ses:rtc", "pb:by=states"] {
            let report = search(name, |sys| drop(program.set_up(sys)));
            let (case, verdict) = (format!("{name}, program {number}"), &report.verdict);
            assert!(verdict.is_exhaustive(), "{case}: {verdict:?}");
            assert_eq!(verdict.states(), Some(model.points.len() as u64), "{case}");
            assert_eq!(report.bugs().is_empty(), model.first_failure.is_none());
        }
    }
}

/// These actors share nothing: two actors with the same history have the same state.
/// (No state of a halted actor remains to be compared, so no actor halts here.)
#[test]
fn the_same_histories_are_the_same_state() {
    let (mut compared, mut schedules, mut executions) = (0, 0, 0);
    for number in 0..programs("BOUNDED", 45) {
        let uses = FeatureSet {
            choices: number % 2 == 0,
            spawns: number % 5 == 0,
            asks: number % 7 == 0,
            panics: number % 11 == 0,
            monitor: number % 13 == 0,
            ..FeatureSet::default()
        };
        let talk = HistoryProgram::random(number, uses);
        for (each, once) in [
            ("ses:rr/2/by=schedules", "ses:rr/2/by=hb"),
            ("ses:rtc/1/by=schedules", "ses:rtc/1/by=hb"),
            ("pb:1", "pb:1/by=hb"),
        ] {
            let (all, report) = talk.explore(each, 1_000);
            if !report.verdict.is_exhaustive() && report.verdict.within().is_none() {
                continue;
            }
            let (found, histories) = talk.explore(once, u64::MAX);
            let each: BTreeSet<_> = all.ends.iter().collect();
            let once_each: BTreeSet<_> = found.ends.iter().collect();
            let case = format!("program {number}, {once}: {talk:#?}");
            assert_eq!(once_each, each, "{case}");
            assert_eq!(found.bugs, all.bugs, "{case}");
            compared += 1;
            schedules += report.executions;
            executions += histories.executions;
        }
    }
    assert!(compared > 40 && executions < schedules);
}

/// Polls until the other event arrives; in some schedules, it never arrives.
fn polls(sys: &System) {
    let mut is_ready = false;
    let poller = handles(sys, move |readies: bool, cx| {
        is_ready |= readies;
        if !is_ready {
            cx.me().tell(false);
        }
    });
    poller.tell(false);
    poller.tell(true);
}

/// Without fairness some schedules do not end; with it, a polling actor yields to others.
#[test]
fn who_polls_comes_after_who_waits() {
    let run = |name: &str| {
        let tester = whole(name).check_every(0).keep_going().max_steps(40);
        tester.run(|sys| polls(&sys))
    };
    let all = run("pb");
    let is_cut_off = |gap: &Gap| matches!(gap, Gap::Steps { .. });
    assert!(all.verdict.gaps.iter().any(is_cut_off), "{:?}", all.verdict);
    let fair = run("pb:fair");
    assert_eq!(fair.verdict.gaps, [Gap::Unfair]);
    assert!(fair.executions < all.executions);
    // Schedules in which the actor polls in vain are still run.
    assert!(fair.behaviours.seen > 1);
    let none = run("pb:0/fair");
    assert_eq!(
        none.verdict.gaps,
        [Gap::Preemptions { bound: 0 }, Gap::Unfair]
    );
    assert_eq!(none.verdict.within(), None);
}

/// The number of walks equals the number of nonterminal states at that depth.
#[test]
fn a_walk_goes_on_from_each_state_at_a_depth() {
    let mut walks = 0;
    for number in 0..programs("BOUNDED", 12) {
        let program = Automata::random(number).infallible();
        let model = program.model();
        let mut layer = BTreeSet::from([0]);
        for depth in 1..7 {
            let edges = layer.iter().flat_map(|state| &model.edges[*state as usize]);
            layer = edges.map(|edge| edge.to).collect();
            let go_on = layer
                .iter()
                .filter(|state| !model.edges[**state as usize].is_empty());
            let report = tester()
                .max_steps(100)
                .strategy(strategy(&format!("bdfs:{depth}")))
                .run(|sys| drop(program.set_up(&sys)));
            let suffixes = report.verdict.gaps.iter().find_map(|gap| match gap {
                Gap::Suffixes { executions } => Some(*executions),
                _ => None,
            });
            let expected = go_on.count() as u64;
            let case = || format!("program {number}, depth {depth}: {program:#?}");
            assert_eq!(suffixes.unwrap_or(0), expected, "{}", case());
            walks += expected;
        }
    }
    assert!(walks > 100, "{walks}");
}

/// Iterative deepening ends when no deeper state exists, and then the search is exhaustive.
#[test]
fn deeper_and_deeper() {
    let report = exhaust(&whole("bdfs"), |sys| fan_in(&sys, 2, 1));
    assert_eq!(report.behaviours.seen, 2);
}

/// Without the explorer's state, a bounded search claims no bound, but an unbounded one is exhaustive.
#[test]
fn an_explorer_without_a_state_bounds_nothing() {
    let program = Automata::random(3).infallible();
    let run = |search: Bounded| {
        let strategy = search.by_states().build();
        tester()
            .custom_strategy(strategy)
            .run(|sys| drop(program.set_up(&sys)))
    };
    let some = run(Bounded::delays(NotedExplorer::new().0).at_most(1));
    let gaps = [Gap::Delays { bound: 1 }, Gap::ExplorerState];
    assert_eq!(some.verdict.gaps, gaps);
    assert_eq!(some.verdict.within(), None);
    let all = run(Bounded::delays(NotedExplorer::new().0));
    assert!(all.verdict.is_exhaustive(), "{:?}", all.verdict);
    let received = run(Bounded::delays(RoundRobin::new()).at_most(1));
    assert_eq!(received.verdict.within(), Some(DeviationBound::Delays(1)));
}

/// A boxed explorer is shown the enabled operations, too.
#[test]
fn an_explorer_is_shown_what_is_enabled() {
    let (explorer, calls) = NotedExplorer::new();
    let explorer: Box<dyn DelayingExplorer> = Box::new(explorer);
    let strategy = Bounded::delays(explorer).at_most(0).build();
    let report = tester().custom_strategy(strategy).run(|sys| flood(&sys, 3));
    assert_eq!(report.executions, 1);
    let calls = calls.lock().expect("nobody panics here");
    let observed = calls.iter().filter(|(call, _)| *call == 'o').count();
    assert_eq!(observed as u64, report.steps_total);
}

/// Sampling continues beyond the bound from the states where the search stopped.
#[test]
fn samples_begin_where_the_search_has_stopped() {
    let run = |name: &str, executions: u64| {
        let tester = whole(name).iterations(executions).check_every(0);
        tester.run(|sys| flood(&sys, 3))
    };
    let searched = run("ses:rr/1", u64::MAX);
    let few = searched.executions;
    assert!(searched.behaviours.seen < 8, "{}", searched.behaviours.seen);
    let sampled = run("ses:rr/1/then=ss", few + 300);
    assert_eq!(sampled.behaviours.seen, 8);
    let gaps = [
        Gap::Delays { bound: 1 },
        Gap::Executions { bound: few + 300 },
    ];
    assert_eq!(sampled.verdict.gaps, gaps);
    // With a bound that covers everything, nothing is left to sample.
    assert!(run("ses:rr/90/then=ss", 100_000).verdict.is_exhaustive());
}

/// Runs operations in order of creation, but with the fault injector last, until the
/// program reports that its set-up is complete; from then on, the fault injector is first.
#[derive(Debug)]
struct FaultsLate {
    disturber: usize,
    is_set_up: Arc<AtomicBool>,
    head: Option<(bool, OperationId)>,
}

impl FaultsLate {
    fn place(&self, operation: OperationId) -> (bool, OperationId) {
        let disturbs = operation.index() == self.disturber;
        (
            disturbs != self.is_set_up.load(Ordering::Relaxed),
            operation,
        )
    }
}

impl DelayingExplorer for FaultsLate {
    fn name(&self) -> String {
        "faults-late".into()
    }
    fn begin(&mut self, _: &Execution) {
        self.is_set_up.store(false, Ordering::Relaxed);
        self.head = None;
    }
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        let order = |index: &usize| {
            let place = self.place(enabled[*index].operation);
            (self.head.is_some_and(|head| place < head), place)
        };
        (0..enabled.len()).min_by_key(order).unwrap_or(0)
    }
    fn delay(&mut self, enabled: &Enabled<'_>) {
        let passed = self.place(enabled[self.next(enabled)].operation);
        let places = enabled.iter().map(|pending| self.place(pending.operation));
        let behind = places.clone().filter(|place| *place > passed).min();
        self.head = behind.or(places.min());
    }
    fn stepped(&mut self, _: &Pending) {
        self.head = None;
    }
}

#[derive(Debug, Hash, Clone)]
struct Join(ActorRef<Server>);
#[derive(Debug, Hash, Clone, Copy)]
struct Welcome;
#[derive(Debug, Hash, Clone, Copy)]
struct Failed;

/// Panics after two failures that are reported after all have joined; earlier failures are ignored.
#[derive(Fingerprint)]
struct Master {
    joined: u32,
    failed: u32,
    #[fingerprint(skip)]
    is_set_up: Arc<AtomicBool>,
}
#[actor]
impl Master {
    #[on]
    fn join(&mut self, join: Join) {
        self.joined += 1;
        match self.joined {
            6 => self.is_set_up.store(true, Ordering::Relaxed),
            _ => join.0.tell(Welcome),
        }
    }
    #[on]
    fn failed(&mut self, _: Failed) {
        if self.joined == 6 {
            self.failed += 1;
        }
        assert!(self.failed < 2, "two have failed");
    }
}

/// Joins three times, after each welcome.
#[derive(Fingerprint)]
struct Server {
    master: ActorRef<Master>,
    left: u32,
}
#[actor]
impl Server {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.master.tell(Join(cx.me()));
    }
    #[on]
    fn welcome(&mut self, _: Welcome, cx: &mut Context<Self>) {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            self.master.tell(Join(cx.me()));
        }
    }
}
/// Reports two failures.
#[derive(Fingerprint)]
struct Faults(ActorRef<Master>);
#[actor]
impl Faults {
    #[start]
    fn start(&mut self) {
        (0..2).for_each(|_| self.0.tell(Failed));
    }
}

/// The program notifies its explorer of a phase change, as `changeorder`
/// of the paper (section 5.4): the late bug is found without a delay.
#[test]
fn a_program_may_tell_its_explorer_of_its_phases() {
    let run = |own: bool, bound: u32| {
        let is_set_up: Arc<AtomicBool> = Arc::default();
        let explorer: Box<dyn DelayingExplorer> = match own {
            true => Box::new(FaultsLate {
                disturber: 2,
                is_set_up: Arc::clone(&is_set_up),
                head: None,
            }),
            false => Box::new(RoundRobin::new()),
        };
        let strategy = Bounded::delays(explorer).by_states().at_most(bound).build();
        let report = tester().custom_strategy(strategy).run(move |sys| {
            let is_set_up = Arc::clone(&is_set_up);
            let master = sys.spawn(Master {
                joined: 0,
                failed: 0,
                is_set_up,
            });
            sys.spawn(Faults(master.clone()));
            for _ in 0..2 {
                let master = master.clone();
                sys.spawn(Server { master, left: 3 });
            }
        });
        !report.bugs().is_empty()
    };
    assert!(run(true, 0));
    assert!(!run(false, 0) && !run(false, 2));
    let needed = (0..20).find(|bound| run(false, *bound));
    assert!(needed.is_some_and(|needed| needed > 2), "{needed:?}");
}

#[derive(Debug, Hash, Clone, Copy)]
struct Tell(u8);

/// One of fourteen events must come last; the search begins after a random walk.
#[test]
fn a_search_may_begin_late() {
    let program = |sys: &System| {
        let listener = machine(sys, 0_u8, |received, tell: Tell, _| {
            *received += 1;
            assert!(*received <= 13 || tell.0 == 20, "too late");
        });
        for number in (0..13).chain([20]) {
            tells(sys, &listener, Tell(number));
        }
    };
    let run = |name: &str| {
        let tester = whole(name).iterations(2_000).check_every(0);
        tester.max_steps(200).run(|sys| program(&sys))
    };
    let late = run("live-dfs");
    let steps = late.verdict.gaps.iter().find_map(|gap| match gap {
        Gap::Prefixes { steps } => Some(*steps),
        _ => None,
    });
    assert_eq!(steps, Some(50), "{:?}", late.verdict);
    assert!(!late.bugs().is_empty() || late.behaviours.seen > 1);
    // Walk and search are deterministic.
    assert_eq!(late.executions, run("live-dfs").executions);
    let searched = run("live-ses:rr");
    assert!(searched.verdict.gaps.contains(&Gap::Prefixes { steps: 50 }));
    assert!(!searched.verdict.is_exhaustive() && searched.verdict.within().is_none());
}
