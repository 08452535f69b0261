//! The resources in the footprints of steps, by the rules whose actions read or change them.
//!
//! A search that leaves schedules out relies on the footprint of each step. Each accessor of a resource
//! records it, and without that record a rule is missing here.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use actor_core::prelude::{Context, Scope, System};
use actor_core::{actor, task};
use actor_test::Tester;
use actor_test::strategy::StepConstruct::*;
use actor_test::strategy::{
    Choice, Enabled, Execution, Fairness, Needs, OperationId, Pruned, Random, StepConstruct,
    StepKind, Strategy, StrategyEvent,
};

use super::program::Program;

/// The resources of the steps of some executions, and the operations whose code ran in local steps.
#[derive(Debug, Default)]
struct Footprints {
    resources: BTreeSet<StepConstruct>,
    local: BTreeSet<OperationId>,
}

/// A random walk that records the footprints of its steps.
#[derive(Debug)]
struct FootprintRecorder {
    walk: Random,
    footprints: Arc<Mutex<Footprints>>,
}

impl Strategy for FootprintRecorder {
    fn name(&self) -> String {
        self.walk.name()
    }

    fn needs(&self) -> Needs {
        Needs {
            steps: true,
            ..self.walk.needs()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.walk.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.walk.pick(enabled)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.walk.choose(choice)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Stepped(step) = event {
            let mut footprints = self.footprints.lock().expect("nobody panics here");
            footprints.resources.extend(step.constructs().iter());
            if step.is_local && step.pending.kind != StepKind::Flush {
                footprints.local.insert(step.pending.operation);
            }
        }
        self.walk.observe(event);
    }
}

/// Returns the footprints of the steps in some executions.
fn footprints_in<F: std::future::Future<Output = ()> + Send + 'static>(
    tester: &Tester,
    program: impl Fn(System) -> F + Sync,
) -> Footprints {
    let footprints = Arc::<Mutex<Footprints>>::default();
    let recorder = FootprintRecorder {
        walk: Random::new(),
        footprints: footprints.clone(),
    };
    let tester = tester.custom_strategy(Box::new(recorder));
    tester.run(program);
    std::mem::take(&mut *footprints.lock().expect("nobody panics here"))
}

fn resources(program: &Program) -> BTreeSet<StepConstruct> {
    let run = |sys| program.clone().run(sys, Arc::default());
    footprints_in(&program.tester(20), run).resources
}

/// For each resource, the actions that read or change it.
const ACTIONS: &[(StepConstruct, &[&str])] = &[
    (Clock, &["now", "timestamp", "body_looks_at_the_clock"]),
    (
        Timer,
        &["after", "sleep", "named_timer", "nap", "after cancel"],
    ),
    (Room, &["send", "try_send"]),
    (Receive, &["receive"]),
    (Supervision, &["supervise", "decide_failures", "spawn_with"]),
    (Link, &["link", "unlink", "trap_links"]),
    (Watch, &["watch", "unwatch", "stopped", "started"]),
    (Ends, &["is_alive", "weak"]),
    (References, &["spawn_counted drop_child"]),
    (Names, &["register", "unregister", "lookup"]),
    (Disk, &["append", "power_fails", "writes_tear", "read_file"]),
    (Sharing, &["lock", "notify_one", "begin_thread"]),
    (Ask, &["ask_timed", "ask_dropped", "keep_ask"]),
    (Stop, &["stop", "kill", "body_stops"]),
    (Finish, &["finish", "spawn_failing"]),
    (Node, &["partition", "fault_crash"]),
    (Future, &["pipe"]),
    (Ticks, &["every"]),
    (Task, &["begin_task", "begin_thread"]),
    (Predicate, &["always_few"]),
    (Observer, &["tell always_few"]),
    (Identity, &["spawn_registered"]),
];

#[test]
fn steps_have_the_resources_of_their_actions() {
    for (what, actions) in ACTIONS {
        for action in *actions {
            let found = resources(&Program::of(action));
            assert!(found.contains(what), "{action}: no {what:?} in {found:?}");
        }
    }
    for action in ["tell", "ask", "choose", "spawn", "halt", "raise"] {
        assert_eq!(resources(&Program::of(action)), BTreeSet::new(), "{action}");
    }
}

/// Asserts that a change of the program's settings adds a resource to the footprints of an action.
fn assert_added(what: StepConstruct, action: &'static str, change: impl FnOnce(&mut Program)) {
    let mut program = Program::of(action);
    assert!(!resources(&program).contains(&what), "{action}");
    change(&mut program);
    let found = resources(&program);
    assert!(found.contains(&what), "{action}: no {what:?} in {found:?}");
}

#[test]
fn steps_have_the_resources_of_their_program() {
    assert_added(Room, "tell", |program| program.is_bounded = true);
    assert_added(Supervision, "tell", |program| program.is_supervised = true);
    assert_added(Together, "tell tell", |program| program.is_atomic = true);
    assert_added(Fault, "fallible", |program| program.has_faults = true);
}

/// An actor with 65 kinds of events, of which it defers one.
macro_rules! many_kinds {
    ($($kind:ident $on:ident)*) => {
        $(#[derive(Debug)]
        struct $kind;)*

        struct Many;

        #[actor(states(Open, Shut(defer(A0))))]
        impl Many {
            #[start]
            fn start(&mut self, cx: &mut Context<Self>) {
                cx.goto(ManyState::Shut);
            }

            $(#[on]
            fn $on(&mut self, _: $kind) {})*
        }
    };
}

many_kinds! {
    A0 a0 A1 a1 A2 a2 A3 a3 A4 a4 A5 a5 A6 a6 A7 a7 A8 a8 A9 a9
    B0 b0 B1 b1 B2 b2 B3 b3 B4 b4 B5 b5 B6 b6 B7 b7 B8 b8 B9 b9
    C0 c0 C1 c1 C2 c2 C3 c3 C4 c4 C5 c5 C6 c6 C7 c7 C8 c8 C9 c9
    D0 d0 D1 d1 D2 d2 D3 d3 D4 d4 D5 d5 D6 d6 D7 d7 D8 d8 D9 d9
    E0 e0 E1 e1 E2 e2 E3 e3 E4 e4 E5 e5 E6 e6 E7 e7 E8 e8 E9 e9
    F0 f0 F1 f1 F2 f2 F3 f3 F4 f4 F5 f5 F6 f6 F7 f7 F8 f8 F9 f9
    G0 g0 G1 g1 G2 g2 G3 g3 G4 g4
}

/// A search distinguishes 64 kinds of events that an actor may defer.
#[test]
fn more_kinds_of_deferred_events_than_are_distinguished() {
    let tester = Tester::new().iterations(5).check_every(0);
    let found = footprints_in(&tester, async |sys: System| sys.spawn(Many).tell(G4));
    assert!(found.resources.contains(&Defer), "{found:?}");
}

#[derive(Debug)]
struct Done;

/// Waits for a future in its start.
struct Pipes;

#[actor]
impl Pipes {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.pipe(async {}, |()| Done);
    }

    #[on]
    fn done(&mut self, _: Done) {}
}

/// An actor starts, and handles an event, in steps that can be moved behind those of others; the steps of
/// the test body, of a future and of a task can't.
#[test]
fn only_actors_take_local_steps() {
    let tester = Tester::new().iterations(20).check_every(0);
    let found = footprints_in(&tester, async |sys: System| {
        drop(task::spawn(async {}));
        sys.spawn(Pipes);
    });
    assert!(found.resources.is_superset(&BTreeSet::from([Future, Task])));
    assert_eq!(found.local.len(), 1, "{found:?}");
}
