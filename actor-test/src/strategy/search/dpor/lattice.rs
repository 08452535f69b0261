//! What monitors see, in all orders in which they may see it.
//!
//! Nothing that an operation does depends on a monitor, so that whatever a monitor sees in an execution
//! it may see in any other order in which its steps can be taken: these are the orders of the graph. A
//! monitor depends on what it has seen before by what it *is*, of which a hash can be told where its type
//! is `Hash` or has a fingerprint. So each graph is walked through the sets of steps that may be over at
//! some time, its *cuts*, and a cut is gone on from once for each state in which the monitor may be
//! there (Cooper and Marzullo, 1991, for the lattice of cuts). What the monitor does where it is in some
//! state and sees something is read from executions, as is what operations do; where it is not known, an
//! execution is run in which it comes to that.

use std::collections::BTreeMap;

use super::graph::{ExecutionGraph, LabelAction, LabelId};
use super::transitions::{self, TransitionTable};
use crate::hash::mix;
use crate::strategy::ObserverSet;

/// So many cuts and states are looked at for one monitor in one graph.
const NODES_MAX: usize = 100_000;

/// A step that a monitor sees.
#[derive(Debug)]
struct MonitorObservation {
    at: LabelId,
    what: u64,
    /// How much of each chain it sees before that in any case.
    needs: Vec<u32>,
}

/// What a monitor sees of a graph.
#[derive(Debug)]
pub(super) struct MonitorView {
    pub(super) monitor: u32,
    /// What says in which state it begins.
    first: u64,
    /// What it sees of each operation, in order.
    chains: Vec<Vec<MonitorObservation>>,
    /// A hash of all that: graphs that have it in common look the same to the monitor.
    pub(super) shape: u64,
}

/// How many labels of each lane come before the end of a step, with the step, by lanes and in order.
type Clocks = Vec<Vec<(u32, Vec<u32>)>>;

impl ExecutionGraph {
    /// What each monitor sees that may see it in several orders.
    pub(super) fn sights(&self, lives: &TransitionTable) -> Vec<MonitorView> {
        let labels = self.lanes.iter().flat_map(|lane| &lane.labels);
        let noted = labels.fold(ObserverSet::default(), |all, label| {
            all.and(label.free_monitors)
        });
        if noted.is_empty() {
            return Vec::new();
        }
        let clocks = self.clocks(lives);
        let body = &self.lanes[0];
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

    fn clocks(&self, lives: &TransitionTable) -> Clocks {
        let mut clocks: Clocks = vec![Vec::new(); self.lanes.len()];
        self.each_step(
            lives,
            |_, _| true,
            |stride| {
                let (lane, from) = (stride.lane, stride.from);
                let mut clock = vec![0; self.lanes.len()];
                let own = std::iter::once((lane, from));
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
                clock[lane as usize] = stride.to;
                if let Some(by) = stride.taken_by {
                    clock[by.lane as usize] = by.index + 1;
                    clocks[by.lane as usize].push((by.index + 1, clock.clone()));
                }
                clocks[lane as usize].push((stride.to, clock));
            },
        );
        clocks
    }

    fn sight(&self, monitor: u32, first: u64, clocks: &Clocks) -> MonitorView {
        // Lanes are numbered otherwise in other graphs.
        let mut lanes: Vec<u32> = (0..self.lanes.len() as u32).collect();
        lanes.sort_unstable_by_key(|lane| self.lanes[*lane as usize].path);
        let seen: Vec<(u32, Vec<u32>)> = lanes
            .into_iter()
            .map(|lane| {
                // What fails is not seen.
                let end = clocks[lane as usize].last().map_or(0, |(end, _)| *end);
                let labels = &self.lanes[lane as usize].labels[..end as usize];
                let labels = labels.iter().zip(0..);
                let noted = labels.filter(|(label, _)| label.free_monitors.has(monitor));
                (lane, noted.map(|(_, index)| index).collect())
            })
            .filter(|(_, noted): &(u32, Vec<u32>)| !noted.is_empty())
            .collect();
        let mut shape = mix(transitions::onlooker(monitor), first);
        let chains = seen.iter().map(|(lane, noted)| {
            shape = mix(shape, self.lanes[*lane as usize].path);
            let looks = noted.iter().map(|index| {
                let at = LabelId {
                    lane: *lane,
                    index: *index,
                };
                let known = &clocks[*lane as usize];
                let step = known.partition_point(|(end, _)| *end <= *index);
                let (_, clock) = &known[step];
                let needs = seen.iter().map(|(other, noted)| match other == lane {
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
            looks.collect()
        });
        let chains = chains.collect();
        MonitorView {
            monitor,
            first,
            chains,
            shape,
        }
    }

    /// The actors that are created, by path, in the order of their numbers; `None` where that may be
    /// another one when steps are taken in another order.
    pub(super) fn numbered(&self) -> Option<Vec<u64>> {
        let mut births: Vec<(u32, LabelId, u64)> = Vec::new();
        for child in &self.lanes {
            let Some(parent) = child.parent.filter(|_| child.is_spawned) else {
                continue;
            };
            if self.label(parent).act != LabelAction::Spawn {
                continue;
            }
            // The number is given in the step before, in which the parent runs.
            let labels = &self.lanes[parent.lane as usize].labels[..parent.index as usize];
            let ran = labels.iter().rposition(|label| label.act.is_input());
            let index = ran.unwrap_or_default() as u32;
            births.push((
                self.label(parent).stamp,
                LabelId { index, ..parent },
                child.path,
            ));
        }
        births.sort_unstable_by_key(|(stamp, ..)| *stamp);
        let is_after = |pair: &[(u32, LabelId, u64)]| {
            let (one, other) = (pair[0].1, pair[1].1);
            let known = self.label(other).clock.get(one.lane as usize);
            one.lane == other.lane || known.is_some_and(|count| *count > one.index)
        };
        let are_ordered = births.windows(2).all(is_after);
        are_ordered.then(|| births.into_iter().map(|(.., path)| path).collect())
    }
}

/// A cut, and a state of the monitor there.
#[derive(Debug)]
struct LatticeNode {
    cut: Vec<u32>,
    state: u64,
    /// Where it was before, and the chain from which it has seen one more since.
    from: Option<(u32, u32)>,
}

/// A walk of a monitor through the cuts of a graph.
#[derive(Debug)]
pub(super) struct LatticeWalk {
    sight: MonitorView,
    nodes: Vec<LatticeNode>,
    /// Those with as many steps as were looked at last.
    known: BTreeMap<(Vec<u32>, u64), u32>,
    /// How many steps these have.
    level: u32,
    /// The node that is gone on from, and the chain of which a step is looked at next.
    at: usize,
    chain: usize,
    /// Not all cuts were looked at.
    pub(super) is_cut_off: bool,
}

/// What a walk needs, or has come to.
#[derive(Debug)]
pub(super) enum LatticeProgress {
    /// It is not known what the monitor does after it has seen these, in that order.
    Unknown(u64, Vec<LabelId>),
    /// It was everywhere.
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

    /// A hash of what the monitor may see, and in which orders.
    pub(super) fn shape(&self) -> u64 {
        self.sight.shape
    }

    /// How many cuts and states it has looked at.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Goes on as far as it is known what the monitor does.
    pub(super) fn go_on(&mut self, after: impl Fn(u64) -> Option<u64>) -> LatticeProgress {
        if self.nodes.is_empty() {
            let Some(state) = after(self.sight.first) else {
                // Whatever it sees first.
                let mut looks = self.sight.chains.iter().filter_map(|chain| chain.first());
                let first = looks.find(|look| look.needs.iter().all(|count| *count == 0));
                let order = first.map(|look| look.at).into_iter().collect();
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
                let look = chain.get(node.cut[self.chain] as usize);
                let is_open = |look: &&MonitorObservation| {
                    let mut needs = look.needs.iter().zip(&node.cut);
                    needs.all(|(needed, seen)| needed <= seen)
                };
                if let Some(look) = look.filter(is_open) {
                    let to = transitions::monitor_transition_key(
                        self.sight.monitor,
                        node.state,
                        look.what,
                    );
                    let Some(state) = after(to) else {
                        let mut order = self.order(self.at);
                        order.push(look.at);
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

    /// The monitor sees one more of the chain in turn.
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

    /// What the monitor has seen at a node, in order.
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

    /// In which states the monitor may be when all is over, each with an order in which it comes to that.
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
