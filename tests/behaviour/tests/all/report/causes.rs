//! Causes of failures: the critical transition, the nearest
//! execution that does not fail, and the races that the bug needs.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::sync::blocking::atomic::{AtomicBool, Ordering};
use actor_core::thread;
use actor_test::Tester;
use actor_test::causes::{Causes, ContinuationCounts, DecisivePoint, StepSummary};
use actor_test::strategy::StrategySpec;
use behaviour::closures::{at_start, handles};
use behaviour::debt::{Debt, Owe, Pay};
use behaviour::harness::events::Go;
use behaviour::harness::same_for_workers;

/// The budget in steps for the search for causes.
const STEPS: u64 = 4_000_000;

#[derive(Debug)]
struct Tick(u64);

/// Owes an order at one tick; at a later one it may break, and then never serves the order.
struct Cook {
    orders_at: u64,
    breaks_at: u64,
    ends_at: u64,
    broken: bool,
}
#[actor]
impl Cook {
    #[on]
    fn tick(&mut self, Tick(now): Tick, cx: &mut Context<Self>) {
        if now == self.orders_at {
            cx.announce(Owe);
        }
        if now == self.breaks_at && cx.choose(3) == 0 {
            self.broken = true;
        }
        if now > self.breaks_at && !self.broken && cx.choose(4) == 0 {
            cx.announce(Pay);
        } else if now < self.ends_at {
            cx.me().tell(Tick(now + 1));
        }
    }
}

fn kitchen(orders_at: u64, breaks_at: u64, ends_at: u64, noises: u64) -> impl Fn(&System) + Sync {
    move |sys| {
        sys.monitor::<Debt>();
        for _ in 0..noises {
            // An unrelated activity, for a long time or for ever.
            let wall = handles(sys, |_: Go, _| {});
            let noise = handles(sys, move |tick: Tick, cx| {
                wall.tell(Go);
                if tick.0 < ends_at {
                    cx.me().tell(Tick(tick.0 + 1));
                }
            });
            noise.tell(Tick(0));
        }
        sys.spawn(Cook {
            orders_at,
            breaks_at,
            ends_at,
            broken: false,
        })
        .tell(Tick(0));
    }
}

/// A tester of random executions that searches for causes.
fn random(iterations: u64) -> Tester {
    let tester = Tester::new().strategy(StrategySpec::Random);
    tester.iterations(iterations).explain(STEPS)
}

fn tester() -> Tester {
    random(100).max_steps(300).lasso(false)
}

fn causes(tester: &Tester, program: impl Fn(&System) + Sync) -> Causes {
    let report = tester.run(|sys| program(&sys));
    let bug = report.bugs.first().expect("it fails");
    bug.causes.clone().expect("causes were looked for")
}

/// Returns the continuations of a bug for which nothing in its execution is decisive.
fn from_the_start(causes: &Causes) -> ContinuationCounts {
    match causes.decided {
        DecisivePoint::FromTheStart { share, .. } => share,
        ref other => panic!("{other:?}"),
    }
}

/// Returns the decisive step, the continuations before and after it, and their length.
fn critical(causes: &Causes) -> (&StepSummary, ContinuationCounts, ContinuationCounts, u64) {
    match &causes.decided {
        DecisivePoint::Critical {
            at,
            before,
            after,
            horizon,
            ..
        } => (at, *before, *after, *horizon),
        other => panic!("{other:?}"),
    }
}

/// The dead state begins at a known step: where the cook breaks. Most
/// executions end some time later, with the order unserved; some never end.
#[test]
fn the_critical_transition_is_where_the_dead_state_begins() {
    // One program of each remainder modulo three, and one that never ends.
    assert_critical([0, 7, 14, 49]);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn the_critical_transition_is_where_the_dead_state_begins_in_fifty_programs() {
    assert_critical(0..50);
}

fn assert_critical(plants: impl IntoIterator<Item = u64>) {
    for plant in plants {
        let orders_at = plant * 7 % 13;
        let breaks_at = orders_at + plant * 5 % 23;
        let ends_at = match plant % 25 {
            24 => u64::MAX,
            _ => breaks_at + 40,
        };
        let kitchen = kitchen(orders_at, breaks_at, ends_at, plant % 3);
        let found = causes(&tester().seed(plant), kitchen);
        let (at, before, after, _) = critical(&found);
        let breaks = format!("handles Tick({breaks_at}) from ");
        assert!(
            at.actor == "Cook" && at.what.contains(&breaks) && at.what.contains("chooses 0"),
            "plant {plant}: {at:?}, and it {breaks}"
        );
        assert_eq!((before.step, after.step), (at.step - 1, at.step));
        assert!(after.escaped == 0 && after.of >= 60, "{after:?}");
        assert!(before.escaped * 2 > before.of, "{before:?}");
        let nearest = found.nearest.expect("one that recovers");
        assert!(nearest.shared >= before.step, "{nearest:?}");
        assert!(!found.cut_short);
    }
}

/// With default bounds, an obligation must be pending for 50 000 steps before it is
/// suspected: the cook breaks some steps before the order, in a program that never ends.
#[test]
fn what_is_dead_as_soon_as_it_is_owed_is_found_within_the_budget() {
    let tester = tester().max_steps(10_000);
    let found = causes(&tester, kitchen(10, 3, u64::MAX, 1));
    let (at, _, _, horizon) = critical(&found);
    assert!(at.what.contains("handles Tick(3) from "), "{at:?}");
    assert!(!found.cut_short, "{found:?}");
    assert!(horizon < 10_000, "{horizon}");
}

/// Several workers find the same causes as one worker, with a sufficient budget and with a short one.
#[test]
fn the_number_of_workers_changes_no_cause() {
    for (budget, lasts) in [(STEPS, true), (25_000, false)] {
        same_for_workers(&[1, 3], |workers| {
            let tester = tester().max_steps(1_000).explain(budget);
            let causes = causes(&tester.workers(workers), kitchen(10, 3, u64::MAX, 1));
            assert_eq!(causes.cut_short, !lasts, "{causes:?}");
            format!("{causes:?}")
        });
    }
}

#[derive(Debug)]
struct Acquire;
#[derive(Debug)]
struct Release;
#[derive(Debug)]
struct Work;

/// Grants itself to one waiter after the other, even to one whose wait has timed out.
#[derive(Default)]
struct Tool {
    is_lent: bool,
    waiting: VecDeque<Reply<()>>,
}
#[actor]
impl Tool {
    #[on]
    fn acquire(&mut self, _: Acquire, reply: Reply<()>) {
        self.waiting.push_back(reply);
        self.lend();
    }

    #[on]
    fn release(&mut self, _: Release) {
        self.is_lent = false;
        self.lend();
    }
}

impl Tool {
    fn lend(&mut self) {
        if !self.is_lent
            && let Some(reply) = self.waiting.pop_front()
        {
            self.is_lent = true;
            reply.send(());
        }
    }
}

struct Worker {
    tool: ActorRef<Tool>,
    worked: u32,
}
#[actor]
impl Worker {
    #[on]
    async fn work(&mut self, _: Work) {
        while self.worked < 4 {
            let lent = self.tool.ask(Acquire).timeout(Duration::from_secs(30));
            if lent.await.is_ok() {
                self.worked += 1;
                self.tool.tell(Release);
            }
        }
    }
}

/// Timers fire as often as any other event, so a worker's wait times out in nearly every
/// execution. Nevertheless the reported step is the loss of the tool, and not the start.
#[test]
fn what_timers_that_fire_early_decide_is_not_decided_from_the_start() {
    let tester = tester().max_steps(400).minimize(STEPS);
    let report = tester.run(|sys| {
        let tool = sys.spawn(Tool::default());
        let workers = [0; 3].map(|worked| {
            let tool = tool.clone();
            sys.spawn(Worker { tool, worked })
        });
        for worker in &workers {
            worker.tell(Work);
        }
        sys.eventually("all have worked", move |world| {
            let mut workers = workers.iter().map(|worker| world.get(worker));
            workers.all(|worker| worker.is_some_and(|worker| worker.worked == 4))
        });
    });
    let bug = report.bugs.first().expect("the tool is lost");
    let minimized = bug.minimized.as_ref().expect("the rest is left out");
    assert!((8..=16).contains(&minimized.after.steps), "{minimized:?}");
    let found = bug.causes.as_ref().expect("causes were looked for");
    let (at, before, after, _) = critical(found);
    // Or the step after that, in which the worker resumes.
    let lost_with = ["fires: the time for a reply is over", "resumes, awaits"];
    assert!(lost_with.contains(&&*at.what), "{found:?}");
    assert_eq!(at.step, minimized.after.steps);
    assert!(before.escaped > 0 && after.escaped == 0, "{found:?}");
}

type Letters = &'static [&'static str];

/// Each sender sends one letter, or several. The program fails if the letters that matter arrive in this order.
fn post(bad: Letters, senders: &'static [Letters]) -> impl Fn(&System) + Sync {
    move |sys| {
        let mut had = Vec::new();
        let to = handles(sys, move |letter: &'static str, _| {
            had.extend(Some(letter).filter(|letter| bad.contains(letter)));
            assert!(had != bad, "bad order");
        });
        for letters in senders {
            let to = to.clone();
            at_start(sys, move |_| {
                letters.iter().for_each(|letter| to.tell(*letter));
            });
        }
    }
}

/// Returns the needed races, as `b before a`.
fn needed(bad: Letters, senders: &'static [Letters]) -> Vec<String> {
    let causes = causes(&random(1_000), post(bad, senders));
    assert!(!causes.cut_short);
    let letter = |event: &str| event.replace('"', "");
    for race in &causes.races.needed {
        assert_eq!(race.at, "Handles");
        assert!(race.reversed >= 21, "{race:?}");
        assert!(race.kept_failed > 0 && race.kept == 21, "{race:?}");
        assert!(race.first.step < race.second.step, "{race:?}");
    }
    let needed = causes.races.needed.iter().map(|race| {
        let (first, second) = (letter(&race.first.event), letter(&race.second.event));
        format!("{first} before {second}")
    });
    let mut needed: Vec<String> = needed.collect();
    needed.sort();
    needed
}

#[test]
fn a_race_that_the_bug_needs_is_named_and_others_are_not() {
    assert_eq!(needed(&["b", "a"], &[&["a"], &["b"]]), ["b before a"]);
    // Unrelated letters in between.
    let others: &[Letters] = &[&["a"], &["x", "y"], &["b"], &["z"]];
    assert_eq!(needed(&["b", "a"], others), ["b before a"]);
    // Two races, the first of which would not be enough.
    let three: &[Letters] = &[&["a"], &["b"], &["c"], &["x"]];
    let both = ["a before c", "b before a"];
    assert_eq!(needed(&["b", "a", "c"], three), both);
}

#[test]
fn what_fails_in_any_order_needs_no_race() {
    let tester = Tester::new().iterations(1).explain(STEPS);
    let causes = causes(&tester, post(&["x"], &[&["a"], &["x"], &["b"]]));
    assert!(causes.races.needed.is_empty(), "{causes:?}");
    assert_eq!(from_the_start(&causes).failed, 32);
    assert_eq!(causes.nearest, None);
}

/// Events of one sender are ordered, so they do not race.
#[test]
fn what_has_to_come_in_an_order_is_no_race() {
    let tester = Tester::new().iterations(1).explain(STEPS);
    let causes = causes(&tester, post(&["a", "b"], &[&["a", "b"]]));
    assert_eq!((causes.races.pairs, causes.races.reversed), (0, 0));
}

#[derive(Debug)]
struct Count(u32);

/// Makes a choice, and checks the result after five more events: only the choice decides.
#[test]
fn of_what_is_found_at_once_the_step_is_told_after_which_most_executions_fail() {
    let tester = Tester::new().iterations(1_000).explain(STEPS);
    let causes = causes(&tester, |sys| {
        let mut is_bad = false;
        let drawer = handles(sys, move |count: Count, cx| {
            match count.0 {
                0 => is_bad = cx.choose(10) == 0,
                5 => assert!(!is_bad, "a bad lot"),
                _ => {}
            }
            if count.0 < 5 {
                cx.me().tell(Count(count.0 + 1));
            }
        });
        drawer.tell(Count(0));
    });
    let DecisivePoint::Mostly {
        at, before, after, ..
    } = &causes.decided
    else {
        panic!("{:?}", causes.decided);
    };
    assert_eq!((before.step, after.step), (at.step - 1, at.step));
    assert!(at.what.starts_with("handles Count(0)"), "{at:?}");
    assert!(before.failed < 12 && after.failed == 32, "{before:?}");
}

/// The program fails if the last letter comes after the first six: each letter
/// raises the probability, and no single one makes a significant difference.
#[test]
fn of_what_gets_likely_bit_by_bit_the_steps_are_told_between_which_it_does() {
    let senders: &[Letters] = &[&["a", "b", "c", "d", "e", "f"], &["z"], &["x"]];
    let program = post(&["a", "b", "c", "d", "e", "f", "z"], senders);
    let causes = causes(&random(1_000), program);
    let DecisivePoint::Between { before, after, .. } = &causes.decided else {
        panic!("{:?}", causes.decided);
    };
    assert!(before.failed * 2 <= before.of && after.failed * 2 > after.of);
    assert!(after.step > before.step + 1 && after.failed >= before.failed + 12);
    let last = causes.curve.last().expect("the last step but one");
    assert_eq!((last.failed, last.of), (32, 32));
    let nearest = causes.nearest.expect("one that escapes");
    assert!(nearest.shared >= before.step && nearest.instead.is_some());
}

#[derive(Debug, Clone)]
struct Beat;
#[derive(Debug)]
struct Configure(u32);
#[derive(Debug)]
struct Begin;

/// Beats for ever, or eight times. A limit that is configured after the begin is one too low.
#[derive(Default)]
struct Heart {
    limit: u32,
    beats: u32,
    halts: bool,
    has_begun: bool,
}

#[actor]
impl Heart {
    #[on]
    fn configure(&mut self, Configure(limit): Configure) {
        self.limit = limit - u32::from(self.has_begun);
    }

    #[on]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        self.has_begun = true;
        cx.every(Duration::from_millis(10), Beat);
    }

    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        self.beats += 1;
        assert!(self.limit == 0 || self.beats <= self.limit, "too many");
        if self.halts && self.beats >= 8 {
            cx.halt();
        }
    }
}

/// Most continuations would end after a few beats, since only a periodic timer is
/// left. They do not count as escaped, and fail when the timer has fired more often.
#[test]
fn what_is_over_with_periodic_timers_left_has_not_escaped() {
    let causes = causes(&random(10_000), |sys| {
        let heart = sys.spawn(Heart::default());
        heart.tell(Begin);
        heart.tell(Configure(7));
    });
    let share = from_the_start(&causes);
    assert_eq!((share.failed, share.escaped), (share.of, 0));
    assert!(causes.nearest.is_none() && causes.races.needed.is_empty());
}

/// The same program with a schedule that recovers.
#[test]
fn what_goes_on_for_long_enough_with_periodic_timers_has_escaped() {
    let causes = causes(&random(10_000), |sys| {
        let (halts, heart) = (true, Heart::default());
        let heart = sys.spawn(Heart { halts, ..heart });
        let begins = heart.clone();
        at_start(sys, move |_| begins.tell(Begin));
        heart.tell(Configure(8));
    });
    assert!(causes.nearest.is_some(), "{causes:?}");
    let needed = causes.races.needed.iter();
    let mut events = needed.map(|race| (&*race.first.event, &*race.second.event));
    let race = ("Begin", "Configure(8)");
    assert!(events.any(|events| events == race), "{causes:?}");
}

/// A thread waits for a flag that is never set, and the body waits for the thread.
/// The step that begins a wait does not discharge an obligation, so no step recovers.
#[test]
fn who_begins_to_wait_has_not_recovered() {
    let tester = Tester::new().strategy(StrategySpec::Random).minimize(STEPS);
    let tester = tester.max_steps(300).explain(STEPS);
    let causes = causes(&tester, |_: &System| {
        let flag = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn(move || {
            while !flag.load(Ordering::SeqCst) {
                thread::yield_now();
            }
        });
        thread.join().expect("it never ends");
    });
    let share = from_the_start(&causes);
    assert_eq!((share.failed, share.escaped), (share.of, 0));
    assert!(causes.nearest.is_none(), "{causes:?}");
}
