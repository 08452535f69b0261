//! Faults of an execution: their budgets, and those injected so far: [`FaultPhase`].

use crate::data::constructs::StepConstruct;
use crate::data::faults::{Fault, FaultBudgets, FaultCounts, FaultKind, Moment};
use crate::engine::world::nodes::Nodes;
use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::ExecutionState;
use crate::hash::{mix, text};

/// The faults of one execution. They may be injected until the strategy or the engine ends the phase;
/// liveness obligations count only after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultPhase {
    /// The number of faults of each kind that an execution may have.
    budgets: FaultBudgets,
    left: FaultBudgets,
    is_open: bool,
    counts: FaultCounts,
    /// The lasting faults in effect, each as the fault that undoes it.
    lasting: Vec<Fault>,
    /// The connections across the partition that have broken by themselves, each as the fault that broke it.
    timed_out: Vec<u64>,
    /// The moments in the last step at which a fault may be aimed.
    moments: Vec<Moment>,
    listed: FaultList,
}

/// The faults that may strike or be undone between two steps now.
#[derive(Clone, Debug, Default)]
struct FaultList {
    faults: Vec<Fault>,
    /// The number of those that follow from the nodes and the budgets alone.
    lasting: usize,
    /// The state of the nodes for which they were listed; `None` after a fault.
    nodes: Option<u64>,
    /// The kinds of those that may strike, as bits.
    kinds: u32,
}

impl FaultPhase {
    /// Sets the budgets of the executions to come.
    pub(crate) fn set_budgets(&mut self, budgets: FaultBudgets) {
        self.budgets = budgets;
    }

    pub(crate) fn budgets(&self) -> &FaultBudgets {
        &self.budgets
    }

    /// Starts an execution.
    pub(super) fn begin(&mut self) {
        self.left = self.budgets;
        self.is_open = !self.budgets.is_none();
        self.counts = FaultCounts::default();
        self.lasting.clear();
        self.timed_out.clear();
        self.moments.clear();
        self.listed.nodes = None;
    }

    /// Returns whether faults may still be injected.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns whether a fault of that kind may still be injected.
    #[inline]
    pub(crate) fn may_be(&self, kind: FaultKind) -> bool {
        self.is_open && self.left.budget(kind) > 0
    }

    /// Records that a fault of that kind was possible, and whether it was injected.
    pub(crate) fn offered(&mut self, kind: FaultKind, strikes: bool) {
        self.counts.offered[kind as usize] += 1;
        if strikes {
            self.left.spend(kind);
            self.counts.struck[kind as usize] += 1;
        }
    }

    /// Records a fault that was injected or undone between two steps.
    pub(crate) fn struck(&mut self, fault: &Fault) {
        self.listed.nodes = None;
        if fault.is_undone {
            self.lasting.retain(|lasting| lasting.key != fault.key);
            if fault.kind == FaultKind::Partition {
                self.timed_out.clear();
            }
            return;
        }
        match self.times_out(fault) {
            true => self.timed_out.push(fault.key),
            false => {
                self.left.spend(fault.kind);
                self.counts.struck[fault.kind as usize] += 1;
            }
        }
        if fault.kind.is_undone() {
            self.lasting.push(fault.undone());
        }
    }

    /// Ends the phase: no more faults are injected.
    pub(crate) fn close(&mut self) {
        self.is_open = false;
        self.moments.clear();
    }

    pub(crate) fn moments(&self) -> &[Moment] {
        &self.moments
    }

    pub(crate) fn forget_moments(&mut self) {
        self.moments.clear();
    }

    /// Feeds the remaining budgets and the lasting faults into a fingerprint.
    pub(crate) fn feed(&self, mut to: impl FnMut(u64)) {
        to(u64::from(self.is_open));
        for (kind, left) in self.left.iter() {
            to((kind as u64) << 16 | u64::from(left));
        }
        to(u64::MAX);
        self.lasting.iter().for_each(|fault| to(fault.key));
        to(u64::MAX);
        self.timed_out.iter().for_each(|key| to(*key));
    }

    /// Returns the faults that may be injected or undone between two steps now, as they were listed.
    pub(crate) fn possible(&self) -> &[Fault] {
        &self.listed.faults
    }

    /// Lists the faults that are possible now. `awaits` says if an operation on the first node watches, or has
    /// asked, one on the second.
    pub(crate) fn list_possible(&mut self, nodes: &Nodes, awaits: impl Fn(u32, u32) -> bool) {
        let count = nodes.count().min(NODES_MAX);
        let mut listed = std::mem::take(&mut self.listed);
        if count == 0 || !self.is_open() {
            listed.faults.clear();
            self.listed = listed;
            return;
        }
        let state = nodes.fault_state();
        if listed.nodes != Some(state) {
            listed.nodes = Some(state);
            listed.faults.clear();
            listed.kinds = self.list(nodes, count, &mut listed.faults);
            listed.faults.extend(&self.lasting);
            listed.lasting = listed.faults.len();
        }
        for (kind, offered) in self.counts.offered.iter_mut().enumerate() {
            *offered += listed.kinds >> kind & 1;
        }
        listed.faults.truncate(listed.lasting);
        let partition = self.lasting.iter().find(|lasting| is_partition(lasting));
        if let Some(partition) = partition {
            let mut broken = Vec::new();
            let may_break = |from: u32, to: u32| {
                partition.separates(1 << from | 1 << to)
                    && !nodes.is_half_open(from, to)
                    && awaits(from, to)
            };
            one_way(nodes, FaultKind::HalfOpen, count, may_break, &mut broken);
            broken.retain(|fault: &Fault| {
                let is_listed = listed.faults.iter().any(|other| other.key == fault.key);
                !is_listed && !self.timed_out.contains(&fault.key)
            });
            listed.faults.append(&mut broken);
        }
        self.listed = listed;
    }

    /// Adds the faults that follow from the nodes and the budgets; returns their kinds, as bits.
    fn list(&self, nodes: &Nodes, count: u32, possible: &mut Vec<Fault>) -> u32 {
        let mut kinds = 0;
        for kind in FaultKind::ALL {
            if kind.is_within_a_step() || !self.may_be(kind) {
                continue;
            }
            let before = possible.len();
            match kind {
                FaultKind::Partition => self.partitions(nodes, possible),
                FaultKind::Break => {
                    let pairs = connected(nodes, count);
                    possible.extend(pairs.map(|(one, other)| {
                        fault(nodes, FaultKind::Break, 1 << one | 1 << other, 0)
                    }));
                }
                FaultKind::Slow => {
                    let delivers = |from, to| !nodes.is_held(from, to);
                    one_way(nodes, kind, count, delivers, possible);
                }
                FaultKind::FullLink => {
                    let has_room = |from, to| !nodes.is_full(from, to);
                    one_way(nodes, kind, count, has_room, possible);
                }
                FaultKind::HalfOpen => {
                    let is_whole = |from, to| !nodes.is_half_open(from, to);
                    one_way(nodes, kind, count, is_whole, possible);
                }
                FaultKind::Pause => {
                    let runs = |fault: &Fault| !nodes.is_paused(fault.nodes.trailing_zeros());
                    possible.extend(single_nodes(nodes, kind, count).filter(runs));
                }
                FaultKind::Clock => clock_jumps(nodes, count, possible),
                _ => possible.extend(single_nodes(nodes, kind, count)),
            }
            kinds |= u32::from(possible.len() > before) << kind as u32;
        }
        kinds
    }

    /// Returns whether the fault breaks a connection across the partition, which happens by itself to each of them
    /// once while the partition lasts.
    fn times_out(&self, fault: &Fault) -> bool {
        let is_across = |lasting: &Fault| is_partition(lasting) && lasting.separates(fault.nodes);
        fault.kind == FaultKind::HalfOpen
            && self.lasting.iter().any(is_across)
            && !self.timed_out.contains(&fault.key)
    }

    /// Records that the step in progress has reached a moment at which a fault may be aimed, at those nodes.
    pub(crate) fn record_moment(&mut self, what: u64, nodes: u64) {
        if self.is_open() {
            self.moments.push(Moment { what, nodes });
        }
    }

    /// Takes the lasting faults, each as the fault that undoes it.
    pub(crate) fn take_lasting(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.lasting)
    }

    pub(crate) fn are_lasting(&self) -> bool {
        !self.lasting.is_empty()
    }

    /// Adds the partitions of the nodes: one half, and whether both directions are cut or one. A spared node
    /// is in neither half, and its links stay.
    fn partitions(&self, nodes: &Nodes, possible: &mut Vec<Fault>) {
        let at_risk = nodes_at_risk(nodes);
        let count = at_risk.len() as u32;
        // Only one partition at a time, so that a healed partition heals exactly the links that it has cut.
        if count < 2 || self.lasting.iter().any(is_partition) {
            return;
        }
        let sides: Vec<u64> = match count <= PARTITIONED_MAX {
            // The half without the last node; the other half is the rest.
            true => (1..1 << (count - 1)).collect(),
            false => (0..count).map(|node| 1 << node).collect(),
        };
        for side in sides {
            let members = at_risk.iter().enumerate();
            let members = members.filter(|(place, _)| side >> place & 1 == 1);
            let side = members.fold(0, |side, (_, node)| side | 1 << node);
            let is_spared =
                crossing(side, &at_risk).any(|(from, to)| nodes.is_link_spared(from, to));
            if !is_spared {
                possible.extend((0..3).map(|way| fault(nodes, FaultKind::Partition, side, way)));
            }
        }
    }

    pub(crate) fn counts(&self) -> FaultCounts {
        self.counts
    }
}

/// Distinguishes moments at which a liveness obligation arises from other moments.
const OBLIGATION_MOMENT: u64 = 0x0_0ed0;

/// The way of a clock fault that makes the clock jump ahead.
pub(crate) const AHEAD: u8 = 0;

/// The way of a clock fault that sets the clock back.
pub(crate) const BACK: u8 = 1;

/// The largest number of nodes that the bits of a fault can distinguish.
const NODES_MAX: u32 = 64;

/// The largest number of nodes for which all partitions are possible; of more, only single nodes are cut off.
const PARTITIONED_MAX: u32 = 5;

fn is_partition(fault: &Fault) -> bool {
    fault.kind == FaultKind::Partition
}

/// Returns whether a fault of that kind may strike now. All operations share the budget. So the step depends
/// on the others that look at it; once it is spent, no later step of another makes a difference.
pub(crate) fn may_strike(state: &mut ExecutionState, kind: FaultKind) -> bool {
    let (faults, footprint) = (&state.faults, &mut state.footprint);
    let may_be = faults.may_be(kind);
    match may_be {
        true => footprint.add(StepConstruct::Fault),
        false if faults.budgets.budget(kind) > 0 => {
            footprint.record_local(StepConstruct::Fault);
        }
        false => {}
    }
    may_be
}

/// Records that the monitor or predicate with this name has a pending obligation from here on.
pub(crate) fn record_obligation(state: &mut ExecutionState, name: u64) {
    let nodes = state.node_bits(state.progress.last_operation());
    let moment = mix(OBLIGATION_MOMENT, name);
    state.faults.record_moment(moment, nodes);
}

impl ExecutionState {
    /// Returns the node of an operation as a bit, or both ends of a link.
    pub(crate) fn node_bits(&self, operation: u32) -> u64 {
        let bit = |node: u32| 1_u64.checked_shl(node).unwrap_or(0);
        let found = self.operations.get(operation);
        match found.map(|found| found.kind) {
            Some(OperationRole::Link(link)) => {
                let link = self.nodes.link(link);
                bit(link.from) | bit(link.to)
            }
            _ => self.nodes.node_of(operation).map_or(0, bit),
        }
    }
}

/// Returns the links from the nodes of one half to the nodes of the other.
fn crossing(side: u64, nodes: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let is_in = move |node: u32| side >> node & 1 == 1;
    let pairs = nodes
        .iter()
        .flat_map(move |from| nodes.iter().map(move |to| (*from, *to)));
    pairs.filter(move |(from, to)| is_in(*from) && !is_in(*to))
}

fn fault(nodes: &Nodes, kind: FaultKind, at: u64, way: u8) -> Fault {
    let members = (0..u64::BITS).filter(|node| at >> node & 1 == 1);
    let names = members.map(|node| text(nodes.name(node)));
    let hash = names.fold(mix(kind as u64, u64::from(way)), mix);
    Fault::new(kind, at, way, hash)
}

fn single_nodes(nodes: &Nodes, kind: FaultKind, count: u32) -> impl Iterator<Item = Fault> {
    let up = (0..count).filter(|node| nodes.is_up(*node) && !nodes.is_spared(*node));
    up.map(move |node| fault(nodes, kind, 1 << node, 0))
}

/// Adds the jumps ahead and back of the clocks, also of nodes that are down.
fn clock_jumps(nodes: &Nodes, count: u32, possible: &mut Vec<Fault>) {
    let at_risk = (0..count).filter(|node| !nodes.is_spared(*node));
    let ways = at_risk.flat_map(|node| [AHEAD, BACK].map(|way| (node, way)));
    possible.extend(ways.map(|(node, way)| fault(nodes, FaultKind::Clock, 1 << node, way)));
}

/// Returns the nodes at which faults may be injected.
fn nodes_at_risk(nodes: &Nodes) -> Vec<u32> {
    let count = nodes.count().min(NODES_MAX);
    let at_risk = (0..count).filter(|node| !nodes.is_spared(*node));
    at_risk.collect()
}

/// Returns the links that a partition cuts.
pub(crate) fn links_cut(nodes: &Nodes, fault: &Fault) -> Vec<(u32, u32)> {
    let at_risk = nodes_at_risk(nodes);
    let out = || crossing(fault.nodes, &at_risk);
    let back = || out().map(|(from, to)| (to, from));
    match fault.way {
        0 => out().chain(back()).collect(),
        1 => out().collect(),
        _ => back().collect(),
    }
}

/// Adds the faults of a kind that strike two nodes in one way or the other, where they may.
fn one_way(
    nodes: &Nodes,
    kind: FaultKind,
    count: u32,
    may_strike: impl Fn(u32, u32) -> bool,
    possible: &mut Vec<Fault>,
) {
    for (one, other) in connected(nodes, count) {
        let ways = [(one, other, Fault::FORWARD), (other, one, Fault::BACKWARD)];
        let ways = ways
            .into_iter()
            .filter(|(from, to, _)| may_strike(*from, *to));
        possible.extend(ways.map(|(.., way)| fault(nodes, kind, 1 << one | 1 << other, way)));
    }
}

/// Returns the pairs of nodes that are up, between which faults may strike.
fn connected(nodes: &Nodes, count: u32) -> impl Iterator<Item = (u32, u32)> {
    let pairs = (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)));
    pairs.filter(|(one, other)| {
        let is_up = nodes.is_up(*one) && nodes.is_up(*other);
        let is_spared = nodes.is_spared(*one) || nodes.is_spared(*other);
        is_up && !is_spared && !nodes.is_link_spared(*one, *other)
    })
}
