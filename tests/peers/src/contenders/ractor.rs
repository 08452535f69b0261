//! The actors of ractor as a contender.

use std::sync::Arc;

use ractor::rpc::CallResult;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use crate::contender::{Ball, Contender, Done, List};
use crate::entrant::Entrant;

/// Mailboxes of ractor are unbounded: `cast` sends, and `call` asks without a time limit. Uses
/// native async functions, not boxed futures, and no spans; the default features would add both.
#[derive(Clone, Copy)]
pub(crate) struct Ractor;

pub(crate) enum Event {
    Count,
    Total(RpcReplyPort<u64>),
    Sign(Arc<List>),
}

struct Counter;

impl Actor for Counter {
    type Msg = Event;
    type State = u64;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Event>, (): ()) -> Result<u64, ActorProcessingErr> {
        Ok(0)
    }

    async fn handle(
        &self,
        _: ActorRef<Event>,
        event: Event,
        total: &mut u64,
    ) -> Result<(), ActorProcessingErr> {
        *total += 1;
        match event {
            Event::Count => {}
            Event::Total(reply) => reply.send(*total)?,
            Event::Sign(list) => list.sign(),
        }
        Ok(())
    }
}

pub(crate) enum Pass {
    Next(ActorRef<Self>),
    Ball(Ball),
}

struct Node(Done);

impl Actor for Node {
    type Msg = Pass;
    type State = Option<ActorRef<Pass>>;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<Pass>,
        (): (),
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(None)
    }

    async fn handle(
        &self,
        _: ActorRef<Pass>,
        event: Pass,
        next: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            Pass::Next(node) => *next = Some(node),
            Pass::Ball(ball) => {
                if let (Some(ball), Some(next)) = (ball.hand_on(&self.0), next) {
                    next.cast(Pass::Ball(ball))?;
                }
            }
        }
        Ok(())
    }
}

/// Uses `spawn`, since `spawn_instant` starts an additional task.
async fn spawn<A: Actor<Arguments = ()>>(actor: A) -> ActorRef<A::Msg> {
    let spawned = Actor::spawn(None, actor, ()).await;
    spawned.expect("an actor starts").0
}

impl Contender for Ractor {
    type System = ();
    type Counter = ActorRef<Event>;
    type Node = ActorRef<Pass>;

    fn name(self) -> &'static str {
        "ractor"
    }

    fn bounded(self) -> Option<Box<dyn Entrant>> {
        None
    }

    fn system(self) {}

    async fn counter(self, _: &()) -> ActorRef<Event> {
        spawn(Counter).await
    }

    async fn tell(self, counter: &ActorRef<Event>) {
        counter.cast(Event::Count).expect("a counter lives");
    }

    async fn ask(self, counter: &ActorRef<Event>) -> u64 {
        match counter.call(Event::Total, None).await {
            Ok(CallResult::Success(total)) => total,
            _ => unreachable!("a counter answers"),
        }
    }

    async fn sign(self, counter: &ActorRef<Event>, list: Arc<List>) {
        counter.cast(Event::Sign(list)).expect("a counter lives");
    }

    async fn ring(self, _: &(), size: usize, done: Done) -> Vec<ActorRef<Pass>> {
        let mut nodes = Vec::new();
        for _ in 0..size {
            nodes.push(spawn(Node(done.clone())).await);
        }
        for (node, next) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
            node.cast(Pass::Next(next.clone())).expect("a node lives");
        }
        nodes
    }

    async fn throw(self, node: &ActorRef<Pass>, ball: Ball) {
        node.cast(Pass::Ball(ball)).expect("a node lives");
    }
}
