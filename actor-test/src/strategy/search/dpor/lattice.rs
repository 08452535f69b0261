//! The lattice of consistent cuts of a graph: checks a monitor in all orders of its observations.
//!
//! No operation depends on a monitor. So a monitor may observe the steps of a graph in any order in which
//! they can be taken. The earlier observations affect a monitor only through its state, which has a hash if
//! its type is `Hash` or has a fingerprint. Therefore a walk visits each consistent cut once per state that
//! the monitor may have there (Cooper and Marzullo, 1991, for the lattice of cuts). The transitions of
//! monitors are learned from executions, like those of operations. An unknown transition causes an execution
//! that shows it.

use std::collections::BTreeMap;

use super::graph::{ExecutionGraph, LabelAction, LabelId};
use super::transitions::{self, TransitionTable};
use crate::hash::mix;
use crate::strategy::ObserverSet;

/// The maximal number of pairs of cut and state that are visited for one monitor in one graph.
const NODES_MAX: usize = 100_000;

/// An observation of a monitor.
#[derive(Debug)]
struct MonitorObservation {
    at: LabelId,
    what: u64,
    /// The number of observations of each chain that always come before this one.
    needs: Vec<u32>,
}

/// The observations that a monitor makes in a graph, with their partial order.
#[derive(Debug)]
pub(super) struct MonitorView {
    pub(super) monitor: u32,
    /// The key of the monitor's initial state.
    first: u64,
    /// The observations of each process, in program order.
    chains: Vec<Vec<MonitorObservation>>,
    /// A hash of all observations and their order; the same for graphs that the monitor can't distinguish.
    pub(super) shape: u64,
}

/// The vector clock at the end of each step, by process and in program order.
type Clocks = Vec<Vec<(u32, Vec<u32>)>>;

impl ExecutionGraph {
    /// Returns the observations of each monitor whose order is no part of the behaviour.
    pub(super) fn sights(&self, table: &TransitionTable) -> Vec<MonitorView> {
        let labels = self.processes.iter().flat_map(|process| &process.labels);
        let noted = labels.fold(ObserverSet::default(), |all, label| {
            all.and(label.free_monitors)
        });
        if noted.is_empty() {
            return Vec::new();
        }
        let clocks = self.clocks(table);
        let body = &self.processes[0];
        let (_, begun) = body.step(0, body.labels.len() as u32);
        let begun = body.labels[begun as usize - 1].history;
        noted
            .iter()
            .map(|monitor| {
                self.sight(
                    monitor,
                    transitions::initial_monitor_key(monitor, begun),
                    &clocks,
                )
            })
            .collect()
    }

    fn clocks(&self, table: &TransitionTable) -> Clocks {
        let mut clocks: Clocks = vec![Vec::new(); self.processes.len()];
        self.each_step(
            table,
            |_, _| true,
            |stride| {
                let (process, from) = (stride.process, stride.from);
                let mut clock = vec![0; self.processes.len()];
                let own = std::iter::once((process, from));
                for (other, count) in stride.preceding.iter().copied().chain(own) {
                    let known = &clocks[other as usize];
                    let step = known.partition_point(|(end, _)| *end < count);
                    let Some((_, before)) = known.get(step).filter(|_| count > 0) else {
                        continue;
                    };
                    for (now, before) in clock.iter_mut().zip(before) {
                        *now = (*now).max(*before);
                    }
                }
                clock[process as usize] = stride.to;
                if let Some(by) = stride.taken_by {
                    clock[by.process as usize] = by.index + 1;
                    clocks[by.process as usize].push((by.index + 1, clock.clone()));
                }
                clocks[process as usize].push((stride.to, clock));
            },
        );
        clocks
    }

    fn sight(&self, monitor: u32, first: u64, clocks: &Clocks) -> MonitorView {
        // Sorts processes by path, since other graphs may number them differently.
        let mut processes: Vec<u32> = (0..self.processes.len() as u32).collect();
        processes.sort_unstable_by_key(|process| self.processes[*process as usize].path);
        let seen: Vec<(u32, Vec<u32>)> = processes
            .into_iter()
            .map(|process| {
                // Monitors don't observe failing steps.
                let end = clocks[process as usize].last().map_or(0, |(end, _)| *end);
                let labels = &self.processes[process as usize].labels[..end as usize];
                let labels = labels.iter().zip(0..);
                let noted = labels.filter(|(label, _)| label.free_monitors.has(monitor));
                (process, noted.map(|(_, index)| index).collect())
            })
            .filter(|(_, noted): &(u32, Vec<u32>)| !noted.is_empty())
            .collect();
        let mut shape = mix(transitions::observer(monitor), first);
        let chains = seen.iter().map(|(process, noted)| {
            shape = mix(shape, self.processes[*process as usize].path);
            let observations = noted.iter().map(|index| {
                let at = LabelId {
                    process: *process,
                    index: *index,
                };
                let known = &clocks[*process as usize];
                let step = known.partition_point(|(end, _)| *end <= *index);
                let (_, clock) = &known[step];
                let needs = seen.iter().map(|(other, noted)| match other == process {
                    true => noted.partition_point(|before| before < index) as u32,
                    false => {
                        let before = clock[*other as usize];
                        noted.partition_point(|seen| *seen < before) as u32
                    }
                });
                let needs: Vec<u32> = needs.collect();
                let what = self.gift(at);
                shape = needs
                    .iter()
                    .fold(mix(shape, what), |shape, count| mix(shape, (*count).into()));
                MonitorObservation { at, what, needs }
            });
            observations.collect()
        });
        let chains = chains.collect();
        MonitorView {
            monitor,
            first,
            chains,
            shape,
        }
    }

    /// Returns the paths of the created actors in the order of their numbers; `None` if the numbers depend on
    /// the order of steps.
    pub(super) fn numbered(&self) -> Option<Vec<u64>> {
        let mut spawns: Vec<(u32, LabelId, u64)> = Vec::new();
        for child in &self.processes {
            let Some(parent) = child.parent.filter(|_| child.is_spawned) else {
                continue;
            };
            if self.label(parent).act != LabelAction::Spawn {
                continue;
            }
            // The number is assigned in the parent's run before the spawn, not in the spawn's own step.
            let labels = &self.processes[parent.process as usize].labels[..parent.index as usize];
            let ran = labels.iter().rposition(|label| label.act.is_input());
            let index = ran.unwrap_or_default() as u32;
            spawns.push((
                self.label(parent).stamp,
                LabelId { index, ..parent },
                child.path,
            ));
        }
        spawns.sort_unstable_by_key(|(stamp, ..)| *stamp);
        let is_after = |pair: &[(u32, LabelId, u64)]| {
            let (one, other) = (pair[0].1, pair[1].1);
            let known = self.label(other).clock.get(one.process as usize);
            one.process == other.process || known.is_some_and(|count| *count > one.index)
        };
        let are_ordered = spawns.windows(2).all(is_after);
        are_ordered.then(|| spawns.into_iter().map(|(.., path)| path).collect())
    }
}

/// A pair of a cut and a monitor state in it.
#[derive(Debug)]
struct LatticeNode {
    cut: Vec<u32>,
    state: u64,
    /// The preceding node, and the chain whose next observation leads from there to this node.
    from: Option<(u32, u32)>,
}

/// A breadth-first walk of one monitor through the lattice of cuts.
#[derive(Debug)]
pub(super) struct LatticeWalk {
    sight: MonitorView,
    nodes: Vec<LatticeNode>,
    /// The nodes of the current level, by cut and state.
    known: BTreeMap<(Vec<u32>, u64), u32>,
    /// The number of observations in the cuts of the current level.
    level: u32,
    /// The node in progress, and the chain whose next observation is taken from there.
    at: usize,
    chain: usize,
    /// True if the walk ended at [`NODES_MAX`].
    pub(super) is_cut_off: bool,
}

/// The result of a walk.
#[derive(Debug)]
pub(super) enum LatticeProgress {
    /// The transition with this key is unknown; the observations in this order lead to it.
    Unknown(u64, Vec<LabelId>),
    /// The walk has ended.
    Over,
}

impl LatticeWalk {
    pub(super) fn new(sight: MonitorView) -> Self {
        Self {
            sight,
            nodes: Vec::new(),
            known: BTreeMap::new(),
            level: 0,
            at: 0,
            chain: 0,
            is_cut_off: false,
        }
    }

    pub(super) fn monitor(&self) -> u32 {
        self.sight.monitor
    }

    /// Returns a hash of the monitor's observations and their partial order.
    pub(super) fn shape(&self) -> u64 {
        self.sight.shape
    }

    /// Returns the number of visited nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Continues the walk as far as the monitor's transitions are known.
    pub(super) fn go_on(&mut self, after: impl Fn(u64) -> Option<u64>) -> LatticeProgress {
        if self.nodes.is_empty() {
            let Some(state) = after(self.sight.first) else {
                // Any observation that can come first shows the initial state.
                let mut observations = self.sight.chains.iter().filter_map(|chain| chain.first());
                let first = observations
                    .find(|observation| observation.needs.iter().all(|count| *count == 0));
                let order = first
                    .map(|observation| observation.at)
                    .into_iter()
                    .collect();
                return LatticeProgress::Unknown(self.sight.first, order);
            };
            self.nodes.push(LatticeNode {
                cut: vec![0; self.sight.chains.len()],
                state,
                from: None,
            });
        }
        while self.at < self.nodes.len() && !self.is_cut_off {
            while let Some(chain) = self.sight.chains.get(self.chain) {
                let node = &self.nodes[self.at];
                let observation = chain.get(node.cut[self.chain] as usize);
                let is_open = |observation: &&MonitorObservation| {
                    let mut needs = observation.needs.iter().zip(&node.cut);
                    needs.all(|(needed, seen)| needed <= seen)
                };
                if let Some(observation) = observation.filter(is_open) {
                    let to = transitions::monitor_transition_key(
                        self.sight.monitor,
                        node.state,
                        observation.what,
                    );
                    let Some(state) = after(to) else {
                        let mut order = self.order(self.at);
                        order.push(observation.at);
                        return LatticeProgress::Unknown(to, order);
                    };
                    self.enter(state);
                }
                self.chain += 1;
            }
            self.at += 1;
            self.chain = 0;
        }
        LatticeProgress::Over
    }

    /// Visits the node after the next observation of the chain in progress.
    fn enter(&mut self, state: u64) {
        let mut cut = self.nodes[self.at].cut.clone();
        cut[self.chain] += 1;
        let level = cut.iter().sum();
        if level > self.level {
            self.level = level;
            self.known.clear();
        }
        let next = self.nodes.len() as u32;
        if *self.known.entry((cut.clone(), state)).or_insert(next) == next {
            self.is_cut_off = self.nodes.len() >= NODES_MAX;
            self.nodes.push(LatticeNode {
                cut,
                state,
                from: Some((self.at as u32, self.chain as u32)),
            });
        }
    }

    /// Returns the observations on the path to a node, in order.
    fn order(&self, node: usize) -> Vec<LabelId> {
        let mut order = Vec::new();
        let mut at = node;
        while let Some((before, chain)) = self.nodes[at].from {
            let before = before as usize;
            let seen = self.nodes[before].cut[chain as usize];
            order.push(self.sight.chains[chain as usize][seen as usize].at);
            at = before;
        }
        order.reverse();
        order
    }

    /// Returns the monitor's possible final states, each with an order of observations that leads there.
    pub(super) fn ends(&self) -> impl Iterator<Item = (u64, Vec<LabelId>)> {
        let all: u32 = self
            .sight
            .chains
            .iter()
            .map(|chain| chain.len() as u32)
            .sum();
        let last = self.nodes.iter().enumerate().rev();
        let last = last.take_while(move |(_, node)| node.cut.iter().sum::<u32>() == all);
        last.map(|(number, node)| (node.state, self.order(number)))
    }
}
