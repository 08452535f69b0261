//! Reproduction tokens: one word that identifies one execution of a test, for use without its trace.

use crate::data::clocks::Clocks;
use crate::data::faults::FaultBudgets;
use crate::settings::strategy::SpecError;
use crate::settings::{Delivery, Semantics};

/// The version of the schedules. Raise it whenever the same strategy, seed and iteration lead to another
/// execution than before, since a step, a choice or a strategy changed.
const SCHEDULES: u32 = 4;

/// The reasons why a token reproduces nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is not of the form that reports print.
    #[error(
        "malformed token `{0}`; the form is STRATEGY@SEED-ITERATION[-kLENGTH][-fFAULTS][-dDELIVERY][-cCLOCKS]-vVERSION, as a report \
         prints it"
    )]
    Malformed(String),
    /// The token was made by an earlier version, in which it identified another execution.
    #[error(
        "the token `{0}` was made by an earlier version of actor-test, whose schedules were others, so \
         it names no execution any more; run the whole test again"
    )]
    Older(String),
    /// The token was made by a later version.
    #[error(
        "the token `{0}` was made by a later version of actor-test, whose schedules are others; update \
         actor-test to reproduce it"
    )]
    Newer(String),
    /// The strategy is unknown.
    #[error(transparent)]
    Strategy(#[from] SpecError),
    /// The search ends before it reaches that execution.
    #[error(
        "the search of the token `{0}` is over after {1} executions: the test is another one now, or has \
         other settings; run the whole test again"
    )]
    Ended(String, u64),
}

/// The parsed contents of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ParsedToken<'a> {
    pub(crate) strategy: &'a str,
    pub(crate) seed: u64,
    /// The iteration, counted from zero.
    pub(crate) iteration: u64,
    /// The expected [length](crate::strategy::Execution::length) that the strategy received, if any.
    pub(crate) length: Option<u64>,
    /// The maximum number of faults of each kind.
    pub(crate) faults: FaultBudgets,
    /// The order in which messages between nodes are delivered.
    pub(crate) delivery: Delivery,
    /// The maximum difference of the nodes' clocks.
    pub(crate) clocks: Clocks,
}

impl ParsedToken<'_> {
    /// Replaces the parts of `given` that a token contains.
    pub(crate) fn semantics(&self, given: Semantics) -> Semantics {
        Semantics {
            faults: self.faults,
            delivery: self.delivery,
            clocks: self.clocks,
            ..given
        }
    }
}

/// Formats the token of an execution: the strategy, the session's seed, and the iteration, counted from one.
/// Then follow the expected length, faults, delivery and clocks, if they differ from the default, and the
/// version of the schedules.
pub(crate) fn token(named: ParsedToken<'_>) -> String {
    let ParsedToken {
        strategy,
        seed,
        iteration,
        length,
        faults,
        delivery,
        clocks,
    } = named;
    let length = length.map_or_else(String::new, |length| format!("-k{length}"));
    // A token must need no quoting in a shell or in a URL.
    let faults = match faults.is_none() {
        true => String::new(),
        false => format!("-f{}", faults.to_string().replace(',', "+")),
    };
    let delivery = match delivery == Delivery::default() {
        true => String::new(),
        false => format!("-d{}", delivery.word()),
    };
    let clocks = match clocks.is_exact() {
        true => String::new(),
        false => format!("-c{}", clocks.to_string().replace(',', "+")),
    };
    let iteration = iteration + 1;
    format!("{strategy}@{seed}-{iteration}{length}{faults}{delivery}{clocks}-v{SCHEDULES}")
}

pub(crate) fn parse(token: &str) -> Result<ParsedToken<'_>, TokenError> {
    let malformed = || TokenError::Malformed(token.into());
    let (strategy, at) = token.rsplit_once('@').ok_or_else(malformed)?;
    let mut parts = at.split('-').peekable();
    let seed = parts.next().and_then(|seed| seed.parse().ok());
    let iteration = parts.next().and_then(|count| count.parse::<u64>().ok());
    let iteration = iteration.and_then(|count| count.checked_sub(1));
    let length = parts.next_if(|part| part.starts_with('k'));
    let length = match length.map(|length| length[1..].parse::<u64>()) {
        None => None,
        Some(Ok(length)) => Some(length),
        Some(Err(_)) => return Err(malformed()),
    };
    let faults = parts.next_if(|part| part.starts_with('f'));
    let faults = match faults.map(|faults| faults[1..].replace('+', ",").parse()) {
        None => FaultBudgets::none(),
        Some(Ok(faults)) => faults,
        Some(Err(_)) => return Err(malformed()),
    };
    let delivery = parts.next_if(|part| part.starts_with('d'));
    let delivery = match delivery.map(|word| Delivery::of(&word[1..])) {
        None => Delivery::default(),
        Some(Some(delivery)) => delivery,
        Some(None) => return Err(malformed()),
    };
    let clocks = parts.next_if(|part| part.starts_with('c'));
    let clocks = match clocks.map(|clocks| clocks[1..].replace('+', ",").parse()) {
        None => Clocks::exact(),
        Some(Ok(clocks)) => clocks,
        Some(Err(_)) => return Err(malformed()),
    };
    // Tokens of the first version have no version.
    let version = match parts.next() {
        None => Some(1),
        Some(version) => version
            .strip_prefix('v')
            .and_then(|number| number.parse::<u32>().ok()),
    };
    match (seed, iteration, version, parts.next()) {
        (Some(_), Some(_), Some(..SCHEDULES), None) => Err(TokenError::Older(token.into())),
        (Some(seed), Some(iteration), Some(SCHEDULES), None) => Ok(ParsedToken {
            strategy,
            seed,
            iteration,
            length,
            faults,
            delivery,
            clocks,
        }),
        (Some(_), Some(_), Some(_), None) => Err(TokenError::Newer(token.into())),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::faults::FaultKind;

    #[test]
    fn a_token_says_which_schedules_it_is_of() {
        let named = |strategy, length| ParsedToken {
            strategy,
            seed: 7,
            iteration: 0,
            length,
            faults: FaultBudgets::none(),
            delivery: Delivery::PerPair,
            clocks: Clocks::exact(),
        };
        let own = token(named("random", None));
        assert_eq!(own, format!("random@7-1-v{SCHEDULES}"));
        assert_eq!(parse(&own), Ok(named("random", None)));
        let own = token(named("fair-pct:3", Some(12)));
        assert_eq!(own, format!("fair-pct:3@7-1-k12-v{SCHEDULES}"));
        assert_eq!(parse(&own), Ok(named("fair-pct:3", Some(12))));
        let failing = ParsedToken {
            faults: FaultBudgets::none()
                .with(FaultKind::Call, 2)
                .with(FaultKind::Full, 1),
            ..named("aimed-pct", Some(12))
        };
        let own = token(failing);
        assert_eq!(
            own,
            format!("aimed-pct@7-1-k12-fcall=2+full=1-v{SCHEDULES}")
        );
        assert_eq!(parse(&own), Ok(failing));
        let apart = ParsedToken {
            delivery: Delivery::Bag,
            clocks: Clocks::exact()
                .with_offset(std::time::Duration::from_micros(1500))
                .with_drift_ppb(1_000),
            ..failing
        };
        let own = token(apart);
        assert_eq!(
            own,
            format!(
                "aimed-pct@7-1-k12-fcall=2+full=1-dbag-coffset=1.5ms+drift=0.000001-v{SCHEDULES}"
            )
        );
        assert_eq!(parse(&own), Ok(apart));
        for old in [
            "random@0-24",
            "random@0-24-v1",
            "pct@0-24-v2",
            "pct@0-24-v3",
        ] {
            assert_eq!(parse(old), Err(TokenError::Older(old.into())));
        }
        let new = format!("random@0-24-v{}", SCHEDULES + 1);
        assert_eq!(parse(&new), Err(TokenError::Newer(new.clone())));
        for wrong in [
            "",
            "random",
            "random@7",
            "random@7-0",
            "random@7-0-v4",
            "random@7-1-3",
            "random@7-1-v",
            "random@7-1-v4-",
            "random@-1",
            "random@x-1-v4",
            "random@7-1-k-v4",
            "random@7-1-kx-v4",
            "random@7-1-v4-k4",
            "random@7-k4-1-v4",
            "random@7-1-fx=1-v4",
            "random@7-1-fcall=1-k4-v4",
            "random@7-1-dsack-v4",
            "random@7-1-coffset-v4",
            "random@7-1-cdrift=0.1-dbag-v4",
        ] {
            assert_eq!(
                parse(wrong),
                Err(TokenError::Malformed(wrong.into())),
                "{wrong}"
            );
        }
    }
}
