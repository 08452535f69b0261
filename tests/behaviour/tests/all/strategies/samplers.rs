//! Samplers against their guarantees: closed forms, exact probabilities
//! computed on a model of the program, and lower bounds. Seeds are fixed; a
//! correct sampler exceeds an allowed deviation with a probability below 10^-6.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::strategy::{
    Choice, Delayed, DelayingExplorer, Enabled, Execution, Fairness, Needs, Pct, Pruned,
    RoundRobin, Strategy,
};
use actor_test::{Report, Tester};
use behaviour::closures::at_start;
use behaviour::harness::events::Tick;
use behaviour::harness::{assert_share, permutations, strategy};
use behaviour::node::{Rule, spawn};
use behaviour::skew::{Skew, Who, skew};

fn tester(executions: u64) -> Tester {
    Tester::new().iterations(executions).check_every(0).seed(11)
}

fn run(name: &str, executions: u64, program: impl Fn(System) + Sync) -> Report {
    let report = tester(executions).strategy(strategy(name)).run(program);
    report.assert_clean();
    assert_eq!(report.executions, executions);
    report
}

/// Asserts that all of `kinds` are equally frequent, by Pearson's test; `critical` is the quantile
/// of chi-squared with `kinds - 1` degrees of freedom that is exceeded with a probability of 10^-6.
#[track_caller]
fn assert_uniform(counts: &BTreeMap<Vec<usize>, u64>, kinds: usize, critical: f64) {
    assert_share_of_each(counts, kinds, critical, |_| 1.0 / kinds as f64);
}

/// The same for kinds with individual probabilities.
#[track_caller]
fn assert_share_of_each(
    counts: &BTreeMap<Vec<usize>, u64>,
    kinds: usize,
    critical: f64,
    share: impl Fn(&Vec<usize>) -> f64,
) {
    assert_eq!(counts.len(), kinds);
    let total: u64 = counts.values().sum();
    let deviations = counts.iter().map(|(kind, count)| {
        let expected = total as f64 * share(kind);
        (*count as f64 - expected).powi(2) / expected
    });
    let statistic = deviations.sum::<f64>();
    assert!(statistic < critical, "{statistic:.1}: {counts:?}");
}

/// Asserts the share of executions of skew(K) in which A's message is last.
#[track_caller]
fn assert_skew(strategy: &str, messages: u32, expected: f64) {
    // The walk is the base of many strategies, and known most exactly.
    let executions = if strategy == "random" {
        200_000
    } else {
        40_000
    };
    let hits: &'static AtomicU64 = Box::leak(Box::default());
    run(strategy, executions, |sys| skew(&sys, messages, hits));
    assert_share(hits.load(Ordering::Relaxed), executions, expected);
}

/// Returns the probability under a walk that picks in proportion to weights.
fn walk(state: Skew, weight: fn(&Skew, Who) -> f64, known: &mut BTreeMap<Skew, f64>) -> f64 {
    if let Some(last) = state.a_is_last() {
        return f64::from(u8::from(last));
    }
    if let Some(known) = known.get(&state) {
        return *known;
    }
    let enabled = state.enabled();
    let total: f64 = enabled.iter().map(|who| weight(&state, *who)).sum();
    let odds = enabled
        .iter()
        .map(|who| weight(&state, *who) / total * walk(state.step(*who), weight, known))
        .sum();
    known.insert(state, odds);
    odds
}

#[test]
fn the_uniform_walk() {
    let odds = walk(Skew::new(4), |_, _| 1.0, &mut BTreeMap::new());
    assert_skew("random", 4, odds);
}

/// Every execution of the program has the same steps, so pilots know the remaining ones exactly.
#[test]
fn urw_picks_by_the_steps_that_are_left() {
    let by_left: fn(&Skew, Who) -> f64 = |state, who| f64::from(state.left(who));
    // Among A and B alone, each interleaving is equally likely: A ends last in 2 of K + 3 of them.
    let senders: fn(&Skew, Who) -> f64 = |state, who| match who {
        Who::Sink => 0.0,
        _ => f64::from(state.left(who)),
    };
    let spawned = (0..4).fold(Skew::new(10), |state, _| state.step(Who::Body));
    let papers = walk(spawned, senders, &mut BTreeMap::new());
    assert!((papers - 2.0 / 13.0).abs() < 1e-12, "{papers}");
    let odds = walk(Skew::new(4), by_left, &mut BTreeMap::new());
    let uniform = walk(Skew::new(4), |_, _| 1.0, &mut BTreeMap::new());
    assert!(odds > 1.3 * uniform, "{odds} and {uniform} are alike");
    assert_skew("urw", 4, odds);
}

/// In every case, A's message is equally likely at each of the K + 1 places.
#[test]
fn surw_is_uniform_over_what_races() {
    for messages in [1, 4, 10] {
        assert_skew("surw", messages, 1.0 / f64::from(messages + 1));
    }
}

/// This share of executions takes local steps first; the others are those of `pos`.
const LOCAL_FIRST: f64 = 7.0 / 8.0;

/// After each flush, all operations pending into the sink draw again: B must win K times in a row.
#[test]
fn pos_local_draws_anew_after_each_flush() {
    for messages in [1, 2] {
        let plain = PosModel::default().odds(Skew::new(messages), &Vec::new(), 0);
        let odds = LOCAL_FIRST * 0.5_f64.powi(messages as i32) + (1.0 - LOCAL_FIRST) * plain;
        assert_skew("pos:local", messages, odds);
    }
}

/// Without change points, one order of the operations decides everything.
#[test]
fn pct_of_depth_one_has_one_order() {
    let mut hits = 0;
    let orders = permutations(&[Who::Body, Who::Sink, Who::B, Who::A]);
    for order in &orders {
        let mut state = Skew::new(4);
        hits += loop {
            if let Some(last) = state.a_is_last() {
                break u32::from(last);
            }
            let enabled = state.enabled();
            let top = order.iter().find(|who| enabled.contains(who));
            state = state.step(*top.expect("somebody is enabled"));
        };
    }
    // B runs to its end if it comes before the body, or else before A.
    assert_eq!((hits, orders.len()), (16, 24));
    assert_skew("pct:1", 4, 2.0 / 3.0);
}

#[test]
fn pos_keeps_priorities_but_of_what_raced() {
    let model = PosModel::default().odds(Skew::new(2), &Vec::new(), 0);
    let walk = walk(Skew::new(2), |_, _| 1.0, &mut BTreeMap::new());
    let apart = (model / walk - 1.0).abs();
    assert!(apart > 0.05, "{model} and {walk} are alike");
    assert_skew("pos", 2, model);
}

/// The probability under partial order sampling. Only the order of the drawn numbers
/// matters. A new number is equally likely at every place among all earlier ones,
/// including those of steps that are over. A state therefore has the pending steps in
/// ascending order, each with the count of finished numbers between it and the one below.
#[derive(Default)]
struct PosModel {
    known: BTreeMap<(Skew, Drawn, u32), f64>,
}

type Drawn = Vec<(u32, Who)>;

impl PosModel {
    /// `above` is the count of finished numbers above all pending ones.
    fn odds(&mut self, state: Skew, drawn: &Drawn, above: u32) -> f64 {
        if let Some(last) = state.a_is_last() {
            return f64::from(u8::from(last));
        }
        let key = (state, drawn.clone(), above);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let has_drawn = |who: &Who| drawn.iter().any(|(_, drawn)| drawn == who);
        let new = state.enabled().into_iter().find(|who| !has_drawn(who));
        let odds = match new {
            Some(new) => self.draw(state, drawn, above, new),
            None => self.step(state, drawn.clone(), above),
        };
        self.known.insert(key, odds);
        odds
    }

    fn draw(&mut self, state: Skew, drawn: &Drawn, above: u32, new: Who) -> f64 {
        let (mut sum, mut places) = (0.0, 0);
        for at in 0..=drawn.len() {
            let over = drawn.get(at).map_or(above, |(over, _)| *over);
            for below in 0..=over {
                let mut drawn = drawn.clone();
                let mut above = above;
                match drawn.get_mut(at) {
                    Some((over, _)) => *over -= below,
                    None => above -= below,
                }
                drawn.insert(at, (below, new));
                sum += self.odds(state, &drawn, above);
                places += 1;
            }
        }
        sum / f64::from(places)
    }

    fn step(&mut self, state: Skew, mut drawn: Drawn, mut above: u32) -> f64 {
        let (over, top) = drawn.pop().expect("somebody is enabled");
        above += over + 1;
        if state.sends(top) {
            let other = if top == Who::A { Who::B } else { Who::A };
            let at = drawn.iter().position(|(_, who)| *who == other);
            if let Some(at) = at.filter(|_| state.sends(other)) {
                let (over, _) = drawn.remove(at);
                match drawn.get_mut(at) {
                    Some((next, _)) => *next += over + 1,
                    None => above += over + 1,
                }
            }
        }
        self.odds(state.step(top), &drawn, above)
    }
}

/// Sends this number of messages to the first node at its start.
fn sender(messages: u64) -> Rule {
    Box::new(move |acts, message| {
        if message.is_none() {
            (0..messages).for_each(|number| acts.send(0, "item", number));
        }
    })
}

/// Runs N senders and a sink, and records the order in which the sink receives.
fn fan_in(sys: &System, senders: usize, messages: usize, orders: &'static Orders) {
    let mut order = Vec::new();
    let sink: Rule = Box::new(move |_, message| {
        let Some(message) = message else { return };
        order.push(message.from);
        if order.len() == senders * messages {
            *orders.lock().unwrap().entry(order.clone()).or_default() += 1;
        }
    });
    let sender = || sender(messages as u64);
    let senders = std::iter::repeat_with(sender).take(senders);
    spawn(sys, std::iter::once(sink).chain(senders).collect());
}

type Orders = Mutex<BTreeMap<Vec<usize>, u64>>;

fn orders(strategy: &str, senders: usize, messages: usize) -> BTreeMap<Vec<usize>, u64> {
    let orders: &'static Orders = Box::leak(Box::default());
    run(strategy, 20_000, |sys| {
        fan_in(&sys, senders, messages, orders)
    });
    std::mem::take(&mut *orders.lock().unwrap())
}

/// Returns the number of executions in which a timer of the sink fires after this number of B's messages.
fn timer_after(strategy: &str, executions: u64, expected: u64, messages: u64) -> u64 {
    let hits: &'static AtomicU64 = Box::leak(Box::default());
    run(strategy, executions, |sys| {
        let sink = sys.spawn(Clocked {
            messages: 0,
            expected,
            hits,
        });
        at_start(&sys, move |_| {
            (0..messages).for_each(|_| sink.tell(Item));
        });
    });
    hits.load(Ordering::Relaxed)
}

/// The timer fires after all messages.
fn timer_is_last(strategy: &str, messages: u64) -> (u64, u64) {
    let executions = 5_000;
    let hits = timer_after(strategy, executions, messages, messages);
    (hits, executions)
}

#[derive(Debug)]
struct Item;

struct Clocked {
    messages: u64,
    expected: u64,
    hits: &'static AtomicU64,
}
#[actor]
impl Clocked {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Tick);
    }
    #[on]
    fn item(&mut self, _: Item) {
        self.messages += 1;
    }
    #[on]
    fn tick(&mut self, _: Tick) {
        let is_hit = self.messages == self.expected;
        self.hits.fetch_add(u64::from(is_hit), Ordering::Relaxed);
    }
}

/// A timer races with the messages to its owner: it draws again after each of four sends, and
/// is last in one of 16 executions. With a single number it would be last in one of five.
#[test]
fn pos_local_has_timers_race() {
    let (plain, of) = timer_is_last("pos", 4);
    let plain = plain as f64 / of as f64;
    let (hits, of) = timer_is_last("pos:local", 4);
    let odds = LOCAL_FIRST * 0.5_f64.powi(4) + (1.0 - LOCAL_FIRST) * plain;
    assert_share(hits, of, odds);
}

/// With at most two delays, at least one of three executions is the explorer's own schedule.
#[test]
fn a_bound_on_delays_allows_none() {
    let own: &'static Orders = Box::leak(Box::default());
    let strategy = Box::new(Delayed::stratified(RoundRobin::new(), Some(0)));
    let report = tester(100)
        .custom_strategy(strategy)
        .run(|sys| fan_in(&sys, 3, 2, own));
    report.assert_clean();
    let own = std::mem::take(&mut *own.lock().unwrap());
    // The schedules of the pilots, which are walks, are left out.
    let own = own.into_iter().find(|(_, executions)| *executions >= 100);
    let (own, _) = own.expect("without delays there is one schedule");
    let with = orders("delay:rr/2", 3, 2);
    let total: u64 = with.values().sum();
    assert!(with[&own] >= total / 3 - total / 20, "{with:?}");
}

/// Except for the executions that are those of `pos`.
#[test]
fn pos_local_takes_each_permutation_equally_often() {
    let plain = orders("pos", 4, 1);
    let total: u64 = plain.values().sum();
    let share = |order: &Vec<usize>| {
        let plain = plain[order] as f64 / total as f64;
        LOCAL_FIRST / 24.0 + (1.0 - LOCAL_FIRST) * plain
    };
    assert_share_of_each(&orders("pos:local", 4, 1), 24, 70.5, share);
}

#[test]
fn surw_takes_each_order_of_many_messages_equally_often() {
    assert_uniform(&orders("surw", 2, 3), 20, 63.7);
    assert_uniform(&orders("surw", 2, 4), 70, 139.8);
}

/// A strategy that records the announced number of contended steps, which is
/// the same in each execution, since the strategy does not ask for the length.
#[derive(Debug)]
struct Told<S>(S, Arc<AtomicU64>);

impl<S: Strategy> Strategy for Told<S> {
    fn name(&self) -> String {
        self.0.name()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.1.store(execution.contended_steps(), Ordering::Relaxed);
        self.0.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.0.pick(enabled)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.0.choose(choice)
    }
    fn needs(&self) -> Needs {
        Needs {
            estimates: true,
            ..Needs::default()
        }
    }
}

/// P and Q send three messages each, and the sink detects an alternation that
/// begins with Q: for depth d, the first d constraints of q1 < p1 < q2 < p2 < q3.
/// Returns the share of executions, the bound of the paper, and the number of hits.
fn planted(depth: u32, of: u32, executions: u64) -> (f64, f64, u64) {
    let found: &'static AtomicU64 = Box::leak(Box::default());
    let steps = Arc::new(AtomicU64::new(0));
    let strategy = Told(Pct::with_depth(depth), steps.clone());
    let report = tester(executions)
        .custom_strategy(Box::new(strategy))
        .run(|sys| {
            let mut taken: Vec<usize> = Vec::new();
            let sink: Rule = Box::new(move |_, message| {
                let Some(message) = message else { return };
                taken.push(message.from);
                let at = |from: usize, nth: usize| {
                    let mut places = taken.iter().enumerate().filter(|(_, who)| **who == from);
                    places.nth(nth).map_or(usize::MAX, |(at, _)| at)
                };
                let chain = [at(2, 0), at(1, 0), at(2, 1), at(1, 1), at(2, 2)];
                let chain = &chain[..=of as usize];
                if taken.len() == 6 && chain.is_sorted() {
                    found.fetch_add(1, Ordering::Relaxed);
                }
            });
            spawn(&sys, vec![sink, sender(3), sender(3)]);
        });
    report.assert_clean();
    // The body, the sink, P and Q.
    let (operations, steps) = (4.0, steps.load(Ordering::Relaxed) as f64);
    let bound = 1.0 / (operations * steps.powi(depth as i32 - 1));
    let found = found.load(Ordering::Relaxed);
    (found as f64 / executions as f64, bound, found)
}

/// The bound is nearly tight (the share exceeds it by a third), so no error
/// is allowed for: other seeds may fall below it at the greatest depth.
#[test]
fn pct_keeps_its_bound_on_planted_chains() {
    for depth in 1..=4 {
        let (share, bound, _) = planted(depth, depth, 40_000);
        assert!(share >= bound, "depth {depth}: {share:.6} for {bound:.6}");
    }
    for depth in 2..=4 {
        let (_, _, found) = planted(depth - 1, depth, 5_000);
        assert_eq!(found, 0, "depth {depth} needs another change");
    }
}

/// Follows an explorer with given delays, and records the schedule.
#[derive(Debug)]
struct Given {
    explorer: RoundRobin,
    delays: Vec<u64>,
    contended_steps: u64,
    /// True if every delay was allowed by the paper: fewer at a step than there are enabled operations.
    valid: bool,
    schedule: Vec<usize>,
    schedules: Arc<Orders>,
}

impl Given {
    fn new(delays: Vec<u64>, schedules: &Arc<Orders>) -> Self {
        Self {
            explorer: RoundRobin::new(),
            delays,
            contended_steps: 0,
            valid: true,
            schedule: Vec::new(),
            schedules: schedules.clone(),
        }
    }
}

impl Strategy for Given {
    fn name(&self) -> String {
        "given".into()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.explorer.begin(execution);
        Some(Fairness::Unfair)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        if enabled.len() > 1 {
            let now = |delay: &&u64| **delay == self.contended_steps;
            let count = self.delays.iter().filter(now).count();
            self.valid &= count < enabled.len();
            (0..count).for_each(|_| self.explorer.delay(enabled));
            self.contended_steps += 1;
        }
        let next = self.explorer.next(enabled);
        self.explorer.stepped(&enabled[next]);
        self.schedule.push(enabled[next].operation.index());
        Ok(next)
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        let taken = self
            .delays
            .iter()
            .all(|delay| *delay < self.contended_steps);
        if self.valid && taken {
            let mut schedules = self.schedules.lock().unwrap();
            *schedules
                .entry(std::mem::take(&mut self.schedule))
                .or_default() += 1;
        }
    }
}

/// A strategy that counts its schedules.
#[derive(Debug)]
struct Counted<S> {
    strategy: S,
    schedule: Vec<usize>,
    schedules: Arc<Orders>,
}

impl<S: Strategy> Strategy for Counted<S> {
    fn name(&self) -> String {
        self.strategy.name()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        let schedule = std::mem::take(&mut self.schedule);
        *self.schedules.lock().unwrap().entry(schedule).or_default() += 1;
        self.strategy.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.strategy.pick(enabled)?;
        self.schedule.push(enabled[picked].operation.index());
        Ok(picked)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.strategy.choose(choice)
    }
    fn needs(&self) -> Needs {
        self.strategy.needs()
    }
}

/// Enumerates the executions with exactly this number of delays by all sequences
/// of delayed steps; each must occur at least with the paper's probability.
#[test]
fn stratified_sampling_keeps_its_bound() {
    let program = |sys: System| spawn(&sys, vec![Box::new(|_, _| {}), sender(1), sender(1)]);
    for delays in 1..=3 {
        let steps = Arc::new(AtomicU64::new(0));
        let sampled = Arc::new(Mutex::new(BTreeMap::new()));
        let strategy = Counted {
            strategy: Told(
                Delayed::stratified(RoundRobin::new(), Some(delays)),
                steps.clone(),
            ),
            schedule: Vec::new(),
            schedules: sampled.clone(),
        };
        let executions = 60_000;
        let report = tester(executions)
            .custom_strategy(Box::new(strategy))
            .run(program);
        report.assert_clean();
        let steps = steps.load(Ordering::Relaxed);
        let given = Arc::new(Mutex::new(BTreeMap::new()));
        for number in 0..steps.pow(delays) {
            let sequence = (0..delays)
                .map(|digit| number / steps.pow(digit) % steps)
                .collect();
            let strategy = Box::new(Given::new(sequence, &given));
            let report = tester(1).custom_strategy(strategy).run(program);
            report.assert_clean();
        }
        let (sampled, given) = (sampled.lock().unwrap(), given.lock().unwrap());
        assert!(given.len() > 3 * delays as usize, "{}", given.len());
        let bound = (steps as f64).powi(-(delays as i32));
        let expected = executions as f64 * bound;
        for schedule in given.keys() {
            let count = sampled.get(schedule).copied().unwrap_or(0) as f64;
            let is_enough = count > expected - 5.0 * expected.sqrt();
            assert!(is_enough, "{count} times, for {expected:.1}: {schedule:?}");
        }
    }
}

/// One execution in `long_one_in` has thousands of steps. In each, P sends ten
/// messages, and one of Q's may come in between, which needs a change of priorities
/// within the first steps. Returns the number of such cases among 200 executions.
fn overtaken(name: &str, long_one_in: usize, seed: u64) -> u64 {
    let found: &'static AtomicU64 = Box::leak(Box::default());
    let tester = tester(200).seed(seed).max_steps(100_000);
    let report = tester.strategy(strategy(name)).run(|sys| {
        let mut taken: Vec<usize> = Vec::new();
        let sink: Rule = Box::new(move |_, message| {
            let Some(message) = message else { return };
            taken.push(message.from);
            let between = taken.len() == 11 && (4..8).any(|place| taken[place] == 2);
            found.fetch_add(u64::from(between), Ordering::Relaxed);
        });
        let mut rules = vec![sink, sender(10), sender(1)];
        // Two balls, so that another operation is always enabled.
        rules.push(Box::new(move |acts, message| match message {
            None if acts.choose(long_one_in) == 0 => {
                (4..6).for_each(|player| acts.send(player, "ball", 1_000));
            }
            Some(ball) if ball.value > 0 => acts.send(ball.from, "ball", ball.value - 1),
            _ => {}
        }));
        for _ in 0..2 {
            rules.push(Box::new(|acts, message| {
                if let Some(ball) = message {
                    acts.send(3, "ball", ball.value);
                }
            }));
        }
        spawn(&sys, rules);
    });
    report.assert_clean();
    found.load(Ordering::Relaxed)
}

/// If few executions are long, change points and delays are not wasted on steps
/// that most executions lack, although with these seeds one of the pilots is long.
#[test]
fn change_points_fall_where_executions_are() {
    for (strategy, least) in [
        ("pct:2", 5),
        ("fair-pct:2", 5),
        ("early-fair-pct:6", 10),
        ("delay:rr/2", 5),
        ("ss:rr/1", 5),
    ] {
        for seed in [0, 1] {
            let found = overtaken(strategy, 10, seed);
            assert!(found >= least, "{strategy}, seed {seed}: {found} of 200");
        }
    }
}

/// Once the timer is set, only the timer and the send to its owner are enabled, so the timer fires first
/// with a probability given by its weight. An event may have its own weight, for its send and its timer.
#[test]
fn weighted_walks_go_by_weights() {
    for (name, executions, share) in [
        ("weighted:8/1", 30_000, timer_first(8.0, 1.0, 8.0)),
        ("weighted:1/1", 30_000, timer_first(1.0, 1.0, 1.0)),
        ("weighted:1/8", 30_000, timer_first(1.0, 8.0, 1.0)),
        ("weighted:8/1/Tick=16", 30_000, timer_first(8.0, 16.0, 8.0)),
        ("weighted:8/3/Item=2", 30_000, timer_first(8.0, 3.0, 2.0)),
        (
            "weighted:8/3/Item=80/Other=9",
            30_000,
            timer_first(8.0, 3.0, 80.0),
        ),
    ] {
        let hits = timer_after(name, executions, 0, 1);
        assert_share(hits, executions, share);
    }
}

/// The probability that the tick is handled before `Item`: it fires before `Item` is flushed.
/// The walk has two chains: the start of `Clocked` and then its timer; the second spawn, the
/// start of the other actor and its send. Both chains begin once the first spawn is flushed.
fn timer_first(work: f64, timer: f64, told: f64) -> f64 {
    // (steps of `Clocked` taken: 0 none, 1 started; steps of the other chain taken: 0 to 3)
    fn walk(started: bool, chain: u32, weights: [f64; 3]) -> f64 {
        let [work, timer, told] = weights;
        let other = match chain {
            3 => return 0.0,
            2 => told,
            _ => work,
        };
        if started {
            let fires = timer / (timer + other);
            fires + (1.0 - fires) * walk(true, chain + 1, weights)
        } else {
            let starts = work / (work + other);
            starts * walk(true, chain, weights) + (1.0 - starts) * walk(false, chain + 1, weights)
        }
    }
    walk(false, 0, [work, timer, told])
}
