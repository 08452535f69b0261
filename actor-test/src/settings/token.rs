//! Tokens: one execution of a test in a word, to be typed where its trace is gone.

use crate::strategy::SpecError;

/// Why a token reproduces nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// It is not of the form that reports print.
    #[error("malformed token `{0}`; the form is STRATEGY@SEED-ITERATION, as a report prints it")]
    Malformed(String),
    /// The strategy is not known.
    #[error(transparent)]
    Strategy(#[from] SpecError),
    /// The strategy learns from earlier executions.
    #[error("`{0}` depends on the executions before; run the whole test with its seed instead")]
    HasMemory(String),
}

/// The token of an execution: its strategy, the session's seed, and the iteration as reports count
/// it, from one.
pub(crate) fn token(strategy: &str, seed: u64, iteration: u64) -> String {
    format!("{strategy}@{seed}-{}", iteration + 1)
}

/// The strategy, seed and iteration of a token.
pub(crate) fn parse(token: &str) -> Option<(&str, u64, u64)> {
    let (strategy, at) = token.rsplit_once('@')?;
    let (seed, iteration) = at.split_once('-')?;
    let iteration = iteration.parse::<u64>().ok()?.checked_sub(1)?;
    Some((strategy, seed.parse().ok()?, iteration))
}
