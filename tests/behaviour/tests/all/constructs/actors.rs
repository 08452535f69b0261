//! The actors of the random programs.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use actor_core::prelude::*;
use actor_core::supervision::{Decision, Failure};
use serde::{Deserialize, Serialize};

use super::kit::{Kit, Row};
use super::rules::{Act, ScriptedAction};

#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub(crate) struct Note(pub(crate) u64);
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub(crate) struct Question(pub(crate) u64);
/// A question that another actor answers, or nobody.
#[derive(Clone, Debug)]
pub(crate) struct Later(pub(crate) Option<Recipient<Hand>>);
/// Hands over the reply that another actor must give.
#[derive(Debug)]
pub(crate) struct Hand(pub(crate) Reply<u64>);
/// Hands over the ask of another actor.
#[derive(Debug)]
pub(crate) struct Have(pub(crate) Ask<u64>);
/// Hands over the identity of another actor.
#[derive(Clone, Debug)]
pub(crate) struct Present(pub(crate) ActorId);
#[derive(Clone, Debug, Hash)]
pub(crate) struct Tick(pub(crate) u64);
#[derive(Clone, Debug, Hash)]
pub(crate) struct Key;

#[protocol]
pub(crate) trait Talks {
    fn note(note: Note);
    fn question(question: Question) -> u64;
}

/// The numbers that distinguish the kinds of records.
const NOTE: u64 = 1_000;
const QUESTION: u64 = 2_000;
const TICK: u64 = 3_000;
const KEY: u64 = 4_000;
const GONE: u64 = 5_000;
const HAVE: u64 = 6_000;
const LIFE: u64 = 7_000;
const PRESENT: u64 = 8_000;

/// Polls an ask once, and returns the result as a number.
pub(crate) fn look(ask: &mut Ask<u64>) -> u64 {
    let mut task = TaskContext::from_waker(Waker::noop());
    match Pin::new(ask).poll(&mut task) {
        Poll::Ready(Ok(value)) => 1 + value,
        Poll::Ready(Err(_)) => 99,
        Poll::Pending => 0,
    }
}

/// Executes its actions at the start, and then handles the events of others.
pub(crate) struct Player {
    actions: Vec<ScriptedAction>,
    life: u64,
    handled: u64,
    presented: Option<ActorId>,
    pub(crate) kit: Kit,
}

impl Player {
    pub(crate) fn new(kit: Kit, actions: Vec<ScriptedAction>, life: u64) -> Self {
        Self {
            actions,
            life,
            handled: 0,
            presented: None,
            kit,
        }
    }

    fn note(&mut self, what: u64) {
        self.kit.row.note(what);
    }

    /// Returns the number of handled events.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }
}

#[actor(states(Open, Closed(defer(Note))))]
impl Player {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        if self.life > 0 {
            return self.note(LIFE + self.life);
        }
        for ScriptedAction { rule, to } in std::mem::take(&mut self.actions) {
            let learnt = match rule.act {
                Act::Any(act) => act(&mut self.kit, to).await,
                Act::Actor(act) => act(&mut self.kit, to, cx).await,
            };
            self.note(learnt);
        }
    }

    #[on]
    fn got(&mut self, note: Note) {
        self.handled += 1;
        self.note(NOTE + note.0);
    }

    #[on]
    fn question(&mut self, question: Question) -> u64 {
        self.handled += 1;
        self.note(QUESTION + question.0);
        self.handled
    }

    #[on]
    fn later(&mut self, later: Later, reply: Reply<u64>) {
        match later.0 {
            Some(other) => other.tell(Hand(reply)),
            None => self.note(u64::from(reply.is_nobody())),
        }
    }

    #[on]
    fn hand(&mut self, hand: Hand) {
        hand.0.send(self.handled);
    }

    #[on]
    fn have(&mut self, mut have: Have) {
        self.note(HAVE + look(&mut have.0));
        let ask = have.0;
        self.kit.keep(async move { ask.await.unwrap_or(99) });
    }

    #[on]
    fn present(&mut self, present: Present) {
        let before = self.presented.replace(present.0);
        self.note(PRESENT + u64::from(before > Some(present.0)));
    }

    #[on]
    fn tick(&mut self, tick: Tick) {
        self.note(TICK + tick.0);
    }

    #[on]
    fn key(&mut self, _: Key, cx: &mut Context<Self>) {
        self.note(KEY);
        if cx.state() == PlayerState::Closed {
            cx.goto(PlayerState::Open);
        }
    }

    #[on]
    fn gone(&mut self, gone: Terminated) {
        self.note(GONE + u64::from(gone.reason.is_failure()));
    }

    #[on]
    fn failure(&mut self, _: Failure) -> Decision {
        self.note(GONE + 2);
        Decision::Stop
    }
}

/// Executes the actions of a participant that is no actor.
pub(crate) async fn play(actions: Vec<ScriptedAction>, mut kit: Kit) {
    for ScriptedAction { rule, to } in actions {
        if let Act::Any(act) = rule.act {
            let learnt = act(&mut kit, to).await;
            kit.row.note(learnt);
        }
    }
}

/// A child of a player.
pub(crate) struct Child {
    pub(crate) row: Row,
    pub(crate) to: ActorRef<Player>,
    /// True if the child panics at its start.
    pub(crate) fails: bool,
}

#[actor]
impl Child {
    #[start]
    fn start(&mut self) {
        self.row.note(1);
        self.to.tell(Note(77));
        assert!(!self.fails, "a child fails");
    }

    #[on]
    fn note(&mut self, note: Note) {
        self.row.note(NOTE + note.0);
        self.to.tell(Note(78 + note.0));
    }

    #[stop]
    fn stop(&mut self) {
        self.row.note(2);
        self.to.tell(Note(76));
    }
}

/// A worker of a pool.
pub(crate) struct Worker {
    row: Row,
    number: u64,
    handled: u64,
}

impl Worker {
    pub(crate) fn new(row: Row, number: u64) -> Self {
        Self {
            row,
            number,
            handled: 0,
        }
    }
}

#[actor]
impl Worker {
    #[on]
    fn question(&mut self, question: Question) -> u64 {
        self.handled += 1;
        self.row.note(10 * question.0 + self.number);
        10 * self.handled + self.number
    }
}

/// An actor on a node, which is found by its name.
pub(crate) struct Echo {
    row: Row,
    handled: u64,
}

impl Echo {
    pub(crate) fn new(row: Row) -> Self {
        Self { row, handled: 0 }
    }

    pub(crate) fn has_handled(&self) -> bool {
        self.handled > 0
    }
}

#[actor]
impl Echo {
    #[start]
    fn start(&mut self) {
        self.row.note(1);
    }

    #[on]
    fn note(&mut self, note: Note) {
        self.handled += 1;
        self.row.note(NOTE + note.0);
    }

    #[on]
    fn question(&mut self, question: Question) -> u64 {
        self.handled += 1;
        self.row.note(QUESTION + question.0);
        self.handled
    }
}

/// Looks up an echo on another node, and sends to it.
pub(crate) struct Caller(pub(crate) Row);

#[actor]
impl Caller {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        match cx.lookup::<Echo>("first/echo").await {
            Ok(echo) => {
                self.0.note(1);
                echo.tell(Note(1));
            }
            Err(_) => self.0.note(0),
        }
    }
}
