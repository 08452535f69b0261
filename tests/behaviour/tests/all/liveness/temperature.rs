//! Temperature and bounds: both sides of every threshold, and waits that stay undecided.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actor_core::forever;
use actor_core::prelude::*;
use actor_test::strategy::Gap;
use actor_test::strategy::{Enabled, Fairness, StrategySpec};
use actor_test::{BodyOutput, BugKind, Report, Tester};
use behaviour::closures::{Ball, Handles, Machine, handles, machine, volley};
use behaviour::debt::{Debt, Forgive, Owe, Pay};
use behaviour::harness::events::Go;
use behaviour::harness::{assert_contains, whole};

use super::Picks;

#[derive(Debug)]
struct Next(u64);

/// A tester of one execution with this bound on unfair steps.
fn once(steps: u64) -> Tester {
    Tester::new().iterations(1).max_steps(steps)
}

/// A tester of one random execution with this bound on unfair steps.
fn bounded(steps: u64) -> Tester {
    once(steps).strategy(StrategySpec::Random)
}

/// Spawns an actor that sends numbers to itself, and announces temperatures at some
/// of them. Each number takes two steps, one to handle it and one to send the next.
fn start_plan(sys: &System, temperatures: &[(u64, &'static str)], last: u64) {
    sys.monitor::<Debt>();
    let temperatures = temperatures.to_vec();
    let plan = handles(sys, move |count: u64, cx| {
        for (at, temperature) in &temperatures {
            match *temperature {
                _ if *at != count => {}
                "hot" => cx.announce(Owe),
                "warm" => cx.announce(Forgive),
                _ => cx.announce(Pay),
            }
        }
        if count < last {
            cx.me().tell(count + 1);
        }
    });
    plan.tell(0);
}

/// Spawns an actor that counts for ever.
fn counts(sys: &System) -> ActorRef<Machine<u64, u64>> {
    let counts = machine(sys, 0, |count, next: u64, cx| {
        *count = next;
        cx.me().tell(next + 1);
    });
    counts.tell(0);
    counts
}

fn plan(tester: &Tester, temperatures: &[(u64, &'static str)], last: u64) -> Report {
    tester.run(|sys| start_plan(&sys, temperatures, last))
}

/// Runs a program under a strategy that always picks the oldest operation, with this fairness.
fn eldest_first<R: BodyOutput<K>, K>(
    tester: &Tester,
    fairness: Fairness,
    program: impl Fn(System) -> R + Sync,
) -> Report {
    let rule = |enabled: &Enabled<'_>| {
        let enabled = enabled.iter().enumerate();
        let eldest = enabled.min_by_key(|(_, pending)| pending.operation);
        eldest.map_or(0, |(index, _)| index)
    };
    let strategy = Box::new(Picks { fairness, rule });
    tester.custom_strategy(strategy).run(program)
}

/// Far above every threshold that a test sets.
const LAST: u64 = 1_000_000;

#[test]
fn both_sides_of_the_threshold() {
    let tester = bounded(1_000).temperature(99);
    // Hot when count 0 is handled, cold 50 counts or 100 steps later. The 99 steps between are
    // allowed; with a limit of 98 the monitor is suspected, and cleared when it turns cold.
    let report = plan(&tester, &[(0, "hot"), (50, "cold")], 60);
    report.assert_clean();
    assert_eq!(report.transient.count, 0);
    let tester = tester.temperature(98);
    let report = plan(&tester, &[(0, "hot"), (50, "cold")], 60);
    report.assert_clean();
    assert_eq!(report.transient.count, 1);
    let report = plan(&tester, &[(0, "hot")], LAST);
    let bug = report.assert_bug("monitor `Debt` is hot in `Open`");
    assert_eq!(bug.kind(), BugKind::Liveness);
    let parts = ["for 99 steps", "threshold 98", "pending since step 4"];
    assert_contains(bug.message(), &parts);
    assert_eq!(bug.step(), 4 + 99);
}

#[test]
fn the_default_threshold_is_half_of_the_fair_bound() {
    let report = plan(&bounded(100), &[(0, "hot")], LAST);
    let bug = report.assert_bug("liveness");
    assert_contains(bug.message(), &["threshold 500"]);
    assert_eq!(bug.step(), 4 + 501);
    let report = plan(&bounded(100).max_fair_steps(300), &[(0, "hot")], LAST);
    assert_eq!(report.assert_bug("liveness").step(), 4 + 151);
}

#[test]
fn cold_resets_the_heat_and_warm_keeps_it() {
    let tester = bounded(1_000).temperature(100);
    let cold_between = [(0, "hot"), (40, "cold"), (41, "hot"), (81, "cold")];
    plan(&tester, &cold_between, 100).assert_clean();
    let warm_between = [(0, "hot"), (40, "warm"), (400, "hot")];
    let report = plan(&tester, &warm_between, LAST);
    let bug = report.assert_bug("liveness");
    // 80 hot steps, a warm pause, and 21 more hot steps.
    assert_eq!(bug.step(), 4 + 2 * 400 + 21);
    assert_contains(bug.message(), &["pending since step 4"]);
    let short = [(0, "hot"), (40, "warm"), (400, "hot"), (410, "cold")];
    plan(&tester, &short, 450).assert_clean();
}

#[test]
fn at_the_bound_what_is_owed_stays_undecided() {
    let tester = bounded(100).max_fair_steps(1_000).temperature(900);
    let report = plan(&tester, &[(300, "hot")], LAST);
    // Hot from step 604 on, cut off at step 1000.
    let kinds: Vec<_> = report.bugs().iter().map(|bug| bug.kind()).collect();
    assert!(kinds.iter().all(|kind| *kind == BugKind::Spin), "{kinds:?}");
    let tester = Tester::new().iterations(10).max_steps(100);
    let tester = tester.max_fair_steps(1_000).temperature(900);
    let report = tester.run(|sys| {
        sys.monitor::<Debt>();
        play(&sys, 200);
    });
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.undecided.count), (10, 10));
    let example = report.undecided.example.expect("an example is kept");
    assert_contains(&example, &["monitor `Debt` is hot in `Open`"]);
}

/// Starts a match that never ends; from the ball of this number on, one of the players owes something.
fn play(sys: &System, hot_at: u64) {
    let mut balls = 0;
    let owes = handles(sys, move |ball: Ball, cx| {
        balls += 2;
        if balls > hot_at {
            cx.announce(Owe);
        }
        ball.0.tell(Ball(cx.recipient()));
    });
    let other = handles(sys, |ball: Ball, cx| {
        ball.0.tell(Ball(cx.recipient()));
    });
    owes.tell(Ball(other.recipient()));
}

fn hot_for_ever(fairness: Fairness) -> Report {
    let program = |sys: System| start_plan(&sys, &[(0, "hot")], LAST);
    eldest_first(&once(100), fairness, program)
}

#[test]
fn an_unfair_execution_is_cut_without_a_verdict() {
    let report = hot_for_ever(Fairness::Unfair);
    report.assert_clean();
    assert_eq!(
        (report.unfair, report.unfair_at_bound, report.steps_total),
        (1, 1, 100)
    );
    assert_eq!(report.undecided.count, 1);
    assert!(report.liveness_unchecked, "and the report says so");
}

#[test]
fn a_bug_that_ends_the_exploration_leaves_liveness_unmentioned() {
    let run = |tester: &Tester| {
        eldest_first(tester, Fairness::Unfair, |sys| -> () {
            sys.monitor::<Debt>();
            panic!("before anybody had a turn");
        })
    };
    assert!(!run(&once(100)).liveness_unchecked);
    // A strategy that continues has given every operation a turn.
    assert!(run(&once(100).keep_going()).liveness_unchecked);
}

/// Under unfair strategies, obligations are judged in executions
/// that end by themselves, and not in those that are cut off.
#[test]
fn liveness_is_unchecked_where_an_unfair_execution_was_cut_off() {
    let run = |long: bool| {
        let calls = AtomicU32::new(0);
        eldest_first(&once(100).iterations(4), Fairness::Unfair, move |sys| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            let last = if long && call == 2 { LAST } else { 3 };
            start_plan(&sys, &[(0, "hot"), (2, "cold")], last);
        })
    };
    let report = run(false);
    report.assert_clean();
    assert_eq!((report.unfair, report.unfair_at_bound), (4, 0));
    assert!(!report.liveness_unchecked, "all came to their end");
    let report = run(true);
    assert!(report.liveness_unchecked);
    assert_eq!((report.unfair_at_bound, report.executions), (1, 4));
}

#[test]
fn heat_counts_from_the_start_of_the_fair_part() {
    let report = hot_for_ever(Fairness::FairFrom(50));
    let bug = report.assert_bug("liveness");
    assert_eq!(bug.step(), 50 + 501);
    assert_contains(bug.message(), &["pending since step 4"]);
    assert!(!report.liveness_unchecked);
}

#[derive(Debug, Clone)]
struct Minute;

/// Owes until a timer fires after this time; then it pays, or panics.
struct Late {
    after: Duration,
    panics: bool,
}
#[actor]
impl Late {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Owe);
        cx.after(self.after, Minute);
    }
    #[on]
    fn minute(&mut self, _: Minute, cx: &mut Context<Self>) {
        assert!(!self.panics, "the time has come");
        cx.announce(Pay);
    }
}

/// Slow but live: two players occupy the schedule, and a timer finally cools the monitor.
#[test]
fn slow_but_live_is_no_bug() {
    let report = Tester::new().iterations(200).max_steps(200).run(|sys| {
        sys.monitor::<Debt>();
        volley(&sys);
        let (after, panics) = (Duration::from_secs(60), false);
        sys.spawn(Late { after, panics });
    });
    report.assert_clean();
    assert_eq!(report.undecided.count, 0);
}

#[test]
fn predicates_heat_by_the_same_rule() {
    let tester = once(1_000).temperature(100);
    let eventually = |goal: u64| {
        tester.run(move |sys| {
            let counts = counts(&sys);
            sys.eventually("it gets there", move |w| {
                w.get(&counts).is_some_and(|counts| counts.state >= goal)
            });
        })
    };
    eventually(40).assert_bug("no progress");
    let report = eventually(LAST);
    assert_contains(report.bugs[0].message(), &["it gets there"]);
    // Pending since the body registered it.
    assert_eq!(report.assert_bug("liveness").step(), 1 + 101);
    let again = |period: u64| {
        tester.run(move |sys| {
            let counts = counts(&sys);
            sys.always_eventually("it comes round", move |w| {
                w.get(&counts)
                    .is_none_or(|counts| counts.state % period == 0)
            });
        })
    };
    let spins = again(40);
    spins.assert_bug("no progress");
    assert_eq!(spins.transient.count, 0);
    let slow = again(60);
    slow.assert_clean();
    let example = slow.transient.example.expect("it was suspected");
    assert_contains(&example, &["it comes round"]);
}

#[test]
fn heat_from_before_the_switch_is_forgotten_in_a_warm_pause() {
    let hot_again = 4 + 2 * 100;
    for (at, counted) in [
        // Hot from step 4 on, and warm at step 24, before the switch at step 50.
        (10, 0),
        // Warm at step 50, the last one that does not count.
        (23, 0),
        // Warm at step 52, two steps of which count.
        (24, 2),
    ] {
        let report = eldest_first(&once(100), Fairness::FairFrom(50), |sys| {
            start_plan(&sys, &[(0, "hot"), (at, "warm"), (100, "hot")], LAST);
        });
        let step = report.assert_bug("liveness").step();
        assert_eq!(step, hot_again + 501 - counted, "warm at {at}");
    }
}

/// A spin: a quarter of the bound, and at least a hundred
/// events, all sent by the actor itself and without an effect.
#[test]
fn both_sides_of_what_counts_as_a_spin() {
    // Event number `n` is handled in step 4 + 2 n. The event `last_effect`
    // has an effect on others, since it announces something.
    let spins = |fair: u64, last_effect: u64| {
        let tester = bounded(100).max_fair_steps(fair);
        let report = plan(&tester, &[(last_effect, "cold")], LAST);
        report.bugs().first().map(|bug| bug.message().to_owned())
    };
    let last = |fair: u64| (fair - 4) / 2;
    for (fair, long) in [(1_000, 250), (404, 101), (300, 100)] {
        let found = spins(fair, last(fair) - long);
        let found = found.expect("it has spun for long enough");
        assert!(found.contains(&format!("{long} in a row")), "{found}");
        assert_eq!(spins(fair, last(fair) - long + 1), None, "bound {fair}");
    }
}

#[derive(Debug)]
struct Ask;

/// Spawns an actor that cools the monitor on request, and answers otherwise.
fn cooler(sys: &System) -> ActorRef<Handles<bool>> {
    handles(sys, |cools, cx| {
        if cools {
            cx.announce(Pay);
        }
    })
}

/// The strategy prefers the players of an endless match to the actor that
/// would cool the monitor; the body calls `finish` while the monitor is hot.
fn finish_while_hot(fairness: Fairness, is_cooled: bool) -> Report {
    eldest_first(&once(100), fairness, move |sys| async move {
        sys.monitor::<Debt>();
        sys.announce(Owe);
        let asked = cooler(&sys);
        // Four steps each.
        for _ in 0..10 {
            asked.ask(false).await.expect("it lives");
        }
        volley(&sys);
        let cools = cooler(&sys);
        if is_cooled {
            cools.tell(true);
        }
        sys.finish();
    })
}

#[test]
fn an_unfair_strategy_goes_on_fairly_when_the_end_is_asked_for() {
    for fairness in [Fairness::Unfair, Fairness::FairFrom(90)] {
        let report = finish_while_hot(fairness, true);
        report.assert_clean();
        assert_eq!(
            (report.fair, report.fair_at_bound, report.undecided.count),
            (1, 0, 0)
        );
        assert!(!report.liveness_unchecked);
    }
    // The body's first step and the spawn, the asks, and four effects, the last with `finish`.
    let asked_at = 2 + 10 * 4 + 4;
    for fairness in [Fairness::Unfair, Fairness::FairFrom(90)] {
        let report = finish_while_hot(fairness, false);
        let bug = report.assert_bug("monitor `Debt` is hot in `Open`");
        assert_eq!(bug.kind(), BugKind::Liveness);
        // The temperature starts anew in the fair suffix, although the monitor was hot before.
        assert_eq!(bug.step(), asked_at + 501, "{}", bug.message());
        assert_contains(bug.message(), &["pending since step 1"]);
        assert_eq!(bug.trace.fair_from, Some(asked_at));
    }
    let report = finish_while_hot(Fairness::Fair, false);
    assert_eq!(report.assert_bug("liveness").step(), 1 + 501);
}

/// The steps of a fair suffix are no part of the systematic search.
#[test]
fn a_fair_suffix_is_no_part_of_a_systematic_search() {
    let dfs = |is_hot: bool| {
        let report = whole("dfs").run(move |sys| async move {
            sys.monitor::<Debt>();
            let cools = cooler(&sys);
            cools.ask(false).await.expect("it lives");
            if is_hot {
                sys.announce(Owe);
                cools.tell(true);
            }
            sys.finish();
        });
        report.assert_clean();
        report.verdict
    };
    assert!(dfs(false).is_exhaustive());
    let verdict = dfs(true);
    let left_out = |gap: &Gap| matches!(gap, Gap::Suffixes { executions } if *executions > 0);
    assert!(verdict.gaps.iter().any(left_out), "{verdict:?}");
}

#[derive(Debug)]
struct Never;

/// Ticks for ever, without an effect on others.
struct Ticks;
#[actor]
impl Ticks {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Minute);
    }
    #[on]
    fn minute(&mut self, _: Minute) {}
}

/// The way in which a handler waits.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    ForEvent,
    ForEventForever,
    ForReply,
    ForReplyWithLimit,
    ForChannel,
    ForEventWithTicks,
    ForEventForeverWithTimer,
    Asleep,
}

/// Waits in a handler; its asks are never answered.
struct Waits {
    how: Waiting,
    silent: ActorRef<Silent>,
}
#[actor(receive(Never))]
impl Waits {
    #[on]
    fn minute(&mut self, _: Minute) {}
    #[on]
    async fn begin(&mut self, _: Go, cx: &mut Context<Self>) {
        match self.how {
            Waiting::ForEvent => {
                cx.receive::<Never>().await;
            }
            Waiting::ForEventForever => {
                forever(cx.receive::<Never>()).await;
            }
            Waiting::ForReply => drop(self.silent.ask(Ask).await),
            Waiting::ForReplyWithLimit => {
                let limit = Duration::from_secs(1);
                while self.silent.ask(Ask).timeout(limit).await.is_err() {}
            }
            Waiting::ForChannel => std::future::pending::<()>().await,
            // The actor's own ticks do not end its wait.
            Waiting::ForEventWithTicks => {
                cx.every(Duration::from_secs(1), Minute);
                cx.receive::<Never>().await;
            }
            Waiting::ForEventForeverWithTimer => {
                cx.after(Duration::from_secs(1), Minute);
                forever(cx.receive::<Never>()).await;
            }
            Waiting::Asleep => loop {
                cx.sleep(Duration::from_secs(1)).await;
            },
        }
    }
}

/// Stores the replies, and never answers.
#[derive(Default)]
struct Silent(Vec<Reply<u32>>);
#[actor]
impl Silent {
    #[on]
    fn ask(&mut self, _: Ask, reply: Reply<u32>) {
        self.0.push(reply);
    }
}

fn start_waiting(sys: &System, how: Waiting) -> ActorRef<Waits> {
    sys.spawn(Ticks);
    let silent = sys.spawn(Silent::default());
    sys.spawn(Waits { how, silent })
}

fn waits(how: Waiting, tester: &Tester) -> Report {
    tester.run(move |sys| start_waiting(&sys, how).tell(Go))
}

#[test]
fn who_awaits_in_vain_beside_a_timer_is_found() {
    use BugKind::{Deadlock, OutsideWait};
    let event = "`Waits` awaits an event `Never`";
    let reply = "`Waits` awaits the reply of `Silent`";
    for (how, kind, what) in [
        (Waiting::ForEvent, Deadlock, event),
        (Waiting::ForEventWithTicks, Deadlock, event),
        (Waiting::ForReply, Deadlock, reply),
        (Waiting::ForChannel, OutsideWait, "`Waits` awaits something"),
    ] {
        let report = waits(how, &bounded(200));
        let bug = report.assert_bug(what);
        assert_eq!(bug.kind(), kind);
        assert_contains(bug.message(), &["for 1001 steps", "(threshold 1000)"]);
        let confirmation = bug.confirmation.expect("it was continued");
        assert!(!confirmation.recovered && confirmation.continuations >= 20);
    }
}

#[test]
fn who_has_time_or_a_time_limit_waits_in_silence() {
    for how in [Waiting::ForReplyWithLimit, Waiting::Asleep] {
        let report = waits(how, &bounded(200));
        report.assert_clean();
        assert_eq!(
            (report.transient.count, report.undecided.count),
            (0, 0),
            "{how:?}"
        );
        assert_eq!(report.fair_at_bound, 1);
        let example = report.restless.example.expect("it says why");
        let why = "`Ticks` gets `Minute` every 1s";
        assert!(example.starts_with(why), "{example}");
    }
    // The handler does not even prevent the end of the execution.
    let report = waits(Waiting::ForEventForever, &bounded(200));
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.restless.count), (0, 0));
}

/// One step below the threshold the wait is undecided at the bound; at the threshold it is suspected.
#[test]
fn both_sides_of_the_threshold_of_a_wait() {
    let found = waits(Waiting::ForEvent, &bounded(200).temperature(100));
    let step = found.assert_bug("awaits an event").step();
    let begun = step - 101;
    let tester = |fair: u64| bounded(200).max_fair_steps(fair).temperature(300);
    let since = format!("since step {begun}");
    let suspected = waits(Waiting::ForEvent, &tester(begun + 301));
    for report in [&found, &suspected] {
        assert_contains(report.bugs()[0].message(), &[&since]);
    }
    let report = waits(Waiting::ForEvent, &tester(begun + 300));
    report.assert_clean();
    assert_eq!(report.undecided.count, 1);
    let example = report.undecided.example.expect("it is told");
    let expected = format!("`Waits` awaits an event `Never`, pending {since}");
    assert_eq!(example, expected);
    // A wait that was cut off after a tenth of the threshold is not counted as undecided.
    assert_eq!(
        waits(Waiting::ForEvent, &tester(begun + 31))
            .undecided
            .count,
        1
    );
    assert_eq!(
        waits(Waiting::ForEvent, &tester(begun + 30))
            .undecided
            .count,
        0
    );
}

/// Serves one job after another, each after a long time.
struct Slow {
    rounds: u64,
    reply: Option<Reply<u64>>,
}
#[actor]
impl Slow {
    #[on]
    fn ask(&mut self, _: Ask, reply: Reply<u64>, cx: &mut Context<Self>) {
        self.reply = Some(reply);
        cx.me().tell(Next(self.rounds));
    }
    #[on]
    fn next(&mut self, next: Next, cx: &mut Context<Self>) {
        match next.0 {
            0 => self.reply.take().expect("someone asks").send(1),
            left => cx.me().tell(Next(left - 1)),
        }
    }
}

impl Slow {
    fn new(rounds: u64) -> Self {
        let reply = None;
        Self { rounds, reply }
    }
}

/// Asks again and again.
struct Customer(ActorRef<Slow>);
#[actor]
impl Customer {
    #[on]
    async fn begin(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0.ask(Ask).await.expect("it is answered");
        cx.me().tell(Go);
    }
}

#[test]
fn who_waits_long_and_is_served_is_no_bug() {
    let slow = |rounds: u64| {
        let tester = Tester::new().iterations(20).max_steps(200);
        let report = tester.run(move |sys| {
            sys.spawn(Ticks);
            let slow = sys.spawn(Slow::new(rounds));
            sys.spawn(Customer(slow)).tell(Go);
        });
        report.assert_clean();
        report
    };
    // Each wait takes a part of the 1000 allowed steps.
    assert_eq!(slow(100).transient.count, 0);
    // Each wait takes more: all are suspected, and all end later.
    let report = slow(600);
    assert!(report.transient.count > 0, "it was suspected");
    let example = report.transient.example.expect("it was suspected");
    assert_contains(&example, &["awaits the reply of `Slow`"]);
}

/// Under a strategy that starves the actor, a wait counts only from the fair part on.
#[test]
fn a_wait_counts_in_the_fair_part_only() {
    let report = |fairness: Fairness| {
        eldest_first(&once(200), fairness, |sys| {
            start_waiting(&sys, Waiting::ForReply).tell(Go);
        })
    };
    let bug = report(Fairness::FairFrom(150));
    let bug = bug.assert_bug("`Waits` awaits the reply of `Silent` to `Ask` at ");
    assert_contains(bug.message(), &[", for 1001 steps"]);
    assert_eq!(bug.step(), 150 + 1001);
    let unfair = report(Fairness::Unfair);
    unfair.assert_clean();
    assert_eq!(unfair.undecided.count, 0);
}

/// Defers `Never` until it is released, if ever.
struct Defers;
#[actor(states(Busy(defer(Never)), Free))]
impl Defers {
    #[on(Busy)]
    fn begin(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(DefersState::Free);
    }
    #[on(Free)]
    fn never(&mut self, _: Never, cx: &mut Context<Self>) {
        cx.goto(DefersState::Busy);
    }
}

#[test]
fn an_event_deferred_for_ever_beside_others_is_found() {
    let report = |lets_go: bool| {
        let tester = Tester::new().iterations(5).max_steps(200);
        tester.strategy(StrategySpec::Random).run(move |sys| {
            let defers = sys.spawn(Defers);
            defers.tell(Never);
            let slow = sys.spawn(Slow::new(10));
            // Keeps the execution busy, and releases the deferring actor now and then.
            sys.spawn(Customer(slow)).tell(Go);
            let releases = handles(&sys, move |_: Go, cx| {
                if lets_go && cx.choose(50) == 0 {
                    defers.tell(Never);
                    defers.tell(Go);
                }
                cx.me().tell(Go);
            });
            releases.tell(Go);
        })
    };
    let found = report(false);
    let bug = found.assert_bug("`Defers` in state `Busy` defers `Never`");
    assert_eq!(bug.kind(), BugKind::DeferredForever);
    assert!(!bug.confirmation.expect("it was continued").recovered);
    let clean = report(true);
    clean.assert_clean();
    assert_eq!((clean.transient.count, clean.fair_at_bound), (0, 5));
}

/// The wait of a test body is found, too, with the actor that causes it.
#[test]
fn a_body_that_awaits_in_vain_is_found_with_who_keeps_it() {
    let tester = Tester::new().iterations(5).max_steps(200);
    let report = tester.run(|sys| async move {
        let waits = start_waiting(&sys, Waiting::ForEvent);
        waits.ask(Go).await.expect("it never answers");
    });
    let bug = report.assert_bug("`Waits` awaits an event `Never`, for 1001 steps");
    let meanwhile = "meanwhile `test` awaits the reply of `Waits`";
    assert_contains(bug.message(), &[meanwhile]);
}

#[derive(Debug)]
struct Begin;
#[derive(Debug)]
struct Job(u64);

// ANCHOR: forever
/// Opens, and from then on waits for jobs inside a handler.
#[derive(Default)]
struct Server {
    done: u64,
}

#[actor(receive(Job))]
impl Server {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        loop {
            let job = forever(cx.receive::<Job>()).await;
            self.done += job.0;
        }
    }
}
// ANCHOR_END: forever

/// Events that arrive during an endless wait stay unread, and the report says so.
#[test]
fn what_a_patient_server_does_not_read_is_told() {
    let report = Tester::new().iterations(10).run(|sys| {
        let server = sys.spawn(Server::default());
        server.tell(Begin);
        server.tell(Job(1));
        server.tell(Begin);
    });
    report.assert_clean();
    assert_eq!(report.unread.count, 10);
    let example = report.unread.example.expect("it is told");
    assert_eq!(example, "`Server` with 1 unread event, `Begin` first");
}

/// Unread timer events and stop requests were sent by no actor, so no event is lost.
#[test]
fn ticks_that_nobody_reads_are_no_loss() {
    let report = Tester::new().iterations(10).run(|sys| {
        let silent = sys.spawn(Silent::default());
        let how = Waiting::ForEventForeverWithTimer;
        sys.spawn(Waits { how, silent }).tell(Go);
    });
    report.assert_clean();
    assert_eq!((report.unread.count, report.unread.example), (0, None));
}

/// An execution ends after three rounds of periodic timers alone, but not
/// while a one-shot timer is set, and not while an obligation is pending.
#[test]
fn periodic_timers_are_no_end_while_another_timer_is_armed() {
    let tester = || Tester::new().iterations(20).max_steps(200);
    let report = tester().run(|sys| {
        sys.spawn(Ticks);
        let (after, panics) = (Duration::from_secs(20), true);
        sys.spawn(Late { after, panics });
    });
    report.assert_bug("the time has come");
    let report = tester().run(|sys| {
        sys.spawn(Ticks);
        sys.spawn(Ticks);
    });
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.unread.count), (0, 0));
    let report = tester().run(|sys| {
        sys.monitor::<Debt>();
        sys.announce(Owe);
        sys.spawn(Ticks);
    });
    let bug = report.assert_bug("monitor `Debt` is hot in `Open`");
    assert_eq!(bug.kind(), BugKind::Liveness);
}

/// Sends `Next` to itself for ever, and changes its state each time.
struct Swings;
#[actor(states(Left, Right))]
impl Swings {
    #[on(Left)]
    fn left(&mut self, next: Next, cx: &mut Context<Self>) {
        cx.me().tell(next);
        cx.goto(SwingsState::Right);
    }
    #[on(Right)]
    fn right(&mut self, next: Next, cx: &mut Context<Self>) {
        cx.me().tell(next);
        cx.goto(SwingsState::Left);
    }
}

#[test]
fn who_goes_to_another_state_does_not_spin() {
    let report = once(100).run(|sys| sys.spawn(Swings).tell(Next(0)));
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 1);
}

#[test]
fn why_an_execution_never_rests() {
    let why = |report: Report| {
        report.assert_clean();
        assert_eq!(report.restless.count, 1);
        let example = report.restless.example.expect("it says why");
        let rest = example.strip_prefix("`Ticks` gets `Minute` every 1s, ");
        rest.unwrap_or_else(|| panic!("{example}")).to_owned()
    };
    let tester = |fair: u64| bounded(20).max_fair_steps(fair).temperature(190);
    assert_eq!(
        why(waits(Waiting::ForEvent, &tester(200))),
        "while someone awaits"
    );
    // An actor that sleeps again and again has a timer at most steps at which the bound may fall.
    let anew = "with other timers that are armed anew and anew";
    let asleep = |fair: u64| why(waits(Waiting::Asleep, &tester(fair)));
    assert!((200..206).any(|fair| asleep(fair) == anew));
}
