//! Change log of the enabled set, by which strategies update their order incrementally: [`Changes`].

use super::Enabled;

/// The number of changes that are remembered; a step rarely makes more.
const REMEMBERED: usize = 16;

/// A ring of the positions in the enabled set that changed last, and the number of changes in this
/// execution. The price of a record does not depend on whether a strategy reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    count: u64,
    recent: [u32; REMEMBERED],
}

impl Changes {
    /// Resets the log for a new execution.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Records that the operation at a position, or its next step, was set, replaced or removed.
    #[inline]
    pub(crate) fn record(&mut self, position: u32) {
        self.recent[self.count as usize % REMEMBERED] = position;
        self.count += 1;
    }

    /// Records that the whole set may have changed.
    pub(crate) fn record_all(&mut self) {
        self.count += REMEMBERED as u64 + 1;
    }
}

/// Up to this many enabled operations are scanned one by one, which is faster than keeping an order.
pub(super) const FEW: usize = 8;

/// A reader of the change log, at a price independent of the number of enabled operations.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangeReader {
    /// The number of changes that were read.
    seen: u64,
}

impl ChangeReader {
    /// Forgets what was read, for a new execution or a fresh start.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.seen = 0;
    }

    /// True if nothing has changed since the last read. False before the first one of an execution.
    pub(super) fn is_current(&self, enabled: &Enabled<'_>) -> bool {
        self.seen == enabled.changes().count
    }

    /// The positions of the enabled set that changed since the last read, in rising order. After more
    /// changes than are remembered, these are all positions. Positions beyond the enabled set are left out.
    #[inline]
    pub(super) fn observe<'a>(&mut self, enabled: &Enabled<'a>) -> Changed<'a> {
        let since = std::mem::replace(&mut self.seen, enabled.changes().count);
        Changed {
            changes: enabled.changes(),
            since,
            next: 0,
            len: enabled.len() as u32,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Changed<'a> {
    changes: &'a Changes,
    /// The changes with numbers from here on are listed.
    since: u64,
    /// The lowest position that may come next.
    next: u32,
    len: u32,
}

impl Iterator for Changed<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let mut lowest = self.next;
        if self.changes.count - self.since <= REMEMBERED as u64 {
            // With so few changes, a scan for each next position is faster than sorting.
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
    use std::sync::Arc;

    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::{
        Delayed, DelayingExplorer, Execution, OperationId, Pending, RoundRobin, StepKind, Strategy,
        StrategySpec,
    };
    use super::*;
    use crate::strategy::{below, generator};

    /// An enabled set that changes at random, like the engine's.
    #[derive(Default)]
    struct Set {
        pending: Vec<Pending>,
        changes: Changes,
        paths: Vec<u64>,
    }

    impl Set {
        fn enabled(&self) -> Enabled<'_> {
            self.enabled_of(&self.changes)
        }

        fn enabled_of<'a>(&'a self, changes: &'a Changes) -> Enabled<'a> {
            Enabled::new(&self.pending, &self.paths, changes, 0, 0)
        }

        /// Changes the next step of an operation, or enables it.
        fn set(&mut self, rng: &mut Xoshiro256PlusPlus, number: u32) {
            let operation = OperationId::actor(number);
            let flushes = below(rng, 2) == 0;
            let pending = Pending {
                operation,
                kind: [StepKind::Handle, StepKind::Flush][usize::from(flushes)],
                inbox: Some(OperationId::actor(below(rng, 3) as u32)).filter(|_| flushes),
                sender: None,
                event: None,
                message: None,
            };
            let mut all = self.pending.iter();
            let position = all.position(|known| known.operation == operation);
            match position {
                Some(position) => self.pending[position] = pending,
                None => self.pending.push(pending),
            }
            let position = position.unwrap_or(self.pending.len() - 1);
            self.changes.record(position as u32);
        }

        fn remove(&mut self, position: usize) {
            self.pending.swap_remove(position);
            self.changes.record(position as u32);
        }

        /// Takes a step of the operation at a position, with changes to others; the set grows or shrinks.
        fn step(&mut self, rng: &mut Xoshiro256PlusPlus, picked: usize, step: u64) {
            match below(rng, 3) {
                0 if self.pending.len() > 1 => self.remove(picked),
                _ => self.set(rng, self.pending[picked].operation.bits()),
            }
            let growing = step % 400 < 200;
            for _ in 0..below(rng, 4) {
                let number = below(rng, self.paths.len() as u64) as u32;
                if below(rng, 10) < if growing { 8 } else { 2 } {
                    self.set(rng, number);
                } else if self.pending.len() > 1 {
                    self.remove(number as usize % self.pending.len());
                }
            }
        }
    }

    fn begin(strategy: &mut dyn Strategy, seed: u64) {
        strategy.begin(&Execution {
            iteration: 0,
            seed,
            max_steps: 1_000,
            estimates: Arc::default(),
            length: None,
            faults: crate::data::faults::FaultBudgets::none(),
        });
    }

    /// Checks that two strategies pick the same at every step, where the second one is notified of so many
    /// changes that it reads all positions. Returns the size of the largest enabled set.
    fn assert_same(one: &mut dyn Strategy, other: &mut dyn Strategy, seed: u64) -> usize {
        let mut rng = generator(seed);
        let mut set = Set {
            paths: (0..40).collect(),
            ..Set::default()
        };
        begin(one, seed);
        begin(other, seed);
        set.set(&mut rng, 0);
        let mut most = 0;
        for step in 0..1_000 {
            let picked = one.pick(&set.enabled());
            let changes = Changes {
                count: (step + 1) * 100,
                ..Changes::default()
            };
            let all = set.enabled_of(&changes);
            assert_eq!(other.pick(&all), picked, "{} at step {step}", one.name());
            let picked = picked.expect("none declines");
            most = most.max(set.pending.len());
            set.step(&mut rng, picked, step);
        }
        most
    }

    #[test]
    fn a_strategy_picks_the_same_whether_it_looks_at_all_or_at_what_changed() {
        let names = [
            "pct",
            "pct:9",
            "pos:local",
            "urw",
            "surw",
            "delay",
            "delay:rr/9",
            "ss",
        ];
        for name in names {
            let spec: StrategySpec = name.parse().expect("a strategy");
            for seed in 0..10 {
                let most = assert_same(&mut *spec.build(), &mut *spec.build(), seed);
                assert!(most > 2 * FEW, "{most}");
            }
        }
    }

    /// A round robin without the preparation before each step, which therefore scans all operations.
    #[derive(Debug)]
    struct Unprepared(RoundRobin);

    impl DelayingExplorer for Unprepared {
        fn name(&self) -> String {
            self.0.name()
        }
        fn begin(&mut self, execution: &Execution) {
            self.0.begin(execution);
        }
        fn next(&self, enabled: &Enabled<'_>) -> usize {
            self.0.next(enabled)
        }
        fn delay(&mut self, enabled: &Enabled<'_>) {
            self.0.delay(enabled);
        }
        fn started(&mut self, operation: OperationId) {
            self.0.started(operation);
        }
        fn stepped(&mut self, step: &Pending) {
            self.0.stepped(step);
        }
    }

    #[test]
    fn the_round_is_the_same_in_order_and_searched() {
        for kind in [RoundRobin::new, RoundRobin::random] {
            for seed in 0..10 {
                let mut prepared = Delayed::new(kind(), 50);
                let mut unprepared = Delayed::new(Unprepared(kind()), 50);
                assert_same(&mut prepared, &mut unprepared, seed);
            }
        }
    }

    /// A reader of the changed positions knows the whole set, however many changes come between two reads.
    #[test]
    fn nothing_that_changes_is_missed() {
        let mut rng = generator(5);
        let mut set = Set {
            paths: (0..100).collect(),
            ..Set::default()
        };
        set.set(&mut rng, 0);
        let mut follower = ChangeReader::default();
        let mut known: Vec<Option<Pending>> = Vec::new();
        let mut partial = 0;
        for observe in 0..5_000 {
            for step in 0..below(&mut rng, 1 + observe % 10) {
                let position = below(&mut rng, set.pending.len() as u64);
                set.step(&mut rng, position as usize, observe + step);
            }
            let enabled = set.enabled();
            let changed = follower.observe(&enabled);
            assert!(follower.is_current(&enabled));
            assert!(changed.clone().is_sorted_by(|one, next| one < next));
            partial += u32::from(changed.clone().count() < set.pending.len());
            known.resize(set.pending.len(), None);
            for position in changed {
                known[position] = Some(set.pending[position]);
            }
            let all = set.pending.iter().copied().map(Some);
            assert!(known.iter().copied().eq(all));
        }
        assert!(partial > 2_500, "{partial}");
    }
}
