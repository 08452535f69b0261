//! Tokens: one execution of a test in a word, to be typed where its trace is gone.

use crate::strategy::SpecError;

/// The version of the schedules: raised when what a strategy, a seed and an iteration stand for is
/// another execution than before, since a step, a choice or a strategy is another.
const SCHEDULES: u32 = 2;

/// Why a token reproduces nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It is not of the form that reports print.
    #[error(
        "malformed token `{0}`; the form is STRATEGY@SEED-ITERATION-vVERSION, as a report prints it"
    )]
    Malformed(String),
    /// It was made by an earlier version, in which it stood for another execution.
    #[error(
        "the token `{0}` was made by an earlier version of actor-test, whose schedules were others, so \
         it names no execution any more; run the whole test again"
    )]
    Older(String),
    /// It was made by a later version.
    #[error(
        "the token `{0}` was made by a later version of actor-test, whose schedules are others; update \
         actor-test to reproduce it"
    )]
    Newer(String),
    /// The strategy is not known.
    #[error(transparent)]
    Strategy(#[from] SpecError),
    /// The strategy learns from earlier executions.
    #[error("`{0}` depends on the executions before; run the whole test with its seed instead")]
    HasMemory(String),
}

/// The token of an execution: its strategy, the session's seed, the iteration as reports count it,
/// from one, and the version of the schedules. `iteration` counts from zero.
pub(crate) fn token(strategy: &str, seed: u64, iteration: u64) -> String {
    format!("{strategy}@{seed}-{}-v{SCHEDULES}", iteration + 1)
}

/// The strategy, seed and iteration of a token; the iteration counts from zero.
pub(crate) fn parse(token: &str) -> Result<(&str, u64, u64), TokenError> {
    let malformed = || TokenError::Malformed(token.into());
    let (strategy, at) = token.rsplit_once('@').ok_or_else(malformed)?;
    let mut parts = at.split('-');
    let seed = parts.next().and_then(|seed| seed.parse().ok());
    let iteration = parts.next().and_then(|count| count.parse::<u64>().ok());
    let iteration = iteration.and_then(|count| count.checked_sub(1));
    // The first version was not told.
    let version = match parts.next() {
        None => Some(1),
        Some(version) => version
            .strip_prefix('v')
            .and_then(|number| number.parse::<u32>().ok()),
    };
    match (seed, iteration, version, parts.next()) {
        (Some(_), Some(_), Some(..SCHEDULES), None) => Err(TokenError::Older(token.into())),
        (Some(seed), Some(iteration), Some(SCHEDULES), None) => Ok((strategy, seed, iteration)),
        (Some(_), Some(_), Some(_), None) => Err(TokenError::Newer(token.into())),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_which_schedules_it_is_of() {
        let own = token("fair-pct:3", 7, 0);
        assert_eq!(own, format!("fair-pct:3@7-1-v{SCHEDULES}"));
        assert_eq!(parse(&own), Ok(("fair-pct:3", 7, 0)));
        for old in ["random@0-24", "random@0-24-v1"] {
            assert_eq!(parse(old), Err(TokenError::Older(old.into())));
        }
        let new = format!("random@0-24-v{}", SCHEDULES + 1);
        assert_eq!(parse(&new), Err(TokenError::Newer(new.clone())));
        for wrong in [
            "",
            "random",
            "random@7",
            "random@7-0",
            "random@7-0-v2",
            "random@7-1-2",
            "random@7-1-v",
            "random@7-1-v2-",
            "random@-1",
            "random@x-1-v2",
        ] {
            assert_eq!(
                parse(wrong),
                Err(TokenError::Malformed(wrong.into())),
                "{wrong}"
            );
        }
    }
}
