//! What nodes and clients say to each other.

use std::fmt;

use actor_core::prelude::*;

use super::Node;

/// The number of a leadership: 3.2 is that of the second node in the third round. No two nodes have
/// a ballot in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Ballot {
    /// The round; from one.
    pub round: u32,
    /// Whose ballot it is.
    pub node: u32,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.node)
    }
}

/// A position in the log, from zero.
pub type Slot = usize;

/// What is agreed upon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Command {
    /// A client's command: append a number.
    Append(u32),
    /// Does nothing, in a slot that would be empty otherwise.
    Nothing,
}

/// A command that was accepted for a slot.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Vote {
    /// The slot.
    pub slot: Slot,
    /// Under which ballot.
    pub ballot: Ballot,
    /// The command.
    pub command: Command,
}

/// A node, as the others reach it.
#[derive(Clone, Debug, Hash)]
pub struct Peer {
    /// The node.
    pub node: ActorRef<Node>,
    /// Where it takes proposals.
    pub accepts: Recipient<Accept>,
}

/// Tells a node who all the nodes are, itself among them.
#[derive(Debug, Hash)]
pub struct Join {
    /// The nodes.
    pub peers: Vec<Peer>,
}

/// A client wants a command to be executed.
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

/// Asks for the promise to accept nothing older than `ballot`, in any slot.
#[derive(Debug, Hash)]
pub struct Prepare {
    /// The ballot of the leader to be.
    pub ballot: Ballot,
    /// The first slot that it does not know to be chosen.
    pub first: Slot,
    /// Who asks.
    pub from: ActorRef<Node>,
}

/// Promises to accept nothing older than `ballot`.
#[derive(Debug, Hash)]
pub struct Promise {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// What was accepted, from the first slot that was asked for.
    pub accepted: Vec<Vote>,
}

/// Asks to accept a command for a slot.
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
    /// Its slot.
    pub slot: Slot,
}

/// A [`Prepare`] or an [`Accept`] came too late.
#[derive(Debug, Hash)]
pub struct Rejected {
    /// Its ballot.
    pub ballot: Ballot,
    /// What was promised to somebody else.
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

/// Asks a client how many nodes it asked; answered when all its commands are executed.
#[derive(Debug, Hash)]
pub struct HowManyNodes;
