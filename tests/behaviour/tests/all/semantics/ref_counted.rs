//! Reference-counted actors: they end when the last reference is dropped.

use std::time::Duration;

use actor_core::WeakRef;
use actor_core::prelude::*;
use actor_core::supervision::Restart;
use actor_test::{Report, Tester};
use behaviour::harness::events::{Break, Tick};
use behaviour::harness::{Journal, contract, in_production, outcomes, strategy, whole};

#[derive(Debug)]
struct Note(u32);

/// Notes all its numbers when it stops.
#[derive(Default)]
struct Session {
    notes: Vec<u32>,
    ends: Journal,
    /// A reference of the session to itself, which keeps it alive.
    me: Option<ActorRef<Self>>,
    keeps_itself: bool,
}

impl Session {
    fn with(ends: &Journal) -> Self {
        Self {
            ends: ends.clone(),
            ..Self::default()
        }
    }

    /// Spawns a session that is reference-counted.
    fn spawn(sys: &System, ends: &Journal) -> ActorRef<Self> {
        sys.spawner().ref_counted().spawn(Self::with(ends))
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
    fn fail(&mut self, _: Break) {
        panic!("told to");
    }

    #[stop]
    fn stop(&mut self) {
        self.ends.note(format!("{:?}", self.notes));
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
    let report = contract(&["Stopped [1, 2]"], async |sys| {
        let ends = Journal::default();
        let session = Session::spawn(&sys, &ends);
        let (end, weak) = (session.stopped(), session.downgrade());
        session.tell(Note(1));
        session.tell(Note(2));
        drop(session);
        assert_eq!(weak.upgrade(), None);
        format!("{:?} {}", end.await, ends.take().join(" "))
    });
    assert!(report.executions > 1);
    // A recipient is a reference as well.
    contract(&["Ok(1) true Stopped [1, 2, 3]"], async |sys| {
        let ends = Journal::default();
        let session = Session::spawn(&sys, &ends);
        let (end, recipient) = (session.stopped(), session.recipient::<Note>());
        let asked = session.ask(Note(1));
        drop(session);
        recipient.tell(Note(2));
        let again = recipient.clone();
        drop(recipient);
        let (asked, alive) = (asked.await, again.is_alive());
        again.tell(Note(3));
        drop(again);
        format!(
            "{asked:?} {alive} {:?} {}",
            end.await,
            ends.take().join(" ")
        )
    });
}

#[test]
fn it_goes_on_unless_told_otherwise() {
    contract(&["Ok(2) "], async |sys| {
        let ends = Journal::default();
        let session = sys.spawn(Session::with(&ends));
        let weak = session.downgrade();
        session.tell(Note(1));
        drop(session);
        let alive = weak.upgrade().expect("it is alive").ask(Note(2)).await;
        format!("{alive:?} {}", ends.take().join(" "))
    });
}

/// In every order, the note of a holder arrives before the end that its drop causes.
fn two_holders(sys: &System, ends: &Journal) {
    let session = Session::spawn(sys, ends);
    for note in 1..=2 {
        let session = Some(session.clone());
        sys.spawn(Holder { session }).tell(Note(note));
    }
}

fn ends_of(search: &str) -> (Vec<String>, Report) {
    let ends = Journal::default();
    let report = whole(search).run(|sys| two_holders(&sys, &ends));
    report.assert_clean();
    let mut seen = ends.take();
    seen.sort();
    seen.dedup();
    (seen, report)
}

#[test]
fn whoever_drops_the_last_one_everything_told_before_arrives() {
    for search in ["dfs", "dfs:local"] {
        let (seen, report) = ends_of(search);
        assert_eq!(seen, ["[1, 2]", "[2, 1]"], "{search}");
        assert!(report.verdict.is_exhaustive(), "{search}");
        assert_eq!(report.dead_letters, 0, "{search}");
    }
    // Inbox-DPOR reports that it can't follow this.
    let (_, report) = ends_of("dpor");
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

    contract(&["Stopped [7]"], async |sys| {
        let ends = Journal::default();
        let sink = sys.spawn(Sink);
        let session = Session::spawn(&sys, &ends);
        let end = session.stopped();
        sink.tell(Take(session));
        format!("{:?} {}", end.await, ends.take().join(" "))
    });
}

#[test]
fn a_reference_to_itself_keeps_it() {
    contract(&["Ok(2) "], async |sys| {
        let ends = Journal::default();
        let session = Session {
            keeps_itself: true,
            ..Session::with(&ends)
        };
        let session = sys.spawner().ref_counted().spawn(session);
        let weak = session.downgrade();
        assert_eq!(session.ask(Note(1)).await, Ok(1));
        drop(session);
        let again = weak.upgrade().expect("it has one of its own");
        format!("{:?} {}", again.ask(Note(2)).await, ends.take().join(" "))
    });
}

/// Spawns a session that may be brought back.
fn supervised(sys: &System, restart: Restart, ends: &Journal) -> ActorRef<Session> {
    let ends = ends.clone();
    let spawner = sys.spawner().ref_counted().restart(restart);
    spawner.spawn_with(move || Session::with(&ends))
}

#[test]
fn who_fails_is_brought_back_as_long_as_somebody_refers_to_it() {
    contract(&["Ok(1) Stopped [1]"], async |sys| {
        let ends = Journal::default();
        let session = supervised(&sys, Restart::Transient, &ends);
        session.tell(Break);
        let after = session.ask(Note(1)).await;
        let end = session.stopped();
        drop(session);
        format!("{after:?} {:?} {}", end.await, ends.take().join(" "))
    });
    // If the stop request came first, the actor is not restarted; otherwise it fails first.
    for restart in [Restart::Transient, Restart::Permanent] {
        contract(&["Failed", "Stopped"], move |sys| async move {
            let session = supervised(&sys, restart, &Journal::default());
            let end = session.stopped();
            session.tell(Break);
            drop(session);
            format!("{:?}", end.await)
        });
    }
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
    for search in ["dfs", "dfs:local"] {
        let (_, seen) = outcomes(&whole(search), async |sys: System| {
            let ends = Journal::default();
            let session = Session::spawn(&sys, &ends);
            let (end, weak) = (session.stopped(), session.downgrade());
            let seeker = sys.spawn(Seeker(weak));
            let session = Some(session);
            sys.spawn(Holder { session }).tell(Note(1));
            let found = seeker.ask(Tick).await;
            format!("{found:?} {:?} {}", end.await, ends.take().join(" "))
        });
        let possible = [
            "Ok(false) Stopped [1]",
            "Ok(true) Stopped [1, 9]",
            "Ok(true) Stopped [9, 1]",
        ];
        assert_eq!(seen, possible, "{search}");
    }
}

/// Stays alive while a piped future is pending, but not for a timer.
#[derive(Default)]
struct Worker {
    pipes: bool,
    done: Journal,
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
        self.done.note("piped");
    }

    #[stop]
    fn stop(&mut self) {
        self.done.note("stopped");
    }
}

#[test]
fn what_is_piped_to_it_keeps_it_and_a_timer_does_not() {
    for (pipes, expected) in [(false, "stopped"), (true, "piped, stopped")] {
        let scenario = move |sys: System| async move {
            let journal = Journal::default();
            let done = journal.clone();
            let worker = sys.spawner().ref_counted().spawn(Worker { pipes, done });
            assert_eq!(worker.started().await, Ok(()));
            let end = worker.stopped();
            drop(worker);
            end.await;
            assert_eq!(journal.take().join(", "), expected);
        };
        let tester = Tester::new().strategy(strategy("random")).iterations(20);
        tester.run(scenario).assert_clean();
        in_production(scenario);
    }
}

/// References on a crashed node are dropped.
#[test]
fn a_node_that_crashes_lets_go() {
    let ends = Journal::default();
    let report = Tester::new().iterations(50).run(|sys| {
        ends.take();
        let mut session = Some(Session::spawn(&sys, &ends));
        sys.node("n1", move |node| {
            let session = session.take();
            node.spawn(Holder { session });
        });
        let is_up = |world: &World| world.all::<Holder>().any(|holder| holder.session.is_some());
        sys.when("it is up", is_up, |faults| faults.crash("n1"));
        sys.spawn(Holder { session: None }).tell(Note(1));
    });
    report.assert_clean();
    ends.expect(["[]"]);
}

/// Every schedule is the same in a second run.
#[test]
fn it_is_deterministic() {
    let ends = Journal::default();
    let tester = Tester::new().iterations(200).check_every(1);
    let tester = tester.strategy(strategy("random"));
    tester.run(|sys| two_holders(&sys, &ends)).assert_clean();
}
