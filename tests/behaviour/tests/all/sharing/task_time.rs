//! Time in tasks: sleeps, sleeps that are moved to other tasks, timeouts and intervals.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actor_core::prelude::*;
use actor_core::sync::{Notify, mpsc};
use actor_core::task::{self, MissedTickBehavior};
use actor_core::thread;
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::handles;
use behaviour::harness::{in_production, strategy};

use super::SEARCHES;

const SECOND: Duration = Duration::from_secs(1);

type Seen<T> = Arc<Mutex<BTreeSet<T>>>;

/// Returns the records of all schedules; exhaustive searches must find the same.
fn all<T, F>(program: impl Fn(System, Seen<T>) -> F + Sync) -> Vec<T>
where
    T: Ord + Clone + Send + std::fmt::Debug + 'static,
    F: Future<Output = ()> + 'static,
{
    all_with(false, program)
}

/// The same with patient timers, so that no task is late.
fn on_time<T, F>(program: impl Fn(System, Seen<T>) -> F + Sync) -> Vec<T>
where
    T: Ord + Clone + Send + std::fmt::Debug + 'static,
    F: Future<Output = ()> + 'static,
{
    all_with(true, program)
}

fn all_with<T, F>(is_patient: bool, program: impl Fn(System, Seen<T>) -> F + Sync) -> Vec<T>
where
    T: Ord + Clone + Send + std::fmt::Debug + 'static,
    F: Future<Output = ()> + 'static,
{
    let mut all = BTreeSet::new();
    for search in SEARCHES {
        let seen = Seen::default();
        let tester = Tester::new().patient_timers(is_patient).iterations(50_000);
        let tester = tester.strategy(strategy(search));
        let report = tester.run(|sys| program(sys, seen.clone()));
        report.assert_clean();
        let is_proved = report.verdict.is_exhaustive();
        let seen = std::mem::take(&mut *seen.lock().expect("nobody panics"));
        match search {
            "dfs" => {
                assert!(is_proved, "{:?}", report.verdict);
                all = seen;
            }
            _ => assert!(!is_proved || seen == all, "{search}: {seen:?}, not {all:?}"),
        }
    }
    all.into_iter().collect()
}

fn note<T: Ord>(seen: &Seen<T>, what: T) {
    seen.lock().expect("nobody panics").insert(what);
}

/// Runs a scenario in all schedules in which no task is late, and in production; returns the only outcome.
fn on_both<T, F>(scenario: impl Fn(System) -> F + Sync) -> T
where
    T: Ord + Clone + Send + std::fmt::Debug + 'static,
    F: Future<Output = T> + 'static,
{
    let under_test = on_time(|sys, seen| {
        let outcome = scenario(sys);
        async move { note(&seen, outcome.await) }
    });
    let outcome = in_production(scenario);
    assert_eq!(under_test, std::slice::from_ref(&outcome));
    outcome
}

#[test]
fn a_sleep_begins_when_it_is_made() {
    let passed = on_both(async |sys| {
        let begun = sys.now();
        let sleep = task::sleep(3 * SECOND);
        task::sleep(SECOND).await;
        task::spawn(sleep).await.expect("it ends");
        (sys.now() - begun).as_secs()
    });
    assert_eq!(passed, 3);
}

#[test]
fn a_sleep_takes_as_long_as_it_says() {
    let seen = on_time(|_, seen| async move {
        let begun = Instant::now();
        let own = seen.clone();
        let slept = task::spawn(async move {
            task::sleep(SECOND).await;
            note(&own, (0, begun.elapsed()));
        });
        slept.await.expect("it ends");
        let slept = thread::spawn(|| task::block_on(task::sleep(2 * SECOND)));
        slept.join().expect("it ends");
        note(&seen, (1, begun.elapsed()));
        task::sleep(3 * SECOND).await;
        note(&seen, (2, begun.elapsed()));
    });
    assert_eq!(seen, [(0, SECOND), (1, 3 * SECOND), (2, 6 * SECOND)]);
}

/// One task starts the sleep and ends or stays; another awaits it, before or after its deadline.
#[test]
fn a_sleep_that_is_handed_on_is_over_neither_too_early_nor_too_late() {
    for waits_before in [0, 1, 2, 3] {
        for stays in [0, 3] {
            let program = move |_, seen| async move {
                let begun = Instant::now();
                let maker = async move {
                    let sleep = task::sleep(2 * SECOND);
                    drop(task::spawn(async move {
                        if waits_before > 0 {
                            task::sleep(waits_before * SECOND).await;
                        }
                        sleep.await;
                        note(&seen, begun.elapsed());
                    }));
                    if stays > 0 {
                        task::sleep(stays * SECOND).await;
                    }
                };
                drop(task::spawn(maker));
            };
            let right = 2.max(waits_before) * SECOND;
            assert_eq!(on_time(program), [right]);
            // In other schedules the task may be late, but never early.
            assert_eq!(all(program).first(), Some(&right));
        }
    }
}

/// A moved sleep wakes the task that awaits it, in any order with other timers of the same deadline.
#[test]
fn a_sleep_that_is_handed_on_comes_in_any_order_to_what_is_due_with_it() {
    let seen = all(|_, seen| async move {
        let order = Arc::new(Mutex::new(Vec::new()));
        let sleeps = [1, 2].map(|number| (number, task::sleep(SECOND)));
        for (number, sleep) in sleeps {
            let (order, seen) = (order.clone(), seen.clone());
            drop(task::spawn(async move {
                sleep.await;
                let mut order = order.lock().expect("nobody panics");
                order.push(number);
                note(&seen, order.clone());
            }));
        }
    });
    assert_eq!(seen, [vec![1], vec![1, 2], vec![2], vec![2, 1]]);
}

#[test]
fn a_sleep_that_nobody_awaits_delays_nobody() {
    let seen = on_time(|_, seen| async move {
        let begun = Instant::now();
        drop(task::sleep(9 * SECOND));
        let limited = task::timeout(9 * SECOND, task::sleep(SECOND));
        let limited = task::spawn(limited);
        limited.await.expect("it ends").expect("it is in time");
        note(&seen, begun.elapsed());
    });
    assert_eq!(seen, [SECOND]);
}

#[derive(Clone, Debug)]
struct Begin;

#[derive(Clone, Debug)]
struct Done(Duration);

/// A handler starts a sleep, and pipes it to itself.
struct Piper {
    seen: Seen<Duration>,
    begun: Instant,
    halts: bool,
}

#[actor]
impl Piper {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        let (sleep, begun) = (task::sleep(2 * SECOND), self.begun);
        task::sleep(SECOND).await;
        let piped = async move {
            sleep.await;
            begun.elapsed()
        };
        cx.pipe_to_self(piped, Done);
        if self.halts {
            cx.halt();
        }
    }

    #[on]
    fn done(&mut self, done: Done) {
        note(&self.seen, done.0);
    }
}

#[test]
fn a_handler_begins_a_sleep_for_what_it_pipes() {
    for halts in [false, true] {
        let seen = all(move |sys, seen| async move {
            let begun = Instant::now();
            let piper = Piper { seen, begun, halts };
            sys.spawn(piper).tell(Begin);
        });
        let right: &[_] = if halts { &[] } else { &[2 * SECOND] };
        assert_eq!(seen, right);
    }
}

#[test]
fn a_limit_ends_a_wait_and_what_is_ready_comes_first() {
    let seen = all(|_, seen| async move {
        let in_time = task::timeout(2 * SECOND, task::sleep(SECOND)).await;
        note(&seen, (0, in_time.is_ok()));
        let late = task::timeout(SECOND, task::sleep(2 * SECOND)).await;
        note(&seen, (1, late.is_ok()));
        let both = task::timeout(SECOND, task::sleep(SECOND)).await;
        note(&seen, (2, both.is_ok()));
        let at_once = task::timeout(Duration::ZERO, async { 7 }).await;
        note(&seen, (3, at_once == Ok(7)));
    });
    // A task that is polled after both deadlines finds the future ready.
    let either = |number| [(number, false), (number, true)];
    let right = [&[(0, true)][..], &either(1), &either(2), &[(3, true)]];
    assert_eq!(seen, right.concat());
}

#[test]
fn a_limit_ends_a_wait() {
    let outcomes = on_both(async |_| {
        let in_time = task::timeout(2 * SECOND, task::sleep(SECOND)).await;
        let late = task::spawn(task::timeout(SECOND, task::sleep(2 * SECOND)));
        let late = late
            .await
            .expect("it ends")
            .map_err(|error| error.to_string());
        assert_eq!(task::timeout(Duration::ZERO, async { 7 }).await, Ok(7));
        assert_eq!(task::timeout(Duration::MAX, async { 7 }).await, Ok(7));
        (in_time.is_ok(), late)
    });
    assert_eq!(outcomes, (true, Err("the time is over".into())));
}

/// Returns the times of the ticks of a task that is busy for a while after the second one.
fn ticks(missed: MissedTickBehavior) -> Vec<u64> {
    on_both(move |sys| async move {
        let begun = sys.now();
        let mut ticks = task::interval(2 * SECOND);
        ticks.set_missed_tick_behavior(missed);
        assert_eq!(ticks.period(), 2 * SECOND);
        let mut times = Vec::new();
        for tick in 0..6 {
            ticks.tick().await;
            times.push((sys.now() - begun).as_secs());
            if tick == 1 {
                task::sleep(5 * SECOND).await;
            }
        }
        ticks.reset();
        let reset = sys.now();
        ticks.tick().await;
        assert_eq!((sys.now() - reset).as_secs(), 2);
        times
    })
}

#[test]
fn ticks_come_in_time_and_those_that_are_missed_as_is_said() {
    assert_eq!(ticks(MissedTickBehavior::Burst), [0, 2, 7, 7, 8, 10]);
    assert_eq!(ticks(MissedTickBehavior::Delay), [0, 2, 7, 9, 11, 13]);
    assert_eq!(ticks(MissedTickBehavior::Skip), [0, 2, 7, 8, 10, 12]);
}

#[test]
fn a_tick_that_is_not_awaited_to_its_end_comes_the_next_time() {
    let passed = on_both(async |sys| {
        let begun = sys.now();
        let mut ticks = task::interval(2 * SECOND);
        ticks.tick().await;
        let given_up = task::timeout(SECOND, ticks.tick()).await;
        given_up.expect_err("it comes later");
        ticks.tick().await;
        (sys.now() - begun).as_secs()
    });
    assert_eq!(passed, 2);
}

#[test]
#[should_panic(expected = "an interval has a period above zero")]
fn an_interval_has_a_period() {
    let _ = task::interval(Duration::ZERO);
}

fn run<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) -> Report {
    Tester::new().iterations(100).run(program)
}

async fn tick_for_ever() {
    let mut ticks = task::interval(SECOND);
    loop {
        ticks.tick().await;
    }
}

/// A tick alone does not keep the execution going, with or without a join handle.
#[test]
fn an_execution_ends_where_nothing_but_ticks_comes() {
    let report = run(|sys| async move {
        drop(task::spawn(tick_for_ever()));
        let (send, mut receive) = mpsc::channel::<u32>(1);
        drop(task::spawn(async move {
            let mut ticks = task::interval(2 * SECOND);
            loop {
                actor_core::select! {
                    Some(_) = receive.recv() => {}
                    () = ticks.tick() => {}
                }
            }
        }));
        let held = task::spawn(tick_for_ever());
        handles(&sys, move |_: Begin, _| _ = &held);
        std::mem::forget(send);
    });
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 0);
}

#[test]
fn ticks_are_no_excuse_for_one_that_waits_for_ever() {
    let report = run(|_| async {
        let ticker = task::spawn(tick_for_ever());
        Notify::new().notified().await;
        ticker.abort();
    });
    let bug = report.assert_bug("`test` awaits the Notify");
    assert_eq!(bug.kind(), BugKind::Deadlock);
}
