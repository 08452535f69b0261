//! Multi-Paxos: nodes that agree on a log of commands, slot by slot, under one leader after another.
//!
//! After Leslie Lamport, "Paxos Made Simple", section 3. Every [`Node`] is an acceptor, keeps a log,
//! and may lead. A node that is asked by a [`Client`] and does not lead stands for leader: it sends
//! [`Prepare`], once for all slots from the first one that it does not know to be chosen. Each
//! [`Promise`] reports what was accepted there. With a majority of them the node leads: it proposes
//! again what was reported, fills the gaps with commands that do nothing, and goes on with new
//! commands. What a majority accepts is [`Chosen`], and executed in the order of the slots. A leader
//! whose proposal is [`Rejected`] has a successor, and follows. A client that waits too long asks the
//! next node.
//!
//! One node may be connected badly: what is proposed to it goes over a [`Line`] that loses some of
//! it. That is no reason to send again, since the others are a majority. The line is an actor, and not
//! `faults(drop = 2)` between nodes, which would lose promises and what is chosen as well: nobody here
//! sends those again, and a client gives up after some tries.
//!
//! **The bugs it teaches.**
//! - [`Bug::SlotReuse`]: a new leader begins at the first slot that it does not know to be chosen,
//!   without a look at what was reported there. Another command may be chosen in it already.
//! - [`Bug::NoGapFill`]: a new leader proposes again what was reported, and leaves the gaps. What is
//!   chosen behind a gap is never executed. Nothing breaks: that is a *liveness* bug.
//! - [`Bug::PromisePerSlot`]: an acceptor keeps its promise for the slots that it knows. An old leader
//!   can still use the others.

mod acceptor;
mod client;
mod events;
mod line;
mod log;
mod node;
mod specifications;
#[cfg(test)]
mod tests;

use std::time::Duration;

use actor_core::prelude::*;

pub use client::{Client, ClientState};
pub use events::*;
pub use line::Line;
pub use node::{Node, NodeState};
pub use specifications::{
    Execution, ExecutionState, OneCommand, OneCommandState, SameOrder, SameOrderState,
};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// A new leader ignores what was accepted before.
    SlotReuse,
    /// A new leader leaves gaps in the log.
    NoGapFill,
    /// A promise is kept for known slots only.
    PromisePerSlot,
}

/// Who takes part, and how.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Group {
    /// How many nodes there are.
    pub nodes: usize,
    /// How many clients there are; number k begins with node k.
    pub clients: usize,
    /// How many commands each of them has.
    pub commands: u32,
    /// How long a client waits for a node.
    pub patience: Duration,
    /// How often a client tries another node.
    pub retries: u32,
    /// The last node is connected badly.
    pub lossy: bool,
}

/// Starts nodes and their clients.
pub fn set_up(sys: &System, group: Group, bug: Option<Bug>) -> Vec<ActorRef<Client>> {
    sys.monitor::<OneCommand>();
    sys.monitor::<SameOrder>();
    sys.monitor::<Execution>();
    let nodes: Vec<_> = (1..=group.nodes as u32)
        .map(|number| sys.spawn(Node::new(number, bug)))
        .collect();
    let peer = |(index, node): (usize, &ActorRef<Node>)| Peer {
        node: node.clone(),
        accepts: match index {
            _ if group.lossy && index + 1 == group.nodes => {
                sys.spawn(Line::new(node.clone())).recipient()
            }
            _ => node.recipient(),
        },
    };
    let peers: Vec<_> = nodes.iter().enumerate().map(peer).collect();
    for node in &nodes {
        let peers = peers.clone();
        node.tell(Join { peers });
    }
    (0..group.clients)
        .map(|number| sys.spawn(Client::new(number, nodes.clone(), group)))
        .collect()
}
