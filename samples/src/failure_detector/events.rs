//! What the detector, the nodes, the clock and the driver say to each other.

use std::time::Duration;

use actor_core::prelude::*;

use super::{FailureDetector, Node};

/// Asks a node whether it lives.
#[derive(Debug)]
pub struct Ping {
    /// In which round.
    pub round: u64,
    /// Who asks.
    pub from: ActorRef<FailureDetector>,
}

/// A node lives.
#[derive(Debug)]
pub struct Pong {
    /// Which node.
    pub node: ActorId,
    /// The round of the ping that it answers.
    pub round: u64,
}

/// Starts the clock.
#[derive(Debug)]
pub struct StartTimer {
    /// To run for so long.
    pub delay: Duration,
    /// For whom.
    pub from: ActorRef<FailureDetector>,
}

/// Stops the clock, if it is not too late.
#[derive(Debug)]
pub struct CancelTimer;

/// The clock was stopped: there will be no [`Timeout`].
#[derive(Debug)]
pub struct CancelOk;

/// It was too late: the [`Timeout`] was sent before this.
#[derive(Debug)]
pub struct CancelFail;

/// The time is over.
#[derive(Debug)]
pub struct Timeout;

/// From now on, report failures to this client too.
#[derive(Debug)]
pub struct RegisterClient {
    /// The client.
    pub client: Recipient<NodeFailed>,
}

/// A node was silent for too long.
#[derive(Clone, Debug)]
pub struct NodeFailed {
    /// Which node.
    pub node: ActorId,
}

/// Ends a node.
#[derive(Debug)]
pub struct Halt;

/// Asks the driver how many failed nodes it heard of; answered when these are all.
#[derive(Debug)]
pub struct HowManyFailed;

/// A node, as the others know it.
pub type NodeRef = ActorRef<Node>;
