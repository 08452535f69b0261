//! Partitions of a search over independent processes: the K-th of N parts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The K-th of N parts of a search: the iterations i, counted from zero, with i mod N = K - 1.
///
/// ```
/// use actor_test::settings::Partition;
///
/// let third: Partition = "3/4".parse()?;
/// assert_eq!(third.to_string(), "3/4");
/// assert!("5/4".parse::<Partition>().is_err());
/// # Ok::<(), actor_test::settings::PartitionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Partition {
    number: u64,
    of: u64,
}

impl Default for Partition {
    /// Returns the whole search.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl Partition {
    /// Returns the number of the part, from one.
    pub const fn number(self) -> u64 {
        self.number
    }

    /// Returns the number of parts.
    pub const fn of(self) -> u64 {
        self.of
    }

    /// Returns true if the search is not divided.
    pub const fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Returns the number of iterations in this part, of `iterations` in all.
    pub(crate) fn count(self, iterations: u64) -> u64 {
        iterations / self.of + u64::from(iterations % self.of >= self.number)
    }

    /// Converts an index within this part to the iteration of the whole search.
    pub(crate) fn iteration(self, execution: u64) -> u64 {
        execution
            .saturating_mul(self.of)
            .saturating_add(self.number - 1)
    }
}

/// The error for a malformed partition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected K/N, the K-th of N parts, with K from 1 to N: `1/4` to `4/4` for instance")]
pub struct PartitionError;

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Self, PartitionError> {
        let (number, of) = text.split_once('/').ok_or(PartitionError)?;
        let number: u64 = number.parse().map_err(|_| PartitionError)?;
        let of = of.parse().map_err(|_| PartitionError)?;
        if (1..=of).contains(&number) {
            Ok(Self { number, of })
        } else {
            Err(PartitionError)
        }
    }
}

impl TryFrom<String> for Partition {
    type Error = PartitionError;

    fn try_from(text: String) -> Result<Self, PartitionError> {
        text.parse()
    }
}

impl From<Partition> for String {
    fn from(partition: Partition) -> Self {
        partition.to_string()
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_complete() {
        for of in 1..=5 {
            for iterations in 0..23 {
                let mut all = Vec::new();
                for number in 1..=of {
                    let part = Partition { number, of };
                    let own =
                        (0..part.count(iterations)).map(|execution| part.iteration(execution));
                    all.extend(own);
                }
                all.sort_unstable();
                assert!(
                    all.into_iter().eq(0..iterations),
                    "{iterations} in {of} parts"
                );
            }
        }
    }

    #[test]
    fn forms_are_refused() {
        for wrong in ["", "1", "0/3", "3/2", "1/0", "a/2", "1/2/3", "-1/2"] {
            assert_eq!(wrong.parse::<Partition>(), Err(PartitionError), "{wrong}");
        }
    }
}
