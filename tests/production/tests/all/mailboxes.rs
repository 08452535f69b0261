//! Bounded mailboxes in production: dead letters, the places of waiting senders, and senders on many threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use crate::support::{Break, Halt, Journal, idle, later, live, poll};
use actor_core::mailbox::{Mailbox, Overflow, SendError, Sending};
use actor_core::prelude::*;

#[derive(Debug, PartialEq)]
struct Note(u32);
#[derive(Debug)]
struct Hold;
#[derive(Debug)]
struct Open;
#[derive(Debug, Clone)]
struct Tick;

/// Records the events that it handles; during a `Hold` everything else stays unread for a second.
struct Keeper(Journal);

#[actor(states(Closed(defer(Note)), Opened))]
impl Keeper {
    #[on]
    async fn hold(&mut self, _: Hold, cx: &mut Context<Self>) {
        cx.after(Duration::from_millis(1), Tick);
        cx.sleep(Duration::from_secs(1)).await;
        self.0.note("held");
    }

    #[on]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(KeeperState::Opened);
    }

    #[on(Opened)]
    fn note(&mut self, note: Note) {
        self.0.note(note.0.to_string());
    }

    #[on]
    fn fail(&mut self, _: Break) -> Result<(), &'static str> {
        self.0.note("fails");
        Err("as it was told")
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.0.note("tick");
    }
}

/// Returns a keeper that handles a `Hold` with an empty mailbox, and a journal with its dead letters.
async fn holding(sys: &System, capacity: usize, overflow: Overflow) -> (ActorRef<Keeper>, Journal) {
    let journal = Journal::new();
    journal.note_dead_letters(sys);
    let mailbox = Mailbox::bounded(capacity).overflow(overflow);
    let spawner = sys.spawner().mailbox(mailbox);
    let keeper = spawner.spawn(Keeper(journal.clone()));
    keeper.tell(Open);
    idle().await;
    keeper.tell(Hold);
    idle().await;
    (keeper, journal)
}

#[tokio::test(start_paused = true)]
async fn what_is_told_to_a_full_mailbox_is_a_dead_letter() {
    for overflow in [Overflow::Wait, Overflow::Reject, Overflow::DropNewest] {
        let sys = System::new();
        let (keeper, journal) = holding(&sys, 2, overflow).await;
        for note in 1..=4 {
            keeper.tell(Note(note));
        }
        journal.expect(["lost Note(3): Full", "lost Note(4): Full"]);
        later(2).await;
        journal.expect(["held", "1", "2", "tick"]);
        assert_eq!(live(&sys).dead_letters(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn the_oldest_makes_room_where_the_mailbox_says_so() {
    let sys = System::new();
    let (keeper, journal) = holding(&sys, 2, Overflow::DropOldest).await;
    for note in 1..=3 {
        keeper.tell(Note(note));
    }
    assert_eq!(keeper.send(Note(4)).await, Ok(()));
    assert_eq!(keeper.try_send(Note(5)).await, Ok(()));
    let lost = [1, 2, 3].map(|note| format!("lost Note({note}): Full"));
    journal.expect(lost);
    later(2).await;
    journal.expect(["held", "4", "5", "tick"]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_comes_in_first_come_first_served() {
    let sys = System::new();
    let (keeper, journal) = holding(&sys, 1, Overflow::Wait).await;
    keeper.tell(Note(0));
    let senders: Vec<_> = (1..=5)
        .map(|note| {
            let recipient: Recipient<Note> = keeper.recipient();
            tokio::spawn(async move { recipient.send(Note(note)).await })
        })
        .collect();
    idle().await;
    journal.expect::<&str>([]);
    // While senders wait, there is no capacity for others.
    keeper.tell(Note(9));
    journal.expect(["lost Note(9): Full"]);
    later(2).await;
    for sender in senders {
        assert_eq!(sender.await.unwrap(), Ok(()));
    }
    journal.expect(["held", "0", "tick", "1", "2", "3", "4", "5"]);
}

#[tokio::test(start_paused = true)]
async fn a_send_that_is_dropped_sends_nothing_and_its_place_is_the_next_one_s() {
    let sys = System::new();
    let (keeper, journal) = holding(&sys, 1, Overflow::Wait).await;
    drop(keeper.send(Note(7)));
    keeper.tell(Note(0));
    let mut senders: Vec<Sending<Note>> = (1..=4).map(|note| keeper.send(Note(note))).collect();
    for sender in &mut senders {
        assert!(poll(sender).is_pending());
    }
    drop(senders.remove(1));
    later(2).await;
    journal.expect(["held", "0", "tick"]);
    // The first sender was granted a permit, and drops it: the permit is passed to the third.
    drop(senders.remove(0));
    assert!(poll(&mut senders[1]).is_pending());
    assert_eq!(poll(&mut senders[0]), Poll::Ready(Ok(())));
    idle().await;
    assert_eq!(poll(&mut senders[1]), Poll::Ready(Ok(())));
    idle().await;
    journal.expect(["3", "4"]);
    // No permit is lost.
    assert_eq!(poll(&mut keeper.try_send(Note(5))), Poll::Ready(Ok(())));
}

#[tokio::test(start_paused = true)]
async fn what_a_state_defers_counts_and_comes_first() {
    let sys = System::new();
    let journal = Journal::new();
    let mailbox = Mailbox::bounded(2).overflow(Overflow::DropOldest);
    let spawn = |mailbox| {
        let spawner = sys.spawner().mailbox(mailbox);
        spawner.spawn(Keeper(journal.clone()))
    };
    let keeper = spawn(mailbox.overflow(Overflow::Wait));
    keeper.tell(Note(1));
    keeper.tell(Note(2));
    idle().await;
    let refused = keeper.try_send(Note(3)).await;
    assert_eq!(refused, Err(SendError::Full(Note(3))));
    let keeper = spawn(mailbox);
    for note in 1..=4 {
        keeper.tell(Note(note));
        idle().await;
    }
    keeper.tell(Open);
    idle().await;
    journal.expect(["4"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_unread_at_a_failure_counts_for_the_next_life() {
    let sys = System::new();
    let journal = Journal::new();
    let noted = journal.clone();
    let spawner = sys.spawner().mailbox(Mailbox::bounded(3));
    let keeper = spawner.spawn_with(move || Keeper(noted.clone()));
    keeper.tell(Break);
    keeper.tell(Note(1));
    keeper.tell(Note(2));
    later(2).await;
    assert_eq!(keeper.try_send(Note(3)).await, Ok(()));
    let refused = keeper.try_send(Note(4)).await;
    assert_eq!(refused, Err(SendError::Full(Note(4))));
    let waiting = keeper.send(Note(5));
    keeper.stop();
    assert_eq!(waiting.await, Err(SendError::Closed(Note(5))));
    journal.expect(["fails"]);
    assert_eq!(live(&sys).dead_letters(), 3);
}

#[derive(Debug)]
struct Coin(u32);
#[derive(Debug)]
struct Buy;

/// Takes the events that it waits for out of the middle of its mailbox.
struct Machine(Journal);

#[actor(receive(Coin))]
impl Machine {
    #[on]
    async fn buy(&mut self, _: Buy, cx: &mut Context<Self>) {
        let first = cx.receive::<Coin>().await.0;
        let second = cx.receive::<Coin>().await.0;
        self.0.note(format!("bought for {first} and {second}"));
    }

    #[on]
    fn note(&mut self, note: Note) {
        self.0.note(format!("note {}", note.0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_received_makes_room() {
    let sys = System::new();
    let journal = Journal::new();
    let spawner = sys.spawner().mailbox(Mailbox::bounded(2));
    let machine = spawner.spawn(Machine(journal.clone()));
    machine.tell(Buy);
    machine.tell(Note(1));
    idle().await;
    for coin in 1..=2 {
        assert_eq!(machine.send(Coin(coin)).await.map_err(drop), Ok(()));
    }
    idle().await;
    journal.expect(["bought for 1 and 2", "note 1"]);
}

#[test]
#[should_panic(expected = "its capacity must be at least 1")]
fn a_mailbox_without_room_is_refused() {
    let _ = Mailbox::bounded(0);
}

/// Counts events, and detects events out of order or beyond the capacity.
struct Counter {
    count: Arc<Count>,
    last: [u32; 4],
    capacity: usize,
}

#[derive(Default)]
struct Count {
    /// The number of events that have entered the mailbox, as reported by the senders.
    sent: AtomicU64,
    handled: AtomicU64,
}

#[derive(Debug, PartialEq)]
struct Numbered {
    sender: usize,
    number: u32,
}

#[actor]
impl Counter {
    #[on]
    fn numbered(&mut self, numbered: Numbered) {
        let last = &mut self.last[numbered.sender];
        assert!(numbered.number > *last, "{numbered:?} after {last}");
        *last = numbered.number;
        let handled = self.count.handled.fetch_add(1, Ordering::SeqCst) + 1;
        let sent = self.count.sent.load(Ordering::SeqCst);
        let unread = sent.saturating_sub(handled);
        assert!(unread <= self.capacity as u64, "{unread} are unread");
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Spawns a counter with a mailbox of that capacity.
fn counter(sys: &System, capacity: usize) -> (ActorRef<Counter>, Arc<Count>) {
    let count = Arc::<Count>::default();
    let spawner = sys.spawner().mailbox(Mailbox::bounded(capacity));
    let counter = spawner.spawn(Counter {
        count: count.clone(),
        last: [0; 4],
        capacity,
    });
    (counter, count)
}

/// Lets four tasks send to a counter; returns the number of sent and of returned events.
async fn crowd(counter: &ActorRef<Counter>, count: &Arc<Count>, rounds: u32) -> (u64, u64) {
    let senders = [0, 1, 2, 3].map(|sender| {
        let (counter, count) = (counter.clone(), count.clone());
        tokio::spawn(async move {
            let (mut sent, mut back) = (0, 0);
            for number in 1..=rounds {
                let event = Numbered { sender, number };
                let answer = match number % 3 {
                    // The send is dropped at once if it has to wait.
                    0 => {
                        let mut sending = counter.send(event);
                        match poll(&mut sending) {
                            Poll::Ready(answer) => answer.is_ok(),
                            Poll::Pending => {
                                tokio::task::yield_now().await;
                                false
                            }
                        }
                    }
                    1 => counter.try_send(event).await.is_ok(),
                    _ => counter.send(event).await.is_ok(),
                };
                count.sent.fetch_add(u64::from(answer), Ordering::SeqCst);
                sent += u64::from(answer);
                back += u64::from(!answer);
            }
            (sent, back)
        })
    });
    let (mut sent, mut back) = (0, 0);
    for sender in senders {
        let (more, fewer) = sender.await.unwrap();
        sent += more;
        back += fewer;
    }
    (sent, back)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_among_many_senders() {
    for capacity in [1, 2, 7] {
        let sys = System::new();
        let (counter, count) = counter(&sys, capacity);
        let (sent, back) = crowd(&counter, &count, 3_000).await;
        assert_eq!(sent + back, 12_000);
        assert!(sent >= 4_000, "those that wait are sent");
        sys.shutdown().await.unwrap();
        assert_eq!(count.handled.load(Ordering::SeqCst), sent);
        assert_eq!(live(&sys).dead_letters(), 0);
    }
}

/// At any position of the actor's end, sent events are handled or dead letters, and the others are returned.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_actor_loses_nothing_among_many_senders() {
    for round in 0..30 {
        let sys = System::new();
        let (counter, count) = counter(&sys, 3);
        let ends = counter.clone();
        let end = tokio::spawn(async move {
            for _ in 0..round * 5 {
                tokio::task::yield_now().await;
            }
            ends.send(Halt).await.is_ok()
        });
        let (sent, back) = crowd(&counter, &count, 100).await;
        assert_eq!(sent + back, 400);
        assert!(end.await.unwrap());
        sys.shutdown().await.unwrap();
        let dead = live(&sys).dead_letters();
        assert_eq!(count.handled.load(Ordering::SeqCst) + dead, sent);
    }
}

/// Checks that every event is sent before it is handled.
#[derive(Default)]
struct Counts {
    sent: u32,
    handled: u32,
}

#[monitor]
impl Counts {
    #[on]
    fn sent(&mut self, _: &Note, cx: &mut MonitorContext<Self>) {
        assert!(cx.sender().is_none());
        self.sent += 1;
        assert!(self.sent <= 3, "what is given back is not sent");
    }

    #[on(handled)]
    fn handled(&mut self, _: &Note) {
        self.handled += 1;
        assert!(self.handled <= self.sent);
    }
}

#[tokio::test(start_paused = true)]
async fn monitors_see_what_is_sent_and_nothing_else() {
    let sys = System::new();
    sys.monitor::<Counts>();
    let journal = Journal::new();
    let violated = journal.clone();
    live(&sys).on_violation(move |violation| violated.note(violation.message.clone()));
    let (keeper, _) = holding(&sys, 1, Overflow::Wait).await;
    keeper.tell(Note(1));
    let waiting = tokio::spawn({
        let keeper = keeper.clone();
        async move { keeper.send(Note(2)).await }
    });
    idle().await;
    assert!(keeper.try_send(Note(3)).await.is_err());
    later(2).await;
    assert_eq!(waiting.await.unwrap(), Ok(()));
    assert_eq!(keeper.try_send(Note(4)).await, Ok(()));
    idle().await;
    journal.expect::<&str>([]);
}
