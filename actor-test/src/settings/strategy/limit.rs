//! The limit of a state search, in states or memory: [`StateLimit`].

use std::fmt;
use std::str::FromStr;

/// The limit of a state search on states or memory; unlimited by default.
///
/// ```
/// use actor_test::strategy::StateLimit;
///
/// let limit: StateLimit = "2GB".parse().expect("so much memory");
/// assert_eq!((limit.bytes, limit.states), (Some(2_000_000_000), None));
/// let limit: StateLimit = "100000".parse().expect("so many states");
/// assert_eq!(limit.states, Some(100_000));
/// assert!("much".parse::<StateLimit>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct StateLimit {
    /// The most states.
    pub states: Option<u64>,
    /// The most bytes of memory; further states are kept in a file, as far as possible.
    pub bytes: Option<usize>,
}

/// The number of states that can be numbered.
pub(crate) const STATES_MAX: u64 = 4_000_000_000;

const MB: usize = 1_000_000;
const GB: usize = 1_000 * MB;

impl StateLimit {
    pub(crate) fn is_bounded(self) -> bool {
        self != Self::default()
    }
}

impl fmt::Display for StateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.states, self.bytes) {
            (Some(states), _) => write!(f, "{states}"),
            (None, Some(bytes)) if bytes.is_multiple_of(GB) => write!(f, "{}GB", bytes / GB),
            (None, Some(bytes)) => write!(f, "{}MB", bytes.div_ceil(MB)),
            (None, None) => write!(f, "{STATES_MAX}"),
        }
    }
}

/// The text is neither a number of states nor an amount of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ParseStateLimitError;

impl FromStr for StateLimit {
    type Err = ParseStateLimitError;

    fn from_str(text: &str) -> Result<Self, ParseStateLimitError> {
        let above_zero = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
        let unit = [("GB", GB), ("MB", MB)]
            .into_iter()
            .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
        if let Some((number, unit)) = unit {
            let number = above_zero(number).and_then(|number| usize::try_from(number).ok());
            let bytes = number.and_then(|number| number.checked_mul(unit));
            let bytes = Some(bytes.ok_or(ParseStateLimitError)?);
            return Ok(Self {
                states: None,
                bytes,
            });
        }
        let states = above_zero(text).filter(|states| *states <= STATES_MAX);
        let states = Some(states.ok_or(ParseStateLimitError)?);
        Ok(Self {
            states,
            bytes: None,
        })
    }
}
