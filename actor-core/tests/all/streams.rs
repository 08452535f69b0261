//! Streams attached to an actor, in production.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::support::{Journal, idle};
use actor_core::prelude::*;
use futures_core::Stream;
use tokio::sync::mpsc;

/// A channel as a stream.
struct Incoming(mpsc::UnboundedReceiver<u32>);

impl Stream for Incoming {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        self.0.poll_recv(task)
    }
}

#[derive(Debug)]
struct Item(u32);
#[derive(Debug)]
struct Over;
#[derive(Debug)]
struct Halt;
#[derive(Debug)]
struct Hello;

struct Reader {
    journal: Journal,
    items: Option<Incoming>,
}

#[actor]
impl Reader {
    // ANCHOR: attach
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if let Some(items) = self.items.take() {
            cx.attach_then(items, Item, Over);
        }
    }
    // ANCHOR_END: attach

    #[on]
    async fn item(&mut self, item: Item, cx: &mut Context<Self>) -> Result<(), String> {
        cx.sleep(Duration::from_secs(1)).await;
        self.journal
            .note(format!("{} item {}", cx.now().as_secs(), item.0));
        match item.0 {
            13 => Err("unlucky".into()),
            _ => Ok(()),
        }
    }

    #[on]
    fn over(&mut self, _: Over) {
        self.journal.note("over");
    }

    #[on]
    fn hello(&mut self, _: Hello) {
        self.journal.note("hello");
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn reader(sys: &System) -> (ActorRef<Reader>, mpsc::UnboundedSender<u32>, Journal) {
    let (journal, (items, incoming)) = (Journal::new(), mpsc::unbounded_channel());
    let reader = sys.spawn(Reader {
        journal: journal.clone(),
        items: Some(Incoming(incoming)),
    });
    (reader, items, journal)
}

#[tokio::test(start_paused = true)]
async fn items_are_events_one_at_a_time() {
    let sys = System::new();
    let (reader, items, journal) = reader(&sys);
    items.send(1).unwrap();
    items.send(2).unwrap();
    items.send(3).unwrap();
    drop(items);
    sys.sleep(Duration::from_millis(500)).await;
    // What others send need not wait for the whole stream.
    reader.tell(Hello);
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect(["1 item 1", "hello", "2 item 2", "3 item 3", "over"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_actor() {
    let sys = System::new();
    let (reader, items, journal) = reader(&sys);
    reader.tell(Halt);
    idle().await;
    assert!(items.send(1).is_err());
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_and_the_stream_goes_on() {
    let sys = System::new();
    let failures = Journal::new();
    let noted = failures.clone();
    sys.as_live()
        .unwrap()
        .on_failure(move |failure| noted.note(&failure.message));
    let (_, items, journal) = reader(&sys);
    items.send(13).unwrap();
    items.send(14).unwrap();
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect(["1 item 13", "2 item 14"]);
    failures.expect(["`Item` was answered with Err(\"unlucky\")"]);
}
