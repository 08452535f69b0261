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

    /// Other operations are enabled than before.
    pub(crate) fn record_all(&mut self) {
        self.count += REMEMBERED as u64 + 1;
    }
}

/// Up to so many enabled operations are looked at one by one, which is faster than to keep an order.
pub(super) const FEW: usize = 8;

/// Tells a strategy which positions to look at again, so that a step costs it the same for any
/// number of enabled operations.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangeReader {
    /// How many changes it has followed.
    seen: u64,
}

impl ChangeReader {
    /// An execution begins, or what was known of it is forgotten.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.seen = 0;
    }

    /// Nothing has changed since the last look. It is not so before the first of an execution.
    pub(super) fn is_current(&self, enabled: &Enabled<'_>) -> bool {
        self.seen == enabled.changes().count
    }

    /// The positions of the enabled set where something has changed since the last look, in rising
    /// order. Where there was too much to remember they are all positions. Those beyond the enabled
    /// set are not among them.
    #[inline]
    pub(super) fn look<'a>(&mut self, enabled: &Enabled<'a>) -> Changed<'a> {
        let since = std::mem::replace(&mut self.seen, enabled.changes().count);
        Changed {
            changes: enabled.changes(),
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
    use std::sync::Arc;

    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::random::{below, generator};
    use super::super::{
        Delayed, DelayingExplorer, Execution, OperationId, Pending, RoundRobin, StepKind, Strategy,
        StrategySpec,
    };
    use super::*;

    /// An enabled set that changes at random, as the engine's does.
    #[derive(Default)]
    struct Set {
        pending: Vec<Pending>,
        changes: Changes,
        paths: Vec<u64>,
    }

    impl Set {
        fn enabled(&self) -> Enabled<'_> {
            self.told_of(&self.changes)
        }

        fn told_of<'a>(&'a self, changes: &'a Changes) -> Enabled<'a> {
            Enabled::new(&self.pending, &self.paths, changes, 0, 0)
        }

        /// Changes what an operation would do, or enables it.
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

        /// A step of the operation at a position, and what others make of it. There are more and
        /// fewer of them in turn.
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

    /// Two strategies pick the same at every step, where the second is told that so many positions
    /// have changed that it has to look at all.
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
            let all = set.told_of(&changes);
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
            "pos-local",
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

    /// The round that does not look ahead of each step, and so goes through all.
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

    /// Whoever looks at the positions that are told knows the whole set, however much happens
    /// between two looks.
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
        for look in 0..5_000 {
            for step in 0..below(&mut rng, 1 + look % 10) {
                let position = below(&mut rng, set.pending.len() as u64);
                set.step(&mut rng, position as usize, look + step);
            }
            let enabled = set.enabled();
            let changed = follower.look(&enabled);
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
