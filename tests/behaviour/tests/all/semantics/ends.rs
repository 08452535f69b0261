//! Starts and ends of actors under test: awaiting them, unwatching, and the end by the last reference.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::semantics::asks::every_by;
use actor_core::StopReason;
use actor_core::prelude::*;
use actor_core::supervision::Restart;
use actor_test::settings::Search;
use actor_test::{BugKind, Report, Tester};

#[derive(Debug)]
struct Halt;
#[derive(Debug)]
struct Break;
#[derive(Debug)]
struct Serve;

#[derive(Default)]
struct Mortal {
    served: u32,
}

#[actor]
impl Mortal {
    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }

    #[on]
    fn serve(&mut self, _: Serve) -> u32 {
        self.served += 1;
        self.served
    }
}

/// Explores every schedule of a clean program with an async body; returns all outcomes.
#[track_caller]
fn every<F: Future<Output = String> + 'static>(
    body: impl Fn(System) -> F + Sync,
) -> (Report, Vec<String>) {
    every_by(Tester::new().supervised(true), body)
}

#[test]
fn an_end_is_awaited_and_has_its_reason() {
    let (report, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        mortal.tell(Halt);
        let end = mortal.stopped().await;
        format!("{end:?}, alive: {}", mortal.is_alive())
    });
    assert_eq!(outcomes, ["Halted, alive: false"]);
    assert_eq!(report.executions, 1);
}

#[test]
fn a_late_wait_is_over_and_a_kill_takes_what_is_unread() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        mortal.tell(Serve);
        mortal.kill();
        let first = mortal.stopped().await;
        let late = mortal.stopped().await;
        assert_eq!(first, late);
        format!("{first:?}")
    });
    assert_eq!(outcomes, ["Aborted"]);
}

#[test]
fn stop_and_wait_comes_after_what_was_sent_before() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let served = mortal.ask(Serve);
        let end = mortal.stop().await;
        format!("{end:?} {:?}", served.await)
    });
    assert_eq!(outcomes, ["Stopped Ok(1)"]);
}

#[test]
fn who_is_brought_back_has_not_stopped() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn_with(Mortal::default);
        let first = mortal.ask(Break).await;
        let second = mortal.ask(Break).await;
        let alive = mortal.is_alive();
        let end = mortal.stop().await;
        format!("{} {} {alive} {end:?}", first.is_err(), second.is_err())
    });
    // The child may receive the stop request while its restart is pending.
    assert_eq!(
        outcomes,
        ["true true true Failed", "true true true Stopped"]
    );
}

/// A wait for an end is like a wait for a reply: a time limit may end it, without further effects.
#[test]
fn a_wait_that_is_given_up_leaves_nothing_behind() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        drop(mortal.stopped());
        mortal.tell(Halt);
        format!("{:?}", mortal.ask(Serve).await)
    });
    assert_eq!(outcomes, ["Err(Stopped)"]);
}

#[test]
fn an_end_that_never_comes_is_a_deadlock_by_name() {
    let report = Tester::new().iterations(20).run(async |sys: System| {
        let mortal = sys.spawn_named("mortal", Mortal::default());
        mortal.tell(Serve);
        mortal.stopped().await;
    });
    let [bug] = report.bugs() else {
        panic!("{report:?}");
    };
    assert_eq!(bug.kind(), BugKind::Deadlock);
    assert!(
        bug.message().contains("the end of `mortal`"),
        "{}",
        bug.message()
    );
}

/// Waits for the end of an actor that waits for this one.
struct Waiter {
    other: Option<ActorRef<Waiter>>,
}

#[derive(Debug)]
struct Await(ActorRef<Waiter>);

#[actor]
impl Waiter {
    #[on]
    async fn wait(&mut self, wait: Await) {
        self.other = Some(wait.0.clone());
        wait.0.stopped().await;
    }
}

/// Any other actor may end such a wait by stopping the actor, so a
/// cycle of such waits is no deadlock while anything else can happen.
#[test]
fn a_third_may_end_what_waits_in_a_circle() {
    let (_, outcomes) = every(async |sys| {
        let [one, other] = [(); 2].map(|()| sys.spawn(Waiter { other: None }));
        one.tell(Await(other.clone()));
        other.tell(Await(one.clone()));
        other.kill();
        other.stopped().await;
        one.stop();
        format!("{:?}", one.stopped().await)
    });
    assert_eq!(outcomes, ["Stopped"]);
}

/// Records the reasons of ends.
#[derive(Default)]
struct Mourner {
    reasons: Vec<StopReason>,
}

#[derive(Debug)]
struct Watch(ActorRef<Mortal>);
#[derive(Debug)]
struct Unwatch(ActorRef<Mortal>);
#[derive(Debug)]
struct WatchAnew(ActorRef<Mortal>);
#[derive(Debug)]
struct Link(ActorRef<Mortal>);
#[derive(Debug)]
struct Unlink(ActorRef<Mortal>);
#[derive(Debug)]
struct Told;

#[actor]
impl Mourner {
    #[on]
    fn watch(&mut self, watch: Watch, cx: &mut Context<Self>) {
        cx.watch(&watch.0);
    }

    #[on]
    fn unwatch(&mut self, unwatch: Unwatch, cx: &mut Context<Self>) {
        cx.unwatch(&unwatch.0);
    }

    #[on]
    fn watch_anew(&mut self, anew: WatchAnew, cx: &mut Context<Self>) {
        cx.unwatch(&anew.0);
        cx.watch(&anew.0);
    }

    #[on]
    fn link(&mut self, link: Link, cx: &mut Context<Self>) {
        cx.link(&link.0);
    }

    #[on]
    fn unlink(&mut self, unlink: Unlink, cx: &mut Context<Self>) {
        cx.unlink(&unlink.0);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.reasons.push(end.reason);
    }

    #[on]
    fn reasons(&mut self, _: Told) -> usize {
        self.reasons.len()
    }
}

#[test]
fn who_watches_no_more_is_told_only_what_was_under_way() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let mourner = sys.spawn(Mourner::default());
        mourner.tell(Watch(mortal.clone()));
        mourner.tell(Watch(mortal.clone()));
        mourner.tell(Unwatch(mortal.clone()));
        mortal.tell(Halt);
        mortal.stopped().await;
        mourner.ask(Told).await.unwrap().to_string()
    });
    assert_eq!(outcomes, ["0", "1", "2"]);
}

#[test]
fn who_watched_no_more_before_the_end_is_not_told() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let mourner = sys.spawn(Mourner::default());
        for _ in 0..2 {
            mourner.tell(Watch(mortal.clone()));
            mourner.tell(Unwatch(mortal.clone()));
        }
        let before = mourner.ask(Told).await.unwrap();
        mortal.tell(Halt);
        mortal.stopped().await;
        format!("{before} {}", mourner.ask(Told).await.unwrap())
    });
    assert_eq!(outcomes, ["0 0"]);
}

/// An unwatch and a new watch, in this order.
#[test]
fn who_watches_anew_is_told() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let mourner = sys.spawn(Mourner::default());
        mourner.tell(Watch(mortal.clone()));
        mourner.ask(WatchAnew(mortal.clone())).await.unwrap();
        mortal.tell(Halt);
        mortal.stopped().await;
        mourner.ask(Told).await.unwrap().to_string()
    });
    assert_eq!(outcomes, ["1"]);
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let mourner = sys.spawn(Mourner::default());
        mortal.tell(Halt);
        mortal.stopped().await;
        mourner.ask(WatchAnew(mortal.clone())).await.unwrap();
        mourner.ask(Told).await.unwrap().to_string()
    });
    assert_eq!(outcomes, ["0", "1"]);
}

#[test]
fn a_link_that_was_ended_shares_nothing() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn_with(Mortal::default);
        let mourner = sys.spawn(Mourner::default());
        mourner.tell(Link(mortal.clone()));
        mourner.tell(Link(mortal.clone()));
        mourner.tell(Unlink(mortal.clone()));
        mourner.ask(Told).await.unwrap();
        let failed = mortal.ask(Break).await.is_err();
        mortal.stop();
        mortal.stopped().await;
        format!("{failed} {:?}", mourner.ask(Told).await)
    });
    assert_eq!(outcomes, ["true Ok(0)"]);
}

/// The end of an actor is no reply, so a monitor of replies does not observe it.
#[derive(Default)]
struct Replies;

#[monitor(cold(Quiet))]
impl Replies {
    #[on(replied)]
    fn replied(&mut self, reason: &StopReason, _: &mut MonitorContext<Self>) {
        panic!("a reply: {reason:?}");
    }
}

#[test]
fn the_story_tells_of_an_awaited_end() {
    let report = Tester::new().iterations(1).run(async |sys: System| {
        sys.monitor::<Replies>();
        let mortal = sys.spawn_named("mortal", Mortal::default());
        mortal.tell(Halt);
        let end = mortal.stopped().await;
        assert_eq!(end, StopReason::Stopped, "it halts");
    });
    let failure = std::panic::catch_unwind(|| report.assert_clean()).unwrap_err();
    let report = failure.downcast_ref::<String>().unwrap();
    assert!(
        report.contains("mortal  notifies test of its end: Halted"),
        "{report}"
    );
}

/// Starts slowly, and fails at its start if `fails` is set.
struct Slow {
    fails: bool,
    served: u32,
}

#[actor]
impl Slow {
    #[start]
    async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), &'static str> {
        cx.sleep(Duration::from_millis(1)).await;
        if self.fails { Err("no") } else { Ok(()) }
    }

    #[on]
    fn serve(&mut self, _: Serve) -> u32 {
        self.served += 1;
        self.served
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

const SLOW: Slow = Slow {
    fails: false,
    served: 0,
};

#[test]
fn a_start_is_awaited_also_where_it_waits_itself() {
    let (_, outcomes) = every(async |sys| {
        let slow = sys.spawn(SLOW);
        let before = sys.now();
        let start = slow.started().await;
        let late = slow.started().await;
        format!("{start:?} after {:?}, {late:?}", sys.now() - before)
    });
    assert_eq!(outcomes, ["Ok(()) after 1ms, Ok(())"]);
}

#[test]
fn who_has_no_start_hook_has_started() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let start = mortal.started().await;
        mortal.tell(Halt);
        mortal.stopped().await;
        format!("{start:?}, then {:?}", mortal.started().await)
    });
    assert_eq!(outcomes, ["Ok(()), then Err(Halted)"]);
}

#[test]
fn a_start_that_fails_has_its_reason() {
    let (_, outcomes) = every(async |sys| {
        let spawner = sys.spawner().restart(Restart::Temporary);
        let slow = spawner.spawn_with(|| Slow {
            fails: true,
            ..SLOW
        });
        format!("{:?}", slow.started().await)
    });
    assert_eq!(outcomes, ["Err(Failed)"]);
}

#[test]
fn a_start_that_is_tried_again_is_waited_for() {
    let (_, outcomes) = every(async |sys| {
        let mut tries = 0;
        let slow = sys.spawner().spawn_with(move || {
            tries += 1;
            Slow {
                fails: tries == 1,
                ..SLOW
            }
        });
        let start = slow.started().await;
        format!("{start:?}, served {:?}", slow.ask(Serve).await)
    });
    assert_eq!(outcomes, ["Ok(()), served Ok(1)"]);
}

#[test]
fn who_is_stopped_while_it_starts_either_has_started_or_says_why_not() {
    let (_, outcomes) = every(async |sys| {
        let slow = sys.spawn(SLOW);
        let start = slow.started();
        slow.kill();
        format!("{:?}", start.await)
    });
    assert_eq!(outcomes, ["Err(Aborted)", "Ok(())"]);
}

#[test]
fn a_start_that_never_comes_is_a_deadlock_by_name() {
    struct Stuck;

    #[actor]
    impl Stuck {
        #[start]
        async fn begin(&mut self, cx: &mut Context<Self>) {
            cx.receive::<Halt>().await;
        }

        #[on]
        fn halt(&mut self, _: Halt) {}
    }

    let report = Tester::new().iterations(1).run(async |sys: System| {
        let stuck = sys.spawn_named("stuck", Stuck);
        let _ = stuck.started().await;
    });
    let failure = std::panic::catch_unwind(|| report.assert_clean()).unwrap_err();
    let report = failure.downcast_ref::<String>().unwrap();
    assert!(report.contains("the start of `stuck`"), "{report}");
}

#[test]
fn a_shutdown_waits_until_all_have_handled_what_they_were_sent() {
    let (_, outcomes) = every(async |sys| {
        let mortal = sys.spawn(Mortal::default());
        mortal.tell(Serve);
        let done = sys.shutdown().await.expect("it stops");
        let late = sys.spawn(Mortal::default());
        late.tell(Serve);
        let end = late.stopped().await;
        let alive = [&mortal, &late].map(ActorRef::is_alive);
        format!("{} lost, {alive:?}, {end:?}", done.dead_letters)
    });
    assert_eq!(outcomes, ["0 lost, [false, false], Aborted"]);
}

struct Stubborn;

#[actor]
impl Stubborn {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        loop {
            cx.sleep(Duration::from_secs(60)).await;
        }
    }

    #[on]
    fn halt(&mut self, _: Halt) {}
}

/// Sleeps for this time in its stop hook.
struct Sleepy(Duration);

#[actor]
impl Sleepy {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.sleep(self.0).await;
    }

    #[on]
    fn halt(&mut self, _: Halt) {}
}

/// Returns the outcomes of many schedules of a clean program. A late body may never end.
#[track_caller]
fn many<F: Future<Output = String> + 'static>(body: impl Fn(System) -> F + Sync) -> Vec<String> {
    let outcomes = Arc::new(Mutex::new(BTreeSet::new()));
    let report = Tester::new()
        .iterations(300)
        .search(Search::Portfolio)
        .run(|sys| {
            let (outcome, outcomes) = (body(sys), outcomes.clone());
            async move {
                let outcome = outcome.await;
                outcomes.lock().unwrap().insert(outcome);
            }
        });
    report.assert_clean();
    outcomes.lock().unwrap().iter().cloned().collect()
}

#[test]
fn a_shutdown_says_who_has_not_stopped_in_time() {
    let outcomes = many(async |sys| {
        let stubborn = sys.spawn(Stubborn);
        sys.spawn(Mortal::default());
        let done = sys.shutdown_within(Duration::from_secs(1)).await;
        let end = stubborn.stopped().await;
        format!("{}: {end:?}", done.expect_err("one never stops"))
    });
    let reasons = "failed to shut down in time, aborted Stubborn; allow more time, or check what their \
                handlers wait for: Aborted";
    assert_eq!(outcomes, [reasons]);
}

#[test]
fn a_shutdown_takes_as_long_as_it_takes() {
    // An actor that needs less than ten seconds has stopped by then, in every schedule.
    for (seconds, fails) in [(9, false), (11, true)] {
        let outcomes = many(move |sys| async move {
            sys.spawn(Sleepy(Duration::from_secs(seconds)));
            let done = sys.shutdown().await;
            done.is_err().to_string()
        });
        assert_eq!(outcomes.contains(&"true".to_owned()), fails, "{seconds}");
    }
    // One deadline for the whole shutdown.
    let outcomes = many(async |sys| {
        let [one, other] = [6, 7].map(|seconds| sys.spawn(Sleepy(Duration::from_secs(seconds))));
        let shutdown = sys.shutdown_from(&one).then(&other);
        let done = shutdown.within(Duration::from_secs(5)).await;
        done.is_err().to_string()
    });
    assert!(outcomes.contains(&"true".to_owned()), "{outcomes:?}");
}
