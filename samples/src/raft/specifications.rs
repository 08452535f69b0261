//! The specification of Raft: leader completeness.

use std::collections::BTreeMap;

use actor_core::prelude::*;

use super::{Committed, Elected, Entry, Term};

// ANCHOR: completeness
/// A safety property: a term has one leader, and its log has each entry that was committed in an earlier term.
#[derive(Debug, Default)]
pub struct LeaderCompleteness {
    leaders: BTreeMap<Term, Vec<Entry>>,
    /// Each entry with the first term in which it was committed.
    committed: BTreeMap<usize, (Term, Entry)>,
}

#[monitor(cold(Watching))]
impl LeaderCompleteness {
    #[on]
    fn elected(&mut self, elected: &Elected) {
        let earlier = self.leaders.insert(elected.term, elected.log.clone());
        assert!(earlier.is_none(), "term {} has two leaders", elected.term);
        self.check();
    }

    #[on]
    fn committed(&mut self, committed: &Committed) {
        let entry = (committed.term, committed.entry.clone());
        self.committed.entry(committed.index).or_insert(entry);
        self.check();
    }
}

impl LeaderCompleteness {
    fn check(&self) {
        for (index, (term, entry)) in &self.committed {
            for (later, log) in self.leaders.range(term + 1..) {
                assert!(
                    log.get(index - 1) == Some(entry),
                    "the leader of term {later} lacks {entry:?}, which was committed in term {term}"
                );
            }
        }
    }
}
// ANCHOR_END: completeness
