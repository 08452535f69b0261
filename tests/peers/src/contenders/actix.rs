//! The actors of actix as a contender.

use std::sync::Arc;

use ::actix::dev::SendError;
use ::actix::{Actor, Addr, Context, Handler, Message};
use actix_rt::{Arbiter, ArbiterHandle, System};

use crate::contender::{self, Contender, Done, List, ROOM, Run, runtime};
use crate::entrant::Entrant;

/// Uses `do_send`, which never waits. A bounded mailbox uses `try_send`; if the mailbox is
/// full, `send` waits until the event is handled, since actix has no way to wait for capacity.
///
/// The actors of actix stay on the thread (arbiter) where the program starts them. On two workers there
/// are two arbiters, with the placement that suits actix best. Counters are on the first arbiter, and
/// so is a single sender or asker; of several senders every other one is on the second. Of a long ring
/// each half is on its own arbiter; two nodes, one of which always waits, are on the first.
#[derive(Clone, Copy)]
pub(crate) struct Actix<const BOUNDED: bool>;

/// The mailbox capacity if no sender must wait.
const AMPLE: usize = 1 << 20;

tokio::task_local! {
    /// The second arbiter, as known to tasks on the first.
    static SECOND: Option<ArbiterHandle>;
}

struct Count;
struct Total;
struct Sign(Arc<List>);

impl Message for Count {
    type Result = ();
}

impl Message for Total {
    type Result = u64;
}

impl Message for Sign {
    type Result = ();
}

#[derive(Default)]
pub(crate) struct Counter(u64);

impl Actor for Counter {
    type Context = Context<Self>;
}

impl Handler<Count> for Counter {
    type Result = ();

    fn handle(&mut self, _: Count, _: &mut Context<Self>) {
        self.0 += 1;
    }
}

impl Handler<Total> for Counter {
    type Result = u64;

    fn handle(&mut self, _: Total, _: &mut Context<Self>) -> u64 {
        self.0 += 1;
        self.0
    }
}

impl Handler<Sign> for Counter {
    type Result = ();

    fn handle(&mut self, sign: Sign, _: &mut Context<Self>) {
        self.0 += 1;
        sign.0.sign();
    }
}

struct Ball(contender::Ball);
/// Gives a node the next node of the ring.
struct Next(Addr<Node>);

impl Message for Ball {
    type Result = ();
}

impl Message for Next {
    type Result = ();
}

pub(crate) struct Node {
    next: Option<Addr<Self>>,
    done: Done,
}

impl Actor for Node {
    type Context = Context<Self>;
}

impl Handler<Next> for Node {
    type Result = ();

    fn handle(&mut self, next: Next, _: &mut Context<Self>) {
        self.next = Some(next.0);
    }
}

impl Handler<Ball> for Node {
    type Result = ();

    fn handle(&mut self, ball: Ball, _: &mut Context<Self>) {
        if let (Some(ball), Some(next)) = (ball.0.hand_on(&self.done), &self.next) {
            next.do_send(Ball(ball));
        }
    }
}

/// The arbiter that runs this code, and the second one, if any.
pub(crate) struct Arbiters {
    first: ArbiterHandle,
    second: Option<ArbiterHandle>,
}

impl<const BOUNDED: bool> Contender for Actix<BOUNDED> {
    type System = Arbiters;
    type Counter = Addr<Counter>;
    type Node = Addr<Node>;

    fn name(self) -> &'static str {
        "actix"
    }

    fn bounded(self) -> Option<Box<dyn Entrant>> {
        Some(Box::new(Actix::<true>))
    }

    fn system(self) -> Arbiters {
        Arbiters {
            first: Arbiter::current(),
            second: SECOND.get(),
        }
    }

    async fn counter(self, _: &Arbiters) -> Addr<Counter> {
        Counter::create(|context| {
            context.set_mailbox_capacity(if BOUNDED { ROOM } else { AMPLE });
            Counter::default()
        })
    }

    async fn tell(self, counter: &Addr<Counter>) {
        if !BOUNDED {
            counter.do_send(Count);
        } else if let Err(SendError::Full(count)) = counter.try_send(Count) {
            counter.send(count).await.expect("a counter lives");
        }
    }

    async fn ask(self, counter: &Addr<Counter>) -> u64 {
        counter.send(Total).await.expect("a counter answers")
    }

    async fn sign(self, counter: &Addr<Counter>, list: Arc<List>) {
        counter.do_send(Sign(list));
    }

    async fn ring(self, system: &Arbiters, size: usize, done: Done) -> Vec<Addr<Node>> {
        let start = |index: usize| {
            let done = done.clone();
            let arbiter = match &system.second {
                Some(second) if size > 2 && index >= size / 2 => second,
                _ => &system.first,
            };
            Node::start_in_arbiter(arbiter, |_| Node { next: None, done })
        };
        let nodes: Vec<_> = (0..size).map(start).collect();
        for (node, next) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
            node.do_send(Next(next.clone()));
        }
        nodes
    }

    async fn throw(self, node: &Addr<Node>, ball: contender::Ball) {
        node.do_send(Ball(ball));
    }

    fn start(self, index: usize, task: Run) {
        match SECOND.get() {
            Some(second) if index % 2 == 1 => {
                assert!(second.spawn(task), "an arbiter lives")
            }
            _ => drop(actix_rt::spawn(task)),
        }
    }

    fn execute(self, workers: usize, run: Run<f64>) -> f64 {
        // The single-threaded runtime that the other contenders use.
        let system = System::with_tokio_rt(|| runtime(0));
        system.block_on(async {
            let second = (workers > 1).then(|| Arbiter::with_tokio_rt(|| runtime(0)));
            let handle = second.as_ref().map(Arbiter::handle);
            let figure = actix_rt::spawn(SECOND.scope(handle, run)).await;
            if let Some(second) = second {
                second.stop();
                second.join().expect("an arbiter ends");
            }
            figure.expect("a run ends")
        })
    }
}
