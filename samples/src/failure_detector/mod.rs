//! A failure detector: it pings nodes, and reports those that stay silent.
//!
//! After the failure detector of the P tutorial and of the Coyote samples. In each round the
//! [`FailureDetector`] pings every node that it believes alive and starts a [`Clock`]. Nodes that
//! do not answer in time are pinged a second time; those that stay silent are reported to the
//! detector's clients. When everybody has answered it cancels the clock, which may be too late: a
//! [`Timeout`] may be on its way. Then it pauses, and the next round begins. A [`Driver`] halts the
//! nodes after some time, and waits until it has heard of each.
//!
//! **The bugs it teaches.**
//! - [`Bug::CountPings`]: a pong counts as an answer to the current round, whichever ping it
//!   answers. A node that is always one answer late looks healthy, while its unanswered pings pile
//!   up.
//! - [`Bug::LateRegister`]: the driver registers with a message, just before it halts the nodes, at
//!   a detector that has run for a while. What was detected before is never reported.
//! - [`Bug::EarlyVerdict`]: one time-out is enough for a verdict. A node that is slow, within what
//!   was agreed, is reported dead.

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

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// Pongs are not matched to rounds.
    CountPings,
    /// The driver registers late, with a detector that runs already.
    LateRegister,
    /// A node is reported after one time-out.
    EarlyVerdict,
}

/// The times of a detector and its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How long the detector waits for pongs, twice.
    pub patience: Duration,
    /// How long it pauses between two rounds.
    pub pause: Duration,
    /// How long a slow node takes to answer a ping. Less than twice the patience.
    pub slowness: Duration,
    /// When the driver halts the nodes.
    pub lifetime: Duration,
}

impl Default for Timing {
    /// The pause is long enough for a slow node to answer both pings of a round before the next.
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
/// The completeness of the detector is monitored here, its backlog and its accuracy where they are
/// promised: see [`Backlog`] and [`Accuracy`].
pub fn set_up(sys: &System, nodes: usize, timing: Timing, bug: Option<Bug>) -> ActorRef<Driver> {
    sys.monitor::<Completeness>();
    let nodes = (0..nodes)
        .map(|_| sys.spawn(Node::new(timing.slowness)))
        .collect();
    sys.spawn(Driver::new(nodes, timing, bug))
}
