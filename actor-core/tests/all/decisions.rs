//! Decisions of supervisors about failed children, and group supervision by the system, in production.

use std::time::Duration;

use crate::support::{Journal, idle, system};
use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::supervision::{Decision, Failure};

#[derive(Debug)]
struct Break(&'static str);
#[derive(Debug)]
struct Life;
#[derive(Debug)]
struct Children;

struct Child {
    name: &'static str,
    life: u32,
    journal: Journal,
}

#[actor]
impl Child {
    #[start]
    fn start(&mut self) {
        self.journal.note(format!("{} starts", self.name));
    }

    #[on]
    fn break_down(&mut self, cause: Break) {
        panic!("{}", cause.0);
    }

    #[on]
    fn life(&mut self, _: Life) -> u32 {
        self.life
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.journal.note(format!("{} drops", self.name));
    }
}

fn factory(name: &'static str, journal: &Journal) -> impl FnMut() -> Child + Send + 'static {
    let (journal, mut life) = (journal.clone(), 0);
    move || {
        life += 1;
        Child {
            name,
            life,
            journal: journal.clone(),
        }
    }
}

struct Judge {
    journal: Journal,
    children: Vec<ActorRef<Child>>,
}

#[actor]
impl Judge {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.decide_failures();
        for name in ["a", "b"] {
            let child = cx
                .spawner()
                .name(name)
                .spawn_with(factory(name, &self.journal));
            self.children.push(child);
        }
    }

    #[on]
    fn children(&mut self, _: Children) -> Vec<ActorRef<Child>> {
        self.children.clone()
    }

    #[on]
    async fn failed(&mut self, failure: Failure, cx: &mut Context<Self>) -> Decision {
        self.journal.note(format!("asked: {failure}"));
        cx.sleep(Duration::from_secs(1)).await;
        match &*failure.message {
            "stop" => Decision::Stop,
            "escalate" => Decision::Escalate,
            "lose your mind" => panic!("it can't decide"),
            _ => Decision::Restart,
        }
    }
}

fn judge(journal: &Journal) -> impl FnMut() -> Judge + Send + 'static {
    let journal = journal.clone();
    move || Judge {
        journal: journal.clone(),
        children: Vec::new(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_decides() {
    let (sys, journal) = system();
    let judge = sys.spawner().name("judge").spawn_with(judge(&journal));
    let children = judge.ask(Children).await.unwrap();
    idle().await;
    journal.expect(["a starts", "b starts"]);
    // The child is down until the supervisor has decided, and events to it wait.
    children[0].tell(Break("ouch"));
    assert_eq!(children[0].ask(Life).await, Ok(2));
    journal.expect([
        "Panicked: ouch",
        "a drops",
        "asked: a panicked: ouch",
        "a starts",
    ]);
    children[0].tell(Break("stop"));
    assert_eq!(children[0].stopped().await, StopReason::Failed);
    journal.expect(["Panicked: stop", "a drops", "asked: a panicked: stop"]);
    assert_eq!(children[1].ask(Life).await, Ok(1));
    children[1].tell(Break("escalate"));
    assert_eq!(children[1].stopped().await, StopReason::Exhausted);
    idle().await;
    // The supervisor is restarted, and spawns its children again.
    journal.expect([
        "Panicked: escalate",
        "b drops",
        "asked: b panicked: escalate",
        "Exhausted: its supervisor has decided to fail with it",
        "a starts",
        "b starts",
    ]);
    let children = judge.ask(Children).await.unwrap();
    assert_eq!(children[0].ask(Life).await, Ok(1));
    assert!(judge.is_alive());
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_fails_while_it_decides_is_the_one_that_has_failed() {
    let (sys, journal) = system();
    let judge = sys.spawner().name("judge").spawn_with(judge(&journal));
    let children = judge.ask(Children).await.unwrap();
    idle().await;
    journal.take();
    children[0].tell(Break("lose your mind"));
    // The children end with the supervisor; there was no decision about the one that is down.
    assert_eq!(children[0].stopped().await, StopReason::Failed);
    assert_eq!(children[1].stopped().await, StopReason::Stopped);
    let children = judge.ask(Children).await.unwrap();
    idle().await;
    journal.expect([
        "Panicked: lose your mind",
        "a drops",
        "asked: a panicked: lose your mind",
        "Panicked: it can't decide",
        "b drops",
        "a starts",
        "b starts",
    ]);
    assert_eq!(children[0].ask(Life).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_told_to_stop_while_it_is_down_stays_stopped() {
    let (sys, journal) = system();
    let judge = sys.spawn(judge(&journal)());
    let children = judge.ask(Children).await.unwrap();
    children[0].tell(Break("ouch"));
    idle().await;
    assert_eq!(children[0].stop().await, StopReason::Stopped);
    // The decision comes too late.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!children[0].is_alive());
    judge.stop().await;
    sys.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_group_of_the_system_is_given_up_as_a_whole() {
    let (sys, journal) = system();
    let apart = sys.spawn_with(factory("apart", &journal));
    sys.supervise(Supervision::one_for_all().intensity(1, Duration::from_secs(5)));
    let group = ["a", "b"].map(|name| sys.spawn_with(factory(name, &journal)));
    idle().await;
    journal.expect(["apart starts", "a starts", "b starts"]);
    group[0].tell(Break("ouch"));
    idle().await;
    journal.expect([
        "Panicked: ouch",
        "a drops",
        "b drops",
        "a starts",
        "b starts",
    ]);
    group[1].tell(Break("ouch"));
    assert_eq!(group[1].stopped().await, StopReason::Exhausted);
    assert_eq!(group[0].stopped().await, StopReason::Stopped);
    journal.take();
    assert_eq!(apart.ask(Life).await, Ok(1));
    // Children that are spawned later form a new group.
    let again = ["c", "d"].map(|name| sys.spawn_with(factory(name, &journal)));
    again[0].tell(Break("ouch"));
    assert_eq!(again[1].ask(Life).await.ok(), Some(2));
    sys.shutdown().await.unwrap();
}
