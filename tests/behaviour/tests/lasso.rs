//! Lassos: a state that repeats while something is owed, found long before it would be too hot, and
//! never where some schedule leads out.

use std::time::Duration;

use actor_core::Actor;
use actor_core::prelude::*;
use actor_test::strategy::{Choice, Enabled, Execution, Fairness, Strategy, StrategySpec};
use actor_test::{Bounds, BugKind, Report, Tester};

/// Something is owed.
#[derive(Debug)]
struct Owe;
/// It is paid.
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

/// What players play with.
trait Hit: Default {
    fn hit(self) -> Self {
        self
    }
}

#[derive(Debug, Default)]
struct Ball;
impl Hit for Ball {}

/// Counts on its way.
#[derive(Debug, Default, Hash)]
struct Numbered(u64);
impl Hit for Numbered {
    fn hit(self) -> Self {
        Self(self.0 + 1)
    }
}

// ANCHOR: skip
/// Counts, and nothing depends on it.
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

/// A player of a match that never ends.
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

/// Two play for ever.
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

/// The first bug is a certain lasso; tells its step.
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

/// The first bug is what was too hot, after the default threshold.
fn heat(report: &Report) {
    let bug = report.assert_bug("(threshold 50000)");
    assert_eq!(bug.kind(), BugKind::Liveness);
    assert!(bug.step() > 50_000);
}

#[test]
fn a_livelock_is_found_in_a_few_hundred_steps() {
    let report = play!(once(), Hashed);
    let step = lasso(&report);
    assert!(step < 300, "{step}");
    let bug = &report.bugs()[0];
    assert!(
        bug.message()
            .starts_with("monitor `Debt` is hot in `Open`, owed since step"),
        "{}",
        bug.message()
    );
    let cycle = bug.trace.cycle.expect("the cycle is recorded");
    assert_eq!(cycle.to - cycle.from, 4, "two to handle and two to send");
    assert!(bug.message().contains("out of the 4 states"));
    assert_eq!(
        bug.trace.story.len() as u64,
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
fn what_offers_nothing_is_named() {
    let report = play!(once(), Bare);
    heat(&report);
    assert_eq!(report.opaque, ["`Bare` (actor)"]);
    let report = play!(once(), Obscure);
    heat(&report);
    assert_eq!(report.opaque, ["`Opaque` (event)"]);
}

#[test]
fn the_search_can_be_turned_off() {
    let report = play!(once().lasso(false), Hashed);
    heat(&report);
    assert_eq!(report.bugs()[0].trace.cycle, None);
    assert!(report.opaque.is_empty(), "nobody asked");
}
