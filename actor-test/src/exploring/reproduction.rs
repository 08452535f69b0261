//! Reproduces the execution that a token names.

use crate::engine::{EndReason, Program};
use crate::exploring::confirmation::Judge;
use crate::exploring::explorer::Explorer;
use crate::exploring::summary::Summary;
use crate::report::data::Report;
use crate::settings::strategy::StrategySpec;
use crate::settings::token::{self, ParsedToken, TokenError};
use crate::settings::turn::StrategyTurn;
use crate::settings::{Deny, Settings};

/// Reproduces the execution that a token names.
pub(crate) fn reproduce(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    text: &str,
) -> Result<Report, TokenError> {
    let named = token::parse(text)?;
    let ParsedToken {
        strategy,
        seed,
        iteration,
        length,
        ..
    } = named;
    let strategy = strategy.parse::<StrategySpec>()?;
    let built = strategy.source();
    if built.strategy().needs().length != length.is_some() {
        return Err(TokenError::Malformed(text.into()));
    }
    let settings = Settings {
        seed,
        iterations: iteration + 1,
        check_every: 1,
        semantics: named.semantics(settings.semantics),
        // One execution covers little.
        deny: Deny::default(),
        ..settings.for_search(&strategy)
    };
    let mut explorer = Explorer::new(name, &settings, vec![built]);
    if explorer.needs(|needs| needs.estimates) {
        explorer.run_pilots(program);
    }
    if explorer.needs(|needs| needs.memory) {
        // The execution depends on the earlier ones.
        for before in 0..iteration {
            let outcome = explorer
                .run_turn(program, StrategyTurn::of_first(before))
                .outcome;
            if outcome.end == EndReason::Exhausted {
                return Err(TokenError::Ended(text.into(), before));
            }
        }
    }
    let mut summary = Summary::new(name, &settings);
    let turn = StrategyTurn {
        iteration,
        strategy: 0,
        length,
    };
    let mut contribution = explorer.run_turn(program, turn);
    Judge::new(name, program, &settings, &[]).judge(&mut contribution);
    summary.add(contribution);
    Ok(summary.finish(program, &explorer.observed()))
}
