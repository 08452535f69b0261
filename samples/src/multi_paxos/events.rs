//! The messages between nodes and clients.

use std::fmt;

use actor_core::prelude::*;

use super::Node;

/// The number of a leadership: 3.2 belongs to the second
/// node in the third round. No two nodes share a ballot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Ballot {
    /// The round, from one.
    pub round: u32,
    /// The number of the node that owns the ballot.
    pub node: u32,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.node)
    }
}

/// A position in the log, from zero.
pub type Slot = usize;

/// A value on which the nodes agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Command {
    /// A client's command: append a number.
    Append(u32),
    /// A command without an effect, for a slot that would otherwise stay empty.
    Nothing,
}

/// A command that was accepted for a slot.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Vote {
    /// The slot.
    pub slot: Slot,
    /// The ballot of the leader that proposed the command.
    pub ballot: Ballot,
    /// The command.
    pub command: Command,
}

/// The addresses of a node.
#[derive(Clone, Debug, Hash)]
pub struct Peer {
    /// The node.
    pub node: ActorRef<Node>,
    /// The recipient of proposals to the node.
    pub accepts: Recipient<Accept>,
}

/// Informs a node of all nodes, itself included.
#[derive(Debug, Hash)]
pub struct Join {
    /// The nodes.
    pub peers: Vec<Peer>,
}

/// A client's request to execute a command.
#[derive(Clone, Debug, Hash)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// The client.
    pub from: Recipient<Done>,
}

/// A command is executed.
#[derive(Debug, Hash)]
pub struct Done {
    /// The command.
    pub command: Command,
}

/// Asks for the promise to accept nothing older than `ballot`, in any slot (phase 1).
#[derive(Debug, Hash)]
pub struct Prepare {
    /// The ballot of the candidate.
    pub ballot: Ballot,
    /// The first slot that the candidate does not know to be chosen.
    pub first: Slot,
    /// The candidate.
    pub from: ActorRef<Node>,
}

/// Promises to accept nothing older than `ballot`.
#[derive(Debug, Hash)]
pub struct Promise {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// The accepted commands, from the first slot that was asked for.
    pub accepted: Vec<Vote>,
}

/// Asks to accept a command for a slot (phase 2).
#[derive(Debug, Hash)]
pub struct Accept {
    /// The slot.
    pub slot: Slot,
    /// The leader's ballot.
    pub ballot: Ballot,
    /// The command.
    pub command: Command,
    /// The leader.
    pub from: ActorRef<Node>,
}

/// A command is accepted.
#[derive(Debug, Hash)]
pub struct Accepted {
    /// The ballot of the [`Accept`].
    pub ballot: Ballot,
    /// The slot of the [`Accept`].
    pub slot: Slot,
}

/// Rejects a [`Prepare`] or an [`Accept`] that came too late.
#[derive(Debug, Hash)]
pub struct Rejected {
    /// The ballot that is rejected.
    pub ballot: Ballot,
    /// The higher ballot that was promised.
    pub promised: Ballot,
}

/// A majority has accepted a command for a slot.
#[derive(Debug, Hash)]
pub struct Chosen {
    /// The slot.
    pub slot: Slot,
    /// The command.
    pub command: Command,
}

/// For monitors: a node has executed the command of a slot.
#[derive(Debug, Hash)]
pub struct Executed {
    /// The slot.
    pub slot: Slot,
    /// The command.
    pub command: Command,
}

/// Asks a client for the number of nodes that it asked; answered when all its commands are executed.
#[derive(Debug, Hash)]
pub struct HowManyNodes;
