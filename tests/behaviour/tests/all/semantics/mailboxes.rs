//! Bounded mailboxes under test: capacity, waiting senders and overflow in every schedule.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use actor_core::mailbox::{Mailbox, Overflow, SendError};
use actor_core::prelude::*;
use actor_test::story::{Effect, MessageFate};
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

/// The outcome of each execution.
#[derive(Clone, Default)]
struct Outcomes {
    seen: Arc<Mutex<BTreeSet<Vec<String>>>>,
    current: Arc<Mutex<Vec<String>>>,
}

impl Outcomes {
    fn note(&self, what: impl Into<String>) {
        self.current.lock().unwrap().push(what.into());
    }

    /// Begins a new execution, and keeps the outcome of the last one.
    fn begin(&self) {
        let outcome = std::mem::take(&mut *self.current.lock().unwrap());
        if !outcome.is_empty() {
            self.seen.lock().unwrap().insert(outcome);
        }
    }

    /// Returns every outcome, each as one line.
    fn all(&self) -> Vec<String> {
        self.begin();
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|outcome| outcome.join(" ")).collect()
    }
}

fn systematic() -> Tester {
    Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None))
}

/// Explores every schedule of a clean program.
#[track_caller]
fn every(program: impl Fn(&System) + Sync) -> Report {
    let report = systematic().run(|sys| program(&sys));
    report.assert_clean();
    assert!(report.verdict.is_exhaustive());
    report
}

/// Explores every schedule of a clean program with an async body; returns all outcomes.
#[track_caller]
fn every_async<F: Future<Output = ()> + 'static>(
    body: impl Fn(System, Outcomes) -> F + Sync,
) -> Vec<String> {
    let outcomes = Outcomes::default();
    let report = systematic().run(|sys| {
        outcomes.begin();
        body(sys, outcomes.clone())
    });
    report.assert_clean();
    assert!(report.verdict.is_exhaustive());
    outcomes.all()
}

fn bounded(capacity: usize, overflow: Overflow) -> Mailbox {
    Mailbox::bounded(capacity).overflow(overflow)
}

#[derive(Debug, PartialEq)]
struct Job(u32);
#[derive(Debug)]
struct Query(u32);
#[derive(Debug)]
struct Go;
#[derive(Debug)]
struct Halt;
#[derive(Debug, Clone)]
struct Tick;

struct Worker(Outcomes);

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

fn texts(overflow: Overflow) -> Vec<String> {
    let outcomes = Outcomes::default();
    every(|sys| {
        outcomes.begin();
        let mailbox = bounded(1, overflow);
        let worker = sys
            .spawner()
            .mailbox(mailbox)
            .spawn(Worker(outcomes.clone()));
        for job in 1..=3 {
            worker.tell(Job(job));
        }
    });
    outcomes.all()
}

#[test]
fn what_is_told_to_a_full_mailbox_is_lost_in_the_schedules_where_it_is_full() {
    for overflow in [Overflow::Wait, Overflow::Reject, Overflow::DropNewest] {
        assert_eq!(texts(overflow), ["1", "1 2", "1 2 3", "1 3"]);
    }
    assert_eq!(texts(Overflow::DropOldest), ["1 2 3", "1 3", "2 3", "3"]);
}

#[test]
fn an_ask_to_a_full_mailbox_is_told_so() {
    let asked = |overflow| {
        every_async(move |sys, outcomes| async move {
            let mailbox = bounded(1, overflow);
            let worker = sys
                .spawner()
                .mailbox(mailbox)
                .spawn(Worker(outcomes.clone()));
            let (first, second) = (worker.ask(Query(1)), worker.ask(Query(2)));
            let answers = (first.await, second.await);
            outcomes.note(format!("{answers:?}"));
        })
    };
    assert_eq!(
        asked(Overflow::Wait),
        ["(Ok(1), Err(Full))", "(Ok(1), Ok(2))"]
    );
    assert_eq!(
        asked(Overflow::DropOldest),
        ["(Err(Full), Ok(2))", "(Ok(1), Ok(2))"]
    );
}

/// Polls two futures, the first one first, until both are ready.
async fn both<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> (A, B) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut first, mut second) = (None, None);
    poll_fn(move |task| {
        step(&mut first, a.as_mut(), task);
        step(&mut second, b.as_mut(), task);
        match (first.take(), second.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            (a, b) => {
                (first, second) = (a, b);
                Poll::Pending
            }
        }
    })
    .await
}

fn step<F: Future>(
    done: &mut Option<F::Output>,
    future: Pin<&mut F>,
    task: &mut std::task::Context<'_>,
) {
    if done.is_none()
        && let Poll::Ready(output) = future.poll(task)
    {
        *done = Some(output);
    }
}

#[test]
fn who_waits_comes_in_first_come_first_served() {
    let outcomes = every_async(async |sys, outcomes| {
        let mailbox = Mailbox::bounded(1);
        let worker = sys
            .spawner()
            .mailbox(mailbox)
            .spawn(Worker(outcomes.clone()));
        worker.tell(Job(0));
        let sent = both(worker.send(Job(1)), worker.send(Job(2))).await;
        assert_eq!(sent, (Ok(()), Ok(())));
        assert_eq!(worker.ask(Query(7)).await.unwrap_or(7), 7);
    });
    let prefixes: BTreeSet<_> = outcomes.into_iter().collect();
    // The body may return before the last job is handled.
    let orders = ["0 1", "0 1 2"].map(String::from);
    assert!(prefixes.is_subset(&BTreeSet::from(orders)), "{prefixes:?}");
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

#[test]
fn nothing_that_was_sent_is_lost_in_any_schedule() {
    let outcomes = Outcomes::default();
    every(|sys| {
        outcomes.begin();
        let worker = sys
            .spawner()
            .mailbox(Mailbox::bounded(1))
            .spawn(Worker(outcomes.clone()));
        for jobs in [vec![1, 2], vec![3]] {
            sys.spawn(Sends {
                to: worker.clone(),
                jobs,
            });
        }
    });
    assert_eq!(outcomes.all(), ["1 2 3", "1 3 2", "3 1 2"]);
}

#[test]
fn a_refused_try_send_is_explored_both_ways() {
    let outcomes = every_async(async |sys, outcomes| {
        let worker = sys
            .spawner()
            .mailbox(Mailbox::bounded(1))
            .spawn(Worker(Outcomes::default()));
        worker.tell(Job(1));
        let answer = worker.recipient().try_send(Job(2)).await;
        outcomes.note(format!("{answer:?}"));
    });
    assert_eq!(outcomes, ["Err(Full(Job(2)))", "Ok(())"]);
    // With capacity for both jobs, neither is refused.
    every_async(async |sys, _| {
        let worker = sys
            .spawner()
            .mailbox(Mailbox::bounded(2))
            .spawn(Worker(Outcomes::default()));
        worker.tell(Job(1));
        assert_eq!(worker.try_send(Job(2)).await, Ok(()));
    });
}

#[test]
fn who_awaits_room_is_given_the_event_back_when_the_actor_stops() {
    let outcomes = every_async(async |sys, outcomes| {
        let worker = sys
            .spawner()
            .mailbox(Mailbox::bounded(1))
            .spawn(Worker(Outcomes::default()));
        worker.tell(Halt);
        let answer = worker.send(Job(1)).await;
        outcomes.note(format!("{answer:?}"));
    });
    // The sender gets the capacity when `Halt` is taken, and the actor stops after that.
    assert_eq!(outcomes, ["Err(Closed(Job(1)))", "Ok(())"]);
}

/// A sender that gives up passes its place on to the next
/// waiter, while its request is in flight or in the queue.
#[test]
fn who_gives_up_a_send_leaves_the_place_to_others() {
    for pause in [Duration::ZERO, Duration::from_millis(1)] {
        every_async(move |sys, _| async move {
            let to = sys
                .spawner()
                .mailbox(Mailbox::bounded(1))
                .spawn(Slow(Outcomes::default()));
            to.tell(Job(0));
            let mut sending = to.send(Job(1));
            let waits =
                poll_fn(|task| Poll::Ready(Pin::new(&mut sending).poll(task).is_pending())).await;
            assert!(waits, "no answer is there at once");
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
    outcomes: Outcomes,
}

#[actor]
impl Hasty {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        self.to.tell(Job(0));
        let mut sending = self.to.send(Job(1));
        let mut sleep = pin!(cx.sleep(Duration::from_millis(5)));
        let sent = poll_fn(|task| match sleep.as_mut().poll(task) {
            Poll::Ready(()) => Poll::Ready(false),
            Poll::Pending => Pin::new(&mut sending).poll(task).map(|sent| sent.is_ok()),
        })
        .await;
        drop(sending);
        self.outcomes.note(if sent { "sent" } else { "not sent" });
        self.to.tell(Go);
    }
}

/// Handles jobs quickly, after an event or a timer has released it.
struct Slow(Outcomes);

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
    let outcomes = Outcomes::default();
    every(|sys| {
        outcomes.begin();
        let to = sys
            .spawner()
            .mailbox(Mailbox::bounded(1))
            .spawn(Slow(outcomes.clone()));
        sys.spawn(Hasty {
            to,
            outcomes: outcomes.clone(),
        });
    });
    let outcomes = outcomes.all();
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
        move |sys: &System| {
            let [one, two] = ["one", "two"].map(|name| {
                let spawner = sys.spawner().name(name).mailbox(Mailbox::bounded(1));
                spawner.spawn(Peer {
                    other: None,
                    parcels,
                })
            });
            one.tell(Meet(two.recipient()));
            two.tell(Meet(one.recipient()));
        }
    };
    every(peers(1));
    let stuck = peers(2);
    let report = Tester::new().run(|sys| stuck(&sys));
    let bug = report.bugs().first().expect("a deadlock is found");
    assert_eq!(bug.kind(), BugKind::Deadlock);
    assert_eq!(
        bug.message(),
        "nothing can run: `one` awaits room in the mailbox of `two`; `two` awaits room in the \
         mailbox of `one`"
    );
}

/// Returns the steps about capacity in the report of a failing execution.
fn fates_of(overflow: Overflow) -> Vec<String> {
    let report = Tester::new().iterations(1).run(move |sys| async move {
        let mailbox = bounded(1, overflow);
        let slow = sys.spawner().name("slow").mailbox(mailbox).spawn(Holds);
        slow.tell(Go);
        sys.sleep(Duration::from_secs(1)).await;
        slow.tell(Job(1));
        slow.tell(Job(2));
        let refused = slow.try_send(Job(3)).await.is_err();
        let sent = slow.send(Job(4)).await.is_ok();
        panic!("{refused} {sent}");
    });
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

#[test]
fn a_mailbox_without_a_bound_takes_everything_that_is_sent() {
    every_async(async |sys, _| {
        let worker = sys.spawn(Worker(Outcomes::default()));
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

/// An event to a full mailbox that drops the newest is lost, and its sender is not notified.
#[test]
fn who_sends_what_is_dropped_goes_on() {
    let outcomes = every_async(|sys, outcomes| async move {
        let mailbox = bounded(1, Overflow::DropNewest);
        let worker = sys
            .spawner()
            .mailbox(mailbox)
            .spawn(Worker(outcomes.clone()));
        worker.tell(Job(1));
        assert_eq!(worker.send(Job(2)).await, Ok(()));
    });
    assert_eq!(outcomes, ["1", "1 2"]);
}
