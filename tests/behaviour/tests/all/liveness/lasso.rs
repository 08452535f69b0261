//! Lassos: a state that repeats with a pending obligation is reported long
//! before the temperature is exceeded, and never if a schedule leaves the cycle.

use std::time::Duration;

use actor_core::Actor;
use actor_core::prelude::*;
use actor_test::strategy::{Choice, Enabled, Execution, Fairness, Strategy, StrategySpec};
use actor_test::{BugKind, Report, Tester};

/// An obligation arises.
#[derive(Debug)]
struct Owe;
/// The obligation is discharged.
#[derive(Debug)]
struct Pay;

/// Hot from an `Owe` to the next `Pay`.
#[derive(Default)]
struct Debt;
#[monitor(hot(Open), cold(Paid))]
impl Debt {
    #[on]
    fn owe(&mut self, _: &Owe, cx: &mut MonitorContext<Self>) {
        cx.goto(DebtState::Open);
    }
    #[on]
    fn pay(&mut self, _: &Pay, cx: &mut MonitorContext<Self>) {
        cx.goto(DebtState::Paid);
    }
}

/// Begins the match with a first ball.
#[derive(Debug, Fingerprint)]
struct Serve<P: Actor>(ActorRef<P>);

/// The balls of the players.
trait Hit: Default {
    fn hit(self) -> Self {
        self
    }
}

#[derive(Debug, Default)]
struct Ball;
impl Hit for Ball {}

/// A ball with a count.
#[derive(Debug, Default, Hash)]
struct Numbered(u64);
impl Hit for Numbered {
    fn hit(self) -> Self {
        Self(self.0 + 1)
    }
}

// ANCHOR: skip
/// A count that nothing depends on.
#[derive(Debug, Default, Fingerprint)]
struct Named(#[fingerprint(skip)] u64);
// ANCHOR_END: skip
impl Hit for Named {
    fn hit(self) -> Self {
        Self(self.0 + 1)
    }
}

#[derive(Debug, Default)]
struct Opaque(#[allow(dead_code)] u8);
impl Hit for Opaque {}

/// Defines the players of a match that never ends.
macro_rules! players {
    ($($(#[$of_player:meta])* $player:ident { $($(#[$of_count:meta])* $count:ident)? } hits $ball:ty;)*) => {$(
        #[derive(Debug)]
        $(#[$of_player])*
        struct $player {
            peer: Option<ActorRef<$player>>,
            $($(#[$of_count])* $count: u64,)?
        }
        impl $player {
            fn new(peer: Option<&ActorRef<Self>>) -> Self {
                Self { peer: peer.cloned(), $($count: 0)? }
            }
        }
        #[actor]
        impl $player {
            #[on]
            fn serve(&mut self, serve: Serve<$player>, cx: &mut Context<Self>) {
                cx.announce(Owe);
                serve.0.tell(<$ball>::default());
                self.peer = Some(serve.0);
            }
            #[on]
            fn ball(&mut self, ball: $ball) {
                $(self.$count += 1;)?
                if let Some(peer) = &self.peer {
                    peer.tell(ball.hit());
                }
            }
        }
    )*};
}
players! {
    #[derive(Hash)]
    Hashed {} hits Ball;
    #[derive(Hash)]
    Counting { balls } hits Ball;
    #[derive(Fingerprint)]
    Skipping { #[fingerprint(skip)] balls } hits Ball;
    Bare {} hits Ball;
    #[derive(Hash)]
    Numbering {} hits Numbered;
    #[derive(Hash)]
    Naming {} hits Named;
    #[derive(Hash)]
    Obscure {} hits Opaque;
}

/// Runs two players for ever.
macro_rules! play {
    ($tester:expr, $player:ident) => {
        $tester.run(|sys| {
            sys.monitor::<Debt>();
            let first = sys.spawn($player::new(None));
            first.tell(Serve(sys.spawn($player::new(Some(&first)))));
        })
    };
}

fn once() -> Tester {
    Tester::new().iterations(1).strategy(StrategySpec::Random)
}

/// Asserts that the first bug is a certain lasso; returns its step.
fn lasso(report: &Report) -> u64 {
    let bug = report.assert_bug("that a fair schedule can repeat for ever");
    assert_eq!(bug.kind(), BugKind::Liveness);
    assert!(
        bug.message().contains("no step leads out"),
        "{}",
        bug.message()
    );
    let cycle = bug.trace.cycle.expect("the cycle is recorded");
    assert!(bug.message().contains(&cycle.to_string()));
    assert!(cycle.from < cycle.to && cycle.to <= bug.step());
    assert!(report.opaque.is_empty(), "{:?}", report.opaque);
    bug.step()
}

/// Asserts that the first bug exceeded the default temperature threshold.
fn heat(report: &Report) {
    let threshold = report.bounds.temperature();
    let bug = report.assert_bug(&format!("(threshold {threshold})"));
    assert_eq!(bug.kind(), BugKind::Liveness);
    assert!(bug.step() > threshold);
}

#[test]
fn a_livelock_is_found_in_a_few_hundred_steps() {
    let report = play!(once(), Hashed);
    let step = lasso(&report);
    assert!(step < 300, "{step}");
    let bug = &report.bugs()[0];
    assert!(
        bug.message()
            .starts_with("monitor `Debt` is hot in `Open`, pending since step"),
        "{}",
        bug.message()
    );
    let cycle = bug.trace.cycle.expect("the cycle is recorded");
    assert_eq!(cycle.to - cycle.from, 4, "two to handle and two to send");
    assert!(bug.message().contains("out of the 4 states"));
    assert_eq!(
        bug.trace.story.steps.len() as u64,
        step,
        "the replay ends there, too"
    );
}

#[test]
fn what_grows_for_ever_is_left_to_the_heat() {
    let report = play!(once(), Counting);
    heat(&report);
    assert!(report.opaque.is_empty(), "all of it could be compared");
    heat(&play!(once(), Numbering));
}

#[test]
fn a_counter_that_is_skipped_is_no_obstacle() {
    assert!(lasso(&play!(once(), Skipping)) < 300);
    assert!(lasso(&play!(once(), Naming)) < 300);
}

#[test]
fn a_body_that_has_returned_is_no_obstacle() {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy("states".parse().expect("a strategy"))
        .run(|sys| {
            let player = sys.spawn(Hashed::new(None));
            player.tell(Ball);
            sys.eventually("it is there", move |w| w.get(&player).is_some());
        });
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert!(report.opaque.is_empty(), "{:?}", report.opaque);
}

#[test]
fn what_offers_nothing_is_named() {
    let few = || once().max_steps(1_000);
    let report = play!(few(), Bare);
    heat(&report);
    assert_eq!(report.opaque, ["`Bare` (actor)"]);
    let report = play!(few(), Obscure);
    heat(&report);
    assert_eq!(report.opaque, ["`Opaque` (event)"]);
    let report = few().run(|sys| {
        sys.monitor::<Debt>();
        let player = sys.spawn(Hashed::new(None));
        sys.spawn(Asks(player));
    });
    heat(&report);
    assert_eq!(report.opaque, ["`Asks` (async handler)"]);
    let report = few().run(|sys| async move {
        sys.monitor::<Debt>();
        sys.announce(Owe);
        let player = sys.spawn(Hashed::new(None));
        while player.ask(Ball).await.is_ok() {}
    });
    heat(&report);
    assert_eq!(report.opaque, ["`test` (async)"]);
}

/// Asks again and again.
#[derive(Hash)]
struct Asks(ActorRef<Hashed>);
#[actor]
impl Asks {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Owe);
        cx.me().tell(Ball);
    }
    #[on]
    async fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        self.0.ask(Ball).await.expect("it lives");
        cx.me().tell(Ball);
    }
}

/// An opaque actor that waits the whole time, and receives nothing, does not prevent a lasso.
#[test]
fn what_rests_may_be_opaque() {
    let report = once().run(|sys| async move {
        sys.monitor::<Debt>();
        let never = sys.spawn(Bare::new(None));
        let first = sys.spawn(Hashed::new(None));
        first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
        let asks = sys.spawn(Waits(never));
        asks.ask(Ball).await.expect("it never does");
    });
    assert!(lasso(&report) < 300);
}

/// Waits in a handler for an event that never comes.
struct Waits(#[allow(dead_code)] ActorRef<Bare>);
#[actor(receive(Pay))]
impl Waits {
    #[on]
    async fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        cx.receive::<Pay>().await;
    }
}

/// Defines a walk along a line of `length` places, a step there or back as `walk`
/// decides; the obligation arises at the start, and is discharged at the end.
macro_rules! walkers {
    ($($(#[$meta:meta])* $walker:ident steps $walk:expr;)*) => {$(
        $(#[$meta])*
        #[derive(Hash)]
        struct $walker {
            at: u32,
            length: u32,
        }
        #[actor]
        impl $walker {
            #[start]
            fn start(&mut self, cx: &mut Context<Self>) {
                cx.announce(Owe);
                cx.me().tell(Ball);
            }
            #[on]
            fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
                let walk: fn(&mut Context<Self>) -> bool = $walk;
                self.at = if walk(cx) { self.at + 1 } else { 0 };
                if self.at == self.length {
                    cx.announce(Pay);
                } else {
                    cx.me().tell(Ball);
                }
            }
        }
    )*};
}
walkers! {
    /// Tosses a coin.
    Tosser steps |cx| cx.choose_bool();
    /// Always steps back.
    Stander steps |_| false;
    /// Draws a random number.
    Drawer steps |cx| rand_core::Rng::next_u32(&mut cx.rng()).is_multiple_of(2);
}

/// 500 executions of programs that leave the cycle after eight lucky choices in a row, which takes 510
/// choices on average: one of 10^18 runs of this test stays for 50 000 steps, that is 25 000 choices.
#[test]
fn a_choice_may_always_turn_out_well() {
    let tester = Tester::new().iterations(250);
    let report = tester.run(|sys| {
        sys.monitor::<Debt>();
        sys.spawn(Tosser { at: 0, length: 8 });
    });
    report.assert_clean();
    let report = tester.run(|sys| {
        sys.monitor::<Debt>();
        sys.spawn(Drawer { at: 0, length: 8 });
    });
    report.assert_clean();
    lasso(&once().run(|sys| {
        sys.monitor::<Debt>();
        sys.spawn(Stander { at: 0, length: 8 });
    }));
}

/// Discharges the obligation after several events of the same caller in a row, which depends on the schedule.
#[derive(Hash)]
struct Listener {
    run: u32,
    enough: u32,
    last: Option<ActorId>,
}
#[derive(Debug, Hash)]
struct Heard(Recipient<Ball>, ActorId);
#[actor]
impl Listener {
    #[on]
    fn heard(&mut self, heard: Heard, cx: &mut Context<Self>) {
        self.run = if self.last == Some(heard.1) {
            self.run + 1
        } else {
            1
        };
        self.last = Some(heard.1);
        if self.run == self.enough {
            cx.announce(Pay);
            cx.halt();
        }
        heard.0.tell(Ball);
    }
}
#[derive(Hash)]
struct Caller(ActorRef<Listener>);
#[actor]
impl Caller {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Owe);
        cx.me().tell(Ball);
    }
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        self.0.tell(Heard(cx.recipient(), cx.me().id()));
    }
}

fn callers(sys: &System, enough: u32) {
    sys.monitor::<Debt>();
    let (run, last) = (0, None);
    let listener = sys.spawn(Listener { run, enough, last });
    sys.spawn(Caller(listener.clone()));
    sys.spawn(Caller(listener));
}

/// A fair schedule could repeat each cycle for ever, but no random schedule does.
#[test]
fn a_schedule_may_always_turn_out_well() {
    let tester = Tester::new().iterations(300).strategy(StrategySpec::Random);
    let report = tester.run(|sys| callers(&sys, 4));
    report.assert_clean();
    assert!(report.steps.expect("they end").max > 5_000, "luck is rare");
    // No series is long enough here; and series have no limit, so there are infinitely many states.
    let report = once().run(|sys| callers(&sys, u32::MAX));
    heat(&report);
    let cycle = report.bugs()[0].trace.cycle.expect("some run comes back");
    assert!(report.bugs()[0].message().contains(&cycle.to_string()));
}

/// Several matches at the same time: four states each, in all
/// combinations. The step of detection is the same on every machine.
#[test]
fn all_states_around_are_looked_at() {
    for (matches, before) in [(1, 300), (2, 320), (3, 1_280), (4, 5_120)] {
        let report = once().run(|sys| {
            sys.monitor::<Debt>();
            for _ in 0..matches {
                let first = sys.spawn(Hashed::new(None));
                first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
            }
        });
        let step = lasso(&report);
        assert!(step < before, "{step} steps for {matches}");
        let states = format!("out of the {} states", 4_u32.pow(matches));
        assert!(report.bugs()[0].message().contains(&states));
    }
}

/// Always picks the last of the enabled operations below
/// a number: claims fairness, but starves the others.
#[derive(Debug)]
struct LeavesOut(usize);
impl Strategy for LeavesOut {
    fn name(&self) -> String {
        "leaves out".into()
    }
    fn fairness(&self) -> Fairness {
        Fairness::Fair
    }
    fn begin(&mut self, _: &Execution) -> bool {
        true
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let others = enabled.iter().enumerate();
        let mut others = others.filter(|(_, pending)| pending.operation.index() != self.0);
        Some(others.next().map_or(0, |(index, _)| index))
    }
    fn choose(&mut self, _: Choice) -> u32 {
        0
    }
}

/// Discharges the obligation when it runs.
struct Payer;
#[actor]
impl Payer {
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        cx.announce(Pay);
    }
}

#[test]
fn a_cycle_that_leaves_someone_out_is_none() {
    let run = |left_out: usize| {
        let strategy = Box::new(LeavesOut(left_out));
        let tester = Tester::new().iterations(1).max_steps(1_000);
        let tester = tester.max_fair_steps(20_000).temperature(19_000);
        tester.custom_strategy(strategy).run(|sys| {
            sys.monitor::<Debt>();
            let first = sys.spawn(Hashed::new(None));
            first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
            sys.spawn(Payer).tell(Ball);
        })
    };
    // The payer is enabled all the time, and runs in a fair continuation.
    let report = run(3);
    report.assert_clean();
    let example = report.transient_example.expect("it was suspected");
    assert!(example.contains("(threshold 19000)"), "{example}");
    assert!(!example.contains("there is"), "no cycle is seen: {example}");
    run(usize::MAX).assert_bug("that a fair schedule can repeat for ever");
}

/// Always picks the first enabled operation.
#[derive(Debug)]
struct First(Fairness);
impl Strategy for First {
    fn name(&self) -> String {
        "first".into()
    }
    fn fairness(&self) -> Fairness {
        self.0
    }
    fn begin(&mut self, _: &Execution) -> bool {
        true
    }
    fn pick(&mut self, _: &Enabled<'_>) -> Option<usize> {
        Some(0)
    }
    fn choose(&mut self, _: Choice) -> u32 {
        0
    }
}

#[test]
fn only_fair_steps_count() {
    let run = |fairness: Fairness| {
        let tester = Tester::new().iterations(1).max_steps(10_000);
        tester
            .custom_strategy(Box::new(First(fairness)))
            .run(|sys| {
                sys.monitor::<Debt>();
                let first = sys.spawn(Hashed::new(None));
                first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
            })
    };
    let report = run(Fairness::Unfair);
    report.assert_clean();
    assert_eq!((report.undecided, report.liveness_unchecked), (1, true));
    let report = run(Fairness::FairFrom(5_000));
    let step = lasso(&report);
    assert!((5_100..5_300).contains(&step), "{step}");
    let cycle = report.bugs()[0].trace.cycle.expect("the cycle is recorded");
    assert!(cycle.from > 5_100);
}

/// The obligation is suspended: the monitor becomes warm.
#[derive(Debug)]
struct Forgive;
#[derive(Default)]
struct Patience;
#[monitor(hot(Open), cold(Paid), warm(Forgiven))]
impl Patience {
    #[on]
    fn owe(&mut self, _: &Owe, cx: &mut MonitorContext<Self>) {
        cx.goto(PatienceState::Open);
    }
    #[on]
    fn forgive(&mut self, _: &Forgive, cx: &mut MonitorContext<Self>) {
        cx.goto(PatienceState::Forgiven);
    }
}

/// Is hot for some balls, then warm; or hot and warm with every ball.
#[derive(Hash)]
struct Moody {
    balls: u32,
    always: bool,
}
#[actor]
impl Moody {
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        if self.balls > 0 {
            self.balls -= 1;
            cx.announce(Owe);
        } else if self.always {
            cx.announce(Owe);
            cx.me().tell(Tick);
        } else {
            cx.announce(Forgive);
        }
        cx.me().tell(Ball);
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.announce(Forgive);
    }
}

#[test]
fn what_is_warm_for_ever_is_not_owed_for_ever() {
    let run = |always: bool| {
        let tester = once().max_steps(1_000).temperature(5_000);
        tester.run(move |sys| {
            sys.monitor::<Patience>();
            let balls = 200;
            sys.spawn(Moody { balls, always }).tell(Ball);
        })
    };
    let report = run(false);
    report.assert_clean();
    assert_eq!(report.undecided, 1, "warm since it was hot");
    lasso(&run(true));
}

#[derive(Debug, Clone, Hash)]
struct Tick;

/// Retries every second, and may read the clock.
#[derive(Fingerprint)]
struct Retries {
    timer: Option<Timer>,
    periodic: bool,
    gives_up_after: Option<Duration>,
}
#[actor]
impl Retries {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Owe);
        self.arm(cx);
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        if self.gives_up_after.is_some_and(|limit| cx.now() >= limit) {
            cx.announce(Pay);
            cx.halt();
        } else if !self.periodic {
            self.arm(cx);
        }
    }
}
impl Retries {
    fn arm(&mut self, cx: &mut Context<Self>) {
        let second = Duration::from_secs(1);
        self.timer = Some(if self.periodic {
            cx.every(second, Tick)
        } else {
            cx.after(second, Tick)
        });
    }
}

fn retries(tester: &Tester, periodic: bool, gives_up_after: Option<Duration>) -> Report {
    tester.run(move |sys| {
        sys.monitor::<Debt>();
        sys.spawn(Retries {
            timer: None,
            periodic,
            gives_up_after,
        });
        // Another match, so that the periodic timer is not the only activity.
        let first = sys.spawn(Hashed::new(None));
        first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
    })
}

#[test]
fn timers_are_compared_by_what_is_left_of_them() {
    for periodic in [false, true] {
        assert!(lasso(&retries(&once(), periodic, None)) < 3_000);
    }
}

/// The state repeats except for the time, which the program reads.
#[test]
fn a_program_that_looks_at_the_clock_may_change_its_mind() {
    for periodic in [false, true] {
        let tester = once().max_steps(1_000);
        heat(&retries(
            &tester,
            periodic,
            Some(Duration::from_secs(10_000)),
        ));
        let report = retries(&tester, periodic, Some(Duration::from_secs(100)));
        report.assert_clean();
        assert_eq!(report.undecided, 0, "it gave up");
    }
}

#[test]
fn unmet_predicates_are_owed_as_well() {
    let report = once().run(|sys| {
        let first = sys.spawn(Hashed::new(None));
        first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
        sys.eventually("a third joins", |w| w.all::<Hashed>().count() == 3);
    });
    lasso(&report);
    assert!(report.bugs()[0].message().contains("a third joins"));
    let report = once().run(|sys| {
        let first = sys.spawn(Hashed::new(None));
        first.tell(Serve(sys.spawn(Hashed::new(Some(&first)))));
        sys.always_eventually("the first has no ball", move |w| w.inbox_len(&first) == 0);
    });
    assert_eq!(report.bugs().len(), 0, "it is true again and again");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_workers() {
    let tester = Tester::new().iterations(24).max_steps(500).keep_going();
    let run = |workers: usize| {
        let mut report = play!(tester.clone().workers(workers), Hashed);
        report.elapsed_s = 0.0;
        let strategies = report.strategies.iter_mut();
        strategies.for_each(|strategy| strategy.elapsed_s = 0.0);
        report
            .bugs
            .iter_mut()
            .for_each(|bug| bug.found_after_s = 0.0);
        report
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn the_search_can_be_turned_off() {
    let report = play!(once().lasso(false), Hashed);
    heat(&report);
    assert_eq!(report.bugs()[0].trace.cycle, None);
    assert!(report.opaque.is_empty(), "nobody asked");
}

/// An incomplete fingerprint: it leaves out the count that decides every fifth ball.
#[derive(Fingerprint)]
struct Lies {
    marked: bool,
    #[fingerprint(skip)]
    balls: u64,
}
#[actor]
impl Lies {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Owe);
        cx.me().tell(Ball);
    }
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        self.balls += 1;
        self.marked = self.balls.is_multiple_of(5);
        cx.me().tell(Ball);
    }
}

/// The `Hash` implementation panics.
struct Breaks;
impl std::hash::Hash for Breaks {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {
        panic!("not today");
    }
}
#[actor]
impl Breaks {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Owe);
        cx.me().tell(Ball);
    }
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        cx.me().tell(Ball);
    }
}

#[test]
fn a_fingerprint_that_lies_is_not_believed() {
    let report = once().run(|sys| {
        sys.monitor::<Debt>();
        let (marked, balls) = (false, 0);
        sys.spawn(Lies { marked, balls });
    });
    heat(&report);
    assert_eq!(report.bugs()[0].trace.cycle, None, "what was seen is void");
    heat(&once().run(|sys| {
        sys.monitor::<Debt>();
        sys.spawn(Breaks);
    }));
}
