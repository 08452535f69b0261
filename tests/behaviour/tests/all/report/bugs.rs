//! Every kind of bug is found and classified, and its correct twin stays clean.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::{at_start, awaiting, handles, handles_async, volley};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{assert_contains, exhaust, first_bug, strategy, whole};
use futures_channel::oneshot;

use super::{Asker, Meet, Question, Sink};

fn explore(program: impl Fn(&System) + Sync) -> Report {
    Tester::new().run(|sys| program(&sys))
}

#[track_caller]
fn assert_bug(report: &Report, kind: BugKind, parts: &[&str]) {
    let (found, message) = first_bug(report);
    assert_eq!(found, kind, "{message}");
    assert_contains(message, parts);
}

/// Explores a program; asserts that its first bug is this one.
#[track_caller]
fn finds(kind: BugKind, parts: &[&str], program: impl Fn(&System) + Sync) -> Report {
    let report = explore(program);
    assert_bug(&report, kind, parts);
    report
}

/// A counter that two actors read and write by messages.
struct Cell(u32);
#[derive(Debug)]
struct Read;
#[derive(Debug)]
struct Write(u32);
#[actor]
impl Cell {
    #[on]
    fn read(&mut self, _: Read) -> u32 {
        self.0
    }
    #[on]
    fn write(&mut self, write: Write) {
        self.0 = write.0;
    }
}

struct Increments(ActorRef<Cell>);
#[actor]
impl Increments {
    #[on]
    async fn go(&mut self, _: Go, _: &mut Context<Self>) {
        if let Ok(value) = self.0.ask(Read).await {
            self.0.tell(Write(value + 1));
        }
    }
}

#[test]
fn a_lost_update_is_found_by_an_invariant_at_the_end() {
    let program = |actors: u32| {
        move |sys: &System| {
            let cell = sys.spawn(Cell(0));
            for _ in 0..actors {
                sys.spawn(Increments(cell.clone())).tell(Go);
            }
            sys.eventually("both count", move |w| {
                w.get(&cell).is_some_and(|c| c.0 == actors)
            });
        }
    };
    let parts = ["both count", "never true"];
    finds(BugKind::HotAtEnd, &parts, program(2));
    explore(program(1)).assert_clean();
}

#[test]
fn an_invariant_that_is_false() {
    let parts = ["it stays small", "is false"];
    let report = finds(BugKind::Invariant, &parts, |sys| {
        let cell = sys.spawn(Cell(0));
        cell.tell(Write(1));
        cell.tell(Write(2));
        sys.always("it stays small", move |w| {
            w.get(&cell).is_none_or(|cell| cell.0 < 2)
        });
    });
    // The violation is found after the step that causes it, not at the end.
    let story = &report.bugs[0].trace.story;
    let last = story.steps.last().expect("a story has steps");
    assert_eq!(story.event_of(last), Some("Write(2)"));
}

#[test]
fn an_invariant_that_an_actor_registers() {
    finds(BugKind::Invariant, &["it stays small"], |sys| {
        let (own, cell) = (sys.clone(), sys.spawn(Cell(0)));
        let registers = handles(sys, move |_: Go, _| {
            let seen = cell.clone();
            let small = move |w: &World<'_>| w.get(&seen).is_none_or(|cell| cell.0 < 2);
            own.always("it stays small", small);
            cell.tell(Write(2));
        });
        registers.tell(Go);
    });
}

struct Machine;
#[actor(states(Off, On))]
impl Machine {
    #[on(Off)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(MachineState::On);
    }
    #[on(On)]
    fn tick(&mut self, _: Tick) {}
}

#[test]
fn an_unhandled_event() {
    let parts = ["`Machine`", "`On`", "Go"];
    finds(BugKind::Unhandled, &parts, |sys| {
        let machine = sys.spawn(Machine);
        machine.tell(Go);
        machine.tell(Tick);
        machine.tell(Go);
    });
}

struct Fails;
#[actor]
impl Fails {
    #[on]
    fn go(&mut self, _: Go) -> Result<u32, String> {
        Err("no luck".into())
    }
}

struct FailsToStart;
#[actor]
impl FailsToStart {
    #[start]
    async fn start(&mut self) -> Result<(), String> {
        Err("no disk".into())
    }
}

#[test]
fn a_start_that_fails() {
    let message = "`FailsToStart` did not start: Err(\"no disk\")";
    finds(BugKind::UnreceivedError, &[message], |sys| {
        sys.spawn(FailsToStart);
    });
}

#[test]
fn an_error_that_nobody_receives() {
    let parts = ["`Fails`", "`Go`", "no luck"];
    finds(BugKind::UnreceivedError, &parts, |sys| {
        sys.spawn(Fails).tell(Go);
    });
    let asked = Tester::new().run(|sys| async move {
        let reply = sys.spawn(Fails).ask(Go).await;
        assert_eq!(reply, Ok(Err("no luck".into())));
    });
    asked.assert_clean();
}

#[test]
fn a_deadlock_names_who_awaits_what() {
    let cycle = |both: bool| {
        move |sys: &System| {
            let left = sys.spawn_named("left", Asker::new(0));
            let right = sys.spawn_named("right", Asker::new(0));
            left.tell(Meet(right.clone()));
            right.tell(Meet(left.clone()));
            left.tell(Go);
            if both {
                right.tell(Go);
            }
        }
    };
    let parts = ["a cycle of asks", "`left -> right -> left`"];
    finds(BugKind::Deadlock, &parts, cycle(true));
    explore(cycle(false)).assert_clean();
}

struct Waits;
#[actor(receive(Tick))]
impl Waits {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        let _: Tick = cx.receive().await;
    }
}

#[test]
fn a_receive_that_nothing_ends_is_a_deadlock() {
    let parts = ["`Waits` awaits", "`Tick`"];
    finds(BugKind::Deadlock, &parts, |sys| sys.spawn(Waits).tell(Go));
    let answered = explore(|sys| {
        let waits = sys.spawn(Waits);
        waits.tell(Go);
        waits.tell(Tick);
    });
    answered.assert_clean();
}

/// Spawns an actor that sends `Go` to itself a number of times, and then waits. The actor
/// sends to another one as well, if there is one, in every so many rounds.
fn rounds(sys: &System, mut left: u32, sink: Option<(ActorRef<Sink>, u32)>) {
    let rounds = handles(sys, move |_: Go, cx| {
        left -= 1;
        if left > 0 {
            cx.me().tell(Go);
        }
        if let Some((sink, every)) = &sink
            && left.is_multiple_of(*every)
        {
            sink.tell(Go);
        }
    });
    rounds.tell(Go);
}

#[test]
fn an_actor_that_only_talks_to_itself() {
    let tester = Tester::new().iterations(3).max_steps(200);
    let report = tester.run(|sys| rounds(&sys, u32::MAX, None));
    assert_bug(&report, BugKind::Spin, &["`Handles`", "sent itself"]);
    let confirmation = report.bugs()[0].confirmation;
    let continuations = confirmation.expect("it may have been slow").continuations;
    assert_eq!(continuations, 71);
}

/// At the bound of 400 steps, the actor has handled 200 of its own events. The actor
/// ends after 600 of them, or sends to another actor in every three hundredth.
#[test]
fn an_actor_with_much_to_do_is_no_actor_that_does_nothing() {
    for has_sink in [false, true] {
        let tester = Tester::new().iterations(10).max_steps(40);
        let report = tester.strategy(StrategySpec::Random).run(|sys| {
            let sink = has_sink.then(|| (sys.spawn(Sink), 300));
            let left = if has_sink { 1_000_200 } else { 600 };
            rounds(&sys, left, sink);
        });
        report.assert_clean();
        assert_eq!((report.transient.count, report.executions), (10, 10));
    }
}

#[test]
fn an_actor_that_drives_another_does_not_spin() {
    let report = Tester::new().iterations(3).max_steps(200).run(|sys| {
        let sink = sys.spawn(Sink);
        rounds(&sys, u32::MAX, Some((sink, 1)));
    });
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 3);
}

/// The actor has handled only its own events, and has stopped long ago or is about to, while others continue.
#[test]
fn an_actor_that_has_done_its_rounds_goes_round_no_more() {
    for left in [101, 130, 160, 190] {
        let report = Tester::new().iterations(100).max_steps(40).run(|sys| {
            rounds(&sys, left, None);
            volley(&sys);
        });
        report.assert_clean();
    }
}

#[derive(Default)]
struct Owed;
#[monitor(hot, cold)]
impl Owed {
    #[on]
    fn go(&mut self, _: &Go, cx: &mut MonitorContext<Self>) {
        cx.goto(OwedState::Hot);
    }
    #[on]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        cx.goto(OwedState::Cold);
    }
}

#[test]
fn an_execution_that_ends_hot() {
    let program = |paid: bool| {
        move |sys: &System| {
            sys.monitor::<Owed>();
            sys.spawn(Sink).tell(Go);
            if paid {
                sys.announce(Tick);
            }
        }
    };
    let parts = ["`Owed`", "`Hot`", "step"];
    finds(BugKind::HotAtEnd, &parts, program(false));
    let report = explore(program(true));
    // The announcement is carried out in the same step as the send before it.
    report.assert_clean();
    assert!(report.vacuous.is_empty(), "{:?}", report.vacuous);
}

/// A monitor without a handler for `Tick` in `Quiet`, and for `Go` in `Busy`.
#[derive(Default)]
struct Alternates;
#[monitor(hot(Busy), cold(Quiet))]
impl Alternates {
    #[on(Quiet)]
    fn go(&mut self, _: &Go, cx: &mut MonitorContext<Self>) {
        cx.goto(AlternatesState::Busy);
    }
    #[on(Busy)]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        cx.goto(AlternatesState::Quiet);
    }
    #[on(handled)]
    fn handled(&mut self, _: &Go) {}
}

#[test]
fn what_a_state_of_a_monitor_has_no_handler_for_is_named() {
    let passed_over = |ticks: u32| {
        let report = explore(move |sys: &System| {
            sys.monitor::<Alternates>();
            sys.spawn(Sink).tell(Go);
            for _ in 0..ticks {
                sys.announce(Tick);
            }
        });
        report.assert_clean();
        report.passed_over
    };
    assert_eq!(passed_over(1), [""; 0]);
    let seen = "monitor `Alternates` sees `Tick` in `Quiet`";
    assert_eq!(passed_over(2), [seen]);
    assert_eq!(passed_over(3), [seen]);
}

#[derive(Default)]
struct Strict;
#[monitor]
impl Strict {
    #[on]
    fn go(&mut self, _: &Go) {
        panic!("no going here");
    }
}

#[test]
fn a_monitor_that_asserts() {
    let parts = ["`Strict`", "no going here"];
    let report = finds(BugKind::Monitor, &parts, |sys| {
        sys.monitor::<Strict>();
        sys.spawn(Sink).tell(Go);
    });
    let location = report.bugs[0].finding.location.as_deref();
    assert_contains(location.expect("a place"), &["bugs.rs"]);
}

/// A monitor that holds a reference to an actor.
struct Meddles(ActorRef<Sink>);
#[monitor]
impl Meddles {
    #[on]
    fn tick(&mut self, _: &Tick) {
        meddle(&self.0);
    }
}

/// The macro rejects a `tell` inside the monitor; this one is hidden in a function.
fn meddle(sink: &ActorRef<Sink>) {
    sink.tell(Go);
}

#[test]
fn a_monitor_that_sends() {
    finds(BugKind::MonitorActs, &["`tell`"], |sys| {
        let sink = sys.spawn(Sink);
        sys.monitor_with(Meddles(sink));
        sys.announce(Tick);
    });
}

struct Decides(bool);
#[actor(states(Here, There))]
impl Decides {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(DecidesState::There);
        if self.0 {
            cx.halt();
        }
    }
}

#[test]
fn two_decisions_in_one_handler() {
    let parts = ["halt()", "goto(There)", "`Decides`"];
    let program = |halts| move |sys: &System| sys.spawn(Decides(halts)).tell(Go);
    finds(BugKind::TwoDecisions, &parts, program(true));
    explore(program(false)).assert_clean();
}

#[test]
fn a_handler_that_acts_without_end() {
    let report = Tester::new().iterations(1).run(|sys| {
        let sink = sys.spawn(Sink);
        let floods = handles(&sys, move |_: Go, _| -> () {
            loop {
                sink.tell(Go);
            }
        });
        floods.tell(Go);
    });
    assert_bug(&report, BugKind::Hang, &["`Handles`", "does not return"]);
}

/// Spawns an actor that awaits something that the tester does not control.
fn awaits(sys: &System, outside: impl Future + Send + 'static) {
    let mut outside = Some(async { drop(outside.await) });
    let awaits = handles_async(sys, move |_: Go| outside.take().expect("it comes once"));
    awaits.tell(Go);
}

#[test]
fn a_wait_that_nothing_in_the_test_completes() {
    let kept = Mutex::new(Vec::new());
    let report = Tester::new().iterations(2).run(|sys| {
        let (sender, receiver) = oneshot::channel::<u32>();
        kept.lock().expect("unpoisoned").push(sender);
        awaits(&sys, receiver);
    });
    let parts = ["`HandlesAsync`", "tokio"];
    assert_bug(&report, BugKind::OutsideWait, &parts);
}

/// A channel inside the program is fine, since an actor holds the other end.
#[test]
fn a_wait_that_another_actor_completes() {
    let report = explore(|sys| {
        let (sender, receiver) = oneshot::channel();
        let mut sender = Some(sender);
        let completes = handles(sys, move |_: Go, _| {
            let sender = sender.take().expect("it comes once");
            let _ = sender.send(1_u32);
        });
        completes.tell(Go);
        awaits(sys, receiver);
    });
    report.assert_clean();
}

#[test]
fn a_tokio_timer() {
    let parts = ["`HandlesAsync`", "tokio", "cx.sleep"];
    finds(BugKind::OutsideWait, &parts, |sys| {
        awaits(sys, async {
            tokio::time::sleep(Duration::from_millis(1)).await;
        });
    });
}

#[test]
fn a_tokio_socket() {
    let parts = ["`HandlesAsync`", "socket"];
    finds(BugKind::OutsideWait, &parts, |sys| {
        awaits(sys, async {
            drop(tokio::net::TcpStream::connect("127.0.0.1:9").await);
        });
    });
}

#[test]
fn a_static_counter_is_nondeterminism() {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    finds(BugKind::Nondeterminism, &["static"], |sys| {
        let sink = sys.spawn(Sink);
        if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            sink.tell(Go);
        }
    });
}

#[test]
fn a_reference_that_leaks_into_the_next_execution() {
    static LEAKED: OnceLock<ActorRef<Sink>> = OnceLock::new();
    finds(BugKind::ForeignReference, &["another execution"], |sys| {
        let sink = sys.spawn(Sink);
        LEAKED.get_or_init(|| sink).tell(Go);
    });
}

#[test]
fn the_test_body_panics() {
    let parts = ["`test`", "before any actor"];
    finds(BugKind::Panic, &parts, |_| panic!("before any actor"));
    let report = Tester::new().run(|sys| async move {
        let answer = sys.spawn(Sink).ask(Question).await;
        assert_eq!(answer, Ok(41), "the wrong question");
    });
    assert_bug(&report, BugKind::Panic, &["`test`", "the wrong question"]);
}

#[test]
fn a_search_that_breaks_executions_off_tells_that_no_actor_takes_a_step() {
    let explore = |name: &str, tells: bool| {
        let tester = Tester::new().strategy(strategy(name)).iterations(100);
        tester.run(move |sys| async move {
            let sink = sys.spawn(Sink);
            assert!(sink.is_alive(), "nobody stops it");
            sys.sleep(Duration::from_millis(1)).await;
            if tells && sys.choose(3) == 2 {
                sink.tell(Go);
            }
        })
    };
    for strategy in ["dfs", "dpor"] {
        let report = explore(strategy, false);
        assert_bug(&report, BugKind::Idle, &["no actor took a step"]);
        assert!(explore(strategy, true).is_clean(), "{strategy}");
    }
    assert!(explore("dpor", false).pruned > 0, "nothing was broken off");
}

#[test]
fn a_test_in_which_no_actor_takes_a_step() {
    // A monitor has observed an event, but no actor has taken a step.
    let report = finds(BugKind::Idle, &["no actor took a step"], |sys| {
        sys.monitor::<Owed>();
        sys.announce(Tick);
        sys.spawn(Sink);
        sys.spawn(Increments(sys.spawn(Cell(0))));
    });
    assert_eq!(report.idle, report.executions);
    // In some executions an actor takes a step.
    let report = explore(|sys| {
        let sink = sys.spawn(Sink);
        if sys.choose(20) == 7 {
            sink.tell(Go);
        }
    });
    report.assert_clean();
    assert!(report.idle > 50 && report.idle < report.executions);
    // A program without actors is not reported; a kill counts as a step.
    explore(|sys| sys.announce(Tick)).assert_clean();
    explore(|sys| drop(sys.spawn(Sink).kill())).assert_clean();
}

#[test]
fn an_async_body_may_await() {
    let report = Tester::new().run(|sys| async move {
        sys.monitor::<Owed>();
        let sink = sys.spawn(Sink);
        sys.announce(Tick);
        assert_eq!(sink.ask(Question).await, Ok(42));
        sys.sleep(Duration::from_secs(3600)).await;
        assert!(sys.now() >= Duration::from_secs(3600));
    });
    report.assert_clean();
}

#[test]
fn a_predicate_that_can_never_be_evaluated() {
    let report = |shown: bool| {
        let tester = Tester::new().iterations(20).max_steps(1_000);
        tester.run(move |sys| async move {
            // Suspended from the first step on, and never readable.
            let own = sys.clone();
            let never = awaiting(&sys, async move {
                loop {
                    own.sleep(Duration::from_secs(1)).await;
                }
            });
            let sink = sys.spawn(Sink);
            let seen = sink.clone();
            sys.always("it is there", move |w| {
                shown && w.get(&seen).is_some() || w.get(&never).is_none()
            });
            assert_eq!(sink.ask(Question).await, Ok(42));
        })
    };
    let parts = ["it is there", "could not be shown"];
    assert_bug(&report(false), BugKind::Unevaluated, &parts);
    report(true).assert_clean();
}

/// The bound is below the first step of any actor: the report mentions the bound, and no bug.
#[test]
fn a_predicate_that_can_be_evaluated_beyond_the_bound_only() {
    let tester = Tester::new().max_steps(2).iterations(20);
    let cut_off = tester.strategy(StrategySpec::Pct(Some(1))).run(|sys| {
        // Each has a step of its own.
        let sinks = [(); 4].map(|()| at_start(&sys, |_| {}));
        let last = sinks[3].clone();
        sys.always("it is there", move |w| w.get(&last).is_none_or(|_| true));
    });
    cut_off.assert_clean();
    let vacuous = "each time an actor that it asked for could not be shown: not started when the \
                   execution was cut off at the bound on steps";
    assert_contains(&cut_off.vacuous[0], &[vacuous]);
}

#[test]
fn vacuous_specifications_are_named() {
    let report = explore(|sys| {
        sys.monitor::<Owed>();
        sys.spawn(Sink).tell(Question);
        sys.sometimes("pigs fly", |_| false);
    });
    report.assert_clean();
    assert_eq!(report.vacuous.len(), 2, "{:?}", report.vacuous);
    assert_contains(&report.vacuous[0], &["`Owed` never saw"]);
    assert_contains(&report.vacuous[1], &["pigs fly"]);
}

/// A predicate that any worker has seen true is not vacuous. A predicate
/// that was never true is reported, even if others of its kind were true.
#[test]
fn what_is_vacuous_is_so_for_all_workers_together() {
    for workers in 1..=3 {
        let report = Tester::new().iterations(60).workers(workers).run(|sys| {
            let rare = sys.choose(20) == 0;
            sys.spawn(Sink).tell(Question);
            sys.sometimes("it is rare", move |_| rare);
            sys.sometimes("pigs fly", |_| false);
            sys.sometimes("the sun rises", |_| true);
        });
        report.assert_clean();
        assert_eq!(report.vacuous.len(), 1, "{:?}", report.vacuous);
        assert_contains(&report.vacuous[0], &["pigs fly"]);
    }
}

#[test]
fn a_predicate_sees_every_actor() {
    for many in [1, 5] {
        let report = explore(|sys| {
            for _ in 0..many {
                sys.spawn(Sink).tell(Question);
            }
            sys.always("there are at most four", |w| w.all::<Sink>().count() <= 4);
        });
        assert_eq!(report.is_clean(), many == 1, "{:?}", report.bugs);
    }
}

#[test]
fn a_predicate_sees_what_is_under_way() {
    let report = explore(|sys| {
        let sink = sys.spawn(Sink);
        // Sends three questions, and sets a timer for an event without an effect, in one step.
        let to = sink.clone();
        let sends = handles(sys, move |sends, cx| {
            if sends {
                (0..3).for_each(|_| to.tell(Question));
                cx.after(Duration::from_secs(1), false);
            }
        });
        sends.tell(true);
        // The event of the test is in flight first, before the others are sent.
        sys.always("three at the most", |w| w.in_flight() <= 3);
        sys.sometimes("all three", |w| w.in_flight() == 3);
        sys.sometimes("none, in the end", |w| {
            w.in_flight() == 0 && w.timers() == 0
        });
        sys.sometimes("one timer", |w| w.timers() == 1);
        let full = sink.clone();
        sys.sometimes("all in the inbox", move |w| w.inbox_len(&full) == 3);
        sys.sometimes("none is left", move |w| w.inbox_len(&sink) == 0);
    });
    report.assert_clean();
    assert!(report.vacuous.is_empty(), "{:?}", report.vacuous);
}

#[derive(Debug)]
struct Close;

/// Opens with the first of two events and closes with the second; if it is left open, its `Drop` panics.
#[derive(Default)]
struct Guarded {
    is_open: bool,
}
#[actor]
impl Guarded {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.is_open = true;
        cx.me().tell(Close);
    }
    #[on]
    fn close(&mut self, _: Close) {
        self.is_open = false;
    }
}
impl Drop for Guarded {
    fn drop(&mut self) {
        assert!(!self.is_open, "left open");
    }
}

/// A search ends an execution early at a visited state, at any step, as the bound on steps does.
#[test]
fn what_is_broken_off_is_not_left_open_by_the_program() {
    let two = |sys: &System| {
        for _ in 0..2 {
            sys.spawn(Guarded::default()).tell(Go);
        }
    };
    for search in ["dpor", "dfs", "states"] {
        exhaust(&whole(search).keep_going(), |sys| two(&sys));
    }
    for steps in 1..=11 {
        let tester = Tester::new().max_steps(steps).iterations(50);
        tester.run(|sys| two(&sys)).assert_clean();
    }
}
