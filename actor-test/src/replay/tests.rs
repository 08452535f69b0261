//! Tests of replays of programs that were edited after the recording.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::sync::blocking::atomic::{AtomicU32, Ordering};
use actor_core::sync::blocking::{Condvar, Mutex};

use super::{ReplayResult, replay};
use crate::Tester;
use crate::data::bug::Finding;
use crate::data::story::{Effect, Story, Text};
use crate::engine::Program;
use crate::report::data::Recording;
use crate::settings::strategy::StrategySpec;
use crate::strategy::Probabilistic;

/// The edit of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edit {
    Nothing,
    /// Clients send `Hello` first.
    EventAdded,
    ChoiceAdded,
    ActorAdded,
    /// A bystander is spawned before the clients.
    ActorAddedFirst,
    /// Clients send in another order.
    SendsReordered,
    /// The lock starts a timer.
    TimerAdded,
    /// The test body sends once more.
    MessageAdded,
    /// Clients no longer send `Done`.
    EventRemoved,
    /// Clients send their requests through another actor.
    HopAdded,
    LogAdded,
    FieldRenamed,
    /// The lock checks if it is taken.
    Fixed,
}

/// The edits that a replay does not compare.
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

/// A lock that should have one owner at a time, but grants itself to several.
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

/// Returns a failing execution of the original program, minimised within the budget.
fn recorded(seed: u64, budget: u64) -> (Finding, Recording) {
    let tester = Tester::new().seed(seed).minimize(budget);
    let report = tester.run(|sys| body(&sys, Edit::Nothing));
    let bug = report.assert_bug("two owners");
    (bug.finding.clone(), bug.trace.clone())
}

fn has_found(replayed: &ReplayResult, finding: &Finding) -> bool {
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
            // The story contains the change nevertheless.
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
        // So much has changed that the bug may not be found.
        let rebuilt = replay(&Edited(Edit::HopAdded), &recording);
        assert!(rebuilt.diverged.is_some());
    }
}

/// A replay reports the step at which it diverges, the recorded action and the actual one.
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

/// An actor that panics at the first event, unless it was fixed.
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

/// The execution continues with the step that failed when it was recorded.
#[test]
fn a_replay_goes_on_where_it_had_failed() {
    let broken = Gates { is_mended: false };
    let report = Tester::new().minimize(0).run(|_| drop(broken.start()));
    let recording = report.assert_bug("broken").trace.clone();
    let mended = replay(&Gates { is_mended: true }, &recording);
    assert_eq!((mended.diverged, mended.finding), (None, None));
    assert!(mended.steps > recording.story.steps.len() as u64);
}

/// Shares several locks and an atomic, notifies, and then fails.
struct Sharing;

impl Program for Sharing {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        let locks = [1, 2].map(Mutex::new);
        drop((locks[0].lock(), locks[1].lock()));
        AtomicU32::new(1).store(2, Ordering::Relaxed);
        Condvar::new().notify_one();
        panic!("it is shared");
    }
}

/// The story of an older recording has no numbers of objects, no values of atomics and no wake-ups.
#[test]
fn an_older_story_of_shared_objects_is_followed() {
    let report = Tester::new().minimize(0).run(|_| drop(Sharing.start()));
    let mut recording = report.assert_bug("it is shared").trace.clone();
    let (mut numbers, mut values, mut wake_ups) = (0, 0, 0);
    for step in &mut recording.story.steps {
        let before = step.effects.len();
        step.effects
            .retain(|effect| !matches!(effect, Effect::Woke { .. }));
        wake_ups += before - step.effects.len();
        for effect in &mut step.effects {
            if let Effect::Accessed { what, object, .. } = effect {
                numbers += usize::from(object.contains('#'));
                values += usize::from(what.starts_with("stores 2"));
                *object = Text::from(&object.replace("#1", "").replace("#2", ""));
                *what = Text::from(&what.replace(" 2 (was 1), Relaxed,", ""));
            }
        }
    }
    assert_eq!((numbers, values, wake_ups), (4, 1, 1));
    assert_eq!(replay(&Sharing, &recording).diverged, None);
}

/// The edit of a program with many actors of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kin {
    Same,
    /// An actor of another type is spawned first.
    OtherFirst,
    /// One more actor of the same type is spawned first.
    First,
    Middle,
    Last,
    /// The judge spawns a child before the voters are spawned.
    Deeper,
    Named,
}

const KIN: [Kin; 6] = [
    Kin::OtherFirst,
    Kin::First,
    Kin::Middle,
    Kin::Last,
    Kin::Deeper,
    Kin::Named,
];

#[derive(Debug)]
struct Vote(u32);

/// An actor that panics if the votes arrive in one particular order.
#[derive(Debug, Default)]
struct Judge {
    votes: Vec<u32>,
    is_mended: bool,
    deeper: bool,
}

const ORDER: [u32; 5] = [3, 1, 4, 0, 2];

#[actor]
impl Judge {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if self.deeper {
            cx.spawn(Voter {
                number: 70,
                judge: None,
                asks: false,
            })
            .tell(Go);
        }
    }
    #[on]
    fn vote(&mut self, vote: Vote) {
        if vote.0 < 50 {
            self.votes.push(vote.0);
        }
        assert!(self.is_mended || self.votes != ORDER, "that order");
    }
}

#[derive(Debug)]
struct Voter {
    number: u32,
    judge: Option<ActorRef<Judge>>,
    asks: bool,
}

#[actor]
impl Voter {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if self.asks {
            let _ = cx.choose_bool();
        }
        let is_right = cx.choose(2) as u32 == self.number % 2;
        if let Some(judge) = &self.judge {
            judge.tell(Vote(if is_right { self.number } else { 50 }));
        }
    }
}

#[derive(Debug)]
struct Observer;

#[actor]
impl Observer {
    #[on]
    fn go(&mut self, _: Go) {}
}

#[derive(Clone, Copy)]
struct Votes {
    before: &'static [u32],
    kin: Kin,
    is_mended: bool,
    asks: bool,
}

impl Votes {
    const PLAIN: Self = Self {
        before: &[],
        kin: Kin::Same,
        is_mended: false,
        asks: false,
    };

    fn set_up(self, sys: &System) {
        let Self {
            before,
            kin,
            is_mended,
            asks,
        } = self;
        if kin == Kin::OtherFirst {
            sys.spawn(Observer).tell(Go);
        }
        let judge = Judge {
            is_mended,
            deeper: kin == Kin::Deeper,
            ..Judge::default()
        };
        let judge = sys.spawn(judge);
        let mut numbers: Vec<u32> = before.iter().copied().chain(0..5).collect();
        match kin {
            Kin::First => numbers.insert(0, 60),
            Kin::Middle => numbers.insert(2, 60),
            Kin::Last => numbers.push(60),
            _ => {}
        }
        for number in numbers {
            let voter = Voter {
                number,
                judge: Some(judge.clone()),
                asks,
            };
            let voter = match kin {
                Kin::Named => sys.spawn_named(&format!("voter {number}"), voter),
                _ => sys.spawn(voter),
            };
            voter.tell(Go);
        }
    }
}

impl Program for Votes {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        self.set_up(&System::controlled());
        None
    }
}

/// Returns an execution with the votes in that order: one of 3 840, since each vote must also be chosen.
fn voted(votes: Votes) -> (Finding, Recording) {
    voted_under(StrategySpec::Probabilistic(Probabilistic::HALVINGS), votes)
}

fn voted_under(strategy: StrategySpec, votes: Votes) -> (Finding, Recording) {
    let tester = Tester::new().iterations(200_000).minimize(0);
    let report = tester.strategy(strategy).run(move |sys| votes.set_up(&sys));
    let bug = report.assert_bug("that order");
    (bug.finding.clone(), bug.trace.clone())
}

/// Actors are matched if others were inserted before them or removed.
#[test]
fn who_is_who_is_known_where_numbers_are_others() {
    for strategy in [StrategySpec::Pos, StrategySpec::Surw] {
        let (finding, recording) = voted_under(strategy, Votes::PLAIN);
        for kin in KIN {
            let edited = Votes {
                kin,
                ..Votes::PLAIN
            };
            // Some voters vote before others are spawned, so the order of spawning matters.
            assert!(has_found(&replay(&edited, &recording), &finding), "{kin:?}");
        }
    }
    let (finding, recording) = voted(Votes::PLAIN);
    for kin in KIN {
        let edited = Votes {
            kin,
            ..Votes::PLAIN
        };
        let replayed = replay(&edited, &recording);
        assert!(has_found(&replayed, &finding), "{kin:?}");
        // The last actor is spawned after the failure, and names are not compared.
        let parts = !matches!(kin, Kin::Last | Kin::Named);
        assert_eq!(replayed.diverged.is_some(), parts, "{kin:?}");
        let exact = replay(&edited, &replayed.recording);
        assert_eq!(
            exact.diverged, None,
            "what was done is an execution: {kin:?}"
        );
        assert_eq!(exact.finding, replayed.finding, "{kin:?}");
        // The recording of the edited program also replays by name in the original one.
        let once_more = replay(&Votes::PLAIN, &replayed.recording);
        assert!(has_found(&once_more, &finding), "{kin:?}, and back");
        let mended = Votes {
            is_mended: true,
            ..edited
        };
        assert_eq!(replay(&mended, &recording).finding, None, "{kin:?}");
    }
    for before in [&[60][..], &[60, 61, 62]] {
        let more = Votes {
            before,
            ..Votes::PLAIN
        };
        let (finding, recording) = voted(more);
        let replayed = replay(&Votes::PLAIN, &recording);
        assert!(has_found(&replayed, &finding), "{before:?} are gone");
    }
}

/// An actor that forwards a vote; all clerks are identical.
#[derive(Debug)]
struct Clerk(ActorRef<Judge>);

#[derive(Debug)]
struct Asks(ActorRef<Clerk>);

#[actor]
impl Clerk {
    #[on]
    fn vote(&mut self, vote: Vote) {
        self.0.tell(vote);
    }
}

#[actor]
impl Asks {
    #[on]
    fn vote(&mut self, vote: Vote) {
        self.0.tell(vote);
    }
}

/// Each vote goes through a clerk of its own; unused clerks come before those of the given numbers.
struct Clerks(&'static [u32]);

impl Program for Clerks {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        let sys = System::controlled();
        let judge = sys.spawn(Judge::default());
        for number in 0..5 {
            for _ in self.0.iter().filter(|before| **before == number) {
                sys.spawn(Clerk(judge.clone()));
            }
            let clerk = sys.spawn(Clerk(judge.clone()));
            sys.spawn(Asks(clerk)).tell(Vote(number));
        }
        None
    }
}

/// Identical actors are matched by their behaviour.
#[test]
fn who_is_who_is_known_by_what_it_does() {
    let tester = Tester::new().iterations(20_000).minimize(0);
    let report = tester.run(|_| drop(Clerks(&[]).start()));
    let bug = report.assert_bug("that order");
    for before in [&[0][..], &[1], &[4], &[0, 0], &[1, 3], &[0, 1, 2, 3, 4]] {
        let replayed = replay(&Clerks(before), &bug.trace);
        assert!(has_found(&replayed, &bug.finding), "{before:?}");
        assert!(replayed.diverged.is_some(), "{before:?}");
        let exact = replay(&Clerks(before), &replayed.recording);
        assert_eq!(exact.diverged, None, "{before:?}");
        let back = replay(&Clerks(&[]), &replayed.recording);
        assert!(has_found(&back, &bug.finding), "{before:?}, and back");
    }
}

/// If a step makes an additional choice, its other choices keep their outcomes.
#[test]
fn a_choice_is_known_by_what_it_is_for() {
    let (finding, recording) = voted(Votes::PLAIN);
    let edited = Votes {
        asks: true,
        ..Votes::PLAIN
    };
    assert!(has_found(&replay(&edited, &recording), &finding));
    // A trace without purposes matches choices by number, so the outcomes are shifted here.
    let mut steps = super::schedule::read(&recording.schedule).expect("a schedule");
    let choices = steps.iter_mut().flat_map(|step| &mut step.choices);
    choices.for_each(|choice| choice.asked = crate::data::story::ChoicePurpose::Unknown);
    let older = Recording {
        schedule: super::schedule::write(&steps),
        ..recording.clone()
    };
    assert!(!has_found(&replay(&edited, &older), &finding));
    assert!(has_found(
        &replay(
            &Votes {
                kin: Kin::First,
                ..Votes::PLAIN
            },
            &older
        ),
        &finding
    ));
    let (finding, recording) = voted(edited);
    assert!(has_found(&replay(&Votes::PLAIN, &recording), &finding));
}

mod cycles {
    use std::future::Future;
    use std::pin::Pin;

    use actor_core::prelude::*;

    use crate::Tester;
    use crate::engine::Program;
    use crate::replay::replay;
    use crate::report::data::Recording;

    #[derive(Debug)]
    struct Go;
    /// An actor that sends itself an event for ever.
    struct Restless;
    #[actor]
    impl Restless {
        #[on]
        fn go(&mut self, _: Go, cx: &mut Context<Self>) {
            cx.me().tell(Go);
        }
    }

    fn restless(sys: &System) {
        sys.spawn(Restless).tell(Go);
        sys.eventually("it rests", |_| false);
    }

    struct Body;
    impl Program for Body {
        fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
            restless(&System::controlled());
            None
        }
    }

    /// A replay detects lassos only if its recording has a cycle; otherwise it ends by temperature.
    #[test]
    fn a_cycle_is_found_again_where_one_was_recorded() {
        let tester = || Tester::new().iterations(1).max_steps(2_000);
        let report = tester().run(|sys| restless(&sys));
        let bug = report.assert_bug("that a fair schedule can repeat for ever");
        let replayed = replay(&Body, &bug.trace);
        assert_eq!(replayed.finding.as_ref(), Some(&bug.finding));
        assert_eq!(replayed.diverged, None);
        let hot = tester().lasso(false).run(|sys| restless(&sys));
        let hot = hot.assert_bug("(threshold 10000)");
        let replayed = replay(&Body, &hot.trace);
        assert_eq!(replayed.finding.as_ref(), Some(&hot.finding));
        let with_bounds = Recording {
            cycle: bug.trace.cycle,
            ..hot.trace.clone()
        };
        let replayed = replay(&Body, &with_bounds);
        assert_eq!(replayed.finding.as_ref(), Some(&bug.finding));
    }
}
