//! The end of a system: in order, by a deadline, or by a drop.

use std::time::Duration;

use crate::support::{Journal, idle, live, tasks};
use actor_core::Error;
use actor_core::prelude::*;

#[derive(Debug)]
struct Work(u32);
#[derive(Debug)]
struct Stuck;
#[derive(Debug)]
struct Keep(#[expect(dead_code, reason = "kept")] System);

struct Worker {
    journal: Journal,
    kept: Option<Keep>,
}

#[actor]
impl Worker {
    #[on]
    async fn work(&mut self, work: Work, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        self.journal.note(format!("work {}", work.0));
    }

    #[on]
    async fn stuck(&mut self, _: Stuck) {
        std::future::pending::<()>().await;
    }

    #[on]
    fn keep(&mut self, keep: Keep) {
        self.kept = Some(keep);
    }

    #[stop]
    async fn stop(&mut self, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        self.journal.note("stop");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.journal.note("dropped");
    }
}

fn worker(sys: &System, name: &str, journal: &Journal) -> ActorRef<Worker> {
    let (journal, kept) = (journal.clone(), None);
    sys.spawn_named(name, Worker { journal, kept })
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_before_is_handled() {
    let (sys, journal) = (System::new(), Journal::new());
    let worker = worker(&sys, "worker", &journal);
    worker.tell(Work(1));
    worker.tell(Work(2));
    sys.shutdown().await.unwrap();
    assert!(live(&sys).shutdown_report().is_empty());
    journal.expect(["work 1", "work 2", "stop", "dropped"]);
    worker.tell(Work(3));
    assert_eq!(live(&sys).dead_letters(), 1);
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn who_is_not_done_by_the_deadline_is_aborted_and_named() {
    let sys = System::new();
    let journals = [Journal::new(), Journal::new(), Journal::new()];
    let stuck = worker(&sys, "stuck", &journals[0]);
    let done = worker(&sys, "done", &journals[1]);
    let late = worker(&sys, "late", &journals[2]);
    stuck.tell(Stuck);
    stuck.tell(Work(0));
    done.tell(Work(1));
    for nth in 2..10 {
        late.tell(Work(nth));
    }
    let result = sys.shutdown_within(Duration::from_millis(2_500)).await;
    let Err(Error::ShutdownTimedOut(left)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(left, ["stuck", "late"]);
    idle().await;
    journals[0].expect(["dropped"]);
    journals[1].expect(["work 1", "stop", "dropped"]);
    journals[2].expect(["work 2", "work 3", "dropped"]);
    assert_eq!(live(&sys).actor_count(), 0);
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_report_says_what_was_left() {
    let (sys, journal) = (System::new(), Journal::new());
    let stuck = worker(&sys, "stuck", &journal);
    let late = worker(&sys, "late", &journal);
    let stopping = worker(&sys, "stopping", &journal);
    stuck.tell(Stuck);
    for nth in 0..8 {
        late.tell(Work(nth));
    }
    idle().await; // the worker has fetched all earlier events
    stuck.tell(Work(8));
    stopping.tell(Work(9));
    stopping.tell(Work(10));
    let error = sys.shutdown_within(Duration::from_millis(2_500)).await;
    let report = live(&sys).shutdown_report();
    let lines: Vec<_> = report.iter().map(ToString::to_string).collect();
    let expected = [
        "stuck awaits in Stuck, 1 unread",
        "late awaits in Work, 5 unread",
        "stopping awaits in #[stop], 0 unread",
    ];
    assert_eq!(lines, expected);
    assert_eq!(report[0].actor, stuck.id());
    assert_eq!((report[0].event, report[0].waits), (Some("Stuck"), true));
    let names: Vec<_> = report.into_iter().map(|actor| actor.name).collect();
    assert!(matches!(error, Err(Error::ShutdownTimedOut(left)) if left == names));
}

/// Passes its events on, which takes time.
struct Stage(Option<ActorRef<Stage>>, Journal);

#[actor]
impl Stage {
    #[on]
    async fn work(&mut self, work: Work, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_millis(100)).await;
        match &self.0 {
            Some(next) => next.tell(work),
            None => self.1.note(format!("work {}", work.0)),
        }
    }

    #[stop]
    fn stop(&mut self) {
        self.1.note("stop");
    }
}

/// Creates a pipeline of three stages from its source to its sink, with work in transit.
fn pipeline(sys: &System, journal: &Journal) -> [ActorRef<Stage>; 3] {
    let sink = sys.spawn(Stage(None, journal.clone()));
    let middle = sys.spawn(Stage(Some(sink.clone()), Journal::new()));
    let source = sys.spawn(Stage(Some(middle.clone()), Journal::new()));
    for nth in 0..10 {
        source.tell(Work(nth));
    }
    [source, middle, sink]
}

#[tokio::test(start_paused = true)]
async fn a_pipeline_ends_from_its_source_to_its_sink() {
    let (sys, journal) = (System::new(), Journal::new());
    let [source, middle, sink] = pipeline(&sys, &journal);
    let beside = worker(&sys, "beside", &journal);
    let end = sys.shutdown_from(&source).then(&middle).then(&sink).await;
    end.unwrap();
    let noted = journal.noted();
    let works = (0..10).map(|nth| format!("work {nth}"));
    let expected: Vec<_> = works.chain(["stop".into()]).collect();
    // The other actors stop last.
    assert_eq!(noted[..11], expected);
    assert_eq!(noted[11..], ["stop", "dropped"]);
    assert!(!beside.is_alive());
    assert_eq!(live(&sys).dead_letters(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_says_what_it_left() {
    let (sys, journal) = (System::new(), Journal::new());
    let _pipeline = pipeline(&sys, &journal);
    let ended = sys.shutdown().await.unwrap();
    assert_eq!(ended.dead_letters, 10);
    journal.expect(["stop"]);
    // The dead letters were reported once.
    let again = sys.shutdown().await.unwrap();
    assert_eq!(again.dead_letters, 0);
}

#[tokio::test(start_paused = true)]
async fn a_pipeline_that_takes_too_long_is_aborted_and_named() {
    let (sys, journal) = (System::new(), Journal::new());
    let [source, middle, sink] = pipeline(&sys, &journal);
    let end = sys.shutdown_from(&source).then(&middle).then(&sink);
    let end = end.within(Duration::from_millis(1_050)).await;
    let Err(Error::ShutdownTimedOut(left)) = end else {
        panic!("{end:?}");
    };
    // The source has stopped, and the sink was not ordered to.
    let expected = [&sink, &middle].map(|stage| format!("{stage:?}"));
    assert_eq!(left, expected);
    let works = (0..8).map(|nth| format!("work {nth}"));
    journal.expect(works.collect::<Vec<_>>());
}

/// The call that ends an execution under test has no effect in production.
#[tokio::test(start_paused = true)]
async fn nothing_finishes_in_production() {
    let (sys, journal) = (System::new(), Journal::new());
    let worker = worker(&sys, "worker", &journal);
    worker.tell(Work(1));
    sys.finish();
    worker.tell(Work(2));
    sys.shutdown().await.unwrap();
    journal.expect(["work 1", "work 2", "stop", "dropped"]);
}

#[tokio::test(start_paused = true)]
async fn two_shutdowns_wait_for_the_same_end() {
    let (sys, journal) = (System::new(), Journal::new());
    worker(&sys, "worker", &journal).tell(Work(1));
    let (first, second) = tokio::join!(sys.shutdown(), sys.shutdown());
    first.unwrap();
    second.unwrap();
    journal.expect(["work 1", "stop", "dropped"]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_system_aborts_every_actor() {
    let (sys, journal) = (System::new(), Journal::new());
    let worker = worker(&sys, "worker", &journal);
    worker.tell(Work(1));
    idle().await;
    let other = sys.clone();
    drop(sys);
    idle().await;
    journal.expect::<&str>([]);
    drop(other);
    idle().await;
    journal.expect(["dropped"]);
    assert_eq!(worker.ask(Work(2)).await, Err(AskError::Stopped));
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_system_that_an_actor_keeps_lives_until_that_actor_ends() {
    let (sys, journal) = (System::new(), Journal::new());
    let worker = worker(&sys, "worker", &journal);
    worker.tell(Keep(sys.clone()));
    drop(sys);
    idle().await;
    assert_eq!(worker.ask(Work(1)).await, Ok(()));
    journal.expect(["work 1"]);
}

#[test]
fn a_runtime_that_goes_first_takes_the_actors_with_it() {
    let journal = Journal::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let sys = {
        let _runtime = runtime.enter();
        System::new()
    };
    let before = worker(&sys, "before", &journal);
    before.tell(Stuck);
    drop(runtime);
    journal.expect(["dropped"]);
    let after = worker(&sys, "after", &journal);
    journal.expect(["dropped"]);
    before.tell(Work(1));
    after.tell(Work(2));
    assert_eq!(live(&sys).actor_count(), 0);
    assert!(live(&sys).dead_letters() >= 2);
}

#[test]
#[should_panic(expected = "System::new() was called outside a tokio runtime")]
fn a_system_needs_a_runtime() {
    let _ = System::new();
}

/// Spawns and drops race on two workers; nothing may be left and nothing may hang.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_at_any_moment_leaves_nothing() {
    for _ in 0..200 {
        let (sys, journal) = (System::new(), Journal::new());
        let spawning = sys.clone();
        let thread = std::thread::spawn(move || {
            for _ in 0..20 {
                let worker = worker(&spawning, "worker", &journal);
                worker.tell(Stuck);
            }
        });
        let _ = sys.shutdown_within(Duration::ZERO).await;
        thread.join().unwrap();
        while live(&sys).actor_count() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
