//! The strategies that take turns by default, and those of Coyote, to compare with.

use super::{ExplorerKind, Probabilistic, StrategySpec};

/// The strategies of the portfolio: each with its form that ends in a fair suffix, if it is unfair.
/// The first is the uniform walk of the pilots.
pub(crate) fn arms() -> Vec<(StrategySpec, Option<StrategySpec>)> {
    let fair = |spec| (spec, None);
    let unfair = |spec: StrategySpec| {
        let fair = StrategySpec::EarlyFair(Box::new(spec.clone()));
        (spec, Some(fair))
    };
    vec![
        fair(StrategySpec::Random),
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
