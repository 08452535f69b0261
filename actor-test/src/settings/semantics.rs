//! The semantics of actors and their environment: timers, effects, faults, delivery and clocks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::data::clocks::Clocks;
use crate::data::faults::FaultBudgets;

/// The behaviour of actors and their environment where the framework leaves a choice.
///
/// Reports contain these values; the method of [`Tester`](crate::Tester) with the name of a field sets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Semantics {
    /// True if timers fire only when no message can be handled: for protocols that rely on long time-outs.
    /// Default false: an armed timer races with messages.
    pub patient_timers: bool,
    /// True if all effects of a handler are carried out in one step, as in MaceMC. Default false: each send
    /// is a step of its own.
    pub atomic_handlers: bool,
    /// The window after the earliest deadline within which due timers may fire in any order. Default 1 ms.
    pub clock_error: Duration,
    /// True if failures of supervised actors are handled by their supervisors. Default false: such a failure
    /// is a bug at once. Two failures always are bugs: one of an actor without a supervisor, and one more
    /// than the last supervisor's restart limit allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supervised: bool,
    /// The maximum number of faults of each kind in an execution. Default none.
    #[serde(default, skip_serializing_if = "FaultBudgets::is_none")]
    pub faults: FaultBudgets,
    /// The order in which messages between nodes are delivered. Default: in order for each pair of nodes.
    #[serde(default, skip_serializing_if = "Delivery::is_default")]
    pub delivery: Delivery,
    /// The maximum difference of the nodes' clocks. Default zero.
    #[serde(default, skip_serializing_if = "Clocks::is_exact")]
    pub clocks: Clocks,
}

/// The delivery of messages from one node to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delivery {
    /// Messages are encoded and delivered at the flush without a further step, as within a node.
    Mailbox,
    /// Messages are delivered by a step of the link, in the order of sending, as over a connection.
    #[default]
    PerPair,
    /// Messages are delivered by a step of the link, in any order, as datagrams.
    Bag,
}

impl Delivery {
    /// Returns the word for the delivery in settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mailbox => "mailbox",
            Self::PerPair => "per_pair",
            Self::Bag => "bag",
        }
    }

    /// Returns the delivery that a word stands for.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let all = [Self::Mailbox, Self::PerPair, Self::Bag];
        all.into_iter().find(|known| known.word() == word)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Semantics {
    fn default() -> Self {
        Self {
            patient_timers: false,
            atomic_handlers: false,
            clock_error: Duration::from_millis(1),
            supervised: false,
            faults: FaultBudgets::none(),
            delivery: Delivery::default(),
            clocks: Clocks::exact(),
        }
    }
}
