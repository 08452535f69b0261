//! What an execution may still go wrong with, and what has: [`FaultPhase`].

use crate::data::faults::{Fault, FaultBudgets, FaultCounts, FaultKind, Moment};
use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::ExecutionState;
use crate::hash::{mix, text};

/// The faults of one execution. They may strike up to the end of a phase, which the strategy or the
/// engine says; what is owed counts after it alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultPhase {
    left: FaultBudgets,
    is_open: bool,
    counts: FaultCounts,
    /// What lasts, as it is undone.
    lasting: Vec<Fault>,
    /// What the last step has led to at which a fault may be aimed.
    moments: Vec<Moment>,
}

impl FaultPhase {
    /// Starts an execution.
    pub(crate) fn begin(&mut self, faults: FaultBudgets) {
        self.left = faults;
        self.is_open = !faults.is_none();
        self.counts = FaultCounts::default();
        self.lasting.clear();
        self.moments.clear();
    }

    /// Faults may still come.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// A fault of that kind may.
    #[inline]
    pub(crate) fn may_be(&self, kind: FaultKind) -> bool {
        self.is_open && self.left.budget(kind) > 0
    }

    /// One of that kind may come now, and does or does not.
    pub(crate) fn offered(&mut self, kind: FaultKind, strikes: bool) {
        self.counts.offered[kind as usize] += 1;
        if strikes {
            self.left.spend(kind);
            self.counts.struck[kind as usize] += 1;
        }
    }

    /// A fault struck between two steps, or was undone.
    pub(crate) fn struck(&mut self, fault: &Fault) {
        if fault.is_undone {
            self.lasting.retain(|lasting| lasting.key != fault.key);
            return;
        }
        self.left.spend(fault.kind);
        self.counts.struck[fault.kind as usize] += 1;
        if fault.kind.is_undone() {
            self.lasting.push(fault.undone());
        }
    }

    /// No more faults come.
    pub(crate) fn close(&mut self) {
        self.is_open = false;
        self.moments.clear();
    }

    /// What the last step has led to at which a fault may be aimed.
    pub(crate) fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Whoever places faults has heard of the moments.
    pub(crate) fn forget_moments(&mut self) {
        self.moments.clear();
    }

    /// Feeds what may still come, and what lasts.
    pub(crate) fn feed(&self, mut to: impl FnMut(u64)) {
        to(u64::from(self.is_open));
        for (kind, left) in self.left.iter() {
            to((kind as u64) << 16 | u64::from(left));
        }
        to(u64::MAX);
        self.lasting.iter().for_each(|fault| to(fault.key));
    }

    /// What came, and what might have.
    pub(crate) fn counts(&self) -> FaultCounts {
        self.counts
    }
}

/// What tells that something is owed from other moments that matter.
const OBLIGATION_MOMENT: u64 = 0x0_0ed0;

/// The way of a clock's jump ahead.
pub(crate) const AHEAD: u8 = 0;

/// The way in which it is set back.
pub(crate) const BACK: u8 = 1;

/// How many nodes can be told by the bits of a fault.
const NODES_MAX: u32 = 64;

/// Up to so many nodes, every partition is possible; of more, a node is cut off from all others.
const PARTITIONED_MAX: u32 = 5;

impl ExecutionState {
    /// The faults that may strike between two steps now, or be undone.
    pub(crate) fn possible_faults(&mut self) -> Vec<Fault> {
        let mut possible = Vec::new();
        let count = self.nodes.count().min(NODES_MAX);
        if count == 0 || !self.faults.is_open() {
            return possible;
        }
        for kind in FaultKind::ALL {
            if kind.is_within_a_step() || !self.faults.may_be(kind) {
                continue;
            }
            let before = possible.len();
            match kind {
                FaultKind::Partition => self.partitions(&mut possible),
                FaultKind::Break => self.connections(count, &mut possible),
                FaultKind::Clock => self.clock_jumps(count, &mut possible),
                _ => possible.extend(self.single_nodes(kind, count)),
            }
            let is_possible = possible.len() > before;
            self.faults.counts.offered[kind as usize] += u32::from(is_possible);
        }
        possible.extend(&self.faults.lasting);
        possible
    }

    /// The step in progress has led to a moment that matters, which concerns those nodes.
    pub(crate) fn record_moment(&mut self, what: u64, nodes: u64) {
        if self.faults.is_open() {
            self.faults.moments.push(Moment { what, nodes });
        }
    }

    /// Nothing of what the kind strikes by an operation's doing fails where that one is. What is on a
    /// link is up to the link.
    pub(crate) fn is_spared(&self, kind: FaultKind, operation: u32) -> bool {
        let is_of_node = matches!(kind, FaultKind::Call | FaultKind::Full | FaultKind::Disk);
        let node = self.nodes.node_of(operation).filter(|_| is_of_node);
        node.is_some_and(|node| self.nodes.is_spared(node))
    }

    /// Something is owed from here on, by who has that name: a hot monitor, or a predicate.
    pub(crate) fn record_obligation(&mut self, name: u64) {
        let nodes = self.node_bits(self.last_operation);
        self.record_moment(mix(OBLIGATION_MOMENT, name), nodes);
    }

    /// The node of an operation, as a bit; both ends of a link.
    pub(crate) fn node_bits(&self, operation: u32) -> u64 {
        let bit = |node: u32| 1_u64.checked_shl(node).unwrap_or(0);
        let found = self.operations.get(operation as usize);
        match found.map(|found| found.kind) {
            Some(OperationRole::Link(link)) => {
                let link = self.nodes.link(link);
                bit(link.from) | bit(link.to)
            }
            _ => self.nodes.node_of(operation).map_or(0, bit),
        }
    }

    /// What lasts and is to be undone.
    pub(crate) fn faults_to_undo(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults.lasting)
    }

    pub(crate) fn has_faults_to_undo(&self) -> bool {
        !self.faults.lasting.is_empty()
    }

    fn fault(&self, kind: FaultKind, nodes: u64, way: u8) -> Fault {
        let members = (0..u64::BITS).filter(|node| nodes >> node & 1 == 1);
        let names = members.map(|node| text(self.nodes.name(node)));
        let hash = names.fold(mix(kind as u64, u64::from(way)), mix);
        Fault::new(kind, nodes, way, hash)
    }

    fn single_nodes(&self, kind: FaultKind, count: u32) -> impl Iterator<Item = Fault> + '_ {
        let up = (0..count).filter(|node| self.nodes.is_up(*node) && !self.nodes.is_spared(*node));
        up.map(move |node| self.fault(kind, 1 << node, 0))
    }

    /// A clock jumps ahead, or is set back; that of a node that is down as well.
    fn clock_jumps(&self, count: u32, possible: &mut Vec<Fault>) {
        let at_risk = (0..count).filter(|node| !self.nodes.is_spared(*node));
        let ways = at_risk.flat_map(|node| [AHEAD, BACK].map(|way| (node, way)));
        possible.extend(ways.map(|(node, way)| self.fault(FaultKind::Clock, 1 << node, way)));
    }

    /// The nodes at which something may fail.
    fn nodes_at_risk(&self) -> Vec<u32> {
        let count = self.nodes.count().min(NODES_MAX);
        let at_risk = (0..count).filter(|node| !self.nodes.is_spared(*node));
        at_risk.collect()
    }

    /// The partitions of the nodes: one side, and whether both directions are cut or one. Who is spared
    /// is on no side, and reaches everybody.
    fn partitions(&self, possible: &mut Vec<Fault>) {
        let at_risk = self.nodes_at_risk();
        let count = at_risk.len() as u32;
        let has_one = |lasting: &Fault| lasting.kind == FaultKind::Partition;
        // One at a time, so that healing it heals what it has cut.
        if count < 2 || self.faults.lasting.iter().any(has_one) {
            return;
        }
        let sides: Vec<u64> = match count <= PARTITIONED_MAX {
            // The side without the last node; the other side is the rest.
            true => (1..1 << (count - 1)).collect(),
            false => (0..count).map(|node| 1 << node).collect(),
        };
        for side in sides {
            let members = at_risk.iter().enumerate();
            let members = members.filter(|(place, _)| side >> place & 1 == 1);
            let side = members.fold(0, |side, (_, node)| side | 1 << node);
            let is_spared =
                crossing(side, &at_risk).any(|(from, to)| self.nodes.is_link_spared(from, to));
            if !is_spared {
                possible.extend((0..3).map(|way| self.fault(FaultKind::Partition, side, way)));
            }
        }
    }

    /// The links that a partition cuts.
    pub(crate) fn links_cut(&self, fault: &Fault) -> Vec<(u32, u32)> {
        let at_risk = self.nodes_at_risk();
        let out = || crossing(fault.nodes, &at_risk);
        let back = || out().map(|(from, to)| (to, from));
        match fault.way {
            0 => out().chain(back()).collect(),
            1 => out().collect(),
            _ => back().collect(),
        }
    }

    fn connections(&self, count: u32, possible: &mut Vec<Fault>) {
        for one in 0..count {
            for other in one + 1..count {
                let nodes = &self.nodes;
                let is_up = nodes.is_up(one) && nodes.is_up(other);
                let is_spared = nodes.is_spared(one) || nodes.is_spared(other);
                if is_up && !is_spared && !nodes.is_link_spared(one, other) {
                    let pair = 1 << one | 1 << other;
                    possible.push(self.fault(FaultKind::Break, pair, 0));
                }
            }
        }
    }
}

/// The links from one side to the other.
fn crossing(side: u64, nodes: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let is_in = move |node: u32| side >> node & 1 == 1;
    let pairs = nodes
        .iter()
        .flat_map(move |from| nodes.iter().map(move |to| (*from, *to)));
    pairs.filter(move |(from, to)| is_in(*from) && !is_in(*to))
}
