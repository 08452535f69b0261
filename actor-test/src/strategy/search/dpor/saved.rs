//! Checkpoints of a search or of a part: its state as bytes, from which another OS process continues.
//!
//! A search is saved while no execution is in progress and no graph is half extended. The state consists of
//! knowledge, backtrack points and counters. Graphs share their common processes, in memory as in the bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Dpor;
use super::executed::SavedShown;
use super::graph::{ExecutionGraph, ProcessLabels, Revisit};
use super::levels::DepthEstimate;
use super::parts::BacktrackPoint;
use super::transitions::SavedTransitions;
use super::world::WorldDependencies;
use crate::codec::{self, DecodeError};
use crate::data::coverage_claim::Gap;

/// The state apart from the knowledge of operations and behaviours.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedCounters {
    notes: SavedFrontier,
    rounds: u32,
    levels: DepthEstimate,
    since: u64,
    ties: WorldDependencies,
    new_ties: WorldDependencies,
    failed: Vec<u64>,
    stopped: Option<Gap>,
    seeded: u64,
    spent: u64,
    behaviours_before: u64,
    size: Option<f64>,
    graphs: u64,
    executions: u64,
    behaviours: u64,
    observers: bool,
    watched: bool,
    cut_off: u64,
}

/// The backtrack points by stack. Lanes and graphs are numbered in the order in which they appear.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedFrontier {
    processes: Vec<ProcessLabels>,
    /// The processes and the next stamp of each graph.
    graphs: Vec<(Vec<u32>, u32)>,
    stacks: Vec<Vec<(u32, Revisit, f64, u32)>>,
}

impl SavedFrontier {
    fn of(stacks: &[Vec<BacktrackPoint>]) -> Self {
        let mut notes = Self::default();
        let mut processes = BTreeMap::new();
        let mut graphs = BTreeMap::new();
        for stack in stacks {
            let mut saved = Vec::with_capacity(stack.len());
            for noted in stack {
                let known = graphs.len() as u32;
                let number = *graphs.entry(Arc::as_ptr(&noted.graph)).or_insert(known);
                if number == known {
                    let of_graph = noted.graph.processes.iter().map(|process| {
                        let next = notes.processes.len() as u32;
                        *processes.entry(Arc::as_ptr(process)).or_insert_with(|| {
                            notes.processes.push(ProcessLabels::clone(process));
                            next
                        })
                    });
                    let of_graph = of_graph.collect();
                    notes.graphs.push((of_graph, noted.graph.next_stamp));
                }
                saved.push((number, noted.edit, noted.share, noted.depth));
            }
            notes.stacks.push(saved);
        }
        notes
    }

    fn stacks(self) -> Result<Vec<Vec<BacktrackPoint>>, DecodeError> {
        let missing = || DecodeError("a graph lacks a part".into());
        let processes = self.processes.into_iter().map(|mut process| {
            process.share_clocks();
            Arc::new(process)
        });
        let processes: Vec<Arc<ProcessLabels>> = processes.collect();
        let graphs = self.graphs.into_iter().map(|(numbers, next_stamp)| {
            let found = numbers
                .into_iter()
                .map(|number| processes.get(number as usize).cloned());
            let processes = found.collect::<Option<_>>().ok_or_else(missing)?;
            Ok(Arc::new(ExecutionGraph {
                processes,
                next_stamp,
            }))
        });
        let graphs: Vec<Arc<ExecutionGraph>> = graphs.collect::<Result<_, DecodeError>>()?;
        let noted = |(number, edit, share, depth): (u32, Revisit, f64, u32)| {
            let graph = graphs.get(number as usize).cloned();
            graph.map(|graph| BacktrackPoint {
                graph,
                edit,
                share,
                depth,
            })
        };
        let stacks = self.stacks.into_iter().map(|stack| {
            let stack: Option<Vec<BacktrackPoint>> = stack.into_iter().map(noted).collect();
            stack.ok_or_else(missing)
        });
        stacks.collect()
    }
}

impl ProcessLabels {
    /// Makes consecutive labels with equal vector clocks share the memory of the clock.
    fn share_clocks(&mut self) {
        for next in 1..self.labels.len() {
            let (before, after) = self.labels.split_at_mut(next);
            if before[next - 1].clock == after[0].clock {
                after[0].clock = before[next - 1].clock.clone();
            }
        }
    }
}

impl Dpor {
    /// Returns the state from which another OS process continues, if the search is between two rounds; or the
    /// result of this part, if it has ended.
    pub(super) fn saved(&self) -> Option<Vec<u8>> {
        let is_at_rest = self.current.is_none() && self.again.is_none();
        let is_part = self.allowance.is_some() && is_at_rest;
        if !is_part && !self.is_divisible() {
            return None;
        }
        let own = std::slice::from_ref(&self.frontier);
        let stacks = match self.division.stacks() {
            [] => own,
            stacks => stacks,
        };
        let rest = SavedCounters {
            notes: SavedFrontier::of(stacks),
            rounds: self.division.rounds(),
            levels: self.levels.clone(),
            since: self.since,
            ties: WorldDependencies::clone(&self.ties),
            new_ties: self.new_ties.clone(),
            failed: self.failed.clone(),
            stopped: self.stopped.clone(),
            seeded: self.seeded,
            spent: self.spent,
            behaviours_before: self.behaviours_before,
            size: self.size,
            graphs: self.graphs,
            executions: self.executions,
            behaviours: self.behaviours,
            observers: self.observers,
            watched: self.watched,
            cut_off: self.cut_off,
        };
        Some(codec::encode(&(
            self.transitions.saved(),
            self.shown.saved(),
            rest,
        )))
    }

    /// Restores a saved state: a new search becomes the whole search, and an unstarted part becomes the part
    /// that another OS process has finished.
    pub(super) fn restore(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let (table, shown, rest): (SavedTransitions, SavedShown, SavedCounters) =
            codec::decode(bytes)?;
        let mut stacks = rest.notes.stacks()?;
        self.transitions.restore(table);
        self.shown.restore(shown);
        if stacks.len() == 1 {
            self.frontier = stacks.pop().unwrap_or_default();
        } else {
            self.division.go_on(stacks, rest.rounds);
        }
        self.descents = None;
        self.begun = true;
        self.levels = rest.levels;
        self.since = rest.since;
        self.transitions.ordered_monitors = rest.ties.observers;
        self.ties = Arc::new(rest.ties);
        self.new_ties = rest.new_ties;
        self.failed = rest.failed;
        self.stopped = rest.stopped;
        self.seeded = rest.seeded;
        self.spend(rest.spent);
        self.behaviours_before = rest.behaviours_before;
        self.size = rest.size;
        self.graphs = rest.graphs;
        self.executions = rest.executions;
        self.behaviours = rest.behaviours;
        self.observers = rest.observers;
        self.watched = rest.watched;
        self.cut_off = rest.cut_off;
        Ok(())
    }
}

/// Serialises a vector clock as a sequence.
pub(super) mod clock {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        clock: &Arc<[u32]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        clock[..].serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[u32]>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::from)
    }
}
