//! Streams attached to an actor, in production.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::support::{Halt, Journal, failures, idle, live};
use actor_core::mailbox::{Mailbox, Overflow};
use actor_core::prelude::*;
use futures_core::Stream;
use tokio::sync::mpsc;

/// A stream of the numbers that a channel receives.
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
struct Hello;
#[derive(Debug)]
struct Busy;

/// Takes some time for each item; answers 13 with an error, and panics at another item.
struct Reader<S> {
    journal: Journal,
    items: Option<S>,
    pace: Duration,
    breaks_at: u32,
}

#[actor]
impl<S: Stream<Item = u32> + Send + 'static> Reader<S> {
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
        if !self.pace.is_zero() {
            cx.sleep(self.pace).await;
        }
        assert_ne!(item.0, self.breaks_at, "a bad item");
        let now = cx.now().as_secs();
        self.journal.note(format!("{now} item {}", item.0));
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
    async fn busy(&mut self, _: Busy, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        self.journal.note("busy");
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

impl<S> Reader<S> {
    fn new(items: S, pace: Duration) -> (Self, Journal) {
        let journal = Journal::new();
        let reader = Self {
            journal: journal.clone(),
            items: Some(items),
            pace,
            breaks_at: 0,
        };
        (reader, journal)
    }
}

type Spawned = (
    ActorRef<Reader<Incoming>>,
    mpsc::UnboundedSender<u32>,
    Journal,
);

fn reader(sys: &System) -> Spawned {
    let (items, incoming) = mpsc::unbounded_channel();
    let (reader, journal) = Reader::new(Incoming(incoming), Duration::from_secs(1));
    (sys.spawn(reader), items, journal)
}

#[tokio::test(start_paused = true)]
async fn items_are_events_one_at_a_time() {
    let sys = System::new();
    let (reader, items, journal) = reader(&sys);
    (1..=3).for_each(|item| items.send(item).unwrap());
    drop(items);
    sys.sleep(Duration::from_millis(500)).await;
    // Events of others need not wait for the whole stream.
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
    let failures = failures(&sys);
    let (_, items, journal) = reader(&sys);
    items.send(13).unwrap();
    items.send(14).unwrap();
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect(["1 item 13", "2 item 14"]);
    failures.expect(["`Item` was answered with Err(\"unlucky\")"]);
}

/// Returns an actor that is busy with one event and has another unread, which fills its mailbox, when its
/// stream has the items 1, 2 and 3. Dead letters are recorded as well.
async fn crowded(sys: &System, overflow: Overflow) -> (ActorRef<Reader<Incoming>>, Journal) {
    let (items, incoming) = mpsc::unbounded_channel();
    let (reader, journal) = Reader::new(Incoming(incoming), Duration::ZERO);
    let lost = journal.clone();
    live(sys).on_dead_letter(move |letter| lost.note(format!("lost {:?}", letter.event)));
    let mailbox = Mailbox::bounded(1).overflow(overflow);
    let crowded = sys.spawner().mailbox(mailbox).spawn(reader);
    crowded.tell(Busy);
    idle().await;
    crowded.tell(Hello);
    (1..=3).for_each(|item| items.send(item).unwrap());
    drop(items);
    idle().await;
    (crowded, journal)
}

#[tokio::test(start_paused = true)]
async fn an_item_waits_until_there_is_room() {
    let sys = System::new();
    let (_, journal) = crowded(&sys, Overflow::Wait).await;
    sys.sleep(Duration::from_secs(2)).await;
    journal.expect(["busy", "hello", "1 item 1", "1 item 2", "1 item 3", "over"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_full_mailbox_lets_not_wait_is_a_dead_letter() {
    for overflow in [Overflow::Reject, Overflow::DropNewest] {
        let sys = System::new();
        let (_, journal) = crowded(&sys, overflow).await;
        sys.sleep(Duration::from_secs(2)).await;
        let lost = ["lost Item(1)", "lost Item(2)", "lost Item(3)", "lost Over"];
        journal.expect([&lost[..], &["busy", "hello"]].concat());
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_that_waits_for_room_when_its_actor_ends_is_a_dead_letter() {
    let sys = System::new();
    let (crowded, journal) = crowded(&sys, Overflow::Wait).await;
    crowded.kill();
    assert_eq!(crowded.stopped().await, StopReason::Aborted);
    idle().await;
    journal.expect(["lost Hello", "lost Item(1)"]);
}

/// An endless stream that ends its actor before it yields the first item.
struct Fatal {
    actor: ActorRef<Victim>,
    given: u32,
    /// Receives the number of items taken, when the stream is dropped.
    over: mpsc::UnboundedSender<u32>,
}

impl Stream for Fatal {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        self.actor.kill();
        while self.actor.is_alive() {
            std::thread::yield_now();
        }
        self.given += 1;
        Poll::Ready((self.given < 1_000).then_some(self.given))
    }
}

impl Drop for Fatal {
    fn drop(&mut self) {
        let _ = self.over.send(self.given);
    }
}

struct Victim {
    over: mpsc::UnboundedSender<u32>,
}

#[actor]
impl Victim {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let fatal = Fatal {
            actor: cx.me(),
            given: 0,
            over: self.over.clone(),
        };
        cx.attach_then(fatal, Item, Over);
    }

    #[on]
    fn item(&mut self, _: Item) {}

    #[on]
    fn over(&mut self, _: Over) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_item_is_taken_for_an_actor_that_has_ended() {
    let sys = System::new();
    let (over, mut taken) = mpsc::unbounded_channel();
    let victim = sys.spawn(Victim { over });
    assert_eq!(victim.stopped().await, StopReason::Aborted);
    assert_eq!(taken.recv().await, Some(1));
    assert_eq!(live(&sys).dead_letters(), 1); // the item, but not the event of the stream's end
}

struct Broken(u32);

impl Stream for Broken {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        self.0 += 1;
        assert!(self.0 < 3, "the stream is broken");
        Poll::Ready(Some(self.0))
    }
}

/// Spawns the reader of a stream that panics; the reader itself panics at one of the items.
fn careless(breaks_at: u32) -> (System, ActorRef<Reader<Broken>>, Journal) {
    let sys = System::new();
    let (mut reader, journal) = Reader::new(Broken(0), Duration::ZERO);
    reader.breaks_at = breaks_at;
    let noted = journal.clone();
    live(&sys).on_failure(move |failure| noted.note(format!("{:?}", failure.kind)));
    let actor = sys.spawn(reader);
    (sys, actor, journal)
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_panics_is_reported_and_its_actor_goes_on() {
    let (_sys, actor, journal) = careless(0);
    idle().await;
    actor.tell(Hello);
    idle().await;
    journal.expect(["0 item 1", "0 item 2", "Background", "hello"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_ends_the_stream_with_its_actor() {
    let (_sys, actor, journal) = careless(2);
    assert_eq!(actor.stopped().await, StopReason::Failed);
    idle().await;
    journal.expect(["0 item 1", "Panicked"]);
}
