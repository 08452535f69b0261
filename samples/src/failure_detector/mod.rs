//! A failure detector with time-outs: it pings nodes, and reports those that stay silent.
//!
//! The protocol follows the P tutorial and the Coyote samples. In each round the
//! [`FailureDetector`] pings every node that it believes alive and starts a [`Clock`]. Nodes
//! that do not answer in time are pinged a second time; those that stay silent are reported to
//! the detector's clients. When all nodes have answered, the detector cancels the clock. The
//! cancellation may be too late: a [`Timeout`] may be in flight. After a pause the next round
//! begins. A [`Driver`] halts the nodes after some time, and waits for the report of each.
//!
//! **The bugs it teaches.**
//! - [`Bug::CountPings`]: a pong counts as an answer to the current
//!   round, even if it answers an earlier ping. A node that is always one
//!   answer late looks healthy, while its unanswered pings accumulate.
//! - [`Bug::LateRegister`]: the driver registers with a running detector, just before
//!   it halts the nodes. Failures that were detected earlier are never reported to it.
//! - [`Bug::EarlyVerdict`]: the detector reports a node after a single time-out.
//!   A node that is slow, but within the agreed limit, is reported as failed.

mod clock;
mod detector;
mod driver;
mod events;
mod node;
mod specifications;
#[cfg(test)]
mod tests;

use std::time::Duration;

use actor_core::prelude::*;

pub use clock::{Clock, ClockState};
pub use detector::{FailureDetector, FailureDetectorState};
pub use driver::{Driver, DriverState};
pub use events::*;
pub use node::Node;
pub use specifications::{
    Accuracy, AccuracyState, Backlog, BacklogState, Completeness, CompletenessState,
};

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// Pongs are not matched to rounds.
    CountPings,
    /// The driver registers late, with a detector that already runs.
    LateRegister,
    /// A node is reported after one time-out.
    EarlyVerdict,
}

/// The times of a detector and its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The time that the detector waits for pongs, twice per round.
    pub patience: Duration,
    /// The pause between two rounds.
    pub pause: Duration,
    /// The longest time that a slow node takes to answer. Less than twice the patience.
    pub slowness: Duration,
    /// The time after which the driver halts the nodes.
    pub lifetime: Duration,
}

impl Default for Timing {
    /// The pause is long enough for a slow node to answer both pings of a round before the next round.
    fn default() -> Self {
        Self {
            patience: Duration::from_millis(100),
            pause: Duration::from_secs(1),
            slowness: Duration::from_millis(150),
            lifetime: Duration::from_secs(4),
        }
    }
}

/// Starts nodes and a driver, which starts a detector for them.
///
/// This registers the monitor of the detector's completeness.
/// Tests that promise more register [`Backlog`] and [`Accuracy`].
pub fn set_up(sys: &System, nodes: usize, timing: Timing, bug: Option<Bug>) -> ActorRef<Driver> {
    sys.monitor::<Completeness>();
    let nodes = (0..nodes)
        .map(|_| sys.spawn(Node::new(timing.slowness)))
        .collect();
    sys.spawn(Driver::new(nodes, timing, bug))
}
