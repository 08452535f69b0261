//! Rounds of a divided search: all workers explore its parts in parallel.
//!
//! Parts and their executions are merged in order, as if one worker had explored part after part.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use crate::engine::{EndReason, Observations, Program};
use crate::exploring::checkpoint::{PartResult, Shard, StoredPart};
use crate::exploring::contribution::Contribution;
use crate::exploring::explorer::{Explorer, ExplorerSeed};
use crate::parallel::{lock, spawn_worker};
use crate::settings::turn::StrategyTurn;
use crate::strategy::{ROUND_MAX, SearchStrategy, Source};

/// A part of a search that a worker has explored to its end, or until it was needless.
pub(crate) struct ExploredPart {
    pub(crate) part: Box<dyn SearchStrategy>,
    pub(crate) contributions: Vec<Contribution>,
}

/// The workers that explore the parts of a round, or the share of this process among several shards.
pub(crate) struct RoundWorkers<'a> {
    workers: usize,
    shard: Option<Shard>,
    /// The number of rounds so far.
    pub(crate) rounds: u64,
    program: &'a (dyn Program + Sync),
    /// The observations of the workers.
    pub(crate) observed: Vec<Observations>,
}

impl<'a> RoundWorkers<'a> {
    pub(crate) fn new(workers: usize, program: &'a (dyn Program + Sync)) -> Self {
        Self {
            workers,
            shard: None,
            rounds: 0,
            program,
            observed: Vec::new(),
        }
    }

    /// Shares the parts of later rounds with other shards, after `rounds` rounds.
    pub(crate) fn share(&mut self, shard: Option<&Shard>, rounds: u64) {
        self.shard = shard.cloned();
        self.rounds = rounds;
    }

    /// Divides the search into the parts of the next round, if enough executions are left.
    pub(crate) fn divide(
        &self,
        explorer: &mut Explorer<'_>,
        left: u64,
    ) -> Vec<Box<dyn SearchStrategy>> {
        // Without enough executions for a round, the parts are explored one after another.
        let several = self.workers > 1 || self.shard.is_some();
        match several && left >= ROUND_MAX {
            true => explorer
                .search_mut()
                .map(SearchStrategy::divide)
                .unwrap_or_default(),
            false => Vec::new(),
        }
    }

    /// Explores the parts, and passes them to `take` in order while it returns true.
    pub(crate) fn run(
        &mut self,
        parts: Vec<Box<dyn SearchStrategy>>,
        beside: &ExplorerSeed<'_>,
        take: &mut dyn FnMut(ExploredPart) -> bool,
    ) {
        let round = self.rounds;
        self.rounds += 1;
        let program = self.program;
        let count = parts.len();
        let shard = self.shard.as_ref();
        let is_own = |(number, _): &(usize, _)| shard.is_none_or(|shard| shard.owns(*number));
        let (own, others): (Vec<_>, Vec<_>) = parts.into_iter().enumerate().partition(is_own);
        let mut others: BTreeMap<usize, _> = others.into_iter().collect();
        let workers = self.workers.min(own.len());
        let parts = Mutex::new(own.into_iter());
        // The parts after this one are needless.
        let last = AtomicUsize::new(usize::MAX);
        let observed = Mutex::new(std::mem::take(&mut self.observed));
        let (explored, done) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let explored = explored.clone();
                let work = || {
                    let explored = explored;
                    let mut explorer = beside.build();
                    loop {
                        let next = lock(&parts).next();
                        let Some((number, part)) = next else { break };
                        let is_needed = || number <= last.load(Ordering::Relaxed);
                        let part = match shard {
                            None => explore(&mut explorer, program, part, &is_needed).0,
                            Some(shard) => {
                                let place = (shard, round, number);
                                let (part, seen) = share(place, beside, program, part, &is_needed);
                                lock(&observed).push(seen);
                                part
                            }
                        };
                        if part.contributions.iter().any(|one| explorer.ends_with(one)) {
                            last.fetch_min(number, Ordering::Relaxed);
                        }
                        if explored.send((number, part)).is_err() {
                            break;
                        }
                    }
                    lock(&observed).push(explorer.observed());
                };
                spawn_worker(scope, work);
            }
            drop(explored);
            let mut waiting = BTreeMap::new();
            for number in 0..count {
                let part = match (others.remove(&number), shard) {
                    (Some(part), Some(shard)) => {
                        let found = shard.wait(round, number, || !beside.is_late());
                        found.map(|found| {
                            let (part, seen) = taken_over(part, found);
                            lock(&observed).push(seen);
                            part
                        })
                    }
                    _ => loop {
                        if let Some(part) = waiting.remove(&number) {
                            break Some(part);
                        }
                        match done.recv() {
                            Ok((number, part)) => waiting.insert(number, part),
                            Err(_) => break None,
                        };
                    },
                };
                if !part.is_some_and(&mut *take) {
                    last.store(0, Ordering::Relaxed);
                    return;
                }
            }
        });
        let observed = observed.into_inner();
        let observed = observed.unwrap_or_else(PoisonError::into_inner);
        self.observed = vec![Observations::merge(observed)];
    }
}

/// Restores a part from the result of another process.
fn taken_over(
    mut part: Box<dyn SearchStrategy>,
    found: StoredPart,
) -> (ExploredPart, Observations) {
    // A part without saved state is one that no process continues.
    let restored = found.saved.is_empty() || part.restore(&found.saved).is_ok();
    assert!(restored, "whoever wrote it is of the same executable");
    let explored = ExploredPart {
        part,
        contributions: found.done.contributions,
    };
    (explored, found.done.observed)
}

/// Explores a part for all shards, unless this shard has done so before it was restarted.
fn share(
    (shard, round, number): (&Shard, u64, usize),
    beside: &ExplorerSeed<'_>,
    program: &dyn Program,
    part: Box<dyn SearchStrategy>,
    is_needed: &dyn Fn() -> bool,
) -> (ExploredPart, Observations) {
    if let Some(found) = shard.find(round, number) {
        return taken_over(part, found);
    }
    // The result of the part contains its own observations.
    let mut explorer = beside.build();
    let (mut explored, is_whole) = explore(&mut explorer, program, part, is_needed);
    let observed = explorer.observed();
    if is_whole {
        let saved = explored.part.save().unwrap_or_default();
        let done = PartResult {
            contributions: &explored.contributions[..],
            observed: &observed,
        };
        shard.publish(round, number, &done, &saved);
    }
    (explored, observed)
}

/// Explores a part. Returns true if it reached its end, or a bug that ends the test. The executions are
/// counted from one, since their iterations depend on the parts before.
fn explore(
    explorer: &mut Explorer<'_>,
    program: &dyn Program,
    part: Box<dyn SearchStrategy>,
    is_needed: &dyn Fn() -> bool,
) -> (ExploredPart, bool) {
    let before = explorer.replace(Source::Search(part));
    let mut contributions = Vec::new();
    let mut is_whole = false;
    while is_needed() && !explorer.is_late() {
        let turn = StrategyTurn::of_first(1 + contributions.len() as u64);
        let contribution = explorer.run_turn(program, turn);
        if contribution.outcome.end == EndReason::Exhausted {
            is_whole = true;
            break;
        }
        let is_last = explorer.ends_with(&contribution);
        contributions.push(contribution);
        if is_last {
            is_whole = true;
            break;
        }
    }
    let Source::Search(part) = explorer.replace(before) else {
        unreachable!("the part has replaced the strategy");
    };
    let explored = ExploredPart {
        part,
        contributions,
    };
    (explored, is_whole)
}
