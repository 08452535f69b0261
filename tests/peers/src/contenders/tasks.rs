//! Plain tasks as a contender: each waits on a channel, and answers by tokio's `oneshot`.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::channels::Channel;
use crate::contender::{Ball, Contender, Done, List, Role};
use crate::entrant::Entrant;

/// Tasks over a channel.
#[derive(Clone, Copy)]
pub(crate) struct Tasks<C>(pub(crate) C);

pub(crate) enum Event {
    Count,
    Total(oneshot::Sender<u64>),
    Sign(Arc<List>),
}

async fn count<C: Channel>(mut receiver: C::Receiver<Event>) {
    let mut total = 0;
    while let Some(event) = C::receive(&mut receiver).await {
        total += 1;
        match event {
            Event::Count => {}
            Event::Total(reply) => drop(reply.send(total)),
            Event::Sign(list) => list.sign(),
        }
    }
}

async fn play<C: Channel>(mut receiver: C::Receiver<Ball>, next: C::Sender<Ball>, done: Done) {
    while let Some(ball) = C::receive(&mut receiver).await {
        if let Some(ball) = ball.hand_on(&done) {
            C::send(&next, ball).await;
        }
    }
}

impl<C: Channel> Contender for Tasks<C> {
    type System = ();
    type Counter = C::Sender<Event>;
    type Node = C::Sender<Ball>;

    fn name(self) -> &'static str {
        C::NAME
    }

    fn role(self) -> Role {
        Role::Plain
    }

    fn bounded(self) -> Option<Box<dyn Entrant>> {
        C::bounded()
    }

    fn system(self) {}

    async fn counter(self, _: &()) -> Self::Counter {
        let (sender, receiver) = C::new();
        tokio::spawn(count::<C>(receiver));
        sender
    }

    async fn tell(self, counter: &Self::Counter) {
        C::send(counter, Event::Count).await;
    }

    async fn ask(self, counter: &Self::Counter) -> u64 {
        let (reply, answer) = oneshot::channel();
        C::send(counter, Event::Total(reply)).await;
        answer.await.expect("a counter answers")
    }

    async fn sign(self, counter: &Self::Counter, list: Arc<List>) {
        C::send(counter, Event::Sign(list)).await;
    }

    async fn ring(self, _: &(), size: usize, done: Done) -> Vec<Self::Node> {
        let (nodes, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| C::new()).unzip();
        for (receiver, next) in receivers.into_iter().zip(nodes.iter().cycle().skip(1)) {
            tokio::spawn(play::<C>(receiver, next.clone(), done.clone()));
        }
        nodes
    }

    async fn throw(self, node: &Self::Node, ball: Ball) {
        C::send(node, ball).await;
    }
}
