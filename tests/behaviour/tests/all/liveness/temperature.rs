//! Temperature and bounds: both sides of every threshold, and waits that stay undecided.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{actor, forever, monitor};
use actor_test::strategy::Gap;
use actor_test::strategy::{Choice, Enabled, Execution, Fairness, Strategy, StrategySpec};
use actor_test::{BugKind, Report, Tester};

#[derive(Debug)]
struct Next(u64);
#[derive(Debug)]
struct Warm;
#[derive(Debug)]
struct Cold;
#[derive(Debug)]
struct Hot;

/// Hot from the first `Hot` to the next `Cold`.
#[derive(Default)]
struct Owed;
#[monitor(hot(Hot), cold(Cold), warm(Warm))]
impl Owed {
    #[on]
    fn hot(&mut self, _: &Hot, cx: &mut MonitorContext<Self>) {
        cx.goto(OwedState::Hot);
    }
    #[on]
    fn warm(&mut self, _: &Warm, cx: &mut MonitorContext<Self>) {
        cx.goto(OwedState::Warm);
    }
    #[on]
    fn cold(&mut self, _: &Cold, cx: &mut MonitorContext<Self>) {
        cx.goto(OwedState::Cold);
    }
}

/// Sends `Next` to itself again and again, and announces temperatures at
/// given counts. Each count takes two steps, one to handle and one to send.
struct Plan {
    temperatures: Vec<(u64, &'static str)>,
    last: u64,
}
#[actor]
impl Plan {
    #[on]
    fn next(&mut self, next: Next, cx: &mut Context<Self>) {
        for (at, temperature) in &self.temperatures {
            if *at == next.0 {
                match *temperature {
                    "hot" => cx.announce(Hot),
                    "warm" => cx.announce(Warm),
                    _ => cx.announce(Cold),
                }
            }
        }
        if next.0 < self.last {
            cx.me().tell(Next(next.0 + 1));
        }
    }
}

/// A tester of one random execution with this bound on unfair steps.
fn bounded(steps: u64) -> Tester {
    let tester = Tester::new().iterations(1).max_steps(steps);
    tester.strategy(StrategySpec::Random)
}

fn plan(tester: &Tester, temperatures: &[(u64, &'static str)], last: u64) -> Report {
    tester.run(|sys| {
        sys.monitor::<Owed>();
        let temperatures = temperatures.to_vec();
        sys.spawn(Plan { temperatures, last }).tell(Next(0));
    })
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
    assert_eq!(report.transient, 0);
    let tester = tester.temperature(98);
    let report = plan(&tester, &[(0, "hot"), (50, "cold")], 60);
    report.assert_clean();
    assert_eq!(report.transient, 1);
    let report = plan(&tester, &[(0, "hot")], LAST);
    let bug = report.assert_bug("monitor `Owed` is hot in `Hot`");
    assert_eq!(bug.kind(), BugKind::Liveness);
    assert!(bug.message().contains("for 99 steps") && bug.message().contains("threshold 98"));
    let became_hot = 4;
    assert!(
        bug.message()
            .contains(&format!("pending since step {became_hot}")),
        "{}",
        bug.message()
    );
    assert_eq!(bug.step(), became_hot + 99);
}

#[test]
fn the_default_threshold_is_half_of_the_fair_bound() {
    let report = plan(&bounded(100), &[(0, "hot")], LAST);
    let bug = report.assert_bug("liveness");
    assert!(bug.message().contains("threshold 500"), "{}", bug.message());
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
    assert!(
        bug.message().contains("pending since step 4"),
        "{}",
        bug.message()
    );
    let short = [(0, "hot"), (40, "warm"), (400, "hot"), (410, "cold")];
    plan(&tester, &short, 450).assert_clean();
}

#[test]
fn at_the_bound_what_is_owed_stays_undecided() {
    let tester = bounded(100).max_fair_steps(1_000).temperature(900);
    let report = plan(&tester, &[(300, "hot")], LAST);
    // Hot from step 604 on, cut off at step 1000.
    let spins = report.bugs().iter().all(|bug| bug.kind() == BugKind::Spin);
    assert!(
        spins,
        "{:?}",
        report.bugs().first().map(|bug| bug.message())
    );
    let tester = Tester::new().iterations(10).max_steps(100);
    let tester = tester.max_fair_steps(1_000).temperature(900);
    let report = tester.run(|sys| {
        sys.monitor::<Owed>();
        let peer = sys.spawn(Bounces {
            peer: None,
            hot_at: 200,
        });
        peer.tell(Serve(sys.spawn(Bounces {
            peer: Some(peer.clone()),
            hot_at: u64::MAX,
        })));
    });
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 10);
    assert_eq!(report.undecided, 10);
    let example = report
        .undecided_example
        .as_deref()
        .expect("an example is kept");
    assert!(
        example.contains("monitor `Owed` is hot in `Hot`"),
        "{example}"
    );
}

#[derive(Debug)]
struct Serve(ActorRef<Bounces>);
#[derive(Debug)]
struct Ball(u64);

/// Two of these play for ever.
struct Bounces {
    peer: Option<ActorRef<Bounces>>,
    hot_at: u64,
}
#[actor]
impl Bounces {
    #[on]
    fn serve(&mut self, serve: Serve) {
        serve.0.tell(Ball(0));
        self.peer = Some(serve.0);
    }
    #[on]
    fn ball(&mut self, ball: Ball, cx: &mut Context<Self>) {
        if ball.0 + 1 >= self.hot_at {
            cx.announce(Hot);
        }
        if let Some(peer) = &self.peer {
            peer.tell(Ball(ball.0 + 1));
        }
    }
}

/// Always picks the oldest operation; unfair.
#[derive(Debug)]
struct Eldest {
    fairness: Fairness,
}
impl Strategy for Eldest {
    fn name(&self) -> String {
        "eldest".into()
    }
    fn fairness(&self) -> Fairness {
        self.fairness
    }
    fn begin(&mut self, _: &Execution) -> bool {
        true
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let eldest = enabled
            .iter()
            .enumerate()
            .min_by_key(|(_, pending)| pending.operation);
        eldest.map(|(index, _)| index)
    }
    fn choose(&mut self, _: Choice) -> u32 {
        0
    }
}

fn hot_for_ever(fairness: Fairness) -> Report {
    let tester = Tester::new().iterations(1).max_steps(100);
    tester
        .custom_strategy(Box::new(Eldest { fairness }))
        .run(|sys| {
            sys.monitor::<Owed>();
            let temperatures = vec![(0, "hot")];
            sys.spawn(Plan {
                temperatures,
                last: LAST,
            })
            .tell(Next(0));
        })
}

#[test]
fn an_unfair_execution_is_cut_without_a_verdict() {
    let report = hot_for_ever(Fairness::Unfair);
    report.assert_clean();
    assert_eq!(
        (report.unfair, report.unfair_at_bound, report.steps_total),
        (1, 1, 100)
    );
    assert_eq!(report.undecided, 1);
    assert!(report.liveness_unchecked, "and the report says so");
}

#[test]
fn a_bug_that_ends_the_exploration_leaves_liveness_unmentioned() {
    let run = |keep_going| {
        let tester = Tester::new().iterations(1).max_steps(100);
        let tester = if keep_going {
            tester.keep_going()
        } else {
            tester
        };
        let fairness = Fairness::Unfair;
        tester
            .custom_strategy(Box::new(Eldest { fairness }))
            .run(|sys| -> () {
                sys.monitor::<Owed>();
                panic!("before anybody had a turn");
            })
    };
    assert!(!run(false).liveness_unchecked);
    // A strategy that continues has given every operation a turn.
    assert!(run(true).liveness_unchecked);
}

/// Under unfair strategies, obligations are judged in executions
/// that end by themselves, and not in those that are cut off.
#[test]
fn liveness_is_unchecked_where_an_unfair_execution_was_cut_off() {
    let run = |long: bool| {
        let tester = Tester::new().iterations(4).max_steps(100);
        let fairness = Fairness::Unfair;
        let calls = std::sync::atomic::AtomicU32::new(0);
        tester
            .custom_strategy(Box::new(Eldest { fairness }))
            .run(move |sys| {
                sys.monitor::<Owed>();
                let call = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let last = if long && call == 2 { LAST } else { 3 };
                let temperatures = vec![(0, "hot"), (2, "cold")];
                sys.spawn(Plan { temperatures, last }).tell(Next(0));
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
    assert!(
        bug.message().contains("pending since step 4"),
        "{}",
        bug.message()
    );
    assert!(!report.liveness_unchecked);
}

/// Ends the match after some balls.
struct Referee;
#[derive(Debug, Clone)]
struct Minute;
#[actor]
impl Referee {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Hot);
        cx.after(Duration::from_secs(60), Minute);
    }
    #[on]
    fn minute(&mut self, _: Minute, cx: &mut Context<Self>) {
        cx.announce(Cold);
    }
}

/// Slow but live: two players occupy the schedule, and a timer finally cools the monitor.
#[test]
fn slow_but_live_is_no_bug() {
    let report = Tester::new().iterations(200).max_steps(200).run(|sys| {
        sys.monitor::<Owed>();
        let peer = sys.spawn(Bounces {
            peer: None,
            hot_at: u64::MAX,
        });
        peer.tell(Serve(sys.spawn(Bounces {
            peer: Some(peer.clone()),
            hot_at: u64::MAX,
        })));
        sys.spawn(Referee);
    });
    report.assert_clean();
    assert_eq!(report.undecided, 0);
}

#[test]
fn predicates_heat_by_the_same_rule() {
    let tester = Tester::new().iterations(1);
    let tester = tester.max_steps(1_000).temperature(100);
    let count_of = |report: &Report| report.assert_bug("liveness").step();
    let eventually = |goal: u64| {
        tester.run(move |sys| {
            let counts = sys.spawn(Counts(0));
            counts.tell(Next(0));
            sys.eventually("it gets there", move |w| {
                w.get(&counts).is_some_and(|c| c.0 >= goal)
            });
        })
    };
    eventually(40).assert_bug("no progress");
    let report = eventually(LAST);
    assert!(
        report.bugs[0].message().contains("it gets there"),
        "{}",
        report.bugs[0].message()
    );
    assert_eq!(
        count_of(&report),
        1 + 101,
        "pending since the body registered it"
    );
    let again = |period: u64| {
        tester.run(move |sys| {
            let counts = sys.spawn(Counts(0));
            counts.tell(Next(0));
            sys.always_eventually("it comes round", move |w| {
                w.get(&counts).is_none_or(|counts| counts.0 % period == 0)
            });
        })
    };
    let spins = again(40);
    spins.assert_bug("no progress");
    assert_eq!(spins.transient, 0);
    let slow = again(60);
    slow.assert_clean();
    let example = slow.transient_example.expect("it was suspected");
    assert!(example.contains("it comes round"), "{example}");
}

struct Counts(u64);
#[actor]
impl Counts {
    #[on]
    fn next(&mut self, next: Next, cx: &mut Context<Self>) {
        self.0 = next.0;
        cx.me().tell(Next(next.0 + 1));
    }
}

#[test]
fn heat_from_before_the_switch_is_forgotten_in_a_warm_pause() {
    let plan = |temperatures: &[(u64, &'static str)]| {
        let fairness = Fairness::FairFrom(50);
        let tester = Tester::new().iterations(1).max_steps(100);
        let report = tester
            .custom_strategy(Box::new(Eldest { fairness }))
            .run(|sys| {
                sys.monitor::<Owed>();
                let temperatures = temperatures.to_vec();
                sys.spawn(Plan {
                    temperatures,
                    last: LAST,
                })
                .tell(Next(0));
            });
        report.assert_bug("liveness").step()
    };
    let hot_again = 4 + 2 * 100;
    // Hot from step 4 on, and warm at step 24, before the switch at step 50.
    let before = [(0, "hot"), (10, "warm"), (100, "hot")];
    assert_eq!(plan(&before), hot_again + 501);
    // Warm at step 50, the last one that does not count, and at step 52, two steps of which count.
    let at = [(0, "hot"), (23, "warm"), (100, "hot")];
    assert_eq!(plan(&at), hot_again + 501);
    let after = [(0, "hot"), (24, "warm"), (100, "hot")];
    assert_eq!(plan(&after), hot_again + 501 - 2);
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

/// Answers asks, and cools the monitor on request.
struct Counter;
#[derive(Debug)]
struct Ask;
#[derive(Debug)]
struct Chill;
#[actor]
impl Counter {
    #[on]
    fn ask(&mut self, _: Ask) {}
    #[on]
    fn chill(&mut self, _: Chill, cx: &mut Context<Self>) {
        cx.announce(Cold);
    }
}

/// The strategy prefers the players of an endless match to the actor that
/// would cool the monitor; the body calls `finish` while the monitor is hot.
fn finish_while_hot(fairness: Fairness, is_cooled: bool) -> Report {
    let tester = Tester::new().iterations(1).max_steps(100);
    tester
        .custom_strategy(Box::new(Eldest { fairness }))
        .run(move |sys| async move {
            sys.monitor::<Owed>();
            sys.announce(Hot);
            let asked = sys.spawn(Counter);
            // Four steps each.
            for _ in 0..10 {
                asked.ask(Ask).await.expect("it lives");
            }
            let peer = sys.spawn(Bounces {
                peer: None,
                hot_at: u64::MAX,
            });
            let other = sys.spawn(Bounces {
                peer: Some(peer.clone()),
                hot_at: u64::MAX,
            });
            peer.tell(Serve(other));
            let cools = sys.spawn(Counter);
            if is_cooled {
                cools.tell(Chill);
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
            (report.fair, report.fair_at_bound, report.undecided),
            (1, 0, 0)
        );
        assert!(!report.liveness_unchecked);
    }
    // The body's first step and the spawn, the asks, and four effects, the last with `finish`.
    let asked_at = 2 + 10 * 4 + 4;
    for fairness in [Fairness::Unfair, Fairness::FairFrom(90)] {
        let report = finish_while_hot(fairness, false);
        let bug = report.assert_bug("monitor `Owed` is hot in `Hot`");
        assert_eq!(bug.kind(), BugKind::Liveness);
        // The temperature starts anew in the fair suffix, although the monitor was hot before.
        assert_eq!(bug.step(), asked_at + 501, "{}", bug.message());
        assert!(
            bug.message().contains("pending since step 1"),
            "{}",
            bug.message()
        );
        assert_eq!(bug.trace.fair_from, Some(asked_at));
    }
    let report = finish_while_hot(Fairness::Fair, false);
    assert_eq!(report.assert_bug("liveness").step(), 1 + 501);
}

/// The steps of a fair suffix are no part of the systematic search.
#[test]
fn a_fair_suffix_is_no_part_of_a_systematic_search() {
    let dfs = |is_hot: bool| {
        let tester = Tester::new()
            .iterations(u64::MAX)
            .strategy(StrategySpec::Dfs(None));
        let report = tester.run(move |sys| async move {
            sys.monitor::<Owed>();
            let cools = sys.spawn(Counter);
            cools.ask(Ask).await.expect("it lives");
            if is_hot {
                sys.announce(Hot);
                cools.tell(Chill);
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
#[derive(Debug)]
struct Begin;

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
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
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

fn waits(how: Waiting, tester: &Tester) -> Report {
    tester.run(move |sys| {
        sys.spawn(Ticks);
        let silent = sys.spawn(Silent::default());
        sys.spawn(Waits { how, silent }).tell(Begin);
    })
}

#[test]
fn who_awaits_in_vain_beside_a_timer_is_found() {
    let tester = bounded(200);
    for (how, kind, what) in [
        (
            Waiting::ForEvent,
            BugKind::Deadlock,
            "`Waits` awaits an event `Never`",
        ),
        (
            Waiting::ForEventWithTicks,
            BugKind::Deadlock,
            "`Waits` awaits an event `Never`",
        ),
        (
            Waiting::ForReply,
            BugKind::Deadlock,
            "`Waits` awaits the reply of `Silent`",
        ),
        (
            Waiting::ForChannel,
            BugKind::OutsideWait,
            "`Waits` awaits something",
        ),
    ] {
        let report = waits(how, &tester);
        let bug = report.assert_bug(what);
        assert_eq!(bug.kind(), kind);
        let message = bug.message();
        assert!(message.contains("for 1001 steps"), "{message}");
        assert!(message.contains("(threshold 1000)"), "{message}");
        let confirmation = bug.confirmation.expect("it was continued");
        assert!(!confirmation.recovered && confirmation.continuations >= 20);
    }
}

#[test]
fn who_has_time_or_a_time_limit_waits_in_silence() {
    for how in [Waiting::ForReplyWithLimit, Waiting::Asleep] {
        let report = waits(how, &bounded(200));
        report.assert_clean();
        assert_eq!((report.transient, report.undecided), (0, 0), "{how:?}");
        assert_eq!(report.fair_at_bound, 1);
        let example = report.restless_example.expect("it says why");
        assert!(
            example.starts_with("`Ticks` gets `Minute` every 1s"),
            "{example}"
        );
    }
    // The handler does not even prevent the end of the execution.
    let report = waits(Waiting::ForEventForever, &bounded(200));
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.restless), (0, 0));
}

/// One step below the threshold the wait is undecided at the bound; at the threshold it is suspected.
#[test]
fn both_sides_of_the_threshold_of_a_wait() {
    let found = waits(Waiting::ForEvent, &bounded(200).temperature(100));
    let step = found.assert_bug("awaits an event").step();
    let begun = step - 101;
    let tester = |fair: u64| bounded(200).max_fair_steps(fair).temperature(300);
    let same = |report: &Report| {
        report.bugs()[0]
            .message()
            .contains(&format!("since step {begun}"))
    };
    assert!(same(&found));
    let report = waits(Waiting::ForEvent, &tester(begun + 301));
    assert!(same(&report));
    let report = waits(Waiting::ForEvent, &tester(begun + 300));
    report.assert_clean();
    assert_eq!(report.undecided, 1);
    let example = report.undecided_example.expect("it is told");
    assert_eq!(
        example,
        format!("`Waits` awaits an event `Never`, pending since step {begun}")
    );
    // A wait that was cut off after a tenth of the threshold is not counted as undecided.
    assert_eq!(waits(Waiting::ForEvent, &tester(begun + 31)).undecided, 1);
    assert_eq!(waits(Waiting::ForEvent, &tester(begun + 30)).undecided, 0);
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

/// Asks again and again.
struct Customer(ActorRef<Slow>);
#[actor]
impl Customer {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        self.0.ask(Ask).await.expect("it is answered");
        cx.me().tell(Begin);
    }
}

#[test]
fn who_waits_long_and_is_served_is_no_bug() {
    let slow = |rounds: u64| {
        let tester = Tester::new().iterations(20).max_steps(200);
        tester.run(move |sys| {
            sys.spawn(Ticks);
            let slow = sys.spawn(Slow {
                rounds,
                reply: None,
            });
            sys.spawn(Customer(slow)).tell(Begin);
        })
    };
    // Each wait takes a part of the 1000 allowed steps.
    let report = slow(100);
    report.assert_clean();
    assert_eq!(report.transient, 0);
    // Each wait takes more: all are suspected, and all end later.
    let report = slow(600);
    report.assert_clean();
    assert!(report.transient > 0, "it was suspected");
    let example = report.transient_example.expect("it was suspected");
    assert!(example.contains("awaits the reply of `Slow`"), "{example}");
}

/// Under a strategy that starves the actor, a wait counts only from the fair part on.
#[test]
fn a_wait_counts_in_the_fair_part_only() {
    let report = |fairness: Fairness| {
        let tester = Tester::new().iterations(1).max_steps(200);
        tester
            .custom_strategy(Box::new(Eldest { fairness }))
            .run(|sys| {
                sys.spawn(Ticks);
                let silent = sys.spawn(Silent::default());
                let how = Waiting::ForReply;
                sys.spawn(Waits { how, silent }).tell(Begin);
            })
    };
    let bug = report(Fairness::FairFrom(150));
    let bug = bug.assert_bug("`Waits` awaits the reply of `Silent`, for 1001 steps");
    assert_eq!(bug.step(), 150 + 1001);
    let unfair = report(Fairness::Unfair);
    unfair.assert_clean();
    assert_eq!(unfair.undecided, 0);
}

/// Defers `Never` until it is released, if ever.
struct Defers;
#[actor(states(Busy(defer(Never)), Free))]
impl Defers {
    #[on(Busy)]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        cx.goto(DefersState::Free);
    }
    #[on(Free)]
    fn never(&mut self, _: Never, cx: &mut Context<Self>) {
        cx.goto(DefersState::Busy);
    }
    #[on]
    fn ball(&mut self, _: Ball) {}
}

#[test]
fn an_event_deferred_for_ever_beside_others_is_found() {
    let report = |lets_go: bool| {
        let tester = Tester::new().iterations(5).max_steps(200);
        tester.strategy(StrategySpec::Random).run(move |sys| {
            let defers = sys.spawn(Defers);
            defers.tell(Never);
            let slow = sys.spawn(Slow {
                rounds: 10,
                reply: None,
            });
            // Keeps the execution busy, and releases the deferring actor now and then.
            sys.spawn(Customer(slow)).tell(Begin);
            sys.spawn(LetsGo { defers, lets_go }).tell(Begin);
        })
    };
    let found = report(false);
    let bug = found.assert_bug("`Defers` in state `Busy` defers `Never`");
    assert_eq!(bug.kind(), BugKind::DeferredForever);
    assert!(!bug.confirmation.expect("it was continued").recovered);
    let clean = report(true);
    clean.assert_clean();
    assert_eq!((clean.transient, clean.fair_at_bound), (0, 5));
}

/// Releases the deferring actor again and again, if `lets_go` is set.
struct LetsGo {
    defers: ActorRef<Defers>,
    lets_go: bool,
}
#[actor]
impl LetsGo {
    #[on]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        if self.lets_go && cx.choose(50) == 0 {
            self.defers.tell(Never);
            self.defers.tell(Begin);
        }
        cx.me().tell(Begin);
    }
}

/// The wait of a test body is found, too, with the actor that causes it.
#[test]
fn a_body_that_awaits_in_vain_is_found_with_who_keeps_it() {
    let tester = Tester::new().iterations(5).max_steps(200);
    let report = tester.run(|sys| async move {
        sys.spawn(Ticks);
        let silent = sys.spawn(Silent::default());
        let how = Waiting::ForEvent;
        let waits = sys.spawn(Waits { how, silent });
        waits.ask(Begin).await.expect("it never answers");
    });
    let bug = report.assert_bug("`Waits` awaits an event `Never`, for 1001 steps");
    let message = bug.message();
    assert!(
        message.contains("meanwhile `test` awaits the reply of `Waits`"),
        "{message}"
    );
}

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
    assert_eq!(report.unread, 10);
    let example = report.unread_example.expect("it is told");
    assert_eq!(example, "`Server` with 1 unread event, `Begin` first");
}

#[derive(Debug, Clone)]
struct Pulse;

/// Waits for a job, and therefore does not handle its timer.
struct Dozes;
#[actor(receive(Job))]
impl Dozes {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Pulse);
        forever(cx.receive::<Job>()).await;
    }
    #[on]
    fn pulse(&mut self, _: Pulse) {}
}

/// Unread timer events and stop requests were sent by no actor, so no event is lost.
#[test]
fn ticks_that_nobody_reads_are_no_loss() {
    let report = Tester::new().iterations(10).run(|sys| {
        sys.spawn(Dozes).tell(Begin);
    });
    report.assert_clean();
    assert_eq!((report.unread, report.unread_example), (0, None));
}

/// Sets a timer that fires once, after this time.
struct Late(Duration);
#[actor]
impl Late {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Hot);
        cx.after(self.0, Minute);
    }
    #[on]
    fn minute(&mut self, _: Minute) {
        panic!("the time has come");
    }
}

/// An execution ends after three rounds of periodic timers alone, but not
/// while a one-shot timer is set, and not while an obligation is pending.
#[test]
fn periodic_timers_are_no_end_while_another_timer_is_armed() {
    let tester = || Tester::new().iterations(20).max_steps(200);
    let report = tester().run(|sys| {
        sys.spawn(Ticks);
        sys.spawn(Late(Duration::from_secs(20)));
    });
    report.assert_bug("the time has come");
    let report = tester().run(|sys| {
        sys.spawn(Ticks);
        sys.spawn(Ticks);
    });
    report.assert_clean();
    assert_eq!((report.fair_at_bound, report.unread), (0, 0));
    let report = tester().run(|sys| {
        sys.monitor::<Owed>();
        sys.announce(Hot);
        sys.spawn(Ticks);
    });
    let bug = report.assert_bug("monitor `Owed` is hot in `Hot`");
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
    let tester = Tester::new().iterations(1).max_steps(100);
    let report = tester.run(|sys| sys.spawn(Swings).tell(Next(0)));
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 1);
}

#[test]
fn why_an_execution_never_rests() {
    let why = |report: Report| {
        report.assert_clean();
        assert_eq!(report.restless, 1);
        let example = report.restless_example.expect("it says why");
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
