//! Starts and ends of actors: awaiting them, watches, links, and shutdowns.

use std::time::Duration;

use actor_core::StopReason;
use actor_core::prelude::*;
use actor_core::supervision::Restart;
use actor_test::settings::Search;
use actor_test::{BugKind, Tester};
use behaviour::harness::events::{Break, Halt};
use behaviour::harness::{
    assert_contains, contract, failure_text, in_production, only_bug, some_outcomes,
};

use super::assert_lost;

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

/// Ends a mortal in one of the ways, whose reason is the name.
type End = (&'static str, fn(&ActorRef<Mortal>));

const ENDS: [End; 4] = [
    ("Halted", |mortal| mortal.tell(Halt)),
    ("Failed", |mortal| mortal.tell(Break)),
    ("Stopped", |mortal| drop(mortal.stop())),
    ("Aborted", |mortal| drop(mortal.kill())),
];

/// Spawns a mortal that may fail, once.
fn mortal(sys: &System) -> ActorRef<Mortal> {
    let spawner = sys.spawner().restart(Restart::Temporary);
    spawner.spawn_with(Mortal::default)
}

#[test]
fn an_end_is_awaited_and_has_its_reason() {
    for (reason, end) in ENDS {
        let expected = format!("alive, {reason}, late {reason}, dead");
        contract(&[&expected], move |sys| async move {
            let mortal = mortal(&sys);
            let life = |mortal: &ActorRef<Mortal>| if mortal.is_alive() { "alive" } else { "dead" };
            let (before, stopped) = (life(&mortal), mortal.stopped());
            mortal.tell(Serve);
            end(&mortal);
            let (end, late) = (stopped.await, mortal.stopped().await);
            format!("{before}, {end:?}, late {late:?}, {}", life(&mortal))
        });
    }
    let report = contract(&["Halted, alive: false"], async |sys| {
        let mortal = sys.spawn(Mortal::default());
        mortal.tell(Halt);
        let end = mortal.stopped().await;
        format!("{end:?}, alive: {}", mortal.is_alive())
    });
    assert_eq!(report.executions, 1);
}

#[test]
fn stop_and_wait_comes_after_what_was_sent_before() {
    contract(&["Stopped Ok(1)"], async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let served = mortal.ask(Serve);
        let end = mortal.stop().await;
        format!("{end:?} {:?}", served.await)
    });
    let halts = |sys: System| async move {
        let (mortal, mourner) = watched(&sys).await;
        mortal.tell(Halt);
        let end = mortal.stop().await;
        let reasons = mourner.ask(Told).await.expect("it mourns");
        format!("{end:?} {reasons:?} {:?}", mourner.stop().await)
    };
    contract(&["Halted [Halted] Stopped", "Halted [] Stopped"], halts);
    // Nothing overtakes the notification in production.
    assert_eq!(in_production(halts), "Halted [Halted] Stopped");
}

#[test]
fn who_is_brought_back_has_not_stopped() {
    // The child may receive the stop request while its restart is pending.
    let expected = ["true true true Failed", "true true true Stopped"];
    contract(&expected, async |sys| {
        let mortal = sys.spawn_with(Mortal::default);
        let first = mortal.ask(Break).await;
        let second = mortal.ask(Break).await;
        let alive = mortal.is_alive();
        let end = mortal.stop().await;
        format!("{} {} {alive} {end:?}", first.is_err(), second.is_err())
    });
}

/// A wait for an end is like a wait for a reply: a time limit may end it, without further effects.
#[test]
fn a_wait_that_is_given_up_leaves_nothing_behind() {
    contract(&["Err(Stopped)"], async |sys| {
        let mortal = sys.spawn(Mortal::default());
        drop(mortal.stopped());
        mortal.tell(Halt);
        format!("{:?}", mortal.ask(Serve).await)
    });
}

#[test]
fn an_end_that_never_comes_is_a_deadlock_by_name() {
    let report = Tester::new().iterations(20).run(async |sys: System| {
        let mortal = sys.spawn_named("mortal", Mortal::default());
        mortal.tell(Serve);
        mortal.stopped().await;
    });
    let bug = only_bug(&report);
    assert_eq!(bug.kind(), BugKind::Deadlock);
    assert_contains(bug.message(), &["the end of `mortal`"]);
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
    contract(&["Stopped"], async |sys| {
        let [one, other] = [(); 2].map(|()| sys.spawn(Waiter { other: None }));
        one.tell(Await(other.clone()));
        other.tell(Await(one.clone()));
        other.kill();
        other.stopped().await;
        one.stop();
        format!("{:?}", one.stopped().await)
    });
}

/// Records the reasons of ends.
#[derive(Default)]
struct Mourner {
    reasons: Vec<StopReason>,
    asker: Option<Reply<StopReason>>,
}

#[derive(Clone, Copy, Debug)]
enum Tie {
    Watch,
    Unwatch,
    WatchAnew,
    Link,
    Unlink,
}

#[derive(Debug)]
struct To(Tie, ActorRef<Mortal>);
/// Asks for the reasons so far.
#[derive(Debug)]
struct Told;
/// Asks for the first reason, and waits for it.
#[derive(Debug)]
struct First;

#[actor]
impl Mourner {
    #[on]
    fn tie(&mut self, To(tie, mortal): To, cx: &mut Context<Self>) {
        match tie {
            Tie::Watch => cx.watch(&mortal),
            Tie::Unwatch => cx.unwatch(&mortal),
            Tie::WatchAnew => {
                cx.unwatch(&mortal);
                cx.watch(&mortal);
            }
            Tie::Link => cx.link(&mortal),
            Tie::Unlink => cx.unlink(&mortal),
        }
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.reasons.push(end.reason);
        if let Some(asker) = self.asker.take() {
            asker.send(end.reason);
        }
    }

    #[on]
    fn reasons(&mut self, _: Told) -> Vec<StopReason> {
        self.reasons.clone()
    }

    #[on]
    fn first(&mut self, _: First, reply: Reply<StopReason>) {
        match self.reasons.first() {
            Some(reason) => reply.send(*reason),
            None => self.asker = Some(reply),
        }
    }
}

/// Spawns a mortal, and a mourner that watches it.
async fn watched(sys: &System) -> (ActorRef<Mortal>, ActorRef<Mourner>) {
    let (mortal, mourner) = (mortal(sys), sys.spawn(Mourner::default()));
    watch(&mourner, &mortal).await;
    (mortal, mourner)
}

async fn watch(mourner: &ActorRef<Mourner>, mortal: &ActorRef<Mortal>) {
    let watch = mourner.ask(To(Tie::Watch, mortal.clone()));
    watch.await.expect("it watches");
}

#[test]
fn a_watcher_is_told_the_reason() {
    for (reason, end) in ENDS {
        let expected = format!("[] Ok({reason})");
        contract(&[&expected], move |sys| async move {
            let (mortal, mourner) = watched(&sys).await;
            let before = mourner.ask(Told).await.expect("it mourns");
            end(&mortal);
            format!("{before:?} {:?}", mourner.ask(First).await)
        });
    }
}

#[test]
fn watchers_hear_of_the_end_and_not_of_a_restart() {
    for (reason, end) in ENDS.into_iter().filter(|(reason, _)| *reason != "Failed") {
        let expected = format!("Ok(1) [] Ok({reason})");
        contract(&[&expected], move |sys| async move {
            let mortal = sys.spawn_with(Mortal::default);
            let mourner = sys.spawn(Mourner::default());
            watch(&mourner, &mortal).await;
            mortal.tell(Break);
            let served = mortal.ask(Serve).await;
            let before = mourner.ask(Told).await.expect("it mourns");
            end(&mortal);
            format!("{served:?} {before:?} {:?}", mourner.ask(First).await)
        });
    }
}

#[test]
fn a_late_watcher_hears_at_once() {
    contract(&["Ok(Halted)"], async |sys| {
        let (mortal, mourner) = (sys.spawn(Mortal::default()), sys.spawn(Mourner::default()));
        mortal.tell(Halt);
        mortal.stopped().await;
        mourner.tell(To(Tie::Watch, mortal));
        format!("{:?}", mourner.ask(First).await)
    });
}

#[test]
fn who_watches_no_more_is_told_only_what_was_under_way() {
    use Tie::{Unwatch, Watch, WatchAnew};
    let (twice, once, never) = ("[Halted, Halted]", "[Halted]", "[]");
    let cases: [(&[Tie], bool, &[&str]); 5] = [
        (&[Watch, Watch, Unwatch], false, &[twice, once, never]),
        // The mourner has done all of it before the end.
        (&[Watch, Watch, Unwatch], true, &[never]),
        (&[Watch, Unwatch, Watch, Unwatch], true, &[never]),
        (&[Watch, Unwatch, Watch], true, &[once]),
        (&[Watch, WatchAnew], true, &[once]),
    ];
    for (ties, is_done, expected) in cases {
        contract(expected, move |sys| async move {
            let (mortal, mourner) = (sys.spawn(Mortal::default()), sys.spawn(Mourner::default()));
            for tie in ties {
                mourner.tell(To(*tie, mortal.clone()));
            }
            if is_done {
                assert_eq!(mourner.ask(Told).await, Ok(vec![]));
            }
            mortal.tell(Halt);
            mortal.stopped().await;
            format!("{:?}", mourner.ask(Told).await.expect("it mourns"))
        });
    }
}

/// An unwatch and a new watch, in one handler, of an actor that has ended.
#[test]
fn who_watches_anew_is_told() {
    contract(&["[Halted]", "[]"], async |sys| {
        let (mortal, mourner) = (sys.spawn(Mortal::default()), sys.spawn(Mourner::default()));
        mortal.tell(Halt);
        mortal.stopped().await;
        let watch = mourner.ask(To(Tie::WatchAnew, mortal));
        watch.await.expect("it watches");
        format!("{:?}", mourner.ask(Told).await.expect("it mourns"))
    });
}

/// After an unlink, a failure of either actor does not affect the other.
#[test]
fn a_link_that_was_ended_shares_nothing() {
    contract(&["true Ok([])"], async |sys| {
        let mortal = sys.spawn_with(Mortal::default);
        let mourner = sys.spawn(Mourner::default());
        for tie in [Tie::Link, Tie::Link, Tie::Unlink] {
            mourner.tell(To(tie, mortal.clone()));
        }
        mourner.ask(Told).await.unwrap();
        let failed = mortal.ask(Break).await.is_err();
        mortal.stop();
        mortal.stopped().await;
        format!("{failed} {:?}", mourner.ask(Told).await)
    });
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
    let notified = "mortal  notifies test of its end: Halted";
    assert_contains(&failure_text(&report), &[notified]);
}

/// Starts slowly, and fails at its start if `fails` is set.
#[derive(Default)]
struct Slow {
    fails: bool,
    served: u32,
}

#[actor]
impl Slow {
    #[start]
    async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), &'static str> {
        cx.sleep(Duration::from_secs(1)).await;
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

/// Returns a factory of an actor whose start fails this many times.
fn slow(mut failures: u32) -> impl FnMut() -> Slow + Send + 'static {
    move || {
        let fails = failures > 0;
        failures = failures.saturating_sub(1);
        Slow { fails, served: 0 }
    }
}

#[test]
fn a_start_is_awaited_also_where_it_waits_itself() {
    contract(
        &["Ok(()) after 1000 ms, Ok(()), Err(Stopped)"],
        async |sys| {
            let slow = sys.spawn(Slow::default());
            let before = sys.now();
            let start = slow.started().await;
            let after = (sys.now() - before).as_millis();
            let late = slow.started().await;
            slow.stop().await;
            format!(
                "{start:?} after {after} ms, {late:?}, {:?}",
                slow.started().await
            )
        },
    );
}

#[test]
fn who_has_no_start_hook_has_started() {
    contract(&["Ok(()), then Err(Halted)"], async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let start = mortal.recipient::<Serve>().started().await;
        assert_eq!(mortal.started().await, start);
        mortal.tell(Halt);
        mortal.stopped().await;
        format!("{start:?}, then {:?}", mortal.started().await)
    });
}

#[test]
fn a_start_that_fails_has_its_reason() {
    contract(&["Err(Failed)"], async |sys| {
        let spawner = sys.spawner().restart(Restart::Temporary);
        format!("{:?}", spawner.spawn_with(slow(1)).started().await)
    });
}

#[test]
fn a_start_that_is_tried_again_is_waited_for() {
    contract(&["Ok(()), served Ok(1)"], async |sys| {
        let slow = sys.spawner().spawn_with(slow(1));
        let start = slow.started().await;
        format!("{start:?}, served {:?}", slow.ask(Serve).await)
    });
}

#[test]
fn who_is_stopped_while_it_starts_either_has_started_or_says_why_not() {
    contract(&["Err(Aborted)", "Ok(())"], async |sys| {
        let slow = sys.spawn(Slow::default());
        let start = slow.started();
        slow.kill();
        format!("{:?}", start.await)
    });
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
    assert_contains(&failure_text(&report), &["the start of `stuck`"]);
}

#[test]
fn a_shutdown_waits_until_all_have_handled_what_they_were_sent() {
    contract(&["Ok(1), 0 lost, [false, false], Aborted"], async |sys| {
        let mortal = sys.spawn(Mortal::default());
        let served = mortal.ask(Serve);
        let done = sys.shutdown().await.expect("it stops");
        let late = sys.spawn(Mortal::default());
        late.tell(Serve);
        let end = late.stopped().await;
        assert_lost(&sys, 1);
        let alive = [&mortal, &late].map(ActorRef::is_alive);
        format!(
            "{:?}, {} lost, {alive:?}, {end:?}",
            served.await,
            done.dead_letters
        )
    });
}

/// Never ends its start.
struct Stubborn;

#[actor]
impl Stubborn {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        loop {
            cx.sleep(Duration::from_secs(60)).await;
        }
    }
}

/// Sleeps for this time when it starts.
struct Sleepy(Duration);

#[actor]
impl Sleepy {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.sleep(self.0).await;
    }
}

/// Returns the outcomes of many schedules of a clean program. A late body may never end.
#[track_caller]
fn many<F: Future<Output = String> + 'static>(body: impl Fn(System) -> F + Sync) -> Vec<String> {
    let tester = Tester::new().iterations(300).search(Search::Portfolio);
    some_outcomes(&tester, body).1
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
