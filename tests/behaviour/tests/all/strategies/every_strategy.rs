//! Requirements of every strategy: it picks enabled operations only, the same seed
//! gives the same executions, iterations are independent, and fair strategies are fair.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use actor_core::prelude::*;
use actor_test::faults::FaultBudgets;
use actor_test::strategy::{
    Choice, Delayed, DelayingExplorer, Enabled, Execution, FairSuffix, Fairness, Needs,
    OperationId, Pending, Probabilistic, Pruned, Random, RoundRobin, RunToCompletion, Strategy,
    StrategySpec,
};
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::{at_start, handles};
use behaviour::crew::crew;
use behaviour::debt::{Debt, Owe, Pay};
use behaviour::harness::events::Go;
use behaviour::harness::{assert_share, same_for_workers, strategy, timeless};
use behaviour::noted_explorer::NotedExplorer;

/// Returns every strategy of `-s list`, with and without parameters.
fn all() -> Vec<StrategySpec> {
    let forms: Vec<String> = StrategySpec::explain().map(|(form, _)| form).collect();
    let prefix = |form: &String| form.strip_suffix("NAME").map(str::to_owned);
    let prefixes: Vec<String> = forms.iter().filter_map(prefix).collect();
    let names = forms.iter().filter(|form| prefix(form).is_none());
    let mut all: Vec<String> = names
        .map(|form| form.split('[').next().unwrap_or_default().to_owned())
        .collect();
    let with_parameters = "prob:1 pct:1 pct:7 delay:rr/2 delay:rtc/5 ss:rtc ss:rr/2 weighted:3/2 pos:local \
         ses:by=hb ses:by=schedules ses:then=ss pb:by=hb pb:by=states pb:fair dfs:local \
         states:local states:order=breadth dpor:order=random";
    all.extend(with_parameters.split_whitespace().map(str::to_owned));
    let suffixed: Vec<String> = all
        .iter()
        .flat_map(|name| prefixes.iter().map(move |prefix| format!("{prefix}{name}")))
        .filter(|name| name.parse::<StrategySpec>().is_ok())
        .collect();
    all.extend(suffixed);
    assert!(all.len() > 30, "{all:?}");
    all.iter().map(|name| strategy(name)).collect()
}

fn program(sys: System) {
    crew(&sys, 4, 23);
}

/// Uses a bound that some executions reach, so that fair suffixes begin.
fn tester() -> Tester {
    Tester::new()
        .iterations(200)
        .seed(3)
        .max_steps(50)
        .keep_going()
}

#[test]
fn the_same_seed_does_the_same() {
    for spec in all() {
        let one = same_for_workers(&[1, 1, 2], |workers| {
            let tester = tester().strategy(spec.clone()).workers(workers);
            timeless(tester.run(program))
        });
        // Breadth-first search ends no execution early enough, and `dpor` can't follow time.
        let is_short = matches!(
            spec,
            StrategySpec::Breadth(_) | StrategySpec::Dpor(_) | StrategySpec::HoppingDpor(_)
        );
        assert!(one.behaviours.seen > 1 || is_short, "{spec}");
    }
}

/// A strategy that is created anew for each execution.
#[derive(Debug)]
struct Forgetful {
    spec: StrategySpec,
    strategy: Box<dyn Strategy>,
}

impl Strategy for Forgetful {
    fn name(&self) -> String {
        self.strategy.name()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.strategy = self.spec.build();
        self.strategy.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.strategy.pick(enabled)?;
        assert!(picked < enabled.len(), "{}", self.name());
        Ok(picked)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        let answer = self.strategy.choose(choice)?;
        assert!(u64::from(answer) < choice.bound(), "{}", self.name());
        Some(answer)
    }
    fn needs(&self) -> Needs {
        self.strategy.needs()
    }
}

/// Iterations are independent, and all picks and answers are in range.
#[test]
fn an_iteration_needs_no_other() {
    let learns = |spec: &StrategySpec| spec.build().needs().memory;
    for spec in all().into_iter().filter(|spec| !learns(spec)) {
        let strategy = spec.build();
        let forgetful = Forgetful {
            spec: spec.clone(),
            strategy,
        };
        let without_memory = tester().custom_strategy(Box::new(forgetful)).run(program);
        let with = tester().strategy(spec.clone()).run(program);
        assert_eq!(timeless(with), timeless(without_memory), "{spec}");
    }
}

#[test]
fn names_are_understood_again() {
    for spec in all() {
        assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
        assert_eq!(spec.build().name(), spec.to_string());
    }
    for (long, short) in [
        ("delay:prr/5", "delay"),
        ("prob:3", "prob"),
        ("ss:prr", "ss"),
    ] {
        assert_eq!(strategy(long).to_string(), short);
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    let refused = "pct:0 pct:101 prob:0 prob:31 delay:prr/0 delay:xyz delay:5 ss:rr/ random:1 \
                   fair-fair-pct fair-random fair- fair-pos:1 early-fair-dfs";
    for text in refused.split_whitespace() {
        assert!(text.parse::<StrategySpec>().is_err(), "{text}");
    }
}

/// A sends to itself until the message of B, another actor, arrives; it owes something meanwhile.
fn a_and_b(sys: System) {
    sys.monitor::<Debt>();
    let mut is_stopped = false;
    let a = handles(&sys, move |stops, cx| {
        if stops {
            is_stopped = true;
            cx.announce(Pay);
        } else if !is_stopped {
            cx.announce(Owe);
            cx.me().tell(false);
        }
    });
    a.tell(false);
    at_start(&sys, move |_| a.tell(true));
}

/// The strategy always runs A, which sends only to itself: B never starts.
#[test]
fn an_unfair_strategy_is_cut_off_and_does_not_judge() {
    let follows = || Box::new(Delayed::new(RunToCompletion::new(), 0));
    let tester = Tester::new().iterations(10).max_steps(100);
    let impatient = tester.clone().temperature(20);
    let report = impatient.custom_strategy(follows()).run(a_and_b);
    report.assert_clean();
    assert_eq!((report.unfair_at_bound, report.undecided.count), (10, 10));
    assert!(report.liveness_unchecked);
    // With a fair suffix after the same number of steps, A is stopped.
    let suffixed = Box::new(FairSuffix::at_max_steps(follows()));
    let report = tester.custom_strategy(suffixed).run(a_and_b);
    report.assert_clean();
    assert_eq!((report.fair, report.fair_at_bound), (10, 0));
    assert_eq!(report.undecided.count, 0);
    assert_eq!(report.fair_over_unfair_bound, 10);
    assert!(!report.liveness_unchecked);
}

#[test]
fn what_is_called_fair_ends_what_a_fair_schedule_ends() {
    for spec in all() {
        let execution = Execution {
            iteration: 0,
            seed: 0,
            max_steps: 100,
            estimates: Arc::default(),
            length: None,
            faults: FaultBudgets::none(),
        };
        let fairness = spec.build().begin(&execution);
        if fairness == Some(Fairness::Unfair) || spec.build().needs().memory {
            continue;
        }
        let tester = Tester::new().iterations(200).max_steps(100);
        let report = tester.strategy(spec.clone()).run(a_and_b);
        report.assert_clean();
        assert_eq!(
            (report.fair_at_bound, report.undecided.count),
            (0, 0),
            "{spec}"
        );
    }
}

/// Counts by itself, two steps per count; hot at the first count, cold at another.
fn spawn_counts(sys: &System, cold_at: u64, last: u64) {
    let counts = handles(sys, move |count: u64, cx| {
        if count == 0 {
            cx.announce(Owe);
        }
        if count == cold_at {
            cx.announce(Pay);
        }
        if count < last {
            cx.me().tell(count + 1);
        }
    });
    counts.tell(0);
}

/// The monitor is hot from step 4 to step 4 + 2 `cold_at`; the
/// suffix begins at step 100, and 50 hot steps are allowed.
fn hot_until(cold_at: u64) -> Report {
    let suffixed = FairSuffix::at(100, Box::new(Random::new()));
    let tester = Tester::new().iterations(1).max_steps(100).temperature(50);
    tester.custom_strategy(Box::new(suffixed)).run(|sys| {
        sys.monitor::<Debt>();
        spawn_counts(&sys, cold_at, 200);
    })
}

#[test]
fn only_the_suffix_is_hot() {
    // Cold before the switch, after 90 hot steps.
    hot_until(45).assert_clean();
    // Cold after the switch: first 50 of the hot steps count, and then 52.
    hot_until((100 + 50 - 4) / 2).assert_clean();
    // The second case is suspected, but later turns cold and is cleared.
    let slow = hot_until((100 + 52 - 4) / 2);
    slow.assert_clean();
    assert_eq!(slow.transient.count, 1);
    let report = hot_until(100_000);
    let bug = report.assert_bug("monitor `Debt` is hot in `Open`");
    assert_eq!((bug.kind(), bug.step()), (BugKind::Liveness, 100 + 51));
}

/// Picks the last operation, answers zero, and records the last step at which it was asked.
#[derive(Debug)]
struct Asked(Arc<AtomicU64>);

impl Strategy for Asked {
    fn name(&self) -> String {
        "asked".into()
    }
    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        Some(Fairness::Unfair)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.0.fetch_max(enabled.step(), Ordering::Relaxed);
        Ok(enabled.len() - 1)
    }
}

#[test]
fn after_the_switch_the_strategy_is_no_longer_asked() {
    let asked = Arc::new(AtomicU64::new(0));
    let chosen = Arc::new(Mutex::new(Vec::new()));
    let suffixed = FairSuffix::at(100, Box::new(Asked(asked.clone())));
    let tester = Tester::new().iterations(1).check_every(0);
    let report = tester.custom_strategy(Box::new(suffixed)).run(|sys| {
        let chosen = chosen.clone();
        // Sends to itself, and records its choice at each count.
        let chooses = handles(&sys, move |count: u32, cx| {
            chosen.lock().unwrap().push(cx.choose(1_000_000));
            if count < 100 {
                cx.me().tell(count + 1);
            }
        });
        chooses.tell(0);
    });
    report.assert_clean();
    assert_eq!(asked.load(Ordering::Relaxed), 99);
    // Count c is handled in the step after 3 + 2 c.
    let chosen = chosen.lock().unwrap();
    let first = chosen.iter().position(|chosen| *chosen > 0);
    assert_eq!(first, Some(49), "{chosen:?}");
}

/// Delegates to an explorer, and checks before each step that
/// delays bring each operation to the front exactly once.
#[derive(Debug)]
struct Sound<E>(E);

impl<E: DelayingExplorer> Strategy for Sound<E> {
    fn name(&self) -> String {
        self.0.name()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.0.begin(execution);
        Some(Fairness::Unfair)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        for pending in enabled.iter() {
            self.0.started(pending.operation);
        }
        let mut brought: Vec<usize> = Vec::new();
        for _ in 0..enabled.len() {
            brought.push(self.0.next(enabled));
            self.0.delay(enabled);
        }
        let next = self.0.next(enabled);
        assert_eq!(brought.first(), Some(&next), "it comes round");
        brought.sort_unstable();
        assert!(brought.into_iter().eq(0..enabled.len()));
        self.0.stepped(&enabled[next]);
        Ok(next)
    }
}

#[test]
fn the_explorers_are_sound() {
    let sound: [Box<dyn Strategy>; 3] = [
        Box::new(Sound(RoundRobin::new())),
        Box::new(Sound(RoundRobin::random())),
        Box::new(Sound(RunToCompletion::new())),
    ];
    for strategy in sound {
        let report = tester()
            .iterations(20)
            .custom_strategy(strategy)
            .run(program);
        assert_eq!(report.executions, 20);
    }
}

/// A custom explorer, as in the documentation: the last two operations
/// come last in the round during the set-up, and first afterwards.
#[derive(Debug)]
struct FaultsLate {
    disturbers: [usize; 2],
    set_up: u64,
    steps: u64,
    head: Option<(bool, OperationId)>,
    /// The operations of the steps, in order.
    taken: Arc<Mutex<Vec<usize>>>,
}

impl FaultsLate {
    fn new(taken: Arc<Mutex<Vec<usize>>>) -> Self {
        Self {
            disturbers: [5, 6],
            set_up: 60,
            steps: 0,
            head: None,
            taken,
        }
    }

    fn place(&self, operation: OperationId) -> (bool, OperationId) {
        let disturbs = !operation.is_timer() && self.disturbers.contains(&operation.index());
        let early = self.steps < self.set_up;
        (disturbs == early, operation)
    }
}

impl DelayingExplorer for FaultsLate {
    fn name(&self) -> String {
        "faults-late".into()
    }
    fn begin(&mut self, _: &Execution) {
        (self.steps, self.head) = (0, None);
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
    fn stepped(&mut self, step: &Pending) {
        self.steps += 1;
        let same_phase = self.steps != self.set_up;
        self.head = same_phase.then(|| self.place(step.operation));
        self.taken.lock().unwrap().push(step.operation.index());
    }
}

#[test]
fn an_explorer_of_ones_own_says_who_comes_when() {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let tester = Tester::new().iterations(1).check_every(0);
    let run = |strategy: Box<dyn Strategy>| {
        let report = tester.custom_strategy(strategy).run(|sys| {
            for _ in 0..6 {
                spawn_counts(&sys, u64::MAX, 50);
            }
        });
        report.assert_clean();
        std::mem::take(&mut *taken.lock().unwrap())
    };
    let order = run(Box::new(Delayed::new(FaultsLate::new(taken.clone()), 0)));
    // The body has 13 steps. One actor runs all its 101 steps before the next
    // starts, except that the fifth runs as soon as the first 60 steps are over.
    let mut blocks = order.clone();
    blocks.dedup();
    assert_eq!(blocks, [0, 1, 5, 6, 1, 2, 3, 4]);
    assert_eq!(order.iter().position(|who| *who == 5), Some(60));
    run(Box::new(Sound(FaultsLate::new(taken.clone()))));
}

#[test]
fn an_explorer_is_told_what_starts_steps_and_finishes() {
    let (explorer, calls) = NotedExplorer::new();
    let tester = Tester::new().iterations(1).check_every(0);
    let strategy = Box::new(Delayed::new(explorer, 0));
    let report = tester
        .custom_strategy(strategy)
        .run(|sys| spawn_counts(&sys, 9, 1));
    report.assert_clean();
    // The body starts, spawns and sends; the counter handles, sends to itself and handles.
    let expected = "+0 :0 :0 :0 +1 -0 :1 :1 :1";
    let calls = calls.lock().unwrap();
    let changes = calls.iter().filter(|(call, _)| *call != 'o');
    let words = changes.map(|(call, operation)| format!("{call}{operation}"));
    assert_eq!(words.collect::<Vec<_>>().join(" "), expected);
}

/// Counts how often the operation of the last step, still enabled, was picked again.
#[derive(Debug)]
struct Stays {
    strategy: Probabilistic,
    last: Option<OperationId>,
    counts: Arc<(AtomicU64, AtomicU64)>,
}

impl Strategy for Stays {
    fn name(&self) -> String {
        "stays".into()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.last = None;
        self.strategy.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.strategy.pick(enabled)?;
        let could_stay = |pending: &Pending| Some(pending.operation) == self.last;
        if enabled.len() == 2 && enabled.iter().any(could_stay) {
            self.counts.0.fetch_add(1, Ordering::Relaxed);
            let stayed = could_stay(&enabled[picked]);
            self.counts
                .1
                .fetch_add(u64::from(stayed), Ordering::Relaxed);
        }
        self.last = Some(enabled[picked].operation);
        Ok(picked)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.strategy.choose(choice)
    }
}

/// With two operations, the walk stays with probability 7/8, plus half of the remaining eighth.
#[test]
fn the_probabilistic_walk_stays() {
    let counts = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let strategy = Stays {
        strategy: Probabilistic::default(),
        last: None,
        counts: counts.clone(),
    };
    let tester = Tester::new().iterations(1).max_steps(20_000);
    let report = tester.custom_strategy(Box::new(strategy)).run(|sys| {
        for _ in 0..2 {
            spawn_counts(&sys, u64::MAX, 10_000);
        }
    });
    report.assert_clean();
    let of = counts.0.load(Ordering::Relaxed);
    assert!(of > 10_000, "{of}");
    assert_share(counts.1.load(Ordering::Relaxed), of, 15.0 / 16.0);
}

/// Under each strategy, in 300 executions of two choices among three:
/// one of nine answers is missed with a probability of 10^-14.
#[test]
fn every_answer_to_a_choice_is_given() {
    for strategy in all() {
        let name = strategy.to_string();
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let tester = Tester::new().iterations(300).seed(5).strategy(strategy);
        let report = tester.run(|sys| {
            let seen = seen.clone();
            let chooser = handles(&sys, move |_: Go, cx| {
                let answers = (cx.choose(3), cx.choose(3));
                seen.lock().unwrap().insert(answers);
            });
            chooser.tell(Go);
        });
        report.assert_clean();
        assert_eq!(seen.lock().unwrap().len(), 9, "{name}: {seen:?}");
    }
}
