//! Exhaustive searches under a budget of steps: they end early when no proof is in sight.

use super::{BehaviourSearch, FrontierSearch, SearchBudget, Source};
use crate::settings::strategy::StrategySpec;
use crate::strategy::States;

/// Builds a search with a budget. The search pauses when the steps allowed so far are spent. A search ends
/// early when it needs far more than its worth, or when a proof becomes impossible: an execution is cut off
/// at the step bound, or asks for a seed.
///
/// `races` is the budget of the search for races, where `dpor` falls back to it.
pub(crate) fn budgeted_search(
    spec: &StrategySpec,
    limit: &SearchBudget,
    races: &SearchBudget,
) -> Source {
    match spec {
        StrategySpec::Dpor(None) => {
            let dpor = BehaviourSearch::within(limit.clone(), races.clone());
            Source::by(FrontierSearch::new(dpor))
        }
        StrategySpec::States(None) => Source::by(States::depth_first().within(limit.clone())),
        other => unreachable!("`{other}` is not tried"),
    }
}
