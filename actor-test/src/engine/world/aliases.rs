//! Replacement keys, by which operations of an edited program keep the keys of a recorded one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::hash::mix;

/// The salt of a key whose value an alias has already taken.
const OTHER: u64 = 0x6f_74_68_65_72;

/// The keys that operations get in place of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases(Option<Arc<ReplacementKeys>>);

#[derive(Debug)]
struct ReplacementKeys {
    by_key: BTreeMap<u64, u64>,
    given: BTreeSet<u64>,
}

impl Aliases {
    /// Creates aliases from a map of each operation's own key to its replacement.
    pub(crate) fn new(by_key: BTreeMap<u64, u64>) -> Self {
        let given = by_key.values().copied().collect();
        Self(Some(Arc::new(ReplacementKeys { by_key, given })))
    }

    /// Returns the key of the operation whose own key is `key`. No two operations have the same one.
    pub(super) fn of(&self, key: u64) -> u64 {
        let Some(called) = &self.0 else {
            return key;
        };
        match called.by_key.get(&key) {
            Some(given) => *given,
            None if called.given.contains(&key) => mix(key, OTHER),
            None => key,
        }
    }
}
