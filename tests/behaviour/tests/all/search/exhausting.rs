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
use actor_core::{Terminated, actor, sync, task, thread};
use actor_test::settings::Search;
use actor_test::strategy::Gap;
use actor_test::strategy::StepConstruct;
use actor_test::{Report, Tester};
use behaviour::closures::{at_start, awaiting};
use behaviour::harness::events::Tick;
use behaviour::harness::{failure_text, same_for_workers, strategy};

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

#[derive(Hash, Debug)]
struct Teller {
    judge: ActorRef<Judge>,
    number: u64,
    does: &'static str,
}

#[actor]
impl Teller {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> io::Result<()> {
        match self.does {
            "nothing" => {}
            "ticks" => {
                cx.every(Duration::from_millis(10), Tick);
            }
            "draws" => _ = rand_core::Rng::next_u64(&mut cx.rng()),
            "sleeps" => cx.sleep(Duration::from_millis(5)).await,
            "writes" => {
                let disk = cx.disk();
                let new = OpenOptions::new().append(true).create(true);
                let file = disk.open(&format!("file {}", self.number), new).await?;
                file.append("x").await?;
                file.sync_data().await?;
            }
            "calls" => _ = cx.fallible("call", || Ok::<(), io::Error>(())),
            "watches" => cx.watch(&self.judge),
            "pipes" => cx.pipe_to_self(async {}, |()| Tick),
            does => unreachable!("{does}"),
        }
        self.judge.tell(Number(self.number));
        Ok(())
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn gone(&mut self, _: Terminated) {}
}

/// Constructs that a search may not support. The first ones are used by tellers.
const ALL: [&str; 19] = [
    "nothing", "ticks", "draws", "sleeps", "writes", "calls", "watches", "pipes", "patient",
    "counted", "bounded", "always", "finish", "stops", "nodes", "tasks", "threads", "lock", "weak",
];

fn two(sys: &System, is_strict: bool, does: &'static str) {
    let judge = sys.spawn(judge(is_strict));
    tell(sys, &judge, does);
}

fn judge(is_strict: bool) -> Judge {
    let heard = Vec::new();
    Judge { heard, is_strict }
}

fn tell(sys: &System, judge: &ActorRef<Judge>, does: &'static str) {
    for number in 1..3 {
        let judge = judge.clone();
        sys.spawn(Teller {
            judge,
            number,
            does,
        });
    }
}

async fn program(sys: System, construct: &'static str, has_mistake: bool) {
    let sys = &sys;
    match construct {
        "patient" => two(sys, has_mistake, "sleeps"),
        "counted" => {
            let judge = sys.spawner().ref_counted().spawn(judge(has_mistake));
            tell(sys, &judge, "nothing");
        }
        "bounded" => {
            let mailbox = actor_core::mailbox::Mailbox::bounded(4);
            let judge = sys.spawner().mailbox(mailbox).spawn(judge(has_mistake));
            tell(sys, &judge, "nothing");
        }
        "always" => {
            sys.always("few", |world| world.in_flight() < 99);
            two(sys, has_mistake, "nothing");
        }
        "finish" => {
            two(sys, has_mistake, "ticks");
            sys.sleep(Duration::from_millis(15)).await;
            sys.finish();
        }
        "stops" | "nodes" => {
            let judge = sys.spawn(judge(has_mistake));
            for (number, name) in [(1, "n1"), (2, "n2")] {
                let judge = judge.clone();
                sys.node(name, move |node: &System| {
                    node.spawn(Teller {
                        judge: judge.clone(),
                        number,
                        does: "nothing",
                    });
                });
            }
        }
        "tasks" => {
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
        "threads" => {
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
        "lock" => {
            let lock = Arc::new(sync::Mutex::new(0));
            let judge = sys.spawn(judge(has_mistake));
            for number in 1..3 {
                let (lock, judge) = (lock.clone(), judge.clone());
                awaiting(sys, async move {
                    *lock.lock().await += 1;
                    judge.tell(Number(number));
                });
            }
        }
        "weak" => {
            let judge = sys.spawn(judge(has_mistake));
            for number in 1..3 {
                let judge = judge.downgrade();
                at_start(sys, move |_| {
                    if let Some(judge) = judge.upgrade() {
                        judge.tell(Number(number));
                    }
                });
            }
        }
        does => {
            sys.fails("call", || io::Error::other("no"));
            two(sys, has_mistake, does);
        }
    }
}

fn run(tester: Tester, construct: &'static str, has_mistake: bool) -> Report {
    let faults = match construct {
        "calls" => "call=1",
        "stops" => "stop=1",
        _ => "none",
    };
    tester
        .patient_timers(construct == "patient")
        .faults(faults.parse().expect("faults"))
        .run(move |sys| program(sys, construct, has_mistake))
}

#[test]
fn the_mistake_is_found_whatever_the_search_can_not_follow() {
    for construct in ALL {
        let report = run(tester(), construct, true);
        assert!(!report.is_clean(), "{construct}: {:?}", report.verdict);
        assert!(!report.is_unproved(), "{construct}");
    }
}

/// The cases without a proof: a periodic timer fills the inbox of an actor that does not handle
/// its events; seeds can't be enumerated.
#[test]
fn what_is_right_is_proved_or_said_to_be_unproved() {
    let has_no_proof = ["ticks", "draws", "finish"];
    for construct in ALL {
        let report = run(tester(), construct, false);
        assert!(report.is_clean(), "{construct}: {:?}", report.bugs());
        let (unproved, verdict) = (report.is_unproved(), &report.verdict);
        let case = || format!("{construct}: {verdict:?}, {:?}", report.tried);
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
    let report = run(tester(), "lock", false);
    assert_eq!(names(&report), ["dpor"]);
    let is_sharing =
        |gap: &Gap| matches!(gap, Gap::Unsupported { what, .. } if *what == StepConstruct::Sharing);
    assert!(is_sharing(&report.tried[0].gaps[0]), "{:?}", report.tried);
    assert!(report.verdict.states().is_some_and(|states| states > 10));
    let report = run(tester(), "lock", true);
    assert_eq!(report.bugs()[0].strategy, "states");
}

#[test]
fn samples_go_on_where_no_search_ends() {
    let report = run(tester(), "ticks", false);
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
    for construct in ["lock", "ticks"] {
        for has_mistake in [false, true] {
            same_for_workers(&[1, 3], |workers| {
                let report = run(tester().workers(workers), construct, has_mistake);
                let bugs: Vec<_> = report.bugs().iter().map(|bug| bug.token.clone()).collect();
                let (tried, verdict) = (report.tried, report.verdict);
                (report.executions, report.steps_total, bugs, tried, verdict)
            });
        }
    }
}

#[test]
fn one_search_alone_goes_on_with_no_other() {
    let dpor = by(Search::ExhaustiveBy(strategy("dpor")));
    let report = run(dpor, "lock", true);
    assert!(report.is_unproved() && report.tried.is_empty());
    let said = failure_text(&report);
    assert!(
        said.starts_with("UNPROVED  test  no bug was found, and nothing is proved: dpor, 2 executions: it can't follow a step of `Awaiting#2`")
            && said.contains("; to prove it, take `--exhaustive` without a name"),
        "{said}"
    );
    let states = by(Search::ExhaustiveBy(strategy("states")));
    let proved = run(states.clone(), "lock", false);
    assert!(proved.verdict.is_exhaustive());
    assert!(!run(states, "lock", true).is_clean());
}

/// A search with an explicit bound has fulfilled the request if it is complete within the bound.
#[test]
fn a_bound_that_was_asked_for_is_no_failure() {
    let bounded = by(Search::ExhaustiveBy(strategy("ses:rr/0")));
    let report = run(bounded.prove(BUDGET), "nothing", false);
    assert!(!report.verdict.is_exhaustive() && report.verdict.within().is_some());
    assert!(!report.is_unproved());
}

#[test]
fn who_names_an_end_is_told_that_it_was_too_early() {
    let report = run(tester().iterations(30), "writes", false);
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
        two(&sys, false, "ticks");
    });
    assert!(report.is_clean(), "{:?}", report.bugs());
    assert!(report.is_unproved());
}
