//! Exhaustive mode: if one search can't follow the program, another one
//! continues, and the report says if no search has proved the program.
//!
//! Each program has the same bug, two tellers that reach a judge in
//! either order, and one construct that a search may not support.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use actor_core::fs::OpenOptions;
use actor_core::prelude::*;
use actor_core::{Terminated, WeakRef, actor, sync, task, thread};
use actor_test::settings::Search;
use actor_test::strategy::Gap;
use actor_test::strategy::StepConstruct;
use actor_test::{Report, Tester};
use behaviour::harness::events::Tick;
use behaviour::harness::strategy;

const BUDGET: u64 = 400_000;

/// A tester with the settings of a test marked `#[actor_test]` that demands a proof.
fn tester() -> Tester {
    by(Search::Exhaustive).step_budget(BUDGET).prove(BUDGET)
}

/// A tester without a budget that demands a proof by this search.
fn by(search: Search) -> Tester {
    Tester::new()
        .search(search)
        .iterations(u64::MAX)
        .samples_beside_proof(100)
}

#[derive(Clone, Hash, Debug, serde::Serialize, serde::Deserialize)]
struct Number(u64);

#[derive(Hash, Debug)]
struct Judge {
    heard: Vec<u64>,
    is_strict: bool,
}

#[actor(remote)]
impl Judge {
    #[on]
    fn number(&mut self, number: Number) {
        self.heard.push(number.0);
        let is_wrong = self.is_strict && self.heard == [2, 1];
        assert!(!is_wrong, "two before one");
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Does {
    Nothing,
    Ticks,
    Draws,
    Sleeps,
    Writes,
    Calls,
    Watches,
    Pipes,
}

#[derive(Hash, Debug)]
struct Teller {
    judge: ActorRef<Judge>,
    number: u64,
    does: Does,
}

#[actor]
impl Teller {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> io::Result<()> {
        match self.does {
            Does::Nothing => {}
            Does::Ticks => {
                cx.every(Duration::from_millis(10), Tick);
            }
            Does::Draws => _ = rand_core::Rng::next_u64(&mut cx.rng()),
            Does::Sleeps => cx.sleep(Duration::from_millis(5)).await,
            Does::Writes => {
                let disk = cx.disk();
                let new = OpenOptions::new().append(true).create(true);
                let file = disk.open(&format!("file {}", self.number), new).await?;
                file.append("x").await?;
                file.sync_data().await?;
            }
            Does::Calls => _ = cx.fallible("call", || Ok::<(), io::Error>(())),
            Does::Watches => cx.watch(&self.judge),
            Does::Pipes => cx.pipe_to_self(async {}, |()| Tick),
        }
        self.judge.tell(Number(self.number));
        Ok(())
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn gone(&mut self, _: Terminated) {}
}

#[derive(Debug)]
struct Locker {
    lock: Arc<sync::Mutex<u64>>,
    judge: ActorRef<Judge>,
    number: u64,
}

#[actor]
impl Locker {
    #[start]
    async fn start(&mut self) {
        *self.lock.lock().await += 1;
        self.judge.tell(Number(self.number));
    }
}

#[derive(Debug)]
struct Weak {
    judge: WeakRef<Judge>,
    number: u64,
}

#[actor]
impl Weak {
    #[start]
    fn start(&mut self) {
        if let Some(judge) = self.judge.upgrade() {
            judge.tell(Number(self.number));
        }
    }
}

/// A construct that a search may not support.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Construct {
    Does(Does),
    PatientSleep,
    RefCounted,
    Bounded,
    Predicate,
    Finish,
    StoppingNodes,
    Nodes,
    Tasks,
    Threads,
    Lock,
    Weak,
}

const ALL: [Construct; 19] = [
    Construct::Does(Does::Nothing),
    Construct::Does(Does::Ticks),
    Construct::Does(Does::Draws),
    Construct::Does(Does::Sleeps),
    Construct::Does(Does::Writes),
    Construct::Does(Does::Calls),
    Construct::Does(Does::Watches),
    Construct::Does(Does::Pipes),
    Construct::PatientSleep,
    Construct::RefCounted,
    Construct::Bounded,
    Construct::Predicate,
    Construct::Finish,
    Construct::StoppingNodes,
    Construct::Nodes,
    Construct::Tasks,
    Construct::Threads,
    Construct::Lock,
    Construct::Weak,
];

fn two(sys: &System, is_strict: bool, does: Does) {
    let judge = sys.spawn(judge(is_strict));
    tell(sys, &judge, does);
}

fn judge(is_strict: bool) -> Judge {
    Judge {
        heard: Vec::new(),
        is_strict,
    }
}

fn tell(sys: &System, judge: &ActorRef<Judge>, does: Does) {
    for number in 1..3 {
        let judge = judge.clone();
        sys.spawn(Teller {
            judge,
            number,
            does,
        });
    }
}

async fn program(sys: System, construct: Construct, has_mistake: bool) {
    let sys = &sys;
    match construct {
        Construct::Does(does) => {
            sys.fails("call", || io::Error::other("no"));
            two(sys, has_mistake, does);
        }
        Construct::PatientSleep => two(sys, has_mistake, Does::Sleeps),
        Construct::RefCounted => {
            let judge = sys.spawner().ref_counted().spawn(judge(has_mistake));
            tell(sys, &judge, Does::Nothing);
        }
        Construct::Bounded => {
            let mailbox = actor_core::mailbox::Mailbox::bounded(4);
            let judge = sys.spawner().mailbox(mailbox).spawn(judge(has_mistake));
            tell(sys, &judge, Does::Nothing);
        }
        Construct::Predicate => {
            sys.always("few", |world| world.in_flight() < 99);
            two(sys, has_mistake, Does::Nothing);
        }
        Construct::Finish => {
            two(sys, has_mistake, Does::Ticks);
            sys.sleep(Duration::from_millis(15)).await;
            sys.finish();
        }
        Construct::StoppingNodes | Construct::Nodes => {
            let judge = sys.spawn(judge(has_mistake));
            for (number, name) in [(1, "n1"), (2, "n2")] {
                let judge = judge.clone();
                sys.node(name, move |node: &System| {
                    node.spawn(Teller {
                        judge: judge.clone(),
                        number,
                        does: Does::Nothing,
                    });
                });
            }
        }
        Construct::Tasks => {
            let count = Arc::new(sync::Mutex::new(0u64));
            let add = |_| {
                let count = count.clone();
                task::spawn(async move {
                    if has_mistake {
                        let before = *count.lock().await;
                        *count.lock().await = before + 1;
                    } else {
                        *count.lock().await += 1;
                    }
                })
            };
            let tasks: Vec<_> = (1..3).map(add).collect();
            for task in tasks {
                task.await.expect("nobody aborts it");
            }
            assert_eq!(*count.lock().await, 2, "an update is lost");
        }
        Construct::Threads => {
            let count = Arc::new(sync::blocking::atomic::AtomicU64::new(0));
            let add = |_| {
                let count = count.clone();
                thread::spawn(move || {
                    if has_mistake {
                        let before = count.load(SeqCst);
                        count.store(before + 1, SeqCst);
                    } else {
                        count.fetch_add(1, SeqCst);
                    }
                })
            };
            let threads: Vec<_> = (1..3).map(add).collect();
            for thread in threads {
                thread.join().expect("it does not panic");
            }
            assert_eq!(count.load(SeqCst), 2, "an update is lost");
        }
        Construct::Lock => {
            let lock = Arc::new(sync::Mutex::new(0));
            let judge = sys.spawn(judge(has_mistake));
            for number in 1..3 {
                let (lock, judge) = (lock.clone(), judge.clone());
                sys.spawn(Locker {
                    lock,
                    judge,
                    number,
                });
            }
        }
        Construct::Weak => {
            let judge = sys.spawn(judge(has_mistake));
            for number in 1..3 {
                let judge = judge.downgrade();
                sys.spawn(Weak { judge, number });
            }
        }
    }
}

fn run(tester: Tester, construct: Construct, has_mistake: bool) -> Report {
    let faults = match construct {
        Construct::Does(Does::Calls) => "call=1",
        Construct::StoppingNodes => "stop=1",
        _ => "none",
    };
    tester
        .patient_timers(construct == Construct::PatientSleep)
        .faults(faults.parse().expect("faults"))
        .run(move |sys| program(sys, construct, has_mistake))
}

#[test]
fn the_mistake_is_found_whatever_the_search_can_not_follow() {
    for construct in ALL {
        let report = run(tester(), construct, true);
        assert!(!report.is_clean(), "{construct:?}: {:?}", report.verdict);
        assert!(!report.is_unproved(), "{construct:?}");
    }
}

/// The cases without a proof: a periodic timer fills the inbox of an actor that does not handle
/// its events; seeds can't be enumerated; nodes that stop at any step have too many states.
#[test]
fn what_is_right_is_proved_or_said_to_be_unproved() {
    let has_no_proof = [
        Construct::Does(Does::Ticks),
        Construct::Does(Does::Draws),
        Construct::Finish,
        Construct::StoppingNodes,
    ];
    for construct in ALL {
        let report = run(tester(), construct, false);
        assert!(report.is_clean(), "{construct:?}: {:?}", report.bugs());
        let (unproved, verdict) = (report.is_unproved(), &report.verdict);
        let case = || format!("{construct:?}: {verdict:?}, {:?}", report.tried);
        assert_eq!(unproved, has_no_proof.contains(&construct), "{}", case());
        assert_eq!(unproved, !verdict.is_exhaustive(), "{}", case());
    }
}

fn names(report: &Report) -> Vec<&str> {
    let tried = report.tried.iter();
    tried.map(|tried| &*tried.strategy).collect()
}

#[test]
fn states_go_on_where_dpor_can_not_follow() {
    let report = run(tester(), Construct::Lock, false);
    assert_eq!(names(&report), ["dpor"]);
    let is_sharing =
        |gap: &Gap| matches!(gap, Gap::Unsupported { what, .. } if *what == StepConstruct::Sharing);
    assert!(is_sharing(&report.tried[0].gaps[0]), "{:?}", report.tried);
    assert!(report.verdict.states().is_some_and(|states| states > 10));
    let report = run(tester(), Construct::Lock, true);
    assert_eq!(report.bugs()[0].strategy, "states");
}

#[test]
fn samples_go_on_where_no_search_ends() {
    let report = run(tester(), Construct::Does(Does::Ticks), false);
    assert_eq!(names(&report), ["dpor", "states"]);
    let sampled = report.verdict.gaps.contains(&Gap::Budget { steps: BUDGET });
    assert!(sampled && report.executions >= 10, "{:?}", report.verdict);
    let [dpor, states] = &report.tried[..] else {
        panic!("{:?}", report.tried);
    };
    assert!(dpor.executions <= 3, "{dpor:?}");
    // The search is abandoned at its budget, and not at the machine's limits.
    let is_endless = matches!(states.gaps[..], [Gap::NoEnd { states }] if states > 100);
    assert!(is_endless && states.steps <= 8 * BUDGET, "{states:?}");
}

#[test]
fn the_report_does_not_depend_on_the_workers() {
    for construct in [Construct::Lock, Construct::Does(Does::Ticks)] {
        for has_mistake in [false, true] {
            let of = |workers| {
                let report = run(tester().workers(workers), construct, has_mistake);
                let bugs: Vec<_> = report.bugs().iter().map(|bug| bug.token.clone()).collect();
                let (tried, verdict) = (report.tried, report.verdict);
                (report.executions, report.steps_total, bugs, tried, verdict)
            };
            assert_eq!(of(1), of(3), "{construct:?}");
        }
    }
}

#[test]
fn one_search_alone_goes_on_with_no_other() {
    let dpor = by(Search::ExhaustiveBy(strategy("dpor")));
    let report = run(dpor, Construct::Lock, true);
    assert!(report.is_unproved() && report.tried.is_empty());
    let panicked = std::panic::catch_unwind(|| report.assert_clean());
    let said = panicked.expect_err("nothing is proved");
    let said = said.downcast::<String>().expect("words");
    assert!(
        said.starts_with("UNPROVED  test  no bug was found, and nothing is proved: dpor, 2 executions: it can't follow a step of `Locker#2`")
            && said.contains("; to prove it, take `--exhaustive` without a name"),
        "{said}"
    );
    let states = by(Search::ExhaustiveBy(strategy("states")));
    let proved = run(states.clone(), Construct::Lock, false);
    assert!(proved.verdict.is_exhaustive());
    assert!(!run(states, Construct::Lock, true).is_clean());
}

/// A search with an explicit bound has fulfilled the request if it is complete within the bound.
#[test]
fn a_bound_that_was_asked_for_is_no_failure() {
    let bounded = by(Search::ExhaustiveBy(strategy("ses:rr/0")));
    let report = run(bounded.prove(BUDGET), Construct::Does(Does::Nothing), false);
    assert!(!report.verdict.is_exhaustive() && report.verdict.within().is_some());
    assert!(!report.is_unproved());
}

#[test]
fn who_names_an_end_is_told_that_it_was_too_early() {
    let writes = Construct::Does(Does::Writes);
    let report = run(tester().iterations(30), writes, false);
    let tried: u64 = report.tried.iter().map(|tried| tried.executions).sum();
    assert_eq!(report.executions + tried, 30);
    assert!(report.is_unproved());
    let gaps = &report.verdict.gaps[..];
    assert!(matches!(gaps, [Gap::Executions { .. }]), "{gaps:?}");
}

/// Denied conditions of the whole report do not apply to an abandoned search.
#[test]
fn a_search_that_gives_up_is_not_judged() {
    let tester = tester().deny(actor_test::settings::Deny::default().with_vacuous());
    let report = tester.run(|sys| {
        sys.sometimes("both are there", |world| {
            world.all::<Judge>().any(|judge| judge.heard.len() == 2)
        });
        two(&sys, false, Does::Ticks);
    });
    assert!(report.is_clean(), "{:?}", report.bugs());
    assert!(report.is_unproved());
}
