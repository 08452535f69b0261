//! `tracing` spans and events of actors in production.
#![allow(missing_docs)]
#![cfg(feature = "tracing")]

#[path = "all/support.rs"]
#[allow(dead_code, reason = "used by the others as well")]
mod support;

use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::supervision::{Decision, Failure};
use support::{Journal, fallible, idle, live, poll};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Metadata, Subscriber};

/// Records all spans and events, with the spans' numbers.
struct Recorder {
    journal: Journal,
    spans: AtomicU64,
    entered: Entered,
}

type Entered = Arc<Mutex<Vec<u64>>>;

/// The fields of a span or an event, except the identity.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() != "id" {
            write!(self.0, " {}={value:?}", field.name()).unwrap();
        }
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "actor_core"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let number = self.spans.fetch_add(1, Ordering::Relaxed) + 1;
        let mut fields = Fields::default();
        span.record(&mut fields);
        let name = span.metadata().name();
        self.journal.note(format!("{number}: {name}{}", fields.0));
        Id::from_u64(number)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let within = self.entered.lock().unwrap().last().copied();
        let within = within.map_or(String::new(), |span| format!(" in {span}"));
        let level = event.metadata().level();
        self.journal.note(format!("{level}{within}:{}", fields.0));
    }

    fn enter(&self, span: &Id) {
        self.journal.note(format!("enter {}", span.into_u64()));
        self.entered.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        self.journal.note(format!("exit {}", span.into_u64()));
        assert_eq!(self.entered.lock().unwrap().pop(), Some(span.into_u64()));
    }

    fn try_close(&self, span: Id) -> bool {
        self.journal.note(format!("close {}", span.into_u64()));
        true
    }
}

fn record() -> (Journal, DefaultGuard) {
    let journal = Journal::new();
    let recorder = Recorder {
        journal: journal.clone(),
        spans: AtomicU64::new(0),
        entered: Entered::default(),
    };
    (journal, set_default(recorder))
}

#[derive(Debug)]
struct Add;
#[derive(Debug)]
struct Rest;
#[derive(Debug)]
struct Fail;

#[derive(Default)]
struct Worker;

#[actor(states(Fresh, Used))]
impl Worker {
    #[on(Fresh, Used)]
    fn add(&mut self, _: Add, cx: &mut Context<Self>) {
        tracing::debug!(target: "actor_core", "adds");
        cx.goto(WorkerState::Used);
    }

    #[on(Fresh, Used)]
    async fn rest(&mut self, _: Rest, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        tracing::debug!(target: "actor_core", "rested");
    }

    #[on(Fresh, Used)]
    fn fail(&mut self, _: Fail) {
        panic!("ouch");
    }
}

#[tokio::test(start_paused = true)]
async fn each_message_has_a_span_that_ends_with_its_handler() {
    let (journal, _guard) = record();
    let sys = System::new();
    let worker = sys.spawn_named("worker", Worker);
    worker.tell(Add);
    worker.tell(Add);
    idle().await;
    journal.expect([
        r#"DEBUG: message=spawned actor=worker"#,
        r#"1: handle actor=worker event="Add" state="Fresh""#,
        "enter 1",
        "DEBUG in 1: message=adds",
        "exit 1",
        "close 1",
        r#"2: handle actor=worker event="Add" state="Used""#,
        "enter 2",
        "DEBUG in 2: message=adds",
        "exit 2",
        "close 2",
    ]);
    sys.shutdown().await.unwrap();
    journal.expect(["DEBUG: message=stopped actor=worker reason=Stopped"]);
}

#[tokio::test(start_paused = true)]
async fn a_span_is_left_while_its_handler_waits() {
    let (journal, _guard) = record();
    let sys = System::new();
    let one = sys.spawn_named("one", Worker);
    let other = sys.spawn_named("other", Worker);
    one.tell(Rest);
    idle().await;
    other.tell(Rest);
    sys.sleep(Duration::from_secs(2)).await;
    journal.expect([
        "DEBUG: message=spawned actor=one",
        "DEBUG: message=spawned actor=other",
        r#"1: handle actor=one event="Rest" state="Fresh""#,
        "enter 1",
        "exit 1",
        r#"2: handle actor=other event="Rest" state="Fresh""#,
        "enter 2",
        "exit 2",
        "enter 1",
        "DEBUG in 1: message=rested",
        "exit 1",
        "close 1",
        "enter 2",
        "DEBUG in 2: message=rested",
        "exit 2",
        "close 2",
    ]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_within_the_span_of_its_handler() {
    let (journal, _guard) = record();
    let sys = fallible();
    let worker = sys.spawn_named("worker", Worker);
    worker.tell(Fail);
    worker.tell(Add);
    idle().await;
    journal.expect([
        "DEBUG: message=spawned actor=worker",
        r#"1: handle actor=worker event="Fail" state="Fresh""#,
        "enter 1",
        r#"WARN in 1: actor=worker kind=Panicked message="ouch""#,
        "exit 1",
        "close 1",
        "DEBUG: message=dead letter actor=worker event=Add reason=the actor has stopped",
        "DEBUG: message=stopped actor=worker reason=Failed",
    ]);
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_is_brought_back_is_told_of() {
    let (journal, _guard) = record();
    let sys = fallible();
    let worker = sys.spawn_with(Worker::default);
    worker.tell(Fail);
    sys.sleep(Duration::from_secs(60)).await;
    worker.tell(Rest);
    worker.kill();
    idle().await;
    let name = format!("Worker{}", worker.id());
    journal.expect([
        format!("DEBUG: message=spawned actor={name}"),
        format!(r#"1: handle actor={name} event="Fail" state="Fresh""#),
        "enter 1".to_owned(),
        format!(r#"WARN in 1: actor={name} kind=Panicked message="ouch""#),
        "exit 1".to_owned(),
        "close 1".to_owned(),
        format!("WARN: message=restarted actor={name} life=1"),
        format!("DEBUG: message=dead letter actor={name} event=Rest reason=the actor has stopped"),
        format!("DEBUG: message=stopped actor={name} reason=Aborted"),
    ]);
}

#[derive(Debug)]
struct Pass(u32);

struct Stage {
    next: Option<ActorRef<Stage>>,
}

#[actor(states(Open, Shut(defer(Pass))))]
impl Stage {
    #[on]
    fn pass(&mut self, pass: Pass) -> u32 {
        if let Some(next) = &self.next {
            next.tell(Pass(pass.0 + 1));
        }
        pass.0
    }

    #[on(Open)]
    fn fail(&mut self, _: Fail, cx: &mut Context<Self>) {
        cx.goto(StageState::Shut);
    }

    #[on(Shut)]
    fn add(&mut self, _: Add, cx: &mut Context<Self>) {
        cx.goto(StageState::Open);
    }
}

/// Creates a system that records which span follows from which.
fn following() -> (Journal, DefaultGuard, System, Entered) {
    let (spans, entered) = (Journal::new(), Entered::default());
    let recorder = Recorder {
        journal: Journal::new(),
        spans: AtomicU64::new(0),
        entered: entered.clone(),
    };
    let (guard, sys) = (set_default(recorder), System::new());
    let (within, noted) = (entered.clone(), spans.clone());
    live(&sys).follow_senders(
        move || within.lock().unwrap().last().copied(),
        move |span, sender: u64| {
            let own = span.id().map_or(0, |id| id.into_u64());
            noted.note(format!("{own} follows from {sender}"));
        },
    );
    (spans, guard, sys, entered)
}

/// Runs `f` as if the caller were within that span.
fn within<T>(entered: &Entered, span: u64, f: impl FnOnce() -> T) -> T {
    entered.lock().unwrap().push(span);
    let done = f();
    entered.lock().unwrap().pop();
    done
}

#[tokio::test(start_paused = true)]
async fn a_span_follows_from_that_of_the_sender() {
    let (spans, _guard, sys, entered) = following();
    let last = sys.spawn(Stage { next: None });
    let bounded = sys.spawner().mailbox(Mailbox::bounded(1));
    let middle = bounded.spawn(Stage { next: Some(last) });
    let first = sys.spawn(Stage {
        next: Some(middle.clone()),
    });
    within(&entered, 700, || first.tell(Pass(0)));
    idle().await;
    spans.expect(["1 follows from 700", "2 follows from 1", "3 follows from 2"]);
    // An event from outside any span follows from nothing, even in a reused slot of the mailbox.
    first.tell(Pass(0));
    idle().await;
    spans.expect(["5 follows from 4", "6 follows from 5"]);
    let asked = within(&entered, 701, || first.ask(Pass(7)));
    assert_eq!(asked.await, Ok(7));
    idle().await;
    spans.expect(["7 follows from 701", "8 follows from 7", "9 follows from 8"]);
    let mut sending = middle.send(Pass(0));
    let sent = within(&entered, 702, || poll(&mut sending));
    assert!(matches!(sent, Poll::Ready(Ok(()))));
    idle().await;
    spans.expect(["10 follows from 702", "11 follows from 10"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_deferred_keeps_what_came_with_it() {
    let (spans, _guard, sys, entered) = following();
    for bounded in [false, true] {
        let mailbox = match bounded {
            true => Mailbox::bounded(8),
            false => Mailbox::unbounded(),
        };
        let stage = sys.spawner().mailbox(mailbox).spawn(Stage { next: None });
        stage.tell(Fail);
        idle().await;
        for span in 1_000..1_003 {
            within(&entered, span, || stage.tell(Pass(0)));
            idle().await;
        }
        within(&entered, 1_003, || stage.tell(Add));
        idle().await;
        let noted = spans.noted();
        let from: Vec<&str> = noted
            .iter()
            .filter_map(|note| note.rsplit(' ').next())
            .collect();
        assert_eq!(from, ["1003", "1000", "1001", "1002"], "{bounded}");
    }
}

/// Without the setting, handlers' spans follow from nothing, and the closure is never called.
#[tokio::test(start_paused = true)]
async fn nothing_is_carried_unless_it_is_asked_for() {
    let (journal, _guard) = record();
    let sys = System::new();
    let stage = sys.spawn_named("stage", Stage { next: None });
    stage.tell(Pass(0));
    idle().await;
    journal.expect([
        r#"DEBUG: message=spawned actor=stage"#,
        r#"1: handle actor=stage event="Pass" state="Open""#,
        "enter 1",
        "exit 1",
        "close 1",
    ]);
}

#[derive(Debug)]
struct Hire;

/// Decides that a failed child stays down; counts failures.
struct Judge(Arc<AtomicU64>);

#[actor]
impl Judge {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.decide_failures();
    }

    #[on]
    fn hire(&mut self, _: Hire, cx: &mut Context<Self>) -> ActorRef<Breaking> {
        let failures = self.0.clone();
        cx.spawn_with(move || Breaking(failures.clone()))
    }

    #[on]
    fn failed(&mut self, _: Failure) -> Decision {
        Decision::Stop
    }
}

struct Breaking(Arc<AtomicU64>);

#[actor]
impl Breaking {
    #[on]
    fn pass(&mut self, pass: Pass) -> u32 {
        pass.0
    }

    #[on]
    fn fail(&mut self, _: Fail) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("broken");
    }
}

/// The question to a supervisor is sent as any event. A panic of the closure that captures the span is
/// reported, and the child is restarted as if there were no decision.
#[tokio::test(start_paused = true)]
async fn a_supervisor_that_cannot_be_asked_is_reported() {
    // As in each test here: tracing decides once if a call site is of interest, when it is first passed.
    let _recorded = record();
    let (sys, journal) = (System::new(), Journal::new());
    let live = live(&sys);
    let noted = journal.clone();
    live.on_failure(move |failure| noted.note(failure.to_string()));
    let failures = Arc::new(AtomicU64::new(0));
    let seen = failures.clone();
    live.follow_senders(
        move || {
            // The closure panics after the first failure, once.
            let is_first = seen.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
            assert!(is_first.is_err(), "no span");
            Some(0_u64)
        },
        |_, _| {},
    );
    let judge = sys.spawn_named("judge", Judge(failures));
    let child = judge.ask(Hire).await.unwrap();
    child.tell(Fail);
    assert_eq!(child.ask(Pass(7)).await, Ok(7));
    let noted = journal.noted();
    assert_eq!(noted.len(), 2, "{noted:?}");
    assert!(noted[0].ends_with("panicked: broken"), "{noted:?}");
    assert_eq!(
        noted[1],
        "judge lost a background future to a panic: no span"
    );
    assert!(judge.is_alive());
    // The next question reaches the supervisor.
    child.tell(Fail);
    assert_eq!(child.stopped().await, StopReason::Failed);
}
