//! Lassos: a state that repeats with a pending obligation is reported long
//! before the temperature is exceeded, and never if a schedule leaves the cycle.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Actor, Handler};
use actor_test::strategy::{Enabled, Fairness, StrategySpec};
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::handles;
use behaviour::debt::{Debt, Forgive, Owe, Pay};
use behaviour::harness::events::Tick;
use behaviour::harness::{assert_contains, exhaust, same_for_workers, timeless, whole};

use super::Picks;

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

            /// Starts a match that never ends.
            fn play(sys: &System) {
                let first = sys.spawn(Self::new(None));
                first.tell(Serve(sys.spawn(Self::new(Some(&first)))));
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

/// Runs a program with the monitor.
fn run(tester: &Tester, program: impl Fn(&System) + Sync) -> Report {
    tester.run(|sys| {
        sys.monitor::<Debt>();
        program(&sys);
    })
}

/// Spawns an actor that owes something from the first ball on.
fn owes(sys: &System, actor: impl Handler<Ball>) {
    let actor = sys.spawn(actor);
    sys.announce(Owe);
    actor.tell(Ball);
}

fn once() -> Tester {
    Tester::new().iterations(1).strategy(StrategySpec::Random)
}

/// Asserts that the first bug is a certain lasso; returns its step.
fn lasso(report: &Report) -> u64 {
    let bug = report.assert_bug("that a fair schedule can repeat for ever");
    assert_eq!(bug.kind(), BugKind::Liveness);
    let cycle = bug.trace.cycle.expect("the cycle is recorded");
    let parts = ["no step leads out", &cycle.to_string()];
    assert_contains(bug.message(), &parts);
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
    let report = run(&once(), Hashed::play);
    let step = lasso(&report);
    assert!(step < 300, "{step}");
    let bug = &report.bugs()[0];
    let message = bug.message();
    let start = "monitor `Debt` is hot in `Open`, pending since step";
    assert!(message.starts_with(start), "{message}");
    assert_contains(message, &["out of the 4 states"]);
    let cycle = bug.trace.cycle.expect("the cycle is recorded");
    assert_eq!(cycle.to - cycle.from, 4, "two to handle and two to send");
    let replayed = bug.trace.story.steps.len() as u64;
    assert_eq!(replayed, step, "the replay ends there, too");
}

#[test]
fn what_grows_for_ever_is_left_to_the_heat() {
    let few = once().max_steps(1_000);
    let report = run(&few, Counting::play);
    heat(&report);
    assert!(report.opaque.is_empty(), "all of it could be compared");
    heat(&run(&few, Numbering::play));
}

#[test]
fn a_counter_that_is_skipped_is_no_obstacle() {
    assert!(lasso(&run(&once(), Skipping::play)) < 300);
    assert!(lasso(&run(&once(), Naming::play)) < 300);
}

#[test]
fn a_body_that_has_returned_is_no_obstacle() {
    let report = exhaust(&whole("states"), |sys| {
        let player = sys.spawn(Hashed::new(None));
        player.tell(Ball);
        sys.eventually("it is there", move |w| w.get(&player).is_some());
    });
    assert!(report.opaque.is_empty(), "{:?}", report.opaque);
}

#[test]
fn what_offers_nothing_is_named() {
    let few = once().max_steps(1_000);
    let asks = |sys: &System| {
        let player = sys.spawn(Hashed::new(None));
        owes(sys, Asks(player));
    };
    let body = few.run(|sys| async move {
        sys.monitor::<Debt>();
        sys.announce(Owe);
        let player = sys.spawn(Hashed::new(None));
        while player.ask(Ball).await.is_ok() {}
    });
    for (report, opaque) in [
        (run(&few, Bare::play), "`Bare` (actor)"),
        (run(&few, Obscure::play), "`Opaque` (event)"),
        (run(&few, asks), "`Asks` (async handler)"),
        (body, "`test` (async)"),
    ] {
        heat(&report);
        assert_eq!(report.opaque, [opaque]);
    }
}

/// Asks again and again.
#[derive(Hash)]
struct Asks(ActorRef<Hashed>);
#[actor]
impl Asks {
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
        Hashed::play(&sys);
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

/// The rule by which a walker steps on or goes back.
#[derive(Clone, Copy, Hash)]
enum Walk {
    TossesACoin,
    DrawsANumber,
    GoesBack,
}

/// Walks along a line of eight places, and pays at the end.
#[derive(Hash)]
struct Walker {
    at: u32,
    walk: Walk,
}
#[actor]
impl Walker {
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        let steps_on = match self.walk {
            Walk::TossesACoin => cx.choose_bool(),
            Walk::DrawsANumber => rand_core::Rng::next_u32(&mut cx.rng()).is_multiple_of(2),
            Walk::GoesBack => false,
        };
        self.at = if steps_on { self.at + 1 } else { 0 };
        if self.at == 8 {
            cx.announce(Pay);
        } else {
            cx.me().tell(Ball);
        }
    }
}

/// 500 executions of programs that leave the cycle after eight lucky choices in a row, which takes 510
/// choices on average: one of 10^18 runs of this test stays for 50 000 steps, that is 25 000 choices.
#[test]
fn a_choice_may_always_turn_out_well() {
    let tester = Tester::new().iterations(250);
    let walks = |tester: &Tester, walk| run(tester, |sys| owes(sys, Walker { at: 0, walk }));
    walks(&tester, Walk::TossesACoin).assert_clean();
    walks(&tester, Walk::DrawsANumber).assert_clean();
    let stands = walks(&once(), Walk::GoesBack);
    lasso(&stands);
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
        let again = self.last == Some(heard.1);
        self.run = if again { self.run + 1 } else { 1 };
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
    let (run, last) = (0, None);
    let listener = sys.spawn(Listener { run, enough, last });
    sys.spawn(Caller(listener.clone()));
    sys.spawn(Caller(listener));
}

/// A fair schedule could repeat each cycle for ever, but no random schedule does.
#[test]
fn a_schedule_may_always_turn_out_well() {
    let tester = Tester::new().iterations(300).strategy(StrategySpec::Random);
    let report = run(&tester, |sys| callers(sys, 4));
    report.assert_clean();
    assert!(report.steps.expect("they end").max > 5_000, "luck is rare");
    // No series is long enough here; and series have no limit, so there are infinitely many states.
    let few = once().max_steps(1_000);
    let report = run(&few, |sys| callers(sys, u32::MAX));
    heat(&report);
    let cycle = report.bugs()[0].trace.cycle.expect("some run comes back");
    assert_contains(report.bugs()[0].message(), &[&cycle.to_string()]);
}

/// Several matches at the same time: four states each, in all
/// combinations. The step of detection is the same on every machine.
#[test]
fn all_states_around_are_looked_at() {
    for (matches, before) in [(1, 300), (2, 320), (3, 1_280), (4, 5_120)] {
        let play = |sys: &System| (0..matches).for_each(|_| Hashed::play(sys));
        let report = run(&once(), play);
        let step = lasso(&report);
        assert!(step < before, "{step} steps for {matches}");
        let states = format!("out of the {} states", 4_u32.pow(matches));
        assert_contains(report.bugs()[0].message(), &[&states]);
    }
}

#[test]
fn a_cycle_that_leaves_someone_out_is_none() {
    let run = |rule: fn(&Enabled<'_>) -> usize| {
        let fairness = Fairness::Fair;
        let tester = Tester::new().iterations(1).max_steps(1_000);
        let tester = tester.max_fair_steps(20_000).temperature(19_000);
        let strategy = Box::new(Picks { fairness, rule });
        tester.custom_strategy(strategy).run(|sys| {
            sys.monitor::<Debt>();
            Hashed::play(&sys);
            handles(&sys, |_: Ball, cx| cx.announce(Pay)).tell(Ball);
        })
    };
    // The payer is enabled all the time, and runs in a fair continuation.
    let report = run(|enabled| {
        let is_other = |operation: usize| operation != 3;
        let mut others = enabled.iter().map(|pending| pending.operation.index());
        others.position(is_other).unwrap_or(0)
    });
    report.assert_clean();
    let example = report.transient.example.expect("it was suspected");
    assert!(example.contains("(threshold 19000)"), "{example}");
    assert!(!example.contains("there is"), "no cycle is seen: {example}");
    run(|_| 0).assert_bug("that a fair schedule can repeat for ever");
}

#[test]
fn only_fair_steps_count() {
    let run = |fairness: Fairness| {
        let rule = |_: &Enabled<'_>| 0;
        let tester = Tester::new().iterations(1).max_steps(10_000);
        let strategy = Box::new(Picks { fairness, rule });
        tester.custom_strategy(strategy).run(|sys| {
            sys.monitor::<Debt>();
            Hashed::play(&sys);
        })
    };
    let report = run(Fairness::Unfair);
    report.assert_clean();
    assert_eq!(
        (report.undecided.count, report.liveness_unchecked),
        (1, true)
    );
    let report = run(Fairness::FairFrom(5_000));
    let step = lasso(&report);
    assert!((5_100..5_300).contains(&step), "{step}");
    let cycle = report.bugs()[0].trace.cycle.expect("the cycle is recorded");
    assert!(cycle.from > 5_100);
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
    let moody = |always: bool| {
        let tester = once().max_steps(1_000).temperature(5_000);
        run(&tester, |sys| {
            let balls = 200;
            sys.spawn(Moody { balls, always }).tell(Ball);
        })
    };
    let report = moody(false);
    report.assert_clean();
    assert_eq!(report.undecided.count, 1, "warm since it was hot");
    lasso(&moody(true));
}

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

fn retries(tester: &Tester, periodic: bool, gives_up_after: Option<u64>) -> Report {
    run(tester, |sys| {
        sys.spawn(Retries {
            timer: None,
            periodic,
            gives_up_after: gives_up_after.map(Duration::from_secs),
        });
        // Another match, so that the periodic timer is not the only activity.
        Hashed::play(sys);
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
        heat(&retries(&tester, periodic, Some(10_000)));
        let report = retries(&tester, periodic, Some(100));
        report.assert_clean();
        assert_eq!(report.undecided.count, 0, "it gave up");
    }
}

#[test]
fn unmet_predicates_are_owed_as_well() {
    let report = once().run(|sys| {
        Hashed::play(&sys);
        sys.eventually("a third joins", |w| w.all::<Hashed>().count() == 3);
    });
    lasso(&report);
    assert_contains(report.bugs()[0].message(), &["a third joins"]);
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
    same_for_workers(&[1, 4], |workers| {
        timeless(run(&tester.clone().workers(workers), Hashed::play))
    });
}

#[test]
fn the_search_can_be_turned_off() {
    let report = run(&once().lasso(false), Hashed::play);
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
    #[on]
    fn ball(&mut self, _: Ball, cx: &mut Context<Self>) {
        cx.me().tell(Ball);
    }
}

#[test]
fn a_fingerprint_that_lies_is_not_believed() {
    let (marked, balls) = (false, 0);
    let few = once().max_steps(1_000);
    let report = run(&few, |sys| owes(sys, Lies { marked, balls }));
    heat(&report);
    assert_eq!(report.bugs()[0].trace.cycle, None, "what was seen is void");
    heat(&run(&few, |sys| owes(sys, Breaks)));
}
