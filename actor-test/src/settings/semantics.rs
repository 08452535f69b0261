//! How actors behave where the framework leaves a choice.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::data::clocks::Clocks;
use crate::data::faults::FaultBudgets;

/// How actors and their environment behave where the framework leaves a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Semantics {
    /// Timers fire only when no message can be handled: for protocols that rely on time-outs being
    /// long. Default no: an armed timer races with messages.
    pub patient_timers: bool,
    /// An actor's effects of one step are carried out in one step, as in MaceMC. Default no: each
    /// send is a step of its own.
    pub atomic_handlers: bool,
    /// Timers due within this of the earliest deadline may fire in any order. Default 1 ms.
    pub clock_error: Duration,
    /// Failures of supervised actors are part of the story: their supervisors act. Default no: they
    /// are bugs, at once. A failure of an actor without a supervisor always is, and so is one more
    /// than is brought back where nobody is left to act.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supervised: bool,
    /// How many faults of each kind an execution may have. Default none.
    #[serde(default, skip_serializing_if = "FaultBudgets::is_none")]
    pub faults: FaultBudgets,
    /// How messages between nodes are delivered. Default: in their order, for each pair of nodes.
    #[serde(default, skip_serializing_if = "Delivery::is_default")]
    pub delivery: Delivery,
    /// How far the clocks of nodes may be apart. Default: not at all.
    #[serde(default, skip_serializing_if = "Clocks::is_exact")]
    pub clocks: Clocks,
}

/// How messages from one node to another are delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delivery {
    /// At the flush, as within a node: encoded, and no step more.
    Mailbox,
    /// In a step of the link's, in the order in which they were sent: as over a connection.
    #[default]
    PerPair,
    /// In a step of the link's, in any order: as datagrams.
    Bag,
}

impl Delivery {
    /// The word for it in settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mailbox => "mailbox",
            Self::PerPair => "per_pair",
            Self::Bag => "bag",
        }
    }

    /// The one that a word stands for.
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

impl Semantics {
    /// With [`patient_timers`](Semantics::patient_timers).
    #[must_use]
    pub const fn with_patient_timers(mut self) -> Self {
        self.patient_timers = true;
        self
    }

    /// With [`atomic_handlers`](Semantics::atomic_handlers).
    #[must_use]
    pub const fn with_atomic_handlers(mut self) -> Self {
        self.atomic_handlers = true;
        self
    }

    /// With failures of [`supervised`](Semantics::supervised) actors.
    #[must_use]
    pub const fn with_supervised(mut self) -> Self {
        self.supervised = true;
        self
    }

    /// With [`faults`](Semantics::faults).
    #[must_use]
    pub const fn with_faults(mut self, faults: FaultBudgets) -> Self {
        self.faults = faults;
        self
    }

    /// With a [`delivery`](Semantics::delivery).
    #[must_use]
    pub const fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// With [`clocks`](Semantics::clocks).
    #[must_use]
    pub const fn with_clocks(mut self, clocks: Clocks) -> Self {
        self.clocks = clocks;
        self
    }

    /// With a [`clock_error`](Semantics::clock_error).
    #[must_use]
    pub const fn with_clock_error(mut self, error: Duration) -> Self {
        self.clock_error = error;
        self
    }
}
