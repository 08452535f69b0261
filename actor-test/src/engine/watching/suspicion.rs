//! Why something is believed to stay owed for ever: [`Suspicion`].

use serde::{Deserialize, Serialize};

use crate::data::bug::Cycle;
use crate::engine::world::temperature::Obligation;

/// Why an execution is believed to go on for ever without what is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Suspicion {
    /// Who owes it.
    pub(crate) entry: Obligation,
    /// The step since which it has been owed.
    pub(crate) since: u64,
    /// A cycle along which it stays hot, where one was seen.
    pub(crate) cycle: Option<Cycle>,
    /// No schedule leaves the states that it is in; else it is hot beyond the threshold, no more.
    pub(crate) certain: bool,
}
