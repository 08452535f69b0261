//! The scenarios as tasks that wait on a channel.

use std::any::Any;
use std::marker::PhantomData;

use tokio::sync::oneshot;
use tokio::task::yield_now;

use super::channels::Channel;
use super::{BURST, Contender, Run};

/// Tasks over `C`.
#[derive(Debug)]
pub struct Tasks<C>(PhantomData<C>);

impl<C> Default for Tasks<C> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

enum Count {
    Add(u64),
    Total(oneshot::Sender<u64>),
}

/// What travels to and fro, or around; at zero it is over.
struct Ball(u64);

fn counter<C: Channel>() -> C::Sender<Count> {
    let (sender, mut receiver) = C::new();
    tokio::spawn(async move {
        let mut total = 0;
        while let Some(message) = C::receive(&mut receiver).await {
            match message {
                Count::Add(value) => total += value,
                Count::Total(reply) => drop(reply.send(total)),
            }
        }
    });
    sender
}

async fn total<C: Channel>(counter: &C::Sender<Count>) -> u64 {
    let (reply, answer) = oneshot::channel();
    C::send(counter, Count::Total(reply));
    answer.await.expect("a counter answers")
}

/// Hands every ball on, but for the last.
fn node<C: Channel>(
    mut receiver: C::Receiver<Ball>,
    next: C::Sender<Ball>,
) -> oneshot::Receiver<()> {
    let (done, over) = oneshot::channel();
    tokio::spawn(async move {
        while let Some(Ball(left)) = C::receive(&mut receiver).await {
            if left == 0 {
                let _ = done.send(());
                return;
            }
            C::send(&next, Ball(left - 1));
        }
    });
    over
}

async fn circle<C: Channel>(size: u64, hops: u64) {
    let (first, receiver) = C::new();
    let mut next = first.clone();
    for _ in 1..size {
        let (sender, receiver) = C::new();
        drop(node::<C>(receiver, next));
        next = sender;
    }
    // The first one has the last ball too.
    let over = node::<C>(receiver, next);
    C::send(&first, Ball(hops - hops % size));
    over.await.expect("the ball comes back");
}

impl<C: Channel> Contender for Tasks<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn fan_in(&self, senders: u64, each: u64) -> Run {
        Box::pin(async move {
            let counter = counter::<C>();
            let tasks: Vec<_> = (0..senders)
                .map(|_| {
                    let counter = counter.clone();
                    tokio::spawn(async move {
                        for sent in 0..each {
                            C::send(&counter, Count::Add(1));
                            if sent % BURST == BURST - 1 {
                                yield_now().await;
                            }
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("a sender ends");
            }
            assert_eq!(total::<C>(&counter).await, senders * each);
        })
    }

    fn ask(&self, times: u64) -> Run {
        Box::pin(async move {
            let counter = counter::<C>();
            for _ in 0..times {
                total::<C>(&counter).await;
            }
        })
    }

    fn spawn(&self, count: u64) -> Run {
        Box::pin(async move {
            let counters: Vec<_> = (0..count).map(|_| counter::<C>()).collect();
            if let Some(last) = counters.last() {
                total::<C>(last).await;
            }
        })
    }

    fn ping_pong(&self, rounds: u64) -> Run {
        Box::pin(circle::<C>(2, 2 * rounds))
    }

    fn ring(&self, size: u64, hops: u64) -> Run {
        Box::pin(circle::<C>(size, hops))
    }

    fn idle(&self, count: u64) -> Run<Box<dyn Any>> {
        Box::pin(async move {
            let counters: Vec<_> = (0..count).map(|_| counter::<C>()).collect();
            for counter in &counters {
                C::send(counter, Count::Add(1));
                total::<C>(counter).await;
            }
            Box::new(counters) as Box<dyn Any>
        })
    }
}
