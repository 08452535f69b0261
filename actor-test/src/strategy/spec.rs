//! Strategies by name, as `-s` and the attributes take them.

use std::fmt;
use std::str::FromStr;

use super::{Dfs, Random, Strategy, Weighted, Weights};

/// A strategy by name and parameters, from which each worker makes its own.
///
/// ```
/// use actor_test::strategy::StrategySpec;
///
/// let spec: StrategySpec = "weighted:8/1".parse()?;
/// assert_eq!(spec.to_string(), "weighted");
/// assert!("rnadom".parse::<StrategySpec>().unwrap_err().to_string().contains("`random`"));
/// # Ok::<(), actor_test::strategy::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StrategySpec {
    /// [`Random`].
    Random,
    /// [`Weighted`].
    Weighted(Weights),
    /// [`Dfs`], with its bound on executions.
    Dfs(Option<u64>),
    /// [`Dfs::local_first`], with its bound on executions.
    DfsLocal(Option<u64>),
}

/// Each name, its form, and two lines on it.
const TABLE: &[(&str, &str, &str)] = &[
    (
        "random",
        "random",
        "fair; picks uniformly among the enabled operations.\nThe baseline: good on short tests and for liveness.",
    ),
    (
        "weighted",
        "weighted[:WORK/TIMER]",
        "fair; picks by weights, 8 for work and 1 for a timer unless given.\nGood where timers would otherwise fire too often.",
    ),
    (
        "dfs",
        "dfs[:EXECUTIONS]",
        "unfair; every schedule up to the step bound, depth first.\nFor small tests: it proves the absence of safety bugs when it ends by itself.",
    ),
    (
        "dfs-local",
        "dfs-local[:EXECUTIONS]",
        "unfair; as dfs, but steps that concern one actor alone run first, in one order.\nFar fewer schedules, every order of every inbox; not for tests with monitors or predicates.",
    ),
];

impl StrategySpec {
    /// Makes the strategy.
    pub fn build(&self) -> Box<dyn Strategy> {
        let bounded = |dfs: Dfs, bound: Option<u64>| match bound {
            None => dfs,
            Some(bound) => dfs.executions_max(bound),
        };
        match self {
            Self::Random => Box::new(Random::new()),
            Self::Weighted(weights) => Box::new(Weighted::new(*weights)),
            Self::Dfs(bound) => Box::new(bounded(Dfs::new(), *bound)),
            Self::DfsLocal(bound) => Box::new(bounded(Dfs::new().local_first(), *bound)),
        }
    }

    /// The form and an explanation of every strategy, for `-s list`.
    pub fn explain() -> impl Iterator<Item = (&'static str, &'static str)> {
        TABLE
            .iter()
            .map(|(_, form, explanation)| (*form, *explanation))
    }
}

impl fmt::Display for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Weighted(weights) if *weights == Weights::default() => f.write_str("weighted"),
            Self::Weighted(Weights { work, timer }) => write!(f, "weighted:{work}/{timer}"),
            Self::Dfs(None) => f.write_str("dfs"),
            Self::Dfs(Some(bound)) => write!(f, "dfs:{bound}"),
            Self::DfsLocal(None) => f.write_str("dfs-local"),
            Self::DfsLocal(Some(bound)) => write!(f, "dfs-local:{bound}"),
        }
    }
}

/// Why a text names no strategy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// There is no such strategy.
    #[error("no strategy `{name}`; did you mean `{nearest}`? (there are: {known})")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name.
        nearest: &'static str,
        /// All names.
        known: String,
    },
    /// The parameter is malformed or out of range.
    #[error("malformed parameter in `{text}`; the form is `{form}`, with numbers of at least 1")]
    Parameter {
        /// What was asked for.
        text: String,
        /// What is accepted.
        form: &'static str,
    },
}

impl FromStr for StrategySpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, parameter) = match text.split_once(':') {
            None => (text, None),
            Some((name, parameter)) => (name, Some(parameter)),
        };
        let Some((_, form, _)) = TABLE.iter().find(|(known, ..)| *known == name) else {
            return Err(unknown(name));
        };
        let malformed = || SpecError::Parameter {
            text: text.into(),
            form,
        };
        let positive = |text: &str| text.parse().ok().filter(|number| *number > 0);
        match (name, parameter) {
            ("random", None) => Ok(Self::Random),
            ("weighted", None) => Ok(Self::Weighted(Weights::default())),
            ("weighted", Some(text)) => {
                let (work, timer) = text.split_once('/').ok_or_else(malformed)?;
                let weight = |text: &str| text.parse().ok().filter(|weight| *weight > 0);
                let work = weight(work).ok_or_else(malformed)?;
                let timer = weight(timer).ok_or_else(malformed)?;
                Ok(Self::Weighted(Weights { work, timer }))
            }
            ("dfs", None) => Ok(Self::Dfs(None)),
            ("dfs", Some(text)) => Ok(Self::Dfs(Some(positive(text).ok_or_else(malformed)?))),
            ("dfs-local", None) => Ok(Self::DfsLocal(None)),
            ("dfs-local", Some(text)) => {
                Ok(Self::DfsLocal(Some(positive(text).ok_or_else(malformed)?)))
            }
            _ => Err(malformed()),
        }
    }
}

fn unknown(name: &str) -> SpecError {
    let names = || TABLE.iter().map(|(name, ..)| *name);
    SpecError::Unknown {
        name: name.into(),
        nearest: names()
            .min_by_key(|known| strsim::levenshtein(name, known))
            .unwrap_or("random"),
        known: names().collect::<Vec<_>>().join(", "),
    }
}
