//! If the footprint of steps goes beyond inboxes, `dpor` treats unsupported operations as
//! dependent on everything: the end states and bugs are the same as over all schedules.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{self, Poll};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Terminated, actor};
use actor_test::Report;
use actor_test::strategy::Reduction;
use behaviour::closures::{Handles, at_start, handler, handles};
use behaviour::harness::events::Go;
use behaviour::harness::{outcomes, whole};
use behaviour::players::FeatureProgram;
use behaviour::talkers::{FeatureSet, HistoryProgram};

use crate::search::dpor::{all_uses, kinds};
use crate::search::{programs, reduction};

/// Returns true if the reduction needed the footprints of steps.
fn is_by_steps(report: &Report) -> bool {
    matches!(reduction(report), Reduction::Steps { .. })
}

/// Compares random programs with their enumeration over all schedules, up to a maximum
/// number. Returns the number of compared programs, and of those that were not followed.
fn assert_as_brute_force(
    program: fn(u64) -> FeatureProgram,
    programs: u64,
    schedules_max: u64,
) -> (u64, u64) {
    let (mut compared, mut outside) = (0, 0);
    for number in 0..programs {
        let play = program(number);
        let (all, report) = play.explore("dfs", schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (found, dpor) = play.explore("dpor", u64::MAX);
        if !is_by_steps(&dpor) {
            continue;
        }
        if !dpor.verdict.is_exhaustive() {
            outside += 1;
            continue;
        }
        assert_eq!(found, all, "program {number}: {play:#?}");
        compared += 1;
    }
    (compared, outside)
}

#[test]
fn random_programs_end_as_in_all_schedules() {
    let count = programs("DPOR", 150);
    for program in [FeatureProgram::random, FeatureProgram::wide] {
        let (compared, outside) = assert_as_brute_force(program, count, 1_000);
        assert!(compared > outside && compared > count / 8);
    }
}

/// The same for programs in which an actor watches another from the first step on.
fn assert_watching_as_brute_force(programs: u64, schedules_max: u64) {
    let all = all_uses().map(|uses| {
        let watches = true;
        watching_as_brute_force(FeatureSet { watches, ..uses }, programs, schedules_max)
    });
    let compared: u64 = all.sum();
    assert!(compared > programs, "{compared}");
}

fn watching_as_brute_force(uses: FeatureSet, programs: u64, schedules_max: u64) -> u64 {
    let mut compared = 0;
    for number in 0..programs {
        let talk = HistoryProgram::random(number, uses);
        let (mut all, report) = talk.explore("dfs:local", schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (mut found, dpor) = talk.explore("dpor", u64::MAX);
        if !is_by_steps(&dpor) {
            continue;
        }
        assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
        all.ends.dedup();
        found.ends.dedup();
        assert_eq!(found.ends, all.ends, "{talk:?}");
        assert_eq!(kinds(&found), kinds(&all), "{talk:?}");
        compared += 1;
    }
    compared
}

#[test]
fn who_watches_ends_as_in_all_schedules() {
    assert_watching_as_brute_force(programs("DPOR", 12), 300);
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn ten_thousand_random_programs_end_as_in_all_schedules() {
    let count = programs("DPOR", 5_000);
    for program in [FeatureProgram::random, FeatureProgram::wide] {
        let (compared, outside) = assert_as_brute_force(program, count, 5_000);
        assert!(compared > outside && compared > count / 4);
    }
    assert_watching_as_brute_force(programs("DPOR", 250), 2_000);
}

type Noted = Arc<Mutex<Vec<u64>>>;

/// Asserts that DPOR finds this number of records, the same as the enumeration of all schedules.
#[track_caller]
fn assert_outcomes(count: usize, program: impl Fn(&System, Noted) + Sync) {
    let run = |search: &str| {
        let noted = Noted::default();
        let all = Mutex::new(BTreeSet::new());
        let keep = || {
            let noted = std::mem::take(&mut *noted.lock().expect("nobody panics here"));
            all.lock().expect("nobody panics here").insert(noted);
        };
        let tester = whole(search).check_every(0);
        let report = tester.run(|sys| {
            keep();
            program(&sys, noted.clone());
        });
        assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
        keep();
        all.into_inner().expect("nobody panics here")
    };
    let (mut all, mut found) = (run("dfs"), run("dpor"));
    // An execution that adds nothing is ended early.
    found.retain(|noted| all.contains(noted) || !all.iter().any(|whole| whole.starts_with(noted)));
    assert_eq!(found, all);
    // The empty record of an execution that was ended before the first one.
    all.remove(&Vec::new());
    assert_eq!(all.len(), count, "{all:?}");
}

type Answerer = Handles<Go, u64>;

fn answerer() -> Answerer {
    handler(|_: Go, _| 7)
}

/// Watches another actor, a dependency that is invisible in inboxes.
struct Watcher(ActorRef<Answerer>);

#[actor]
impl Watcher {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.0);
    }

    #[on]
    fn terminated(&mut self, _: Terminated) {}
}

/// An actor asks at the first event, and polls the answer at the second. The poll depends on the reply, and
/// nothing else shows this dependency.
#[test]
fn a_reply_is_there_or_not_for_who_looks_without_waiting() {
    assert_outcomes(2, |sys, noted| {
        let answerer = sys.spawn(answerer());
        sys.spawn(Watcher(answerer.clone()));
        let mut asked: Option<Pin<Box<dyn Future<Output = u64> + Send>>> = None;
        let observer = handles(sys, move |_: Go, _| {
            let mut now = task::Context::from_waker(task::Waker::noop());
            let Some(mut asked) = asked.take() else {
                let mut ask = Box::pin(answerer.ask(Go));
                let is_there = ask.as_mut().poll(&mut now);
                assert!(is_there.is_pending(), "nobody can have answered yet");
                asked = Some(Box::pin(async move { ask.await.unwrap_or(0) }));
                return;
            };
            let value = match asked.as_mut().poll(&mut now) {
                Poll::Ready(value) => value,
                Poll::Pending => 1,
            };
            noted.lock().expect("nobody panics here").push(value);
        });
        observer.tell(Go);
        observer.tell(Go);
    });
}

/// Two actors record the numbers of the actors that they spawn.
#[test]
fn actors_are_numbered_in_the_orders_in_which_they_may_be_created() {
    assert_outcomes(2, |sys, noted| {
        let watched = sys.spawn(answerer());
        sys.spawn(Watcher(watched));
        for _ in 0..2 {
            let noted = noted.clone();
            at_start(sys, move |cx| {
                let child = cx.spawn(answerer()).id().as_u64();
                let me = cx.me().id().as_u64();
                let mut noted = noted.lock().expect("nobody panics here");
                noted.push(100 * me + child);
            });
        }
    });
}

type Halting = Handles<Option<u64>, u64>;

/// Answers with the number that it is asked for. Without a number it halts, or passes the request on.
fn halting(next: Option<ActorRef<Halting>>) -> Halting {
    handler(move |number, cx: &mut Context<_>| {
        match (number, &next) {
            (None, Some(next)) => next.tell(None),
            (None, None) => cx.halt(),
            _ => {}
        }
        number.unwrap_or(0)
    })
}

/// An ask to a stopped actor is answered by the runtime, and the program is still followed.
#[test]
fn who_asks_an_actor_that_halts_meanwhile_is_followed() {
    let explore = |name: &str| {
        let program = async |sys: System| {
            let b = sys.spawn(halting(None));
            let a = sys.spawn(halting(Some(b.clone())));
            sys.sleep(Duration::from_millis(1)).await;
            let asked = a.ask(Some(1));
            a.tell(None);
            format!("{:?}", (asked.await, b.ask(Some(2)).await))
        };
        outcomes(&whole(name).iterations(10_000), program).1
    };
    let all = explore("dfs");
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(explore("dpor"), all);
}
