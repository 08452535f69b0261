//! The messages between the detector, the nodes, the clock and the driver.

use std::time::Duration;

use actor_core::prelude::*;

use super::{FailureDetector, Node};

/// Asks a node if it is alive.
#[derive(Debug)]
pub struct Ping {
    /// The number of the round.
    pub round: u64,
    /// The detector, which gets the answer.
    pub from: ActorRef<FailureDetector>,
}

/// Answers [`Ping`]: the node is alive.
#[derive(Debug)]
pub struct Pong {
    /// The node that answers.
    pub node: ActorId,
    /// The round of the ping that is answered.
    pub round: u64,
}

/// Starts the clock.
#[derive(Debug)]
pub struct StartTimer {
    /// The time until the clock sends [`Timeout`].
    pub delay: Duration,
    /// The detector, which gets the [`Timeout`].
    pub from: ActorRef<FailureDetector>,
}

/// Stops the clock, unless the time is already over.
#[derive(Debug)]
pub struct CancelTimer;

/// Answers [`CancelTimer`]: the clock was stopped, and there will be no [`Timeout`].
#[derive(Debug)]
pub struct CancelOk;

/// Answers [`CancelTimer`]: the clock was over, and has sent [`Timeout`] before this.
#[derive(Debug)]
pub struct CancelFail;

/// The clock's time is over.
#[derive(Debug)]
pub struct Timeout;

/// Registers one more client for reports of failures.
#[derive(Debug)]
pub struct RegisterClient {
    /// The client.
    pub client: Recipient<NodeFailed>,
}

/// Reports that a node was silent for too long.
#[derive(Clone, Debug)]
pub struct NodeFailed {
    /// The node that failed.
    pub node: ActorId,
}

/// Halts a node.
#[derive(Debug)]
pub struct Halt;

/// Asks the driver for the number of reported failures; answered when all nodes are reported.
#[derive(Debug)]
pub struct HowManyFailed;

/// The address of a node.
pub type NodeRef = ActorRef<Node>;
