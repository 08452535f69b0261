//! `ask` under test: its time limit, delegated replies, and cycles.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

/// Every schedule of a clean program with an async body; what came of them.
#[track_caller]
fn every<F: Future<Output = String> + 'static>(
    body: impl Fn(System) -> F + Sync,
) -> (Report, Vec<String>) {
    let outcomes = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let tester = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None));
    let report = tester.run_async(|sys| {
        let (outcome, outcomes) = (body(sys), outcomes.clone());
        async move {
            let outcome = outcome.await;
            outcomes.lock().unwrap().insert(outcome);
        }
    });
    report.assert_clean();
    assert!(report.exhausted);
    let outcomes = outcomes.lock().unwrap().iter().cloned().collect();
    (report, outcomes)
}

#[derive(Debug)]
struct Question(u32);

/// Answers.
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
    // The timer fires before the question is handled, and the asker goes on at one of 3 moments;
    // between that and the reply, at one of 2; or after the reply, before the asker goes on or never.
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

/// Takes two hours.
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

/// Has others answer, or answers when it comes to it.
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
    // The first timer may fire before the second question is handled, which comes too late then.
    let late = "(Ok(20), Err(Dropped)) Ok(7) Err(Stopped)";
    assert_eq!(outcomes, [lost_first, late]);
}
