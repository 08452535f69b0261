//! Our actors on the production executor as a contender.

use std::sync::Arc;

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;

use crate::contender::{self, Contender, Done, List, ROOM, Role};
use crate::entrant::Entrant;

/// Uses `tell`, which never waits, and `ask`; bounded mailboxes use `send`, which waits for capacity.
#[derive(Clone, Copy)]
pub(crate) struct Actors<const BOUNDED: bool>;

#[derive(Debug)]
struct Count;
#[derive(Debug)]
struct Total;
#[derive(Debug)]
struct Sign(Arc<List>);

#[derive(Default)]
pub(crate) struct Counter(u64);

#[actor]
impl Counter {
    #[on]
    fn count(&mut self, _: Count) {
        self.0 += 1;
    }

    #[on]
    fn total(&mut self, _: Total) -> u64 {
        self.0 += 1;
        self.0
    }

    #[on]
    fn sign(&mut self, sign: Sign) {
        self.0 += 1;
        sign.0.sign();
    }
}

#[derive(Debug)]
struct Ball(contender::Ball);
/// Gives a node the next node of the ring.
#[derive(Debug)]
struct Next(ActorRef<Node>);

pub(crate) struct Node {
    next: Option<ActorRef<Self>>,
    done: Done,
}

#[actor]
impl Node {
    #[on]
    fn next(&mut self, next: Next) {
        self.next = Some(next.0);
    }

    #[on]
    fn ball(&mut self, ball: Ball) {
        if let (Some(ball), Some(next)) = (ball.0.hand_on(&self.done), &self.next) {
            next.tell(Ball(ball));
        }
    }
}

impl<const BOUNDED: bool> Contender for Actors<BOUNDED> {
    type System = System;
    type Counter = ActorRef<Counter>;
    type Node = ActorRef<Node>;

    fn name(self) -> &'static str {
        "actor-core"
    }

    fn role(self) -> Role {
        Role::Ours
    }

    fn bounded(self) -> Option<Box<dyn Entrant>> {
        Some(Box::new(Actors::<true>))
    }

    fn system(self) -> System {
        System::new()
    }

    async fn counter(self, system: &System) -> ActorRef<Counter> {
        let mailbox = if BOUNDED {
            Mailbox::bounded(ROOM)
        } else {
            Mailbox::unbounded()
        };
        system.spawner().mailbox(mailbox).spawn(Counter::default())
    }

    async fn tell(self, counter: &ActorRef<Counter>) {
        if BOUNDED {
            counter.send(Count).await.expect("a counter lives");
        } else {
            counter.tell(Count);
        }
    }

    async fn ask(self, counter: &ActorRef<Counter>) -> u64 {
        counter.ask(Total).await.expect("a counter answers")
    }

    async fn sign(self, counter: &ActorRef<Counter>, list: Arc<List>) {
        counter.tell(Sign(list));
    }

    async fn ring(self, system: &System, size: usize, done: Done) -> Vec<ActorRef<Node>> {
        let node = |_| Node {
            next: None,
            done: done.clone(),
        };
        let nodes: Vec<_> = (0..size).map(node).map(|node| system.spawn(node)).collect();
        for (node, next) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
            node.tell(Next(next.clone()));
        }
        nodes
    }

    async fn throw(self, node: &ActorRef<Node>, ball: contender::Ball) {
        node.tell(Ball(ball));
    }
}
