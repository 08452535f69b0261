//! The order in which states are visited, [`VisitOrder`].

use serde::{Deserialize, Serialize};

use crate::settings::strategy::{StateLimit, StrategySpec};

/// The order in which states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum VisitOrder {
    /// Breadth first: the nearest states first.
    Breadth,
    /// Depth first: on from the last new state.
    Depth,
}

/// Returns the name of the search, as `-s` takes it.
pub(super) fn name(order: VisitOrder, local_first: bool, state_limit: StateLimit) -> String {
    let spec = match (order, local_first) {
        (VisitOrder::Breadth, _) => StrategySpec::Breadth,
        (VisitOrder::Depth, true) => StrategySpec::StatesLocal,
        (VisitOrder::Depth, false) => StrategySpec::States,
    };
    spec(state_limit.is_bounded().then_some(state_limit)).to_string()
}
