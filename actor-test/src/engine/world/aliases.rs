//! Operations that are called what others were called in an execution of another program.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::hash::mix;

/// What makes a key that nobody else has.
const OTHER: u64 = 0x6f_74_68_65_72;

/// Which key operations get in place of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases(Option<Arc<ReplacementKeys>>);

#[derive(Debug)]
struct ReplacementKeys {
    by_key: BTreeMap<u64, u64>,
    given: BTreeSet<u64>,
}

impl Aliases {
    /// By the keys that they would have.
    pub(crate) fn new(by_key: BTreeMap<u64, u64>) -> Self {
        let given = by_key.values().copied().collect();
        Self(Some(Arc::new(ReplacementKeys { by_key, given })))
    }

    /// The key of the operation that would have this one. No two have the same.
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
