//! Multi-Paxos: nodes agree on a log of commands, slot by slot, under one leader after another.
//!
//! The protocol follows Leslie Lamport, "Paxos Made Simple", section 3. Every [`Node`] is an
//! acceptor, keeps a log, and may lead. A node that is asked by a [`Client`] and does not lead
//! becomes a candidate: it sends [`Prepare`], once for all slots from the first one that it does
//! not know to be chosen. Each [`Promise`] reports the commands accepted there. With a majority
//! of promises the node leads: it proposes the reported commands again, fills the gaps with
//! commands that do nothing, and continues with new commands. A command that a majority accepts
//! is [`Chosen`]; commands are executed in slot order. A leader whose proposal is [`Rejected`]
//! has a successor, and becomes a follower. A client that waits too long asks the next node.
//!
//! The last node may have a lossy connection: proposals to it go over a [`Line`], which
//! loses some. No retransmission is needed, since the others are a majority. The line
//! is an actor, since `faults(drop = 2)` between nodes would also lose promises and
//! chosen commands. No node sends those again, and a client gives up after some tries.
//!
//! **The bugs it teaches.**
//! - [`Bug::SlotReuse`]: a new leader starts at the first slot that it does not know to be chosen,
//!   and ignores the commands reported there. Another command may already be chosen for that slot.
//! - [`Bug::NoGapFill`]: a new leader proposes the reported commands again, and leaves the
//!   gaps. Commands after a gap are chosen and never executed, which is a *liveness* bug.
//! - [`Bug::PromisePerSlot`]: an acceptor keeps its promise only for the
//!   slots that it knows. An old leader can still use the other slots.

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

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// A new leader ignores the commands that were accepted before.
    SlotReuse,
    /// A new leader leaves gaps in the log.
    NoGapFill,
    /// A promise is kept for known slots only.
    PromisePerSlot,
}

/// The size of the system, and its parameters.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Group {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of clients; client k asks node k first.
    pub clients: usize,
    /// The number of commands of each client.
    pub commands: u32,
    /// The time that a client waits for a node.
    pub patience: Duration,
    /// The number of times that a client tries another node.
    pub retries: u32,
    /// True if the last node has a lossy connection.
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
