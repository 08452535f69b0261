//! Determinism: the same seed gives the same executions for any number of workers, and recordings replay.

use std::time::Duration;

use actor_core::fs::OpenOptions;
use actor_core::prelude::*;
use actor_core::{actor, monitor};
use actor_test::faults::FaultBudgets;
use actor_test::story::{Effect, Step};
use actor_test::strategy::StrategySpec;
use actor_test::{Bug, BugKind, Report, Tester};
use behaviour::closures::{awaiting, handles};
use behaviour::crew::{Boss, Done, crew};
use behaviour::harness::events::Go;
use behaviour::harness::{same_for_workers, timeless};

fn program(sys: System) {
    crew(&sys, 4, 97);
}

fn explore(seed: u64, workers: usize) -> Report {
    let tester = Tester::new().iterations(2_000).seed(seed);
    timeless(tester.workers(workers).run(program))
}

#[test]
fn the_number_of_workers_changes_nothing() {
    for seed in 0..5 {
        let one = same_for_workers(&[1, 2, 3], |workers| explore(seed, workers));
        assert!(!one.is_clean(), "the rare bug is found in 2 000 schedules");
    }
}

#[test]
fn another_seed_does_something_else() {
    assert_ne!(explore(1, 1).bugs, explore(2, 1).bugs);
}

/// The schedules are part of the contract: a change of these numbers
/// makes recorded schedules invalid, and belongs in the changelog.
#[test]
fn schedules_are_the_same_on_every_machine() {
    let report = Tester::new()
        .iterations(50)
        .seed(7)
        .strategy(StrategySpec::Random)
        .run(|sys| crew(&sys, 2, 97));
    report.assert_clean();
    let steps = report.steps.expect("every execution ends by itself");
    assert_eq!((steps.min, steps.avg, steps.max), EXPECTED_STEPS);
    assert_eq!(report.behaviours.seen, EXPECTED_BEHAVIOURS);
}

const EXPECTED_STEPS: (u64, u64, u64) = (22, 25, 30);
const EXPECTED_BEHAVIOURS: u64 = 50;

/// Runs this number of executions twice each, and compares them step by step.
fn assert_replays_never_diverge(executions: u64) {
    let report = Tester::new()
        .iterations(executions)
        .check_every(1)
        .keep_going()
        .workers(2)
        .run(program);
    assert_eq!(report.executions, executions);
    let is_rare = |bug: &Bug| bug.message().contains("a rare order");
    let other = report.bugs().iter().find(|bug| !is_rare(bug));
    assert!(other.is_none(), "{other:?}");
}

#[test]
fn replays_never_diverge() {
    assert_replays_never_diverge(20_000);
}

#[test]
#[ignore = "takes a minute: .ci/long runs it"]
fn replays_of_a_million_executions_never_diverge() {
    assert_replays_never_diverge(1_000_000);
}

/// The lost writes of a disk are drawn in the step of a crash, and the
/// next fault strikes some steps later, most of which have no alternative.
#[test]
fn replays_of_crashes_never_diverge() {
    let faults: FaultBudgets = "crash=2,restart=2".parse().expect("faults");
    let tester = Tester::new().faults(faults);
    let report = tester.iterations(1_000).check_every(1).run(|sys| {
        sys.node("n1", |node| {
            // Writes again and again, without a sync.
            let disk = node.disk();
            awaiting(node, async move {
                let options = OpenOptions::new().append(true).create(true);
                let Ok(file) = disk.open("log", options).await else {
                    return;
                };
                for byte in 0..3 {
                    let _ = file.append([byte]).await;
                }
            });
        });
    });
    report.assert_clean();
    assert_eq!(report.executions, 1_000);
}

/// Announced and sent to no observer.
#[derive(Debug)]
struct Noise;
#[derive(Debug)]
struct Stir(u64);
#[derive(Debug)]
struct HowMuch;

/// Reacts to each event by a hash of its seed and history: announces, sends,
/// asks, chooses, waits, sets and cancels timers, spawns, watches, stops.
struct Restless {
    seed: u64,
    left: u32,
    friends: Vec<ActorRef<Restless>>,
    timer: Option<Timer>,
}

impl Restless {
    fn next(&mut self) -> u64 {
        self.seed = self
            .seed
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(1);
        self.seed >> 33
    }

    fn friend(&mut self) -> Option<ActorRef<Self>> {
        let number = self.next() as usize;
        let count = self.friends.len().max(1);
        self.friends.get(number % count).cloned()
    }
}

#[actor]
impl Restless {
    #[on]
    async fn stir(&mut self, stir: Stir, cx: &mut Context<Self>) {
        self.seed ^= stir.0;
        for _ in 0..1 + self.next() % 6 {
            let Some(left) = self.left.checked_sub(1) else {
                return;
            };
            self.left = left;
            let (what, number) = (self.next() % 12, self.next());
            let friend = self.friend();
            match (what, friend) {
                (0, _) => cx.announce(Noise),
                (1, Some(friend)) => friend.tell(Stir(number)),
                (2, _) => self.seed ^= cx.choose(3) as u64,
                (3, _) => self.seed ^= u64::from(cx.choose_bool()),
                (4, _) => self.seed ^= rand_core::Rng::next_u64(&mut cx.rng()) % 3,
                (5, _) => {
                    let delay = Duration::from_millis(number % 3);
                    self.timer = Some(cx.after(delay, Stir(number)));
                }
                (6, _) => {
                    if let Some(timer) = self.timer.take() {
                        cx.cancel(timer);
                    }
                }
                (7, Some(friend)) => {
                    let ask = friend.ask(HowMuch).timeout(Duration::from_millis(2));
                    self.seed ^= ask.await.unwrap_or(1);
                }
                (8, _) => cx.sleep(Duration::from_millis(number % 2)).await,
                (9, _) => {
                    let child = Restless {
                        seed: number,
                        left: self.left / 2,
                        friends: self.friends.clone(),
                        timer: None,
                    };
                    let child = cx.spawn(child);
                    child.tell(Stir(number));
                    self.friends.push(child);
                }
                (10, Some(friend)) => {
                    cx.watch(&friend);
                }
                (11, _) if number.is_multiple_of(4) => return cx.halt(),
                _ => cx.announce(Noise),
            }
        }
    }
    #[on]
    fn how_much(&mut self, _: HowMuch) -> u64 {
        self.next()
    }
    #[on]
    fn gone(&mut self, _: Terminated, cx: &mut Context<Self>) {
        cx.announce(Noise);
    }
}

/// A monitor of an event that does not occur.
#[derive(Default)]
struct Blind;
#[monitor(hot(Looking), cold(Resting))]
impl Blind {
    #[on]
    fn done(&mut self, _: &Done, cx: &mut MonitorContext<Self>) {
        cx.goto(BlindState::Looking);
    }
}

fn commotion(sys: &System, seed: u64, watched: bool) {
    if watched {
        sys.monitor::<Blind>();
    }
    let mut all: Vec<ActorRef<Restless>> = Vec::new();
    for number in 0..3 {
        let seed = seed.wrapping_mul(31).wrapping_add(number);
        let restless = Restless {
            seed,
            left: 40,
            friends: all.clone(),
            timer: None,
        };
        let restless = sys.spawn(restless);
        restless.tell(Stir(number + 1));
        all.push(restless);
    }
}

/// Returns the step without monitors, whose numbers depend on how many there are.
fn without_monitors(step: &Step) -> Step {
    let mut step = step.clone();
    step.monitors.clear();
    step
}

/// Random programs behave the same with an additional monitor that observes nothing, and
/// with recording. Every execution fails at its end and is run again with full
/// recording; a different step, decision or finding would be reported as nondeterminism.
#[test]
fn recording_and_looking_change_nothing() {
    let mut announced = 0;
    for program in 0..150 {
        let explore = |watched: bool| {
            Tester::new().iterations(2).seed(program).run(|sys| {
                commotion(&sys, program, watched);
                sys.eventually("never", |_| false);
            })
        };
        let (alone, watched) = (explore(false), explore(true));
        let (bug, same) = (&alone.bugs()[0], &watched.bugs()[0]);
        let message = bug.message();
        assert_ne!(bug.kind(), BugKind::Nondeterminism, "{program}: {message}");
        assert_eq!(bug.finding, same.finding, "{program}");
        assert_eq!(bug.trace.decisions, same.trace.decisions, "{program}");
        assert_eq!(bug.trace.checks, same.trace.checks, "{program}");
        let whole = |bug: &Bug| {
            let steps = bug.trace.story.steps.iter();
            steps.map(without_monitors).collect::<Vec<_>>()
        };
        assert_eq!(whole(bug), whole(same), "{program}");
        assert_eq!(alone.steps_total, watched.steps_total, "{program}");
        assert_eq!(alone.behaviours, watched.behaviours, "{program}");
        let effects = bug.trace.story.steps.iter().flat_map(|step| &step.effects);
        let announces =
            |effect: &&Effect| matches!(effect, Effect::Announced { event } if event == "Noise");
        announced += effects.filter(announces).count();
    }
    assert!(announced > 300, "{announced} announcements are told of");
}

/// The recorded execution shows the same spinning as the first one.
#[test]
fn an_actor_that_spins_and_announces_is_found_to_spin() {
    let report = Tester::new().iterations(1).max_steps(500).run(|sys| {
        let humming = handles(&sys, |_: Go, cx| {
            cx.announce(Noise);
            cx.me().tell(Go);
        });
        humming.tell(Go);
    });
    let bug = report.assert_bug("handled only events that it had sent itself");
    assert_eq!(bug.kind(), BugKind::Spin);
}

/// The `Debug` implementation takes a forbidden action, and runs only while recording.
struct Meddling(ActorRef<Boss>);
impl std::fmt::Debug for Meddling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.tell(Done(1));
        write!(f, "Meddling")
    }
}

#[test]
fn a_debug_that_sends_sends_nothing() {
    let report = Tester::new().iterations(1).run(|sys| {
        let boss = sys.spawn(Boss::new(97));
        handles(&sys, |_: Meddling, _| {}).tell(Meddling(boss));
        sys.eventually("never", |_| false);
    });
    let bug = report.assert_bug("never");
    assert_eq!(bug.kind(), BugKind::HotAtEnd);
    // Nobody handles the event that the `Debug` has sent.
    assert_eq!(bug.finding.step, 5);
}
