//! `ask` under test: time limits, delegated replies, and cycles of asks.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

/// Explores every schedule of a clean program with an async body; returns all outcomes.
#[track_caller]
pub(crate) fn every<F: Future<Output = String> + 'static>(
    body: impl Fn(System) -> F + Sync,
) -> (Report, Vec<String>) {
    every_by(Tester::new(), body)
}

/// The same with the settings of this tester.
#[track_caller]
pub(crate) fn every_by<F: Future<Output = String> + 'static>(
    tester: Tester,
    body: impl Fn(System) -> F + Sync,
) -> (Report, Vec<String>) {
    let outcomes = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let tester = tester
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None));
    let report = tester.run(|sys| {
        let (outcome, outcomes) = (body(sys), outcomes.clone());
        async move {
            let outcome = outcome.await;
            outcomes.lock().unwrap().insert(outcome);
        }
    });
    report.assert_clean();
    assert!(report.verdict.is_exhaustive());
    let outcomes = outcomes.lock().unwrap().iter().cloned().collect();
    (report, outcomes)
}

#[derive(Debug)]
struct Question(u32);

/// Answers questions.
struct Oracle;

#[actor]
impl Oracle {
    #[on]
    fn question(&mut self, question: Question) -> u32 {
        question.0 + 1
    }
}

#[test]
fn a_limit_is_explored_both_ways() {
    let (report, outcomes) = every(async |sys| {
        let oracle = sys.spawn(Oracle);
        let answer = oracle.ask(Question(1)).timeout(Duration::from_secs(1));
        format!("{:?}", answer.await)
    });
    assert_eq!(outcomes, ["Err(TimedOut)", "Ok(2)"]);
    // If the timer fires before the question is handled, the asker resumes at one of 3 moments;
    // between that and the reply, at one of 2; after the reply, before the asker resumes or never.
    assert_eq!(report.executions, 3 + 2 + 2);
}

#[test]
fn the_limit_is_virtual_time() {
    let (_, outcomes) = every(async |sys| {
        let before = sys.now();
        let limit = Duration::from_secs(3_600);
        let slow = sys.spawn(Slow);
        let answer = slow.ask(Question(1)).timeout(limit).await;
        let waited = sys.now() - before;
        let limit = limit * if answer.is_ok() { 2 } else { 1 };
        format!("{answer:?} {}", waited >= limit)
    });
    assert_eq!(outcomes, ["Err(TimedOut) true", "Ok(0) true"]);
}

/// Answers after two hours.
struct Slow;

#[actor]
impl Slow {
    #[on]
    async fn question(&mut self, _: Question, cx: &mut Context<Self>) -> u32 {
        cx.sleep(Duration::from_secs(7_200)).await;
        0
    }
}

#[derive(Debug)]
struct Work(Question, Reply<u32>);

/// Delegates the answer to a clerk, or answers later.
struct Desk {
    clerk: ActorRef<Clerk>,
    waiting: Option<Reply<u32>>,
}

#[derive(Debug)]
struct Later;
#[derive(Debug)]
struct Now;

#[actor]
impl Desk {
    #[on]
    fn question(&mut self, question: Question, reply: Reply<u32>) {
        self.clerk.tell(Work(question, reply));
    }

    #[on]
    fn later(&mut self, _: Later, reply: Reply<u32>, cx: &mut Context<Self>) {
        self.waiting = Some(reply);
        cx.after(Duration::from_secs(1), Now);
    }

    #[on]
    fn now(&mut self, _: Now, cx: &mut Context<Self>) {
        if let Some(reply) = self.waiting.take() {
            reply.send(7);
        }
        cx.halt();
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

#[test]
fn a_reply_may_be_sent_by_another_actor_or_later() {
    let (_, outcomes) = every(async |sys| {
        let clerk = sys.spawn(Clerk);
        let desk = sys.spawn(Desk {
            clerk,
            waiting: None,
        });
        let answers = (desk.ask(Question(2)).await, desk.ask(Question(0)).await);
        let (later, lost) = (desk.ask(Later), desk.ask(Later));
        format!("{answers:?} {:?} {:?}", later.await, lost.await)
    });
    let lost_first = "(Ok(20), Err(Dropped)) Err(Dropped) Ok(7)";
    assert!(outcomes.contains(&lost_first.to_owned()), "{outcomes:?}");
    // The first timer may fire before the second question is handled, which then comes too late.
    let late = "(Ok(20), Err(Dropped)) Ok(7) Err(Stopped)";
    assert_eq!(outcomes, [lost_first, late]);
}

#[derive(Debug)]
struct Begin;
#[derive(Debug, Clone)]
struct Beat;
#[derive(Debug)]
struct Even;

/// Asks the next link, if there is one, and answers when that one has answered.
struct Link {
    next: Option<ActorRef<Link>>,
    how: How,
}

#[derive(Clone, Copy, PartialEq)]
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
                clock.send(Beat).await.expect("it lives");
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
        cx.after(Duration::from_secs(1), Beat);
    }

    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Beat);
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
    let cycle = |names| {
        let what = "a cycle of asks, in which each handler awaits the reply of the next: ";
        Some((BugKind::Deadlock, format!("{what}`{names}`")))
    };
    assert_eq!(bug(1, How::Plainly), cycle("one -> one"));
    assert_eq!(bug(2, How::Plainly), cycle("one -> two -> one"));
    assert_eq!(bug(2, How::AfterAPause), cycle("one -> two -> one"));
    assert_eq!(bug(3, How::Plainly), cycle("one -> two -> three -> one"));
    // A pending send that has got its capacity is no wait.
    assert_eq!(bug(2, How::AfterASend), cycle("one -> two -> one"));
}

#[test]
fn what_ends_by_itself_is_no_cycle() {
    for how in [How::WithALimit, How::BesideASleep] {
        assert_eq!(bug(2, how), None);
    }
}

#[test]
fn who_has_answered_closes_no_cycle() {
    assert_eq!(bug(2, How::Delegating), None);
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
    let (_, outcomes) = every(async |sys| {
        let curious = sys.spawn(Curious { of: None });
        let asks = sys.spawn(Asks(curious));
        format!("{:?}", asks.ask(Begin).await)
    });
    assert_eq!(outcomes, ["Ok(3)"]);
}

/// The system's limit works like a limit on each ask: both programs have the same schedules.
#[test]
fn the_systems_limit_is_that_of_each_ask() {
    const LIMIT: Duration = Duration::from_secs(1);
    let (alone, each) = every(async |sys| {
        let oracle = sys.spawn(Oracle);
        let answer = oracle.ask(Question(1)).timeout(LIMIT);
        format!("{:?}", answer.await)
    });
    let (whole, all) = every(async |sys| {
        sys.ask_limit(LIMIT);
        let oracle = sys.spawn(Oracle);
        format!("{:?}", oracle.ask(Question(1)).await)
    });
    assert_eq!(all, each);
    assert_eq!(all, ["Err(TimedOut)", "Ok(2)"]);
    assert_eq!(whole.executions, alone.executions);
}

/// A limit on a single ask has precedence; asks before the system's limit have none.
#[test]
fn an_ask_may_do_without_the_systems_limit() {
    let (_, outcomes) = every(async |sys| {
        let oracle = sys.spawn(Oracle);
        let before = oracle.ask(Question(1));
        sys.ask_limit(Duration::from_secs(1));
        let without = oracle.ask(Question(2)).without_limit();
        let name = sys.lookup::<Oracle>("nobody").await.is_err();
        let start = oracle.started().await;
        format!("{:?} {:?} {name} {start:?}", before.await, without.await)
    });
    assert_eq!(outcomes, ["Ok(2) Ok(3) true Ok(())"]);
}

/// Monitors that observe replies, and handlers that stop waiting for an event.
mod replies_and_receives {
    use super::*;

    #[derive(Debug)]
    struct Who {
        by: Option<ActorId>,
    }
    #[derive(Debug)]
    struct Answer {
        from: ActorId,
        to: Option<ActorId>,
    }
    struct Oracle;
    #[actor]
    impl Oracle {
        #[on]
        fn who(&mut self, who: Who, cx: &mut Context<Self>) -> Answer {
            let from = cx.me().id();
            Answer { from, to: who.by }
        }
    }

    #[derive(Debug)]
    struct Wonder;
    struct Curious(ActorRef<Oracle>);
    #[actor]
    impl Curious {
        #[on]
        async fn wonder(&mut self, _: Wonder, cx: &mut Context<Self>) {
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
        let (report, _) = every(|sys| async move {
            sys.monitor::<Eavesdropper>();
            let oracle = sys.spawn(Oracle);
            sys.spawn(Curious(oracle.clone())).tell(Wonder);
            let _ = oracle.ask(Who { by: None }).await;
            String::new()
        });
        assert!(report.vacuous.is_empty(), "{:?}", report.vacuous);
    }

    #[derive(Debug)]
    struct Line;
    #[derive(Debug)]
    struct Count;
    #[derive(Default)]
    struct GivesUp {
        lines: u32,
    }
    #[actor]
    impl GivesUp {
        #[on]
        async fn wonder(&mut self, _: Wonder, cx: &mut Context<Self>) {
            {
                let mut line = pin!(cx.receive::<Line>());
                let taken =
                    poll_fn(|polled| Poll::Ready(line.as_mut().poll(polled).is_ready())).await;
                self.lines += u32::from(taken);
            }
            cx.sleep(Duration::from_millis(1)).await;
        }
        #[on]
        fn line(&mut self, _: Line) {
            self.lines += 1;
        }
        #[on]
        fn count(&mut self, _: Count) -> u32 {
            self.lines
        }
    }

    /// An event that a handler awaited, and no longer awaits, remains for the next handler.
    #[test]
    fn what_is_awaited_no_more_is_handled_later() {
        let (_, outcomes) = every(|sys| async move {
            let gives_up = sys.spawn(GivesUp::default());
            gives_up.tell(Wonder);
            gives_up.tell(Line);
            format!("{:?}", gives_up.ask(Count).await)
        });
        assert_eq!(outcomes, ["Ok(1)"]);
    }
}
