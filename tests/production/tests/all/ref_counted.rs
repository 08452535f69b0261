//! Reference-counted actors, which end with their last reference, in production.

use std::time::Duration;

use actor_core::StopReason;
use actor_core::prelude::*;
use actor_core::services::Group;

use crate::support::Journal;

#[derive(Clone, Debug)]
struct Note(u32);
#[derive(Debug)]
struct Pipe;
#[derive(Clone, Debug)]
struct Tick;

#[derive(Default)]
struct Session {
    journal: Journal,
}

impl Session {
    fn with(journal: &Journal) -> Self {
        let journal = journal.clone();
        Self { journal }
    }
}

#[actor]
impl Session {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_millis(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn note(&mut self, note: Note) {
        self.journal.note(format!("note {}", note.0));
    }

    #[on]
    fn pipe(&mut self, _: Pipe, cx: &mut Context<Self>) {
        let sleep = cx.sleep(Duration::from_secs(5));
        cx.pipe_to_self(sleep, |()| Note(99));
    }

    #[stop]
    fn stop(&mut self) {
        self.journal.note("stop");
    }
}

#[tokio::test(start_paused = true)]
async fn names_groups_and_pipes_keep_it_and_waiting_for_its_end_does_not() {
    let (sys, journal) = (System::new(), Journal::new());
    let spawner = sys.spawner().name("session").registered();
    let session = spawner.ref_counted().spawn(Session::with(&journal));
    let (end, weak) = (session.stopped(), session.downgrade());
    drop(session);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let session = weak.upgrade().expect("its name refers to it");
    assert_eq!(sys.lookup::<Session>("session").await, Ok(session.clone()));
    let group = Group::new(&sys);
    group.join(session.recipient::<Note>());
    session.tell(Pipe);
    drop(session);
    sys.unregister("session");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let session = weak.upgrade().expect("it is in a group");
    group.broadcast(Note(1));
    let begun = tokio::time::Instant::now();
    group.leave(&session);
    drop(session);
    assert_eq!(end.await, StopReason::Stopped);
    assert!(begun.elapsed() > Duration::from_secs(2), "the pipe is over");
    assert_eq!(weak.upgrade(), None);
    journal.expect(["note 1", "note 99", "stop"]);
}

#[tokio::test]
async fn an_actor_finds_itself_by_what_does_not_keep_it() {
    #[derive(Debug)]
    struct Look;

    #[derive(Default)]
    struct Inward;

    #[actor]
    impl Inward {
        #[on]
        fn look(&mut self, _: Look, cx: &mut Context<Self>) -> bool {
            assert_eq!(cx.me().id(), cx.weak().id());
            cx.weak().upgrade().is_some()
        }
    }

    let sys = System::new();
    let inward = sys.spawner().ref_counted().spawn(Inward);
    assert_eq!(inward.ask(Look).await, Ok(true));
    let (last, end) = (inward.ask(Look), inward.stopped());
    // There is one thread: nothing was handled yet, and no reference is left.
    drop(inward);
    assert_eq!(last.await, Ok(false));
    assert_eq!(end.await, StopReason::Stopped);
}

#[tokio::test]
async fn it_may_be_let_go_anywhere() {
    let (sys, journal) = (System::new(), Journal::new());
    let spawn = || sys.spawner().ref_counted().spawn(Session::with(&journal));
    let session = spawn();
    let end = session.stopped();
    std::thread::spawn(move || drop(session)).join().unwrap();
    assert_eq!(end.await, StopReason::Stopped);
    // The references are dropped at once, after a stop, and after the end of the system.
    let end = spawn().stopped();
    assert_eq!(end.await, StopReason::Stopped);
    let session = spawn();
    session.stop().await;
    drop(session);
    let session = spawn();
    sys.shutdown().await.unwrap();
    drop(session);
}

/// Many threads drop their references at any time; each actor has handled everything by then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_threads_let_go_of_many_actors() {
    let (sys, journal) = (System::new(), Journal::new());
    let sessions: Vec<_> = (0..50)
        .map(|_| sys.spawner().ref_counted().spawn(Session::with(&journal)))
        .collect();
    let ends: Vec<_> = sessions.iter().map(ActorRef::stopped).collect();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let sessions = sessions.clone();
            std::thread::spawn(move || {
                for session in sessions {
                    session.tell(Note(1));
                }
            })
        })
        .collect();
    drop(sessions);
    for end in ends {
        assert_eq!(end.await, StopReason::Stopped);
    }
    for thread in threads {
        thread.join().unwrap();
    }
    for _ in 0..200 {
        assert!(journal.remove("note 1").is_some(), "none is lost");
    }
}
