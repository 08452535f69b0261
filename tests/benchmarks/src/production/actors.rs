//! The scenarios as our actors.

use std::any::Any;

use actor_core::prelude::*;
use tokio::sync::oneshot;
use tokio::task::yield_now;

use super::{BURST, Contender, Run};

/// Our actors on the production executor.
#[derive(Debug)]
pub struct Actors;

#[derive(Debug)]
struct Add(u64);
#[derive(Debug)]
struct Total;
/// What travels to and fro, or around; at zero it is over.
#[derive(Debug)]
struct Ball(u64);
/// To whom the ball goes.
#[derive(Debug)]
struct Next(Recipient<Ball>);

#[derive(Default)]
struct Counter(u64);

#[actor]
impl Counter {
    #[on]
    fn add(&mut self, add: Add) {
        self.0 += add.0;
    }

    #[on]
    fn total(&mut self, _: Total) -> u64 {
        self.0
    }
}

struct Node {
    next: Option<Recipient<Ball>>,
    done: Option<oneshot::Sender<()>>,
}

#[actor]
impl Node {
    #[on]
    fn next(&mut self, next: Next) {
        self.next = Some(next.0);
    }

    #[on]
    fn ball(&mut self, ball: Ball) {
        if ball.0 == 0 {
            let _ = self.done.take().map(|done| done.send(()));
        } else if let Some(next) = &self.next {
            next.tell(Ball(ball.0 - 1));
        }
    }
}

async fn circle(size: u64, hops: u64) {
    let sys = System::new();
    let (done, over) = oneshot::channel();
    let first = sys.spawn(Node {
        next: None,
        done: Some(done),
    });
    let mut next: Recipient<Ball> = first.recipient();
    for _ in 1..size {
        let node = sys.spawn(Node {
            next: Some(next),
            done: None,
        });
        next = node.recipient();
    }
    first.tell(Next(next));
    first.tell(Ball(hops - hops % size));
    over.await.expect("the ball comes back");
}

impl Contender for Actors {
    fn name(&self) -> &'static str {
        "actor-core"
    }

    fn fan_in(&self, senders: u64, each: u64) -> Run {
        Box::pin(async move {
            let sys = System::new();
            let counter = sys.spawn(Counter::default());
            let tasks: Vec<_> = (0..senders)
                .map(|_| {
                    let counter = counter.clone();
                    tokio::spawn(async move {
                        for sent in 0..each {
                            counter.tell(Add(1));
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
            assert_eq!(counter.ask(Total).await, Ok(senders * each));
        })
    }

    fn ask(&self, times: u64) -> Run {
        Box::pin(async move {
            let sys = System::new();
            let counter = sys.spawn(Counter::default());
            for _ in 0..times {
                counter.ask(Total).await.expect("a counter answers");
            }
        })
    }

    fn spawn(&self, count: u64) -> Run {
        Box::pin(async move {
            let sys = System::new();
            let counters: Vec<_> = (0..count).map(|_| sys.spawn(Counter::default())).collect();
            if let Some(last) = counters.last() {
                last.ask(Total).await.expect("a counter answers");
            }
            // Their end is no part of it.
            std::mem::forget(sys);
        })
    }

    fn ping_pong(&self, rounds: u64) -> Run {
        Box::pin(circle(2, 2 * rounds))
    }

    fn ring(&self, size: u64, hops: u64) -> Run {
        Box::pin(circle(size, hops))
    }

    fn idle(&self, count: u64) -> Run<Box<dyn Any>> {
        Box::pin(async move {
            let sys = System::new();
            let counters: Vec<_> = (0..count).map(|_| sys.spawn(Counter::default())).collect();
            for counter in &counters {
                counter.tell(Add(1));
                counter.ask(Total).await.expect("a counter answers");
            }
            Box::new((sys, counters)) as Box<dyn Any>
        })
    }
}
