//! The actors of kameo as a contender.

use std::convert::Infallible;
use std::sync::Arc;

use kameo::Actor;
use kameo::actor::{ActorRef, Spawn};
use kameo::mailbox;
use kameo::message::{Context, Message};

use crate::contender::{self, Contender, Done, List, ROOM};
use crate::entrant::Entrant;

/// Uses the unbounded mailbox, with `try_send`, which needs no future; or the
/// bounded one, with `send`, which waits for capacity. Awaiting the request itself
/// would box a future. The default feature, a span for each message, is off.
#[derive(Clone, Copy)]
pub(crate) struct Kameo<const BOUNDED: bool>;

struct Count;
struct Total;
struct Sign(Arc<List>);

#[derive(Default)]
pub(crate) struct Counter(u64);

impl Actor for Counter {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(counter: Self, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(counter)
    }
}

impl Message<Count> for Counter {
    type Reply = ();

    async fn handle(&mut self, _: Count, _: &mut Context<Self, ()>) {
        self.0 += 1;
    }
}

impl Message<Total> for Counter {
    type Reply = u64;

    async fn handle(&mut self, _: Total, _: &mut Context<Self, u64>) -> u64 {
        self.0 += 1;
        self.0
    }
}

impl Message<Sign> for Counter {
    type Reply = ();

    async fn handle(&mut self, sign: Sign, _: &mut Context<Self, ()>) {
        self.0 += 1;
        sign.0.sign();
    }
}

struct Ball(contender::Ball);
/// Gives a node the next node of the ring.
struct Next(ActorRef<Node>);

pub(crate) struct Node {
    next: Option<ActorRef<Self>>,
    done: Done,
}

impl Actor for Node {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(node: Self, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(node)
    }
}

impl Message<Next> for Node {
    type Reply = ();

    async fn handle(&mut self, next: Next, _: &mut Context<Self, ()>) {
        self.next = Some(next.0);
    }
}

impl Message<Ball> for Node {
    type Reply = ();

    async fn handle(&mut self, ball: Ball, _: &mut Context<Self, ()>) {
        if let (Some(ball), Some(next)) = (ball.0.hand_on(&self.done), &self.next) {
            tell(next, Ball(ball));
        }
    }
}

fn tell<A: Message<M>, M: Send + 'static>(actor: &ActorRef<A>, message: M) {
    let sent = actor.tell(message).try_send();
    assert!(sent.is_ok(), "an actor lives, and its mailbox has no limit");
}

impl<const BOUNDED: bool> Contender for Kameo<BOUNDED> {
    type System = ();
    type Counter = ActorRef<Counter>;
    type Node = ActorRef<Node>;

    fn name(self) -> &'static str {
        "kameo"
    }

    fn bounded(self) -> Option<Box<dyn Entrant>> {
        Some(Box::new(Kameo::<true>))
    }

    fn system(self) {}

    async fn counter(self, _: &()) -> ActorRef<Counter> {
        let mailbox = if BOUNDED {
            mailbox::bounded(ROOM)
        } else {
            mailbox::unbounded()
        };
        Counter::spawn_with_mailbox(Counter::default(), mailbox)
    }

    async fn tell(self, counter: &ActorRef<Counter>) {
        if BOUNDED {
            let sent = counter.tell(Count).send().await;
            assert!(sent.is_ok(), "a counter lives");
        } else {
            tell(counter, Count);
        }
    }

    async fn ask(self, counter: &ActorRef<Counter>) -> u64 {
        counter.ask(Total).send().await.expect("a counter answers")
    }

    async fn sign(self, counter: &ActorRef<Counter>, list: Arc<List>) {
        tell(counter, Sign(list));
    }

    async fn ring(self, _: &(), size: usize, done: Done) -> Vec<ActorRef<Node>> {
        let node = |_| Node {
            next: None,
            done: done.clone(),
        };
        let nodes: Vec<_> = (0..size)
            .map(node)
            .map(|node| Node::spawn_with_mailbox(node, mailbox::unbounded()))
            .collect();
        for (node, next) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
            tell(node, Next(next.clone()));
        }
        nodes
    }

    async fn throw(self, node: &ActorRef<Node>, ball: contender::Ball) {
        tell(node, Ball(ball));
    }
}
