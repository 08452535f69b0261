//! The resources in the footprints of steps, by the rules whose actions read or change them.
//!
//! A search that leaves schedules out relies on the footprint of each step. Each accessor of a resource
//! records it, and without that record a rule is missing here.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use actor_test::strategy::StepConstruct::*;
use actor_test::strategy::{
    Choice, Enabled, Execution, Fairness, Needs, Pruned, Random, StepConstruct, Strategy,
    StrategyEvent,
};

use super::program::Program;

/// The resources of the steps of some executions.
type Resources = Arc<Mutex<BTreeSet<StepConstruct>>>;

/// A random walk that records the resources of its steps.
#[derive(Debug)]
struct FootprintRecorder {
    walk: Random,
    resources: Resources,
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
            let mut resources = self.resources.lock().expect("nobody panics here");
            resources.extend(step.constructs().iter());
        }
        self.walk.observe(event);
    }
}

/// Returns the resources of the steps in some executions of a program.
fn resources(program: &Program) -> BTreeSet<StepConstruct> {
    let resources = Resources::default();
    let recorder = FootprintRecorder {
        walk: Random::new(),
        resources: resources.clone(),
    };
    let tester = program.tester(20);
    let tester = tester.custom_strategy(Box::new(recorder));
    tester.run(|sys| program.clone().run(sys, Arc::default()));
    std::mem::take(&mut *resources.lock().expect("nobody panics here"))
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
