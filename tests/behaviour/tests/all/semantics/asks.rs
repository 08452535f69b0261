//! `ask`: replies and the errors if there is none, time limits, delegated replies, and cycles of asks.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::supervision::Restart;
use actor_test::{BugKind, Tester};
use behaviour::harness::events::{Break, Go, Halt, Tick};
use behaviour::harness::{all, contract};

use super::assert_lost;

#[derive(Debug)]
struct Question(u32);
#[derive(Debug)]
struct Slow;
#[derive(Debug)]
struct Refuse;
#[derive(Debug)]
struct Ignored;

/// Answers questions.
struct Oracle;

#[actor(states(Open(ignore(Ignored))))]
impl Oracle {
    #[on]
    fn question(&mut self, question: Question) -> u32 {
        question.0 + 1
    }

    #[on]
    async fn slow(&mut self, _: Slow, cx: &mut Context<Self>) -> u32 {
        cx.sleep(Duration::from_secs(7_200)).await;
        0
    }

    #[on]
    fn refuse(&mut self, _: Refuse) -> Result<u32, String> {
        Err("no paper".into())
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Spawns an oracle that may fail, once.
fn oracle(sys: &System) -> ActorRef<Oracle> {
    let spawner = sys.spawner().restart(Restart::Temporary);
    spawner.spawn_with(|| Oracle)
}

#[test]
fn the_handler_s_value_is_the_reply() {
    contract(&["Ok(0) Ok(2)"], async |sys| {
        let oracle = sys.spawn(Oracle);
        let slow = oracle.ask(Slow);
        sys.sleep(Duration::from_secs(1)).await;
        // The handler may still wait; this one is handled when it has returned.
        let quick = oracle.ask(Question(1));
        format!("{:?} {:?}", slow.await, quick.await)
    });
}

#[test]
fn the_event_that_halts_is_answered_and_those_behind_it_are_not() {
    contract(&["Ok(()) Err(Stopped)"], async |sys| {
        let oracle = sys.spawn(Oracle);
        let (halt, behind) = (oracle.ask(Halt), oracle.ask(Question(1)));
        format!("{:?} {:?}", halt.await, behind.await)
    });
}

#[test]
fn an_ignored_event_is_dropped_without_an_answer() {
    let report = contract(&["Err(Dropped)"], async |sys| {
        let answer = sys.spawn(Oracle).ask(Ignored).await;
        assert_lost(&sys, 0);
        format!("{answer:?}")
    });
    assert_eq!(report.dead_letters, 0);
}

#[test]
fn a_handler_that_panics_does_not_answer_and_those_behind_it_find_it_stopped() {
    contract(&["Err(Failed) Err(Stopped)"], async |sys| {
        let oracle = oracle(&sys);
        let (panics, behind) = (oracle.ask(Break), oracle.ask(Question(1)));
        format!("{:?} {:?}", panics.await, behind.await)
    });
}

/// An `Err` goes to the asker, who may have dropped the ask; after a `tell` it is a failure of the actor.
#[test]
fn an_err_goes_to_the_asker() {
    contract(
        &["Ok(Err(\"no paper\")) Ok(2), then Err(Stopped)"],
        async |sys| {
            let oracle = oracle(&sys);
            let refused = oracle.ask(Refuse).await;
            drop(oracle.ask(Refuse));
            let lives = oracle.ask(Question(1)).await;
            oracle.tell(Refuse);
            format!(
                "{refused:?} {lives:?}, then {:?}",
                oracle.ask(Question(1)).await
            )
        },
    );
}

#[test]
fn a_limit_is_explored_both_ways() {
    let report = contract(&["Err(TimedOut)", "Ok(2)"], async |sys| {
        let oracle = sys.spawn(Oracle);
        let answer = oracle.ask(Question(1)).timeout(Duration::from_secs(1));
        format!("{:?}", answer.await)
    });
    // If the timer fires before the question is handled, the asker resumes at one of 3 moments;
    // between that and the reply, at one of 2; after the reply, before the asker resumes or never.
    assert_eq!(report.executions, 3 + 2 + 2);
}

#[test]
fn the_limit_is_virtual_time() {
    contract(&["Err(TimedOut) true", "Ok(0) true"], async |sys| {
        let before = sys.now();
        let limit = Duration::from_secs(3_600);
        let answer = sys.spawn(Oracle).ask(Slow).timeout(limit).await;
        let waited = sys.now() - before;
        let limit = limit * if answer.is_ok() { 2 } else { 1 };
        format!("{answer:?} {}", waited >= limit)
    });
}

#[derive(Debug)]
struct Work(Question, Reply<u32>);
#[derive(Debug)]
struct Later;
/// Keeps the reply.
#[derive(Debug)]
struct Keep;
/// Answers the question of which the reply was kept last.
#[derive(Debug)]
struct Put(u32);
#[derive(Debug)]
struct Forget;

/// Delegates the answer to a clerk, or answers later.
struct Desk {
    clerk: ActorRef<Clerk>,
    waiting: Option<Reply<u32>>,
    kept: Vec<Reply<u32>>,
}

#[actor]
impl Desk {
    #[on]
    fn question(&mut self, question: Question, reply: Reply<u32>) {
        self.clerk.tell(Work(question, reply));
    }

    #[on]
    fn later(&mut self, _: Later, reply: Reply<u32>, cx: &mut Context<Self>) {
        self.waiting = Some(reply);
        cx.after(Duration::from_secs(1), Tick);
    }

    #[on]
    fn now(&mut self, _: Tick, cx: &mut Context<Self>) {
        if let Some(reply) = self.waiting.take() {
            reply.send(7);
        }
        cx.halt();
    }

    #[on]
    fn keep(&mut self, _: Keep, reply: Reply<u32>) {
        self.kept.push(reply);
    }

    #[on]
    fn put(&mut self, put: Put) {
        if let Some(kept) = self.kept.pop() {
            kept.send(put.0);
        }
    }

    #[on]
    fn forget(&mut self, _: Forget) {
        self.kept.clear();
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    /// Drops the kept replies before the panic only if someone has asked for it.
    #[on]
    fn smash(&mut self, _: Break, reply: Reply<()>) {
        if !reply.is_nobody() {
            self.kept.clear();
        }
        panic!("smashed");
    }
}

struct Clerk;

#[actor]
impl Clerk {
    #[on]
    fn work(&mut self, work: Work) {
        let Work(question, reply) = work;
        match question.0 {
            0 => drop(reply),
            number => reply.send(number * 10),
        }
    }
}

/// Spawns a desk that may fail, once.
fn desk(sys: &System) -> ActorRef<Desk> {
    let clerk = sys.spawn(Clerk);
    let spawner = sys.spawner().restart(Restart::Temporary);
    spawner.spawn_with(move || Desk {
        clerk: clerk.clone(),
        waiting: None,
        kept: Vec::new(),
    })
}

#[test]
fn a_reply_may_be_sent_by_another_actor_or_later() {
    let lost_first = "(Ok(20), Err(Dropped)) Err(Dropped) Ok(7)";
    // The first timer may fire before the second question is handled, which then comes too late.
    let late = "(Ok(20), Err(Dropped)) Ok(7) Err(Stopped)";
    contract(&[lost_first, late], async |sys| {
        let desk = desk(&sys);
        let answers = (desk.ask(Question(2)).await, desk.ask(Question(0)).await);
        let (later, lost) = (desk.ask(Later), desk.ask(Later));
        format!("{answers:?} {:?} {:?}", later.await, lost.await)
    });
    // Replies to nobody are kept and sent as any other.
    contract(&["Ok(1) Ok(2) Ok(20)"], async |sys| {
        let desk = desk(&sys);
        let (first, second) = (desk.ask(Keep), desk.ask(Keep));
        desk.tell(Put(2));
        let second = second.await;
        desk.tell(Put(1));
        let first = first.await;
        desk.tell(Keep);
        desk.tell(Put(3));
        format!("{first:?} {second:?} {:?}", desk.ask(Question(2)).await)
    });
}

#[test]
fn a_reply_that_is_kept_is_lost_for_a_reason() {
    type End = fn(&ActorRef<Desk>);
    let ends: [(&str, End); 3] = [
        ("Err(Dropped)", |desk| desk.tell(Forget)),
        ("Err(Stopped)", |desk| desk.tell(Halt)),
        ("Err(Failed)", |desk| desk.tell(Break)),
    ];
    for (expected, end) in ends {
        contract(&[expected], move |sys| async move {
            let desk = desk(&sys);
            let kept = desk.ask(Keep);
            end(&desk);
            format!("{:?}", kept.await)
        });
    }
    // The desk drops the kept replies, and then fails; the failure drops the reply in hand.
    contract(&["Err(Dropped) Err(Dropped) Err(Failed)"], async |sys| {
        let desk = desk(&sys);
        let [first, second] = [Keep, Keep].map(|keep| desk.ask(keep));
        let breaks = desk.ask(Break);
        format!("{:?} {:?} {:?}", first.await, second.await, breaks.await)
    });
}

#[derive(Debug)]
struct Begin;
#[derive(Debug)]
struct Even;

/// Asks the next link, if there is one, and answers when that one has answered.
struct Link {
    next: Option<ActorRef<Link>>,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Plainly,
    AfterAPause,
    AfterASend,
    WithALimit,
    BesideASleep,
    Delegating,
}

#[derive(Debug)]
struct Tie(ActorRef<Link>);

#[actor(states(Only))]
impl Link {
    #[on]
    fn tie(&mut self, tie: Tie) {
        self.next = Some(tie.0);
    }

    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) -> u32 {
        let Some(next) = self.next.clone() else {
            return 0;
        };
        let limit = Duration::from_secs(1);
        match self.how {
            How::Plainly => next.ask(Begin).await.unwrap_or(1),
            How::AfterAPause => {
                let asked = next.ask(Begin);
                cx.sleep(limit).await;
                asked.await.unwrap_or(1)
            }
            How::AfterASend => {
                let clock = cx
                    .spawner()
                    .mailbox(actor_core::mailbox::Mailbox::bounded(2))
                    .spawn(Clock);
                clock.send(Tick).await.expect("it lives");
                next.ask(Begin).await.unwrap_or(1)
            }
            How::WithALimit => next.ask(Begin).timeout(limit).await.unwrap_or(1),
            How::BesideASleep => {
                let mut asked = pin!(next.ask(Begin));
                let mut sleep = pin!(cx.sleep(limit));
                poll_fn(|task| match asked.as_mut().poll(task) {
                    Poll::Ready(answer) => Poll::Ready(answer.unwrap_or(1)),
                    Poll::Pending => sleep.as_mut().poll(task).map(|()| 1),
                })
                .await
            }
            How::Delegating => next.ask(Even).await.unwrap_or(1),
        }
    }

    #[on]
    fn later(&mut self, _: Later) {}

    /// Answers before its own wait, so that the asker resumes and answers in turn.
    #[on]
    async fn even(&mut self, _: Even, reply: Reply<u32>) {
        reply.send(2);
        if let Some(next) = self.next.take() {
            let _ = next.ask(Later).await;
        }
    }
}

/// A clock that never stops, so that something can always happen.
struct Clock;

#[actor]
impl Clock {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Tick);
    }

    #[on]
    fn beat(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Tick);
    }
}

fn chain(sys: &System, links: usize, how: How) {
    sys.spawn(Clock);
    let names = ["one", "two", "three"];
    let links: Vec<ActorRef<Link>> = names[..links]
        .iter()
        .map(|name| sys.spawn_named(name, Link { next: None, how }))
        .collect();
    for (at, link) in links.iter().enumerate() {
        link.tell(Tie(links[(at + 1) % links.len()].clone()));
    }
    links[0].tell(Begin);
}

fn bug(links: usize, how: How) -> Option<(BugKind, String)> {
    let report = Tester::new()
        .iterations(50)
        .max_steps(300)
        .run(|sys| chain(&sys, links, how));
    let bug = report.bugs().first()?;
    Some((bug.kind(), bug.message().to_owned()))
}

#[test]
fn a_cycle_of_asks_is_found_while_others_go_on() {
    let cycles = [
        (1, How::Plainly, "one -> one"),
        (2, How::Plainly, "one -> two -> one"),
        (2, How::AfterAPause, "one -> two -> one"),
        (3, How::Plainly, "one -> two -> three -> one"),
        // A pending send that has got its capacity is no wait.
        (2, How::AfterASend, "one -> two -> one"),
    ];
    for (links, how, names) in cycles {
        let what = "a cycle of asks, in which each handler awaits the reply of the next: ";
        let cycle = format!("{what}`{names}` (`Begin` at {}:", file!());
        let (kind, message) = bug(links, how).expect("a cycle");
        assert_eq!(kind, BugKind::Deadlock);
        assert!(message.starts_with(&cycle), "{message}");
        // Each of the handlers has asked.
        assert_eq!(message.matches("`Begin` at").count(), links, "{message}");
    }
}

/// A wait may end by itself, and an asked actor may have answered already.
#[test]
fn other_asks_in_a_ring_are_no_cycle() {
    for how in [How::WithALimit, How::BesideASleep, How::Delegating] {
        assert_eq!(bug(2, how), None, "{how:?}");
    }
}

/// Answers a question, and asks the asker back before that one has received the answer.
struct Curious {
    of: Option<ActorRef<Asks>>,
}

#[derive(Debug)]
struct From(ActorRef<Asks>);

#[actor(states(Calm, Excited))]
impl Curious {
    #[on(Calm)]
    fn from(&mut self, from: From, cx: &mut Context<Self>) -> u32 {
        self.of = Some(from.0);
        cx.goto(CuriousState::Excited);
        3
    }

    #[entry(Excited)]
    async fn excited(&mut self) {
        if let Some(of) = &self.of {
            assert_eq!(of.ask(Later).await, Ok(()));
        }
    }
}

struct Asks(ActorRef<Curious>);

#[actor]
impl Asks {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) -> u32 {
        self.0.ask(From(cx.me())).await.unwrap_or(0)
    }

    #[on]
    fn later(&mut self, _: Later) {}
}

#[test]
fn a_reply_on_its_way_closes_no_cycle() {
    contract(&["Ok(3)"], async |sys| {
        let curious = sys.spawn(Curious { of: None });
        let asks = sys.spawn(Asks(curious));
        format!("{:?}", asks.ask(Begin).await)
    });
}

/// The system's limit works like a limit on each ask: both programs have the same schedules.
#[test]
fn the_systems_limit_is_that_of_each_ask() {
    const LIMIT: Duration = Duration::from_secs(1);
    let either = ["Err(TimedOut)", "Ok(2)"];
    let alone = contract(&either, async |sys| {
        let answer = sys.spawn(Oracle).ask(Question(1)).timeout(LIMIT);
        format!("{:?}", answer.await)
    });
    let whole = contract(&either, async |sys| {
        sys.ask_limit(LIMIT);
        format!("{:?}", sys.spawn(Oracle).ask(Question(1)).await)
    });
    assert_eq!(whole.executions, alone.executions);
}

/// A limit on a single ask has precedence; asks before the system's limit have none.
#[test]
fn an_ask_may_do_without_the_systems_limit() {
    contract(&["Ok(2) Ok(3) true Ok(())"], async |sys| {
        let oracle = sys.spawn(Oracle);
        let before = oracle.ask(Question(1));
        sys.ask_limit(Duration::from_secs(1));
        let without = oracle.ask(Question(2)).without_limit();
        let name = sys.lookup::<Oracle>("nobody").await.is_err();
        let start = oracle.started().await;
        format!("{:?} {:?} {name} {start:?}", before.await, without.await)
    });
}

#[derive(Debug)]
struct Who {
    by: Option<ActorId>,
}
#[derive(Debug)]
struct Answer {
    from: ActorId,
    to: Option<ActorId>,
}
struct Named;
#[actor]
impl Named {
    #[on]
    fn who(&mut self, who: Who, cx: &mut Context<Self>) -> Answer {
        let from = cx.me().id();
        Answer { from, to: who.by }
    }
}

struct Wonders(ActorRef<Named>);
#[actor]
impl Wonders {
    #[on]
    async fn wonder(&mut self, _: Go, cx: &mut Context<Self>) {
        let by = Some(cx.me().id());
        let _ = self.0.ask(Who { by }).await;
    }
}

/// Observes the sender and the recipient of a reply.
#[derive(Default)]
struct Eavesdropper;
#[monitor(hot(Deaf), cold(Told))]
impl Eavesdropper {
    #[on]
    fn who(&mut self, _: &Who, cx: &mut MonitorContext<Self>) {
        cx.goto(EavesdropperState::Deaf);
    }
    #[on(replied)]
    fn answer(&mut self, answer: &Answer, cx: &mut MonitorContext<Self>) {
        let said = (Some(answer.from), answer.to);
        assert_eq!((cx.sender(), cx.target()), said);
        cx.goto(EavesdropperState::Told);
    }
}

#[test]
fn a_monitor_sees_who_answers_whom() {
    let report = all(async |sys: System| {
        sys.monitor::<Eavesdropper>();
        let named = sys.spawn(Named);
        sys.spawn(Wonders(named.clone())).tell(Go);
        let _ = named.ask(Who { by: None }).await;
    });
    assert!(report.vacuous.is_empty(), "{:?}", report.vacuous);
}
