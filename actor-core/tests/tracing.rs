//! What `tracing` hears of actors in production.
#![allow(missing_docs)]
#![cfg(feature = "tracing")]

#[path = "all/support.rs"]
#[allow(dead_code, reason = "used by the others as well")]
mod support;

use std::fmt::{Debug, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actor_core::prelude::*;
use support::{Journal, idle};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Metadata, Subscriber};

/// Notes what it is told, spans by the numbers that it gives them.
struct Recorder {
    journal: Journal,
    spans: AtomicU64,
    entered: Mutex<Vec<u64>>,
}

/// The fields of a span or an event, but the identity.
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
        entered: Mutex::default(),
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
    let sys = System::new();
    sys.as_live().unwrap().on_failure(|_| {});
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
    let sys = System::new();
    sys.as_live().unwrap().on_failure(|_| {});
    let worker = sys.spawn_with(Worker::default);
    worker.tell(Fail);
    sys.sleep(Duration::from_secs(60)).await;
    worker.tell(Rest);
    sys.kill(&worker);
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
