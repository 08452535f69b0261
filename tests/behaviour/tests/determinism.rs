//! The same seed does the same, for any number of workers; a recorded schedule replays.

use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

#[derive(Debug)]
struct Work(u64);
#[derive(Debug, Clone)]
struct Tick;
#[derive(Debug)]
struct Done(u64);

/// Uses everything whose order or value a schedule decides.
struct Worker {
    boss: ActorRef<Boss>,
    ticks: u32,
}
#[actor]
impl Worker {
    #[on]
    async fn work(&mut self, work: Work, cx: &mut Context<Self>) {
        let delay = cx.choose(3) as u64;
        cx.sleep(Duration::from_millis(delay)).await;
        let drawn = rand_core::Rng::next_u64(&mut cx.rng()) % 100;
        cx.after(Duration::from_millis(1), Tick);
        self.boss.tell(Done(work.0 + drawn));
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks += 1;
        if self.ticks < 3 && cx.choose_bool() {
            cx.after(Duration::from_millis(1), Tick);
        }
    }
}

#[derive(Default)]
struct Boss {
    done: u64,
    last: u64,
}
#[actor]
impl Boss {
    #[on]
    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        self.done += 1;
        self.last = self.last * 31 + done.0;
        let temporary = cx.spawn(Boss::default());
        if self.done == 3 {
            assert!(
                !self.last.is_multiple_of(97),
                "a rare order and rare numbers"
            );
            temporary.tell(Done(0));
        }
    }
}

fn program(sys: &System) {
    let boss = sys.spawn(Boss::default());
    for number in 0..4 {
        let boss = boss.clone();
        sys.spawn(Worker { boss, ticks: 0 }).tell(Work(number));
    }
}

fn explore(seed: u64, workers: usize) -> Report {
    let mut report = Tester::new()
        .iterations(2_000)
        .seed(seed)
        .workers(workers)
        .run(program);
    report.elapsed_s = 0.0;
    for strategy in &mut report.strategies {
        strategy.elapsed_s = 0.0;
    }
    for bug in &mut report.bugs {
        bug.found_after_s = 0.0;
    }
    report
}

#[test]
fn the_number_of_workers_changes_nothing() {
    for seed in 0..5 {
        let one = explore(seed, 1);
        assert_eq!(one, explore(seed, 2), "seed {seed}");
        assert_eq!(one, explore(seed, 3), "seed {seed}");
        assert!(!one.is_clean(), "the rare bug is found in 2 000 schedules");
    }
}

#[test]
fn another_seed_does_something_else() {
    assert_ne!(explore(1, 1).bugs, explore(2, 1).bugs);
}

/// What the schedules do is part of the contract: numbers that change here make recorded schedules
/// stop replaying, and belong into the changelog.
#[test]
fn schedules_are_the_same_on_every_machine() {
    let report = Tester::new()
        .iterations(50)
        .seed(7)
        .strategy(StrategySpec::Random)
        .run(|sys| {
            let boss = sys.spawn(Boss::default());
            for number in 0..2 {
                let boss = boss.clone();
                sys.spawn(Worker { boss, ticks: 0 }).tell(Work(number));
            }
        });
    report.assert_clean();
    let steps = report.steps.expect("every execution ends by itself");
    assert_eq!((steps.min, steps.avg, steps.max), EXPECTED_STEPS);
    assert_eq!(report.behaviours.seen, EXPECTED_BEHAVIOURS);
}

const EXPECTED_STEPS: (u64, u64, u64) = (22, 25, 30);
const EXPECTED_BEHAVIOURS: u64 = 50;

/// Every one of 100 000 executions is run twice and compared step by step.
#[test]
fn replays_never_diverge() {
    let mut settings = actor_test::Settings::default();
    settings.iterations = 100_000;
    settings.check_every = 1;
    settings.keep_going = true;
    settings.workers = 2;
    let report = Tester::with(settings).run(program);
    assert_eq!(report.executions, 100_000);
    let rare = |bug: &actor_test::Bug| bug.message().contains("a rare order");
    assert!(
        report.bugs().iter().all(rare),
        "{:?}",
        report.bugs().iter().find(|bug| !rare(bug))
    );
}
