//! Pinned schedules: a test follows given steps, also after the program was edited.

use actor_core::prelude::*;
use actor_test::script::ScriptResult;
use actor_test::{Tester, actor_test};
use behaviour::closures::{awaiting, machine};
use behaviour::harness::assert_contains;
use behaviour::harness::events::{Go, Tick};
use serde::{Deserialize, Serialize};

use super::Sink;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Edit {
    Nothing,
    /// Clients send a greeting first.
    EventAdded,
    /// The bystander is created before the others.
    ActorAdded,
    /// Clients choose among more values.
    OtherChoice,
    /// The lock checks if it is taken.
    Fixed,
}

#[derive(Debug)]
struct Hello;
#[derive(Debug)]
struct Acquire;
#[derive(Debug)]
struct Release;

struct Lock {
    is_taken: bool,
    edit: Edit,
}

#[actor]
impl Lock {
    #[on]
    fn hello(&mut self, _: Hello) {}

    #[on]
    fn acquire(&mut self, _: Acquire) {
        if self.edit == Edit::Fixed && self.is_taken {
            return;
        }
        assert!(!self.is_taken, "two owners");
        self.is_taken = true;
    }

    #[on]
    fn release(&mut self, _: Release) {
        self.is_taken = false;
    }
}

struct Client {
    lock: ActorRef<Lock>,
    edit: Edit,
}

#[actor]
impl Client {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if self.edit == Edit::EventAdded {
            self.lock.tell(Hello);
        }
        let more = if self.edit == Edit::OtherChoice { 3 } else { 2 };
        if cx.choose(more) == 1 {
            self.lock.tell(Acquire);
            self.lock.tell(Release);
        }
    }
}

fn clients(sys: &System, edit: Edit) {
    if edit == Edit::ActorAdded {
        sys.spawn(Sink).tell(Go);
    }
    let is_taken = false;
    let lock = sys.spawn(Lock { is_taken, edit });
    for _ in 0..2 {
        let lock = lock.clone();
        sys.spawn(Client { lock, edit }).tell(Go);
    }
}

const STEPS: [(&str, &str); 12] = [
    ("test", "starts"),
    ("test", "flushes"), // spawns Lock
    ("test", "flushes"), // spawns Client#1
    ("test", "sends Go to Client#1"),
    ("test", "flushes"), // spawns Client#2
    ("test", "sends Go to Client#2"),
    ("Client#2", "handles Go, choosing 1 of 2"),
    ("Client#1", "handles Go, choosing 1 of 2"),
    ("Client#2", "sends Acquire to Lock"),
    ("Client#1", "sends Acquire to Lock"),
    ("Lock", "handles Acquire"),
    ("Lock", "handles Acquire"),
];

fn follow(edit: Edit) -> ScriptResult {
    Tester::new().follow(&STEPS, |sys| clients(&sys, edit))
}

#[test]
fn what_is_pinned_is_done() {
    let followed = follow(Edit::Nothing);
    let bug = followed.bug().expect("two owners");
    assert!(bug.message().ends_with("two owners"), "{}", bug.message());
    assert_eq!((bug.step(), followed.parted()), (12, None));
    assert_eq!(followed.report().executions, 1);
}

#[test]
fn a_fix_passes() {
    let followed = follow(Edit::Fixed);
    followed.assert_clean();
    assert_eq!(followed.parted(), None);
}

/// The result reports the step at which the program diverged, and the bug is still found.
#[test]
fn a_changed_program_is_followed_as_far_as_it_goes() {
    for (edit, parted) in [
        (
            Edit::EventAdded,
            "at step 9: pinned is `Client#2` sends Acquire to Lock; now, `Client#2` sends Hello to Lock",
        ),
        (
            Edit::ActorAdded,
            "at step 3: pinned is `test` flushes; now, `test` sends Go to Sink",
        ),
    ] {
        let followed = follow(edit);
        assert_eq!(followed.parted(), Some(parted));
        let bug = followed.bug().unwrap_or_else(|| panic!("{edit:?}"));
        assert!(bug.message().ends_with("two owners"), "{}", bug.message());
    }
    // Another choice has another answer: no client acquires the lock.
    let followed = follow(Edit::OtherChoice);
    assert!(followed.bug().is_none());
    assert!(followed.parted().is_some());
}

#[test]
#[should_panic(expected = "two owners")]
fn a_pinned_bug_fails_its_test() {
    follow(Edit::Nothing).assert_clean();
}

#[test]
#[should_panic(expected = "step 2 of the schedule, \"jumps\": a step is `starts`")]
fn a_step_that_is_none_is_an_error() {
    Tester::new().follow(&[("test", "starts"), ("test", "jumps")], |_| ());
}

#[actor_test(expect_bug = "two owners")]
fn one_owner(sys: &System) {
    clients(sys, Edit::Nothing);
}

#[test]
fn a_test_is_followed_by_its_name() {
    for name in [
        "one_owner",
        "following::one_owner",
        "all::report::following::one_owner",
    ] {
        let followed = actor_test::script::follow(name, &STEPS);
        assert_eq!(followed.bug().map(|bug| bug.step()), Some(12), "{name}");
    }
}

#[test]
#[should_panic(
    expected = "no test of this executable that is marked `#[actor_test]` is called `ne_owner`"
)]
fn a_test_that_is_not_there_is_an_error() {
    actor_test::script::follow("ne_owner", &STEPS);
}

/// After the pinned steps, the execution continues fairly, so a liveness bug is found.
#[test]
fn what_is_owed_for_ever_is_found() {
    let steps = [("test", "starts"), ("test", "flushes")];
    let followed = Tester::new().follow(&steps, |sys| {
        machine(&sys, (), |(), _: Tick, cx| cx.me().tell(Tick)).tell(Tick);
        sys.eventually("it rests", |_| false);
    });
    let bug = followed.bug().expect("it never rests");
    assert!(bug.is_liveness(), "{}", bug.message());
    assert_contains(bug.message(), &["it rests"]);
    assert_eq!(followed.parted(), None);
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Word(u32);

#[derive(Debug, Default)]
struct Listener(u32);

#[actor]
impl Listener {
    #[on]
    fn word(&mut self, word: Word) {
        self.0 += word.0;
    }
}

/// The actions of links are pinned, and so are the faults that occur in a step.
#[test]
fn a_fault_is_pinned_with_the_step_that_it_strikes_in() {
    let hears = |what: &str| {
        let faults = "drop=1".parse().expect("faults");
        let tester = Tester::new().faults(faults);
        let followed = tester.follow(&[("n1->n2", what)], |sys| {
            sys.node("n1", |node| {
                let own = node.clone();
                awaiting(node, async move {
                    if let Ok(listener) = own.lookup::<Listener>("n2/listener").await {
                        listener.tell(Word(1));
                        listener.tell(Word(2));
                    }
                });
            });
            sys.node("n2", |node| {
                let spawner = node.spawner().name("listener").registered();
                spawner.spawn(Listener::default());
            });
            sys.eventually("all is heard", |w| w.all::<Listener>().any(|it| it.0 == 3));
        });
        followed.report().is_clean()
    };
    assert!(hears("delivers Word to n2/listener"));
    assert!(!hears("delivers Word to n2/listener, fault drop 1"));
}
