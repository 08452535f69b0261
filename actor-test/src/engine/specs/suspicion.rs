//! A suspicion: the reason why an obligation is believed to stay pending for ever.

use serde::{Deserialize, Serialize};

use crate::data::bug::Cycle;
use crate::engine::world::temperature::Obligation;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Suspicion {
    /// The pending obligation.
    pub(crate) entry: Obligation,
    /// The step since which the obligation has been pending.
    pub(crate) since: u64,
    /// A cycle along which the obligation stays hot, if one was seen.
    pub(crate) cycle: Option<Cycle>,
    /// True if no schedule leaves the states of the execution; otherwise the heat has passed the threshold.
    pub(crate) certain: bool,
}
