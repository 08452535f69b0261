//! The actors of xtra as a contender.

use std::sync::Arc;

use ::xtra::{Actor, Address, Context, Handler, Mailbox, spawn_tokio};

use crate::contender::{self, Contender, Done, List, ROOM};
use crate::entrant::Entrant;

/// Uses the unbounded mailbox or the bounded one. `detach` does not wait for
/// the handler, and its future is ready at once while there is capacity.
#[derive(Clone, Copy)]
pub(crate) struct Xtra<const BOUNDED: bool>;

struct Count;
struct Total;
struct Sign(Arc<List>);

#[derive(Default)]
pub(crate) struct Counter(u64);

impl Actor for Counter {
    type Stop = ();

    async fn stopped(self) {}
}

impl Handler<Count> for Counter {
    type Return = ();

    async fn handle(&mut self, _: Count, _: &mut Context<Self>) {
        self.0 += 1;
    }
}

impl Handler<Total> for Counter {
    type Return = u64;

    async fn handle(&mut self, _: Total, _: &mut Context<Self>) -> u64 {
        self.0 += 1;
        self.0
    }
}

impl Handler<Sign> for Counter {
    type Return = ();

    async fn handle(&mut self, sign: Sign, _: &mut Context<Self>) {
        self.0 += 1;
        sign.0.sign();
    }
}

struct Ball(contender::Ball);
/// Gives a node the next node of the ring.
struct Next(Address<Node>);

pub(crate) struct Node {
    next: Option<Address<Self>>,
    done: Done,
}

impl Actor for Node {
    type Stop = ();

    async fn stopped(self) {}
}

impl Handler<Next> for Node {
    type Return = ();

    async fn handle(&mut self, next: Next, _: &mut Context<Self>) {
        self.next = Some(next.0);
    }
}

impl Handler<Ball> for Node {
    type Return = ();

    async fn handle(&mut self, ball: Ball, _: &mut Context<Self>) {
        if let (Some(ball), Some(next)) = (ball.0.hand_on(&self.done), &self.next) {
            tell(next, Ball(ball)).await;
        }
    }
}

async fn tell<A: Handler<M>, M: Send + 'static>(actor: &Address<A>, message: M) {
    let sent = actor.send(message).detach().await;
    assert!(sent.is_ok(), "an actor lives");
}

impl<const BOUNDED: bool> Contender for Xtra<BOUNDED> {
    type System = ();
    type Counter = Address<Counter>;
    type Node = Address<Node>;

    fn name(self) -> &'static str {
        "xtra"
    }

    fn bounded(self) -> Option<Box<dyn Entrant>> {
        Some(Box::new(Xtra::<true>))
    }

    fn system(self) {}

    async fn counter(self, _: &()) -> Address<Counter> {
        let mailbox = if BOUNDED {
            Mailbox::bounded(ROOM)
        } else {
            Mailbox::unbounded()
        };
        spawn_tokio(Counter::default(), mailbox)
    }

    async fn tell(self, counter: &Address<Counter>) {
        tell(counter, Count).await;
    }

    async fn ask(self, counter: &Address<Counter>) -> u64 {
        counter.send(Total).await.expect("a counter answers")
    }

    async fn sign(self, counter: &Address<Counter>, list: Arc<List>) {
        tell(counter, Sign(list)).await;
    }

    async fn ring(self, _: &(), size: usize, done: Done) -> Vec<Address<Node>> {
        let node = |_| Node {
            next: None,
            done: done.clone(),
        };
        let nodes: Vec<_> = (0..size)
            .map(node)
            .map(|node| spawn_tokio(node, Mailbox::unbounded()))
            .collect();
        for (node, next) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
            tell(node, Next(next.clone())).await;
        }
        nodes
    }

    async fn throw(self, node: &Address<Node>, ball: contender::Ball) {
        tell(node, Ball(ball)).await;
    }
}
