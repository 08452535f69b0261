//! Searches that are divided into parts: a round of parts, explored by all workers.
//!
//! The parts are taken back in their order, and so are the executions that they had. So it is as if one
//! worker had explored one part after another.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use crate::engine::{End, Observations, Program, STACK_BYTES};
use crate::exploring::desk::lock;
use crate::exploring::explorer::{Beside, Contribution, Explorer};
use crate::exploring::plan::Turn;
use crate::strategy::{ROUND_MAX, Strategy};

/// A part of a search that a worker has explored to its end, or until it was needed no more.
pub(crate) struct Explored {
    pub(crate) part: Box<dyn Strategy>,
    pub(crate) contributions: Vec<Contribution>,
}

/// The workers that explore the parts of a round.
pub(crate) struct Crew<'a> {
    workers: usize,
    program: &'a (dyn Program + Sync),
    /// What they have observed.
    pub(crate) observed: Vec<Observations>,
}

impl<'a> Crew<'a> {
    pub(crate) fn new(workers: usize, program: &'a (dyn Program + Sync)) -> Self {
        Self {
            workers,
            program,
            observed: Vec::new(),
        }
    }

    /// The parts of the next round, where so many executions are left to be had, and there is one.
    pub(crate) fn divide(&self, explorer: &mut Explorer<'_>, left: u64) -> Vec<Box<dyn Strategy>> {
        // Where there is no room for a round, its parts are explored one after another.
        match self.workers > 1 && left >= ROUND_MAX {
            true => explorer.divide(),
            false => Vec::new(),
        }
    }

    /// Has the parts explored, and hands them over in their order, as long as that is wanted.
    pub(crate) fn run(
        &mut self,
        parts: Vec<Box<dyn Strategy>>,
        beside: &Beside<'_>,
        take: &mut dyn FnMut(Explored) -> bool,
    ) {
        let program = self.program;
        let workers = self.workers.min(parts.len());
        let parts: VecDeque<_> = parts.into_iter().enumerate().collect();
        let parts = Mutex::new(parts);
        // Parts after this one are not needed.
        let last = AtomicUsize::new(usize::MAX);
        let observed = Mutex::new(Vec::new());
        let (explored, done) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let explored = explored.clone();
                let work = || {
                    let explored = explored;
                    let mut explorer = beside.build();
                    loop {
                        let next = lock(&parts).pop_front();
                        let Some((number, part)) = next else { break };
                        let is_needed = || number <= last.load(Ordering::Relaxed);
                        let part = explore(&mut explorer, program, part, &is_needed);
                        if part.contributions.iter().any(|one| explorer.ends_with(one)) {
                            last.fetch_min(number, Ordering::Relaxed);
                        }
                        if explored.send((number, part)).is_err() {
                            break;
                        }
                    }
                    lock(&observed).push(explorer.observed());
                };
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                thread
                    .name("actor-test worker".into())
                    .spawn_scoped(scope, work)
                    .expect("the system has a thread to spare");
            }
            drop(explored);
            let mut waiting = BTreeMap::new();
            let mut next = 0;
            for (number, part) in done {
                waiting.insert(number, part);
                while let Some(part) = waiting.remove(&next) {
                    next += 1;
                    if !take(part) {
                        last.store(0, Ordering::Relaxed);
                        return;
                    }
                }
            }
        });
        let observed = observed.into_inner();
        self.observed
            .extend(observed.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Explores a part to its end. Its executions are counted from one: which iterations they are is known when
/// those before them are.
fn explore(
    explorer: &mut Explorer<'_>,
    program: &dyn Program,
    part: Box<dyn Strategy>,
    is_needed: &dyn Fn() -> bool,
) -> Explored {
    let before = explorer.replace(part);
    let mut contributions = Vec::new();
    while is_needed() && !explorer.is_late() {
        let turn = Turn::of_first(1 + contributions.len() as u64);
        let contribution = explorer.run_turn(program, turn);
        if contribution.outcome.end == End::Exhausted {
            break;
        }
        let is_last = explorer.ends_with(&contribution);
        contributions.push(contribution);
        if is_last {
            break;
        }
    }
    Explored {
        part: explorer.replace(before),
        contributions,
    }
}
