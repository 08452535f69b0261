//! What has changed among the enabled operations since a strategy looked last.

use super::Enabled;

/// How many changes are remembered: more than a step makes, as a rule.
const REMEMBERED: usize = 16;

/// The positions in the enabled set that were set or vacated last, and how many there were in this
/// execution. Recording one costs the same whether anyone asks or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    count: u64,
    recent: [u32; REMEMBERED],
}

impl Changes {
    /// Forgets the execution before.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Another operation, or none, is at the position, or the one there would do something else.
    #[inline]
    pub(crate) fn record(&mut self, position: u32) {
        self.recent[self.count as usize % REMEMBERED] = position;
        self.count += 1;
    }
}

/// Up to so many enabled operations are looked at one by one, which is faster than to keep an order.
pub(super) const FEW: usize = 8;

/// Tells a strategy which positions to look at again, so that a step costs it the same for any
/// number of enabled operations.
#[derive(Clone, Debug, Default)]
pub(super) struct Follower {
    /// How many changes it has followed.
    seen: u64,
}

impl Follower {
    /// An execution begins, or what was known of it is forgotten.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.seen = 0;
    }

    /// Nothing has changed since the last look. It is not so before the first of an execution.
    pub(super) fn is_current(&self, enabled: &Enabled<'_>) -> bool {
        self.seen == enabled.changes.count
    }

    /// The positions of the enabled set where something has changed since the last look, in rising
    /// order. Where there was too much to remember they are all positions. Those beyond the enabled
    /// set are not among them.
    #[inline]
    pub(super) fn look<'a>(&mut self, enabled: &Enabled<'a>) -> Changed<'a> {
        let since = std::mem::replace(&mut self.seen, enabled.changes.count);
        Changed {
            changes: enabled.changes,
            since,
            next: 0,
            len: enabled.len() as u32,
        }
    }
}

/// Positions in rising order.
#[derive(Clone, Debug)]
pub(super) struct Changed<'a> {
    changes: &'a Changes,
    /// What changed after so many changes is meant.
    since: u64,
    /// The lowest position that may be the next.
    next: u32,
    len: u32,
}

impl Iterator for Changed<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let mut lowest = self.next;
        if self.changes.count - self.since <= REMEMBERED as u64 {
            // They are few: to look for the next among them all is faster than to sort them.
            lowest = u32::MAX;
            for change in self.since..self.changes.count {
                let position = self.changes.recent[change as usize % REMEMBERED];
                if position >= self.next {
                    lowest = lowest.min(position);
                }
            }
        }
        self.next = lowest.saturating_add(1);
        (lowest < self.len).then_some(lowest as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{below, generator};
    use super::super::{OperationId, Pending, StepKind};
    use super::*;

    fn pending(number: u32) -> Pending {
        Pending {
            operation: OperationId::actor(number),
            kind: StepKind::Handle,
            inbox: None,
            sender: None,
            event: None,
        }
    }

    /// Whoever looks at the positions that are told knows the whole set, however much happens
    /// between two looks.
    #[test]
    fn nothing_that_changes_is_missed() {
        let mut rng = generator(5);
        let (mut all, mut changes) = (Vec::new(), Changes::default());
        let mut follower = Follower::default();
        let mut known: Vec<OperationId> = Vec::new();
        let mut partial = 0;
        for look in 0..5_000 {
            for _ in 0..below(&mut rng, 1 + look % 20) {
                if all.is_empty() || below(&mut rng, 100) < 52 {
                    changes.record(all.len() as u32);
                    all.push(pending(below(&mut rng, 1 << 20) as u32));
                } else {
                    let gone = below(&mut rng, all.len() as u64) as usize;
                    changes.record(gone as u32);
                    all.swap_remove(gone);
                }
            }
            let enabled = Enabled {
                pending: &all,
                paths: &[],
                changes: &changes,
                step: 0,
                last: OperationId::actor(0),
            };
            let changed = follower.look(&enabled);
            assert!(follower.is_current(&enabled));
            assert!(changed.clone().is_sorted());
            partial += u32::from(changed.clone().count() < all.len());
            known.resize(all.len(), OperationId::actor(u32::MAX - 1));
            for position in changed {
                known[position] = all[position].operation;
            }
            assert!(
                known
                    .iter()
                    .eq(all.iter().map(|pending| &pending.operation))
            );
        }
        assert!(partial > 3_000, "{partial}");
    }
}
