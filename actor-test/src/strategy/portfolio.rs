//! The strategies that take turns by default, and those of Coyote, to compare with.

use super::delay::DELAYS;
use super::{ExplorerKind, Probabilistic, StrategySpec};

/// The strategies of the portfolio: each with its form that ends in a fair suffix, if it is unfair.
/// The first is the uniform walk of the pilots.
///
/// Next to what draws an order for everything stand three that differ from it in kind: `urw`, and the
/// neighbours of two schedules without any chance. They seldom show what is new, and have few turns; where
/// one of them finds a mistake, the others need hundreds of schedules for it.
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
        fair(StrategySpec::Probabilistic(Probabilistic::HALVINGS)),
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

/// Coyote's portfolio.
pub(crate) fn coyote() -> Vec<StrategySpec> {
    let fair = |spec| StrategySpec::Fair(Box::new(spec));
    vec![
        StrategySpec::Random,
        StrategySpec::Probabilistic(3),
        fair(StrategySpec::Pct(Some(11))),
        fair(StrategySpec::Delay(ExplorerKind::RoundRobin, 10)),
    ]
}
