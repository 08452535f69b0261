//! The strategies of the default portfolio, and those of Coyote's for comparison.

use super::{DELAYS, ExplorerKind, HALVINGS, StrategySpec};

/// The strategies of the portfolio, unfair ones with a form that ends fairly. The pilots use the first.
///
/// Most of them draw an order of everything. Three differ in kind: `urw`, and the neighbours of two
/// deterministic schedules. These rarely show new behaviours, and have few turns; but a mistake that one of
/// them finds costs the others hundreds of schedules.
pub(crate) fn arms() -> Vec<(StrategySpec, Option<StrategySpec>)> {
    let fair = |spec| (spec, None);
    let unfair = |spec: StrategySpec| {
        let fair = StrategySpec::EarlyFair(Box::new(spec.clone()));
        (spec, Some(fair))
    };
    let neighbours = |of| StrategySpec::Delay(of, DELAYS);
    vec![
        fair(StrategySpec::Random),
        unfair(neighbours(ExplorerKind::RunToCompletion)),
        unfair(neighbours(ExplorerKind::RoundRobin)),
        unfair(StrategySpec::Urw),
        fair(StrategySpec::Probabilistic(HALVINGS)),
        unfair(StrategySpec::Pct(None)),
        unfair(StrategySpec::Pos),
        unfair(StrategySpec::PosLocal),
        unfair(StrategySpec::Surw),
    ]
}

/// All strategies of the portfolio, in the order of their positions.
pub(crate) fn strategies(fair_only: bool) -> Vec<StrategySpec> {
    let mut all = Vec::new();
    for (plain, fair) in arms() {
        match fair {
            None => all.push(plain),
            Some(fair) if fair_only => all.push(fair),
            Some(fair) => all.extend([plain, fair]),
        }
    }
    all
}

pub(crate) fn coyote() -> Vec<StrategySpec> {
    let fair = |spec| StrategySpec::Fair(Box::new(spec));
    vec![
        StrategySpec::Random,
        StrategySpec::Probabilistic(3),
        fair(StrategySpec::Pct(Some(11))),
        fair(StrategySpec::Delay(ExplorerKind::RoundRobin, 10)),
    ]
}
