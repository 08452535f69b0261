//! Replays of programs that were edited since they were recorded.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actor_core::prelude::*;

use super::replay::{Replayed, replay};
use crate::Tester;
use crate::data::bug::Finding;
use crate::data::story::Story;
use crate::engine::Program;
use crate::report::facts::Recording;

/// What was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edit {
    Nothing,
    /// Clients say hello first.
    EventAdded,
    /// Clients choose something.
    ChoiceAdded,
    /// A bystander is created after the others.
    ActorAdded,
    /// The bystander is created before them.
    ActorAddedFirst,
    /// Clients send in another order.
    SendsReordered,
    /// The lock starts a timer.
    TimerAdded,
    /// The test body sends once more.
    MessageAdded,
    /// Clients do not say what they have done any more.
    EventRemoved,
    /// Requests go by way of another actor.
    HopAdded,
    /// The lock logs what it does.
    LogAdded,
    /// A field of the lock has another name.
    FieldRenamed,
    /// The lock looks whether it is taken.
    Fixed,
}

/// What is no part of an execution.
const UNSEEN: [Edit; 2] = [Edit::LogAdded, Edit::FieldRenamed];

const HARMLESS: [Edit; 8] = [
    Edit::EventAdded,
    Edit::ChoiceAdded,
    Edit::ActorAdded,
    Edit::ActorAddedFirst,
    Edit::SendsReordered,
    Edit::TimerAdded,
    Edit::MessageAdded,
    Edit::EventRemoved,
];

#[derive(Debug)]
struct Go;
#[derive(Debug)]
struct Hello;
#[derive(Debug)]
struct Late;
#[derive(Debug)]
struct Done;
#[derive(Debug)]
struct Acquire(u32);
#[derive(Debug)]
struct Release;

/// Has one owner at a time, or should: it forgets whom it has promised itself to.
struct Lock {
    owner: Option<u32>,
    edit: Edit,
}

impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.edit {
            Edit::FieldRenamed => "holder",
            _ => "owner",
        };
        f.debug_struct("Lock").field(name, &self.owner).finish()
    }
}

#[actor]
impl Lock {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if self.edit == Edit::TimerAdded {
            cx.after(Duration::from_millis(1), Late);
        }
    }
    #[on]
    fn late(&mut self, _: Late) {}
    #[on]
    fn hello(&mut self, _: Hello) {}
    #[on]
    fn done(&mut self, _: Done) {}
    #[on]
    fn acquire(&mut self, acquire: Acquire) {
        if self.edit == Edit::Fixed && self.owner.is_some() {
            return;
        }
        if self.edit == Edit::LogAdded {
            tracing::info!(owner = ?self.owner, "acquired");
        }
        assert!(self.owner.is_none(), "two owners");
        self.owner = Some(acquire.0);
    }
    #[on]
    fn release(&mut self, _: Release) {
        self.owner = None;
    }
}

struct Client {
    number: u32,
    lock: ActorRef<Lock>,
    hop: Option<ActorRef<Bystander>>,
    edit: Edit,
}

#[actor]
impl Client {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        let lock = &self.lock;
        if self.edit == Edit::EventAdded {
            lock.tell(Hello);
        }
        if self.edit == Edit::ChoiceAdded {
            let _ = cx.choose(3);
        }
        if self.edit == Edit::SendsReordered {
            lock.tell(Done);
        }
        match &self.hop {
            Some(hop) => hop.tell(Acquire(self.number)),
            None => lock.tell(Acquire(self.number)),
        }
        if !matches!(self.edit, Edit::SendsReordered | Edit::EventRemoved) {
            lock.tell(Done);
        }
        lock.tell(Release);
    }
}

struct Bystander(ActorRef<Lock>);

#[actor]
impl Bystander {
    #[on]
    fn hello(&mut self, _: Hello) {}
    #[on]
    fn acquire(&mut self, acquire: Acquire) {
        self.0.tell(acquire);
    }
}

fn body(sys: &System, edit: Edit) {
    let lock = sys.spawn(Lock { owner: None, edit });
    let bystander = || {
        let bystander = sys.spawn(Bystander(lock.clone()));
        bystander.tell(Hello);
        bystander
    };
    if edit == Edit::ActorAddedFirst {
        bystander();
    }
    let hop = (edit == Edit::HopAdded).then(bystander);
    let client = |number| Client {
        number,
        lock: lock.clone(),
        hop: hop.clone(),
        edit,
    };
    let clients: Vec<_> = (0..3).map(|number| sys.spawn(client(number))).collect();
    if edit == Edit::ActorAdded {
        bystander();
    }
    for client in clients {
        client.tell(Go);
    }
    if edit == Edit::MessageAdded {
        lock.tell(Hello);
    }
}

struct Edited(Edit);

impl Program for Edited {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        body(&System::controlled(), self.0);
        None
    }
}

/// A failing execution of the program as it was, minimised or not.
fn recorded(seed: u64, budget: u64) -> (Finding, Recording) {
    let tester = Tester::new().seed(seed).minimize(budget);
    let report = tester.run(|sys| body(sys, Edit::Nothing));
    let bug = report.assert_bug("two owners");
    (bug.finding.clone(), bug.trace.clone())
}

fn has_found(replayed: &Replayed, finding: &Finding) -> bool {
    let found = replayed.finding.as_ref();
    found.is_some_and(|found| found.is_found_again(finding))
}

#[test]
fn an_edited_program_is_followed_by_name() {
    for (seed, budget) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 100_000), (1, 100_000)] {
        let (finding, recording) = recorded(seed, budget);
        let same = replay(&Edited(Edit::Nothing), &recording);
        assert_eq!(same.diverged, None);
        assert_eq!(same.finding.as_ref(), Some(&finding));
        for edit in UNSEEN {
            let replayed = replay(&Edited(edit), &recording);
            assert_eq!(replayed.diverged, None, "{edit:?}");
            assert_eq!(replayed.finding.as_ref(), Some(&finding));
            // It is told all the same.
            let steps = |story: &Story| story.steps.clone();
            assert_ne!(
                steps(&replayed.recording.story),
                steps(&recording.story),
                "{edit:?}"
            );
        }
        for edit in HARMLESS {
            let replayed = replay(&Edited(edit), &recording);
            assert!(
                has_found(&replayed, &finding),
                "seed {seed}, {budget}: {edit:?}"
            );
            let exact = replay(&Edited(edit), &replayed.recording);
            assert_eq!(
                exact.diverged, None,
                "what was done is an execution: {edit:?}"
            );
        }
        let fixed = replay(&Edited(Edit::Fixed), &recording);
        assert_eq!(fixed.finding, None);
        // Too much has changed for the bug to be found for certain.
        let rebuilt = replay(&Edited(Edit::HopAdded), &recording);
        assert!(rebuilt.diverged.is_some());
    }
}

/// Where it parts it says so: at which step, from what, to what.
#[test]
fn a_replay_says_where_it_parts() {
    let (_, recording) = recorded(0, 0);
    let replayed = replay(&Edited(Edit::EventAdded), &recording);
    let parted = replayed.diverged.expect("there is another event");
    assert!(
        parted.message.contains("as recorded, ") && parted.message.contains("now, "),
        "{parted}"
    );
    assert!(parted.message.contains("sends Hello to Lock"), "{parted}");
}

/// Breaks down at the first event, unless it was mended.
struct Gate {
    is_mended: bool,
}

#[actor(states(Open, Shut))]
impl Gate {
    #[on]
    fn go(&mut self, _: Go) {
        assert!(self.is_mended, "broken");
    }
    #[on]
    fn late(&mut self, _: Late, cx: &mut Context<Self>) {
        cx.goto(GateState::Shut);
    }
}

struct Gates {
    is_mended: bool,
}

impl Program for Gates {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        let gate = System::controlled().spawn(Gate {
            is_mended: self.is_mended,
        });
        gate.tell(Go);
        gate.tell(Go);
        None
    }
}

/// A step that failed and does so no more is where the execution goes on, and no other way.
#[test]
fn a_replay_goes_on_where_it_had_failed() {
    let broken = Gates { is_mended: false };
    let report = Tester::new().minimize(0).run(|_| drop(broken.start()));
    let recording = report.assert_bug("broken").trace.clone();
    let mended = replay(&Gates { is_mended: true }, &recording);
    assert_eq!((mended.diverged, mended.finding), (None, None));
    assert!(mended.steps > recording.story.steps.len() as u64);
}
