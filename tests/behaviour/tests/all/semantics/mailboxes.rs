//! Bounded mailboxes: capacity, waiting senders and overflow in every schedule.

use std::pin::pin;
use std::time::Duration;

use actor_core::mailbox::{Mailbox, Overflow, SendError};
use actor_core::prelude::*;
use actor_test::story::{Effect, MessageFate};
use actor_test::{BugKind, Tester};
use behaviour::harness::events::{Go, Halt, Tick};
use behaviour::harness::{Journal, all, contract, first_bug, journals, whole};
use futures_util::future::{Either, join, poll_immediate, select};

use super::assert_lost;

fn bounded(capacity: usize, overflow: Overflow) -> Mailbox {
    Mailbox::bounded(capacity).overflow(overflow)
}

#[derive(Debug, PartialEq)]
struct Job(u32);
#[derive(Debug)]
struct Query(u32);

struct Worker(Journal);

#[actor]
impl Worker {
    #[on]
    fn job(&mut self, job: Job) {
        self.0.note(job.0.to_string());
    }

    #[on]
    fn query(&mut self, query: Query) -> u32 {
        query.0
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Spawns a worker; returns it with the journal of its jobs.
fn worker(sys: &System, capacity: usize, overflow: Overflow) -> (ActorRef<Worker>, Journal) {
    let (journal, mailbox) = (Journal::default(), bounded(capacity, overflow));
    let spawner = sys.spawner().mailbox(mailbox);
    (spawner.spawn(Worker(journal.clone())), journal)
}

/// Stops an actor behind its events; returns its journal in one line.
async fn ended<A: Actor>(actor: &ActorRef<A>, journal: &Journal) -> String {
    actor.stop().await;
    journal.take().join(" ")
}

#[test]
fn what_is_told_to_a_full_mailbox_is_lost_in_the_schedules_where_it_is_full() {
    let newest_lost = ["1", "1 2", "1 2 3", "1 3"];
    for (overflow, handled) in [
        (Overflow::Wait, newest_lost),
        (Overflow::Reject, newest_lost),
        (Overflow::DropNewest, newest_lost),
        (Overflow::DropOldest, ["1 2 3", "1 3", "2 3", "3"]),
    ] {
        contract(&handled, move |sys| async move {
            let (worker, journal) = worker(&sys, 1, overflow);
            (1..=3).for_each(|job| worker.tell(Job(job)));
            ended(&worker, &journal).await
        });
    }
}

#[test]
fn an_ask_never_waits_for_room() {
    for (overflow, one_lost) in [
        (Overflow::Wait, "(Ok(1), Err(Full))"),
        (Overflow::DropOldest, "(Err(Full), Ok(2))"),
    ] {
        contract(&[one_lost, "(Ok(1), Ok(2))"], move |sys| async move {
            let (worker, _) = worker(&sys, 1, overflow);
            let (first, second) = (worker.ask(Query(1)), worker.ask(Query(2)));
            format!("{:?}", (first.await, second.await))
        });
    }
}

/// An event to a full mailbox that drops the newest is lost, and its sender is not notified.
#[test]
fn a_send_that_drops_the_newest_does_not_wait() {
    contract(&["1", "1 2"], |sys| async move {
        let (worker, journal) = worker(&sys, 1, Overflow::DropNewest);
        worker.tell(Job(1));
        assert_eq!(worker.send(Job(2)).await, Ok(()));
        let handled = ended(&worker, &journal).await;
        assert_lost(&sys, u64::from(handled == "1"));
        handled
    });
}

/// A refusal is explored both ways; with capacity for both jobs, neither is refused.
#[test]
fn who_awaits_is_given_the_event_back() {
    let both_ways = &["Err(Full(Job(2)))", "Ok(())"][..];
    for (capacity, overflow, way, answers) in [
        (1, Overflow::Wait, "try_send", both_ways),
        (1, Overflow::Wait, "try_send by a recipient", both_ways),
        (1, Overflow::Reject, "try_send", both_ways),
        (1, Overflow::Reject, "try_send by a recipient", both_ways),
        (1, Overflow::Reject, "send", both_ways),
        (1, Overflow::DropNewest, "try_send", both_ways),
        (
            1,
            Overflow::DropNewest,
            "try_send by a recipient",
            both_ways,
        ),
        (2, Overflow::Wait, "try_send", &["Ok(())"]),
    ] {
        contract(answers, move |sys| async move {
            let (worker, _) = worker(&sys, capacity, overflow);
            worker.tell(Job(1));
            let answer = match way {
                "send" => worker.send(Job(2)).await,
                "try_send" => worker.try_send(Job(2)).await,
                _ => worker.recipient().try_send(Job(2)).await,
            };
            format!("{answer:?}")
        });
    }
}

/// The sender gets the capacity when `Halt` is taken, and the actor stops after that.
#[test]
fn the_end_of_the_actor_gives_back_what_waits() {
    let late = "Err(Closed(Job(2))) Err(Closed(Job(3)))";
    let first = ["Err(Closed(Job(1)))", "Ok(())"].map(|first| format!("{first} {late}"));
    contract(&[&*first[0], &*first[1]], |sys| async move {
        let (worker, _) = worker(&sys, 1, Overflow::Wait);
        worker.tell(Halt);
        let first = worker.send(Job(1)).await;
        worker.stopped().await;
        let (second, third) = (worker.send(Job(2)).await, worker.try_send(Job(3)).await);
        assert_lost(&sys, u64::from(first.is_ok()));
        format!("{first:?} {second:?} {third:?}")
    });
}

#[test]
fn a_mailbox_without_a_bound_takes_everything_that_is_sent() {
    all(|sys| async move {
        let worker = sys.spawn(Worker(Journal::default()));
        for job in 1..=2 {
            assert_eq!(worker.send(Job(job)).await, Ok(()));
            assert_eq!(worker.try_send(Job(job)).await, Ok(()));
        }
        worker.ask(Query(1)).await.unwrap();
        worker.tell(Halt);
        worker.ask(Query(2)).await.unwrap_err();
        assert_eq!(worker.send(Job(9)).await, Err(SendError::Closed(Job(9))));
    });
}

#[test]
fn who_waits_comes_in_first_come_first_served() {
    contract(&["0 1 2"], |sys| async move {
        let (worker, journal) = worker(&sys, 1, Overflow::Wait);
        worker.tell(Job(0));
        let sent = join(worker.send(Job(1)), worker.send(Job(2))).await;
        assert_eq!(sent, (Ok(()), Ok(())));
        assert_eq!(worker.ask(Query(7)).await.unwrap_or(7), 7);
        ended(&worker, &journal).await
    });
}

/// Sends a number of jobs, and waits for capacity.
struct Sends {
    to: ActorRef<Worker>,
    jobs: Vec<u32>,
}

#[actor]
impl Sends {
    #[start]
    async fn start(&mut self) {
        for job in std::mem::take(&mut self.jobs) {
            let sent = self.to.send(Job(job)).await;
            assert_eq!(sent, Ok(()));
        }
    }
}

/// Returns the journals of all schedules, each in one line.
fn lines(program: impl Fn(&System, &Journal) + Sync) -> Vec<String> {
    let journals = journals(&whole("dfs"), program);
    journals.keys().map(|notes| notes.join(" ")).collect()
}

#[test]
fn nothing_that_was_sent_is_lost_in_any_schedule() {
    let orders = lines(|sys, journal| {
        let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
        let worker = spawner.spawn(Worker(journal.clone()));
        for jobs in [vec![1, 2], vec![3]] {
            let to = worker.clone();
            sys.spawn(Sends { to, jobs });
        }
    });
    assert_eq!(orders, ["1 2 3", "1 3 2", "3 1 2"]);
}

/// A sender that gives up passes its place on to the next
/// waiter, while its request is in flight or in the queue.
#[test]
fn who_gives_up_a_send_leaves_the_place_to_others() {
    for pause in [Duration::ZERO, Duration::from_millis(1)] {
        all(move |sys| async move {
            let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
            let to = spawner.spawn(Slow(Journal::default()));
            to.tell(Job(0));
            let mut sending = to.send(Job(1));
            let answer = poll_immediate(&mut sending).await;
            assert!(answer.is_none(), "no answer is there at once");
            if !pause.is_zero() {
                sys.sleep(pause).await;
            }
            drop(sending);
            assert_eq!(to.send(Job(2)).await, Ok(()));
        });
    }
}

/// Gives up a send that takes too long.
struct Hasty {
    to: ActorRef<Slow>,
    journal: Journal,
}

#[actor]
impl Hasty {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        self.to.tell(Job(0));
        let mut sending = self.to.send(Job(1));
        let limit = pin!(cx.sleep(Duration::from_millis(5)));
        let sent = match select(limit, &mut sending).await {
            Either::Left(_) => false,
            Either::Right((sent, _)) => sent.is_ok(),
        };
        drop(sending);
        self.journal.note(if sent { "sent" } else { "not sent" });
        self.to.tell(Go);
    }
}

/// Handles jobs quickly, after an event or a timer has released it.
struct Slow(Journal);

#[actor(states(Busy(defer(Job)), Free))]
impl Slow {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_millis(5), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.goto(SlowState::Free);
    }

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(SlowState::Free);
    }

    #[on(Free)]
    fn job(&mut self, job: Job) {
        self.0.note(job.0.to_string());
    }
}

/// A sender that gives up has sent nothing, at any time of the answer. A sender
/// that does not give up gets its capacity, since timers are never refused.
#[test]
fn a_send_that_is_dropped_has_sent_nothing_in_any_schedule() {
    let outcomes = lines(|sys, journal| {
        let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
        let (to, journal) = (spawner.spawn(Slow(journal.clone())), journal.clone());
        sys.spawn(Hasty { to, journal });
    });
    assert!(outcomes.contains(&"0 sent 1".into()), "{outcomes:?}");
    for outcome in outcomes {
        let sent = !outcome.contains("not");
        assert_eq!(sent, outcome.contains('1'), "{outcome}");
    }
}

/// Sends to another peer while that one sends back.
struct Peer {
    other: Option<Recipient<Parcel>>,
    parcels: u32,
}

#[derive(Debug)]
struct Parcel;
#[derive(Debug)]
struct Meet(Recipient<Parcel>);

#[actor]
impl Peer {
    #[on]
    async fn meet(&mut self, meet: Meet) {
        let other = self.other.insert(meet.0);
        for _ in 0..self.parcels {
            let _ = other.send(Parcel).await;
        }
    }

    #[on]
    fn parcel(&mut self, _: Parcel) {}
}

#[test]
fn two_that_wait_for_room_with_each_other_are_a_deadlock_with_names() {
    let peers = |parcels| {
        move |sys: System| {
            let [one, two] = ["one", "two"].map(|name| {
                let other = None;
                let spawner = sys.spawner().name(name).mailbox(Mailbox::bounded(1));
                spawner.spawn(Peer { other, parcels })
            });
            one.tell(Meet(two.recipient()));
            two.tell(Meet(one.recipient()));
        }
    };
    all(peers(1));
    let report = Tester::new().run(peers(2));
    let deadlock = "nothing can run: `one` awaits room in the mailbox of `two`; `two` awaits room \
                    in the mailbox of `one`";
    assert_eq!(first_bug(&report), (BugKind::Deadlock, deadlock));
}

/// Sends to an actor that handles no more, in each of the ways; fails then.
async fn sends_in_vain(sys: System, overflow: Overflow) {
    let spawner = sys.spawner().name("slow").mailbox(bounded(1, overflow));
    let slow = spawner.spawn(Holds);
    slow.tell(Go);
    sys.sleep(Duration::from_secs(1)).await;
    slow.tell(Job(1));
    slow.tell(Job(2));
    let refused = slow.try_send(Job(3)).await.is_err();
    let sent = slow.send(Job(4)).await.is_ok();
    panic!("{refused} {sent}");
}

/// Returns the steps about capacity in the report of a failing execution.
fn fates_of(overflow: Overflow) -> Vec<String> {
    let tester = Tester::new().iterations(1);
    let report = tester.run(move |sys| sends_in_vain(sys, overflow));
    let bug = report.bugs().first().expect("it panics, or waits for ever");
    let story = &bug.trace.story;
    let effects = story.steps.iter().flat_map(|step| &step.effects);
    let texts = effects.filter_map(|effect| match effect {
        Effect::AskedForRoom { answer, .. } => Some(format!("{answer:?}")),
        Effect::Sent {
            arrival: MessageFate::Refused,
            ..
        } => Some("lost".into()),
        Effect::Sent {
            replaced: Some(oldest),
            ..
        } => story
            .message(*oldest)
            .map(|oldest| format!("{} lost", oldest.event)),
        _ => None,
    });
    texts.collect()
}

/// Handles one event, and then no more.
struct Holds;

#[actor(receive(Halt))]
impl Holds {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.receive::<Halt>().await;
    }

    #[on]
    fn job(&mut self, _: Job) {}
}

#[test]
fn a_story_tells_of_room() {
    assert_eq!(fates_of(Overflow::Wait), ["lost", "Full", "Waits"]);
    assert_eq!(fates_of(Overflow::Reject), ["lost", "Full", "Full"]);
    let replaced = ["Job(1) lost", "Granted", "Job(2) lost", "Granted"];
    assert_eq!(fates_of(Overflow::DropOldest), replaced);
}
