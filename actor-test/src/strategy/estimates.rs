//! How long the executions of a test are, from a few pilot executions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Choice, Enabled, Execution, Fairness, OperationId, Random, StepKind, Strategy};

/// What the pilot executions of a test showed: uniform random walks that come before the first
/// execution of a strategy that [needs](Strategy::needs_estimates) them.
///
/// Lengths are 95th percentiles, not maxima: one execution that never ended would otherwise push
/// whatever is drawn along the length past the end of normal ones. Without pilot executions
/// everything is zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimates {
    executions: u64,
    steps: u64,
    contended_steps: u64,
    contended_flushes: u64,
    efforts: BTreeMap<u64, Effort>,
    /// For each inbox, whether several operations flushed into it in one execution.
    contended: BTreeMap<u64, bool>,
}

/// The work of one operation in a pilot execution, on average over those in which it took part.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Its steps.
    pub steps: f64,
    /// Its flushes into inboxes; a timer's firing counts as one.
    pub flushes: f64,
    /// Those of them that went into an inbox that others, too, sent to in the same execution.
    pub contended_flushes: f64,
}

impl Estimates {
    /// How many pilot executions there were.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// How many steps an execution has.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How many of its steps have an alternative.
    pub fn contended_steps(&self) -> u64 {
        self.contended_steps
    }

    /// How many of its steps flush into an inbox that another enabled operation would flush into.
    pub fn contended_flushes(&self) -> u64 {
        self.contended_flushes
    }

    /// The work of the operation with that [path](Enabled::path), if it was met.
    pub fn effort(&self, path: u64) -> Option<Effort> {
        self.efforts.get(&path).copied()
    }

    /// The work of each operation that was met, sorted by [path](Enabled::path).
    pub fn efforts(&self) -> impl Iterator<Item = (u64, Effort)> {
        self.efforts.iter().map(|(path, effort)| (*path, *effort))
    }

    /// What the operations that were met have on average; one, where none was met.
    pub fn mean_effort(&self, of: impl Fn(Effort) -> f64) -> f64 {
        let sum: f64 = self.efforts.values().copied().map(of).sum();
        match self.efforts.len() {
            0 => 1.0,
            count => sum / count as f64,
        }
    }

    /// Whether several operations flushed into the inbox of the one with that
    /// [path](Enabled::path) in one execution; `None` where nobody ever did.
    pub fn is_contended(&self, inbox: u64) -> Option<bool> {
        self.contended.get(&inbox).copied()
    }
}

/// A uniform random walk that measures what it sees. Clones add to the same measurements.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    walk: Random,
    /// One entry an execution; the last is in progress.
    measured: Arc<Mutex<Vec<Measured>>>,
}

/// What one execution showed.
#[derive(Clone, Debug, Default)]
struct Measured {
    steps: u64,
    contended_steps: u64,
    contended_flushes: u64,
    steps_of: BTreeMap<u64, u64>,
    /// For each inbox, how much each operation flushed into it.
    flushes: BTreeMap<u64, BTreeMap<u64, u64>>,
}

impl Survey {
    pub(crate) fn new() -> Self {
        Self {
            walk: Random::new(),
            measured: Arc::default(),
        }
    }

    /// What the executions so far have shown.
    pub(crate) fn estimates(&self) -> Estimates {
        let all = self.measured();
        let percentile = |of: fn(&Measured) -> u64| {
            let mut sorted: Vec<u64> = all.iter().map(of).collect();
            sorted.sort_unstable();
            let rank = (sorted.len() * 95).div_ceil(100);
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
        };
        Estimates {
            executions: all.len() as u64,
            steps: percentile(|one| one.steps),
            contended_steps: percentile(|one| one.contended_steps),
            contended_flushes: percentile(|one| one.contended_flushes),
            efforts: efforts(&all),
            contended: contended(&all),
        }
    }

    fn measured(&self) -> MutexGuard<'_, Vec<Measured>> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Measured {
    fn add(&mut self, enabled: &Enabled<'_>, picked: usize) {
        let pending = enabled[picked];
        let path = enabled.path(pending.operation);
        self.steps += 1;
        self.contended_steps += u64::from(enabled.len() > 1);
        *self.steps_of.entry(path).or_default() += 1;
        if !matches!(pending.kind, StepKind::Flush | StepKind::Timer) {
            return;
        }
        let Some(inbox) = pending.inbox else { return };
        let into = self.flushes.entry(enabled.path(inbox)).or_default();
        *into.entry(path).or_default() += 1;
        self.contended_flushes += u64::from(is_contended(enabled, pending.operation, inbox));
    }
}

/// Whether another enabled operation would append to the same inbox.
fn is_contended(enabled: &Enabled<'_>, picked: OperationId, inbox: OperationId) -> bool {
    enabled.iter().any(|other| {
        other.operation != picked
            && other.inbox == Some(inbox)
            && matches!(other.kind, StepKind::Flush | StepKind::Timer)
    })
}

fn contended(all: &[Measured]) -> BTreeMap<u64, bool> {
    let mut contended = BTreeMap::new();
    for (inbox, senders) in all.iter().flat_map(|one| &one.flushes) {
        *contended.entry(*inbox).or_default() |= senders.len() > 1;
    }
    contended
}

fn efforts(all: &[Measured]) -> BTreeMap<u64, Effort> {
    let mut efforts: BTreeMap<u64, (Effort, f64)> = BTreeMap::new();
    for one in all {
        for (path, steps) in &one.steps_of {
            let (effort, executions) = efforts.entry(*path).or_default();
            effort.steps += *steps as f64;
            *executions += 1.0;
        }
        for senders in one.flushes.values() {
            for (path, flushes) in senders {
                let (effort, _) = efforts.entry(*path).or_default();
                effort.flushes += *flushes as f64;
                if senders.len() > 1 {
                    effort.contended_flushes += *flushes as f64;
                }
            }
        }
    }
    let mean = |(path, (sum, executions)): (u64, (Effort, f64))| {
        let effort = Effort {
            steps: sum.steps / executions,
            flushes: sum.flushes / executions,
            contended_flushes: sum.contended_flushes / executions,
        };
        (path, effort)
    };
    efforts.into_iter().map(mean).collect()
}

impl Strategy for Survey {
    fn name(&self) -> String {
        self.walk.name()
    }

    fn fairness(&self) -> Fairness {
        self.walk.fairness()
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.measured().push(Measured::default());
        self.walk.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> usize {
        let picked = self.walk.pick(enabled);
        if let Some(current) = self.measured().last_mut() {
            current.add(enabled, picked);
        }
        picked
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.walk.choose(choice)
    }
}
