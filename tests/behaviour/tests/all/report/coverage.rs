//! Coverage of actors in the report: exact counts of states and handlers, for every kind of transition.

use actor_core::prelude::*;
use actor_core::specification::World;
use actor_test::coverage::ActorCoverage;
use actor_test::settings::Deny;
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::at_start;
use behaviour::harness::events::Go;
use behaviour::harness::{only_bug, same_for_workers};

#[derive(Debug)]
struct Step;
#[derive(Debug)]
struct Inner;
#[derive(Debug)]
struct Never;

/// Uses every kind of state transition.
struct Walker;
#[actor(states(
    First,
    Second(defer(Go)),
    Passing(ignore(Step)),
    Third(ignore(Step)),
    Redirected(ignore(Step)),
    Lost(ignore(Step))
))]
impl Walker {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.goto(WalkerState::Second);
    }

    /// The handler decides after a wait.
    #[on(Second)]
    async fn step(&mut self, _: Step, cx: &mut Context<Self>) {
        cx.sleep(std::time::Duration::from_secs(1)).await;
        cx.goto(WalkerState::Passing);
    }

    /// The state passes on in its entry hook, so it never handles an event.
    #[entry(Passing)]
    fn pass(&mut self, cx: &mut Context<Self>) {
        cx.goto(WalkerState::Third);
    }

    #[on(First, Third, Redirected)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.raise(Inner);
    }

    #[on(Third, Lost)]
    fn inner(&mut self, _: Inner, cx: &mut Context<Self>) {
        cx.goto(cx.state());
    }

    #[on]
    fn never(&mut self, _: Never) {}
}

/// An actor without states.
struct Plain(u32);
#[actor]
impl Plain {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0 += 1;
        if self.0 < 3 {
            cx.me().tell(Go);
        }
    }

    #[on]
    fn never(&mut self, _: Never) {}
}

/// The name of a state, the number of starts and entries, and the number of each handled event.
type Row<'a> = (&'a str, u64, u64, Vec<(&'a str, u64)>);

fn states(actor: &ActorCoverage) -> Vec<Row<'_>> {
    let states = actor.states.iter().map(|state| {
        let handlers = state.handlers.iter();
        let handlers = handlers.map(|handler| (&*handler.event, handler.ran));
        let (started, entered) = (state.started, state.entered);
        (&*state.name, started, entered, handlers.collect())
    });
    states.collect()
}

fn transitions(actor: &ActorCoverage) -> Vec<(&str, &str, u64)> {
    let seen = actor.transitions.iter();
    seen.map(|seen| (&*seen.from, &*seen.to, seen.count))
        .collect()
}

/// Returns the coverage of the only actor type.
fn only_actor(report: &Report) -> &ActorCoverage {
    let [actor] = &*report.coverage.actors else {
        panic!("one actor type: {:?}", report.coverage);
    };
    actor
}

fn unreached(report: &Report) -> Vec<String> {
    let all = report.coverage.unreached();
    all.iter().map(ToString::to_string).collect()
}

fn walk(sys: &System) {
    for _ in 0..2 {
        let walker = sys.spawn(Walker);
        walker.tell(Go);
        walker.tell(Step);
    }
}

#[test]
fn every_way_into_a_state_counts() {
    let report = Tester::new().iterations(10).run(|sys| walk(&sys));
    report.assert_clean();
    let walker = only_actor(&report);
    assert_eq!(walker.path, "all::report::coverage::Walker");
    assert_eq!(walker.name, "Walker");
    assert!(walker.is_state_machine());
    assert_eq!(walker.started(), 20);
    let in_third = vec![("Go", 20), ("Inner", 20), ("Never", 0)];
    let expected = [
        ("First", 0, 0, vec![("Go", 0), ("Never", 0)]),
        ("Second", 20, 20, vec![("Step", 20), ("Never", 0)]),
        ("Passing", 0, 20, vec![("Never", 0)]),
        ("Third", 0, 40, in_third),
        ("Redirected", 0, 0, vec![("Go", 0), ("Never", 0)]),
        ("Lost", 0, 0, vec![("Inner", 0), ("Never", 0)]),
    ];
    assert_eq!(states(walker), expected);
    let expected = [
        ("Second", "Passing", 20),
        ("Passing", "Third", 20),
        ("Third", "Third", 20),
    ];
    assert_eq!(transitions(walker), expected);
    let expected = [
        "state `First` of `Walker`",
        "state `Redirected` of `Walker`",
        "state `Lost` of `Walker`",
        "`Walker` on `Never`",
    ];
    assert_eq!(unreached(&report), expected);
}

#[test]
fn a_plain_actor_has_one_state_without_a_name() {
    let report = Tester::new().iterations(5).run(|sys| {
        sys.spawn(Plain(0)).tell(Go);
        sys.spawn(Plain(2));
    });
    let plain = only_actor(&report);
    assert!(!plain.is_state_machine());
    let expected = [("", 10, 10, vec![("Go", 15), ("Never", 0)])];
    assert_eq!(states(plain), expected);
    assert_eq!(unreached(&report), ["`Plain` on `Never`"]);
}

/// A door with handlers for one state, for two states, and for all states.
struct Door;
#[actor(states(Open, Shut, Locked))]
impl Door {
    #[on(Open)]
    fn shut(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(DoorState::Shut);
    }

    #[on(Shut)]
    fn lock(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(DoorState::Locked);
    }

    #[on(Open, Shut)]
    fn step(&mut self, _: Step) {}

    #[on(Locked)]
    fn unlock(&mut self, _: Inner, cx: &mut Context<Self>) {
        cx.goto(DoorState::Shut);
    }

    #[on]
    fn look(&mut self, _: Never) {}
}

#[test]
fn handlers_are_judged_in_states_that_were_entered() {
    let after = |events: fn(&ActorRef<Door>)| {
        let tester = Tester::new().iterations(1);
        let report = tester.run(move |sys| events(&sys.spawn(Door)));
        report.assert_clean();
        unreached(&report)
    };
    // A handler for all states is reached if it ran in any of them.
    let looked_and_shut = after(|door| {
        door.tell(Never);
        door.tell(Go);
    });
    let expected = [
        "state `Locked` of `Door`",
        "`Door` on `Go` in `Shut`",
        "`Door` on `Step`",
    ];
    assert_eq!(looked_and_shut, expected);
    let stepped_and_locked = after(|door| {
        door.tell(Step);
        door.tell(Go);
        door.tell(Go);
    });
    let expected = [
        "`Door` on `Step` in `Shut`",
        "`Door` on `Never`",
        "`Door` on `Inner` in `Locked`",
    ];
    assert_eq!(stepped_and_locked, expected);
}

/// A generic actor counts as one type, for any parameter.
struct Holder<T>(T);
#[actor]
impl<T: Send + 'static> Holder<T> {
    #[on]
    fn go(&mut self, _: Go) {
        let _ = &self.0;
    }
}

#[test]
fn parameters_make_no_other_type() {
    let report = Tester::new().iterations(3).run(|sys| {
        sys.spawn(Holder(1_u8)).tell(Go);
        sys.spawn(Holder(String::new()));
        sys.spawn(Plain(2)).tell(Go);
    });
    let [holder, plain] = &*report.coverage.actors else {
        panic!("two actor types: {:?}", report.coverage);
    };
    assert_eq!(holder.path, "all::report::coverage::Holder");
    assert_eq!(plain.path, "all::report::coverage::Plain");
    assert_eq!(states(holder), [("", 6, 6, vec![("Go", 3)])]);
}

/// The order of two events decides which state is never left.
struct Racer;
#[actor(states(Waiting, Won(ignore(Step)), Lost(ignore(Go))))]
impl Racer {
    #[on(Waiting)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(RacerState::Won);
    }
    #[on(Waiting)]
    fn step(&mut self, _: Step, cx: &mut Context<Self>) {
        cx.goto(RacerState::Lost);
    }
}

fn race(sys: &System) -> ActorRef<Racer> {
    let racer = sys.spawn(Racer);
    let (one, other) = (racer.clone(), racer.clone());
    at_start(sys, move |_| one.tell(Go));
    at_start(sys, move |_| other.tell(Step));
    racer
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let one = same_for_workers(&[1, 2, 3], |workers| {
        let tester = Tester::new().iterations(500).workers(workers);
        let report = tester.run(|sys| drop(race(&sys)));
        report.assert_clean();
        report.coverage
    });
    let racer = &one.actors[0];
    assert_eq!((racer.started(), racer.states[0].entered), (500, 500));
    // Each state has a probability of one half: fewer than 2^-300 of the seeds fail this.
    assert!(racer.states[1].entered > 20 && racer.states[2].entered > 20);
}

#[test]
fn after_a_bug_nothing_is_told_unless_the_test_goes_on() {
    let run = |tester: &Tester| {
        tester.run(|sys| {
            let racer = race(&sys);
            sys.always("nobody loses", move |w| w.state_of(&racer) != Some("Lost"));
        })
    };
    let tester = Tester::new().iterations(100);
    let report = run(&tester);
    assert!(!report.is_clean() && report.coverage.actors.is_empty());
    let goes_on = same_for_workers(&[1, 2], |workers| {
        run(&tester.clone().keep_going().workers(workers)).coverage
    });
    assert_eq!(goes_on.actors[0].started(), 100);
}

/// Goes to its other state only after an event.
#[derive(Default)]
struct Told;
#[monitor(hot, cold)]
impl Told {
    #[on]
    fn go(&mut self, _: &Go, cx: &mut MonitorContext<Self>) {
        cx.goto(ToldState::Cold);
    }
}

#[test]
fn what_is_denied_fails() {
    let run = |deny, told: bool| {
        Tester::new().iterations(10).deny(deny).run(move |sys| {
            sys.monitor::<Told>();
            sys.sometimes("someone is told", move |_| told);
            let plain = sys.spawn(Plain(2));
            if told {
                plain.tell(Go);
            } else {
                plain.kill();
            }
        })
    };
    let none = Deny::default();
    let both = none.with_vacuous().with_unreached();
    let rows: [(Deny, &[BugKind]); 4] = [
        (none, &[]),
        (none.with_vacuous(), &[BugKind::Vacuous]),
        (none.with_unreached(), &[BugKind::Unreached]),
        (both, &[BugKind::Vacuous, BugKind::Unreached]),
    ];
    for (deny, expected) in rows {
        let report = run(deny, false);
        let kinds: Vec<_> = report.bugs().iter().map(|bug| bug.kind()).collect();
        assert_eq!(kinds, expected, "{deny:?}");
    }
    let report = run(both, false);
    let [vacuous, unreached] = report.bugs() else {
        panic!("two bugs: {:?}", report.bugs());
    };
    assert_eq!(
        vacuous.message(),
        "monitor `Told` never saw an event that it handles; sometimes \"someone is told\" was \
         never true"
    );
    assert!(!vacuous.is_liveness() && vacuous.token.is_empty());
    assert_eq!(unreached.message(), "handlers `Plain` on `Go`, on `Never`");
    // The monitor has a hot state, and never enters it.
    let report = run(none.with_vacuous(), true);
    assert_eq!(report.bugs()[0].message(), "monitor `Told` was never hot");
}

/// A predicate about all actors of a type is true before there is one, and then it is met. One that counts them
/// is false before, and one that is not met is a bug.
#[test]
fn an_eventually_that_was_never_false_could_not_fail() {
    let run = |is_met: fn(&World<'_>) -> bool| {
        let tester = Tester::new()
            .iterations(20)
            .deny(Deny::default().with_vacuous());
        tester.run(move |sys| {
            sys.spawn(Plain(0)).tell(Go);
            sys.eventually("all have gone", is_met);
        })
    };
    let report = run(|world| world.all::<Plain>().all(|plain| plain.0 == 9));
    let bug = only_bug(&report);
    assert_eq!(bug.kind(), BugKind::Vacuous);
    assert_eq!(
        bug.message(),
        "eventually \"all have gone\" was never false"
    );
    run(|world| world.all::<Plain>().any(|plain| plain.0 == 3)).assert_clean();
    let report = run(|world| world.all::<Plain>().any(|plain| plain.0 == 9));
    assert_eq!(only_bug(&report).kind(), BugKind::HotAtEnd);
}

#[test]
fn a_bug_comes_before_what_is_denied() {
    let tester = Tester::new().deny(Deny::default().with_vacuous());
    let run = |tester: &Tester, panics: bool| {
        tester.run(move |sys| {
            sys.sometimes("pigs fly", |_| false);
            assert!(!panics, "an ordinary bug");
        })
    };
    assert_eq!(only_bug(&run(&tester, true)).kind(), BugKind::Panic);
    // A test that expects another bug fails because that bug is missing, and not because of this one.
    let tester = tester.expect_bug("an ordinary bug");
    run(&tester, false).assert_clean();
    let tester = tester.expect_bug("pigs fly");
    assert_eq!(run(&tester, false).bugs()[0].kind(), BugKind::Vacuous);
}
