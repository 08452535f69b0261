//! The say of a strategy in the faults that the tester places for it: [`FaultTiming`].

use super::{Enabled, FaultSite};
use crate::data::faults::{Fault, FaultKind};

/// A fault that may strike now, or a lasting one that may end.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum PossibleFault<'a> {
    /// Between two steps: before one of these operations takes the next.
    Between(&'a Enabled<'a>, &'a Fault),
    /// Within the step in progress.
    Within(&'a FaultSite),
}

impl PossibleFault<'_> {
    /// The kind of the fault.
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::Between(_, fault) => fault.kind,
            Self::Within(site) => site.kind,
        }
    }

    /// The nodes concerned, a bit for each in the order of declaration: see [`Fault::nodes`] and
    /// [`FaultSite::nodes`].
    pub fn nodes(&self) -> u64 {
        match self {
            Self::Between(_, fault) => fault.nodes,
            Self::Within(site) => site.nodes,
        }
    }

    /// True if a lasting fault would end: a crashed node boots, a partition is healed.
    pub fn is_undone(&self) -> bool {
        match self {
            Self::Between(_, fault) => fault.is_undone,
            Self::Within(_) => false,
        }
    }
}

/// The time at which a [possible fault](PossibleFault) strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FaultTiming {
    /// The tester places it; in a search, it is one more alternative.
    #[default]
    Placed,
    /// Here; in a search, this is the first alternative.
    Now,
    /// Not here. If the tester had placed a fault of the kind here, it strikes at the next place at which the
    /// strategy allows one.
    Later,
}
