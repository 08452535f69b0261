//! Reference-counted actors: they end when the last reference is dropped.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::WeakRef;
use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

use crate::semantics::asks::{every, every_by};

#[derive(Debug)]
struct Note(u32);
#[derive(Debug)]
struct Fail;
#[derive(Clone, Debug)]
struct Tick;

/// The notes of sessions at the time of their end.
type Ends = Arc<Mutex<Vec<Vec<u32>>>>;

#[derive(Default)]
struct Session {
    notes: Vec<u32>,
    ends: Ends,
    /// A reference of the session to itself, which keeps it alive.
    me: Option<ActorRef<Self>>,
    keeps_itself: bool,
}

impl Session {
    fn with(ends: &Ends) -> Self {
        Self {
            ends: ends.clone(),
            ..Self::default()
        }
    }
}

#[actor]
impl Session {
    #[on]
    fn note(&mut self, note: Note, cx: &mut Context<Self>) -> u32 {
        self.notes.push(note.0);
        if self.keeps_itself {
            self.me = Some(cx.me());
        }
        note.0
    }

    #[on]
    fn fail(&mut self, _: Fail) {
        panic!("told to");
    }

    #[stop]
    fn stop(&mut self) {
        self.ends.lock().unwrap().push(self.notes.clone());
    }
}

/// Holds a reference, sends one note, and drops the reference.
struct Holder {
    session: Option<ActorRef<Session>>,
}

#[actor]
impl Holder {
    #[on]
    fn note(&mut self, note: Note) {
        if let Some(session) = self.session.take() {
            session.tell(note);
        }
    }
}

#[test]
fn the_last_reference_ends_it_after_what_was_told() {
    let (report, outcomes) = every(async |sys| {
        let ends = Ends::default();
        let session = sys.spawner().ref_counted().spawn(Session::with(&ends));
        let (end, weak) = (session.stopped(), session.downgrade());
        session.tell(Note(1));
        session.tell(Note(2));
        drop(session);
        assert_eq!(weak.upgrade(), None);
        let end = end.await;
        let ends = ends.lock().unwrap().clone();
        format!("{end:?} {ends:?}")
    });
    assert_eq!(outcomes, ["Stopped [[1, 2]]"]);
    assert!(report.executions > 1);
}

#[test]
fn it_goes_on_unless_told_otherwise() {
    let (_, outcomes) = every(async |sys| {
        let ends = Ends::default();
        let session = sys.spawn(Session::with(&ends));
        let weak = session.downgrade();
        session.tell(Note(1));
        drop(session);
        let alive = weak.upgrade().expect("it is alive").ask(Note(2)).await;
        let ends = ends.lock().unwrap().clone();
        format!("{alive:?} {ends:?}")
    });
    assert_eq!(outcomes, ["Ok(2) []"]);
}

/// In every order, the note of a holder arrives before the end that its drop causes.
fn two_holders(sys: &System, ends: &Ends) {
    let session = sys.spawner().ref_counted().spawn(Session::with(ends));
    for note in 1..=2 {
        let session = Some(session.clone());
        sys.spawn(Holder { session }).tell(Note(note));
    }
}

fn ends_of(strategy: StrategySpec) -> (Vec<Vec<u32>>, Report) {
    let ends = Ends::default();
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(strategy)
        .run(|sys| two_holders(&sys, &ends));
    report.assert_clean();
    let mut seen = std::mem::take(&mut *ends.lock().unwrap());
    seen.sort();
    seen.dedup();
    (seen, report)
}

#[test]
fn whoever_drops_the_last_one_everything_told_before_arrives() {
    let both = [vec![1, 2], vec![2, 1]];
    for strategy in [StrategySpec::Dfs(None), StrategySpec::DfsLocal(None)] {
        let (seen, report) = ends_of(strategy);
        assert_eq!(seen, both);
        assert!(report.verdict.is_exhaustive());
        assert_eq!(report.dead_letters, 0);
    }
    // Inbox-DPOR reports that it can't follow this.
    let (_, report) = ends_of(StrategySpec::Dpor(None));
    assert!(!report.verdict.is_exhaustive());
}

#[test]
fn an_event_on_its_way_holds_one() {
    #[derive(Debug)]
    struct Take(ActorRef<Session>);

    #[derive(Default)]
    struct Sink;

    #[actor]
    impl Sink {
        #[on]
        fn take(&mut self, take: Take) {
            take.0.tell(Note(7));
        }
    }

    let (_, outcomes) = every(async |sys| {
        let ends = Ends::default();
        let sink = sys.spawn(Sink);
        let session = sys.spawner().ref_counted().spawn(Session::with(&ends));
        let end = session.stopped();
        sink.tell(Take(session));
        let end = end.await;
        format!("{end:?} {:?}", ends.lock().unwrap())
    });
    assert_eq!(outcomes, ["Stopped [[7]]"]);
}

#[test]
fn a_reference_to_itself_keeps_it() {
    let (_, outcomes) = every(async |sys| {
        let ends = Ends::default();
        let session = Session {
            keeps_itself: true,
            ..Session::with(&ends)
        };
        let session = sys.spawner().ref_counted().spawn(session);
        let weak = session.downgrade();
        assert_eq!(session.ask(Note(1)).await, Ok(1));
        drop(session);
        let again = weak.upgrade().expect("it has one of its own");
        format!("{:?} {:?}", again.ask(Note(2)).await, ends.lock().unwrap())
    });
    assert_eq!(outcomes, ["Ok(2) []"]);
}

#[test]
fn who_fails_is_brought_back_as_long_as_somebody_refers_to_it() {
    let (_, outcomes) = every_by(Tester::new().supervised(true), async |sys| {
        let ends = Ends::default();
        let made = ends.clone();
        let spawner = sys.spawner().ref_counted();
        let session = spawner.spawn_with(move || Session::with(&made));
        session.tell(Fail);
        let after = session.ask(Note(1)).await;
        let end = session.stopped();
        drop(session);
        format!("{after:?} {:?} {:?}", end.await, ends.lock().unwrap())
    });
    assert_eq!(outcomes, ["Ok(1) Stopped [[1]]"]);
    let (_, outcomes) = every_by(Tester::new().supervised(true), async |sys| {
        let ends = Ends::default();
        let made = ends.clone();
        let spawner = sys.spawner().ref_counted();
        let session = spawner.spawn_with(move || Session::with(&made));
        let end = session.stopped();
        session.tell(Fail);
        drop(session);
        format!("{:?}", end.await)
    });
    // If the stop request came first, the actor is not restarted; otherwise it fails first.
    assert_eq!(outcomes, ["Failed", "Stopped"]);
}

/// Upgrades a weak reference to a session that another actor holds.
struct Seeker(WeakRef<Session>);

#[actor]
impl Seeker {
    #[on]
    fn tick(&mut self, _: Tick) -> bool {
        match self.0.upgrade() {
            Some(session) => {
                session.tell(Note(9));
                true
            }
            None => false,
        }
    }
}

#[test]
fn who_finds_it_by_a_weak_reference_keeps_it_for_as_long() {
    for strategy in [StrategySpec::Dfs(None), StrategySpec::DfsLocal(None)] {
        let tester = Tester::new().strategy(strategy);
        let (_, outcomes) = crate::semantics::asks::every_by(tester, async |sys| {
            let ends = Ends::default();
            let session = sys.spawner().ref_counted().spawn(Session::with(&ends));
            let (end, weak) = (session.stopped(), session.downgrade());
            let seeker = sys.spawn(Seeker(weak));
            let session = Some(session);
            sys.spawn(Holder { session }).tell(Note(1));
            let found = seeker.ask(Tick).await;
            let end = end.await;
            format!("{found:?} {end:?} {:?}", ends.lock().unwrap())
        });
        let possible = [
            "Ok(false) Stopped [[1]]",
            "Ok(true) Stopped [[1, 9]]",
            "Ok(true) Stopped [[9, 1]]",
        ];
        assert_eq!(outcomes, possible);
    }
}

/// Stays alive while a piped future is pending, but not for a timer.
#[derive(Default)]
struct Worker {
    pipes: bool,
    done: Arc<Mutex<Vec<&'static str>>>,
}

#[actor]
impl Worker {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Tick);
        if self.pipes {
            let sleep = cx.sleep(Duration::from_secs(2));
            cx.pipe_to_self(sleep, |()| Note(1));
        }
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn note(&mut self, _: Note) {
        self.done.lock().unwrap().push("piped");
    }

    #[stop]
    fn stop(&mut self) {
        self.done.lock().unwrap().push("stopped");
    }
}

#[test]
fn what_is_piped_to_it_keeps_it_and_a_timer_does_not() {
    for (pipes, expected) in [(false, "[\"stopped\"]"), (true, "[\"piped\", \"stopped\"]")] {
        let strategy = StrategySpec::Random;
        let report = Tester::new()
            .strategy(strategy)
            .iterations(20)
            .run(move |sys| async move {
                let done = Arc::new(Mutex::new(Vec::new()));
                let worker = Worker {
                    pipes,
                    done: done.clone(),
                };
                let worker = sys.spawner().ref_counted().spawn(worker);
                assert_eq!(worker.started().await, Ok(()));
                let end = worker.stopped();
                drop(worker);
                end.await;
                assert_eq!(format!("{:?}", done.lock().unwrap()), expected);
            });
        report.assert_clean();
    }
}

/// References on a crashed node are dropped.
#[test]
fn a_node_that_crashes_lets_go() {
    let ends = Ends::default();
    let report = Tester::new().iterations(50).run(|sys| {
        ends.lock().unwrap().clear();
        let session = sys.spawner().ref_counted().spawn(Session::with(&ends));
        let mut session = Some(session);
        sys.node("n1", move |node| {
            let session = session.take();
            node.spawn(Holder { session });
        });
        let is_up = |world: &World| world.all::<Holder>().next().is_some();
        sys.when("it is up", is_up, |faults| faults.crash("n1"));
    });
    report.assert_clean();
    assert_eq!(*ends.lock().unwrap(), [Vec::<u32>::new()]);
}

/// Every schedule is the same in a second run.
#[test]
fn it_is_deterministic() {
    let ends = Ends::default();
    let report = Tester::new()
        .iterations(200)
        .check_every(1)
        .strategy(StrategySpec::Random)
        .run(|sys| two_holders(&sys, &ends));
    report.assert_clean();
}
