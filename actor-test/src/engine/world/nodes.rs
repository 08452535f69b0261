//! Nodes: their operations, their incarnations, and the links between them.

use crate::data::clocks::Clocks;
use crate::data::faults::FaultKind;
use crate::engine::world::network::NetworkLink;
use crate::engine::world::node_clocks::NodeClock;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::operations::Operations;
use crate::hash::{mix, text};
use crate::records::node_fault::NodeFault;
use crate::settings::Delivery;

/// Stands for no node, no incarnation or no link.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// The largest number of starts of one node in an execution.
pub(crate) const STARTS_MAX: u32 = 1_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub(super) nodes: Vec<NodeRecord>,
    lives: Vec<NodeIncarnation>,
    /// The incarnation and the node of each operation. Operations behind the last entry are on no node.
    places: Vec<(u32, u32)>,
    pub(super) links: Vec<NetworkLink>,
    /// The links of earlier executions, whose memory is reused.
    pub(super) spare_links: Vec<NetworkLink>,
    /// The faults of scripts, by the number in their effects.
    pub(crate) node_faults: Vec<NodeFault>,
    /// The nodes that have just noticed that their connection to another node was closed.
    pub(crate) noticing: Vec<(u32, u32)>,
    pub(crate) delivery: Delivery,
    /// The allowed deviation of the clocks.
    pub(crate) clocks_allowed: Clocks,
    /// True if some clock may deviate from the true time.
    pub(super) are_clocks_apart: bool,
}

#[derive(Clone, Debug)]
pub(super) struct NodeRecord {
    name: Box<str>,
    key: u64,
    /// The last incarnation, or `NOWHERE` before the first start.
    life: u32,
    is_up: bool,
    is_paused: bool,
    is_spared: bool,
    pub(super) clock: NodeClock,
    /// The link to each other node, or `NOWHERE`.
    pub(super) out: Vec<u32>,
}

/// An incarnation of a node, from a start to the next crash.
#[derive(Clone, Debug)]
struct NodeIncarnation {
    node: u32,
    /// The number of the incarnation, counted from one.
    number: u32,
    /// The operation that boots the node.
    boot: u32,
    members: Vec<u32>,
    /// The number of actors of each type so far.
    counts: Vec<u32>,
}

impl Nodes {
    pub(crate) fn clear(&mut self) {
        if self.nodes.is_empty() {
            return;
        }
        self.nodes.clear();
        self.lives.clear();
        self.places.clear();
        self.spare_links.append(&mut self.links);
        self.node_faults.clear();
        self.noticing.clear();
        self.are_clocks_apart = false;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Feeds the incarnations of the nodes, and what is up and what is spared, into a fingerprint. Returns
    /// whether there are wishes, which a fingerprint can't distinguish.
    pub(crate) fn feed(&self, mut to: impl FnMut(u64)) -> bool {
        for node in &self.nodes {
            let flags = u64::from(node.is_up) | u64::from(node.is_spared) << 1;
            to(u64::from(node.life) << 2 | flags);
        }
        for link in &self.links {
            to(u64::from(link.is_spared));
        }
        self.links.iter().any(|link| !link.wishes.is_empty())
    }

    pub(crate) fn count(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub(crate) fn name(&self, node: u32) -> &str {
        &self.nodes[node as usize].name
    }

    pub(crate) fn names(&self) -> Vec<Box<str>> {
        self.nodes.iter().map(|node| node.name.clone()).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let found = self.nodes.iter().position(|node| &*node.name == name);
        found.map(|node| node as u32)
    }

    pub(crate) fn is_up(&self, node: u32) -> bool {
        self.nodes[node as usize].is_up
    }

    /// Returns whether nothing on the node takes a step for now.
    pub(crate) fn is_paused(&self, node: u32) -> bool {
        self.nodes[node as usize].is_paused
    }

    pub(super) fn set_paused(&mut self, node: u32, is_paused: bool) {
        self.nodes[node as usize].is_paused = is_paused;
    }

    /// Returns whether the operation is on a paused node.
    pub(crate) fn is_paused_at(&self, operation: u32) -> bool {
        let node = self.node_of(operation);
        node.is_some_and(|node| self.is_paused(node))
    }

    /// Returns the paused nodes.
    pub(crate) fn paused(&self) -> impl Iterator<Item = u32> {
        (0..self.count()).filter(|node| self.is_paused(*node))
    }

    /// Returns the number of starts of the node.
    pub(crate) fn starts(&self, node: u32) -> u32 {
        match self.lives.get(self.nodes[node as usize].life as usize) {
            Some(life) => life.number,
            None => 0,
        }
    }

    /// Returns whether the tester injects no faults at the node by its own choice.
    pub(crate) fn is_spared(&self, node: u32) -> bool {
        self.nodes[node as usize].is_spared
    }

    /// Returns the incarnation of a node to which an operation belongs.
    #[inline]
    pub(crate) fn node_incarnation_of(&self, operation: u32) -> u32 {
        let place = self.places.get(operation as usize);
        place.map_or(NO_NODE, |(life, _)| *life)
    }

    #[inline]
    pub(crate) fn node_of(&self, operation: u32) -> Option<u32> {
        let (_, node) = *self.places.get(operation as usize)?;
        (node != NO_NODE).then_some(node)
    }

    /// Returns the number of the incarnation to which an operation belongs, counted from one; zero on no
    /// node.
    pub(crate) fn incarnation_of(&self, operation: u32) -> u32 {
        let life = self.lives.get(self.node_incarnation_of(operation) as usize);
        life.map_or(0, |life| life.number)
    }

    /// Returns whether the incarnation of an operation is over, because its node has crashed.
    pub(crate) fn is_over(&self, operation: u32) -> bool {
        let life = self.node_incarnation_of(operation);
        self.lives.get(life as usize).is_some_and(|found| {
            let node = &self.nodes[found.node as usize];
            node.life != life || !node.is_up
        })
    }

    /// Returns the nodes of two operations, if they are on different nodes.
    #[inline]
    pub(crate) fn nodes_if_different(&self, from: u32, to: u32) -> Option<(u32, u32)> {
        let (from, to) = (self.node_of(from)?, self.node_of(to)?);
        (from != to).then_some((from, to))
    }

    /// Returns a hash of all on which the possible faults depend: the flags of nodes and links.
    pub(super) fn fault_state(&self) -> u64 {
        let flags = |all: &[bool]| {
            all.iter()
                .fold(1, |bits, flag| bits << 1 | u64::from(*flag))
        };
        let nodes = self.nodes.iter();
        let nodes = nodes.map(|node| flags(&[node.is_up, node.is_paused, node.is_spared]));
        let links = self.links.iter().map(|link| {
            let flags = flags(&[link.is_held, link.is_stale, link.is_full, link.is_spared]);
            u64::from(link.from) << 40 | u64::from(link.to) << 8 | flags
        });
        nodes.chain(links).fold(0, mix)
    }

    /// Returns the last incarnation of a node.
    pub(crate) fn life(&self, node: u32) -> u32 {
        self.nodes[node as usize].life
    }

    /// Returns whether the boot of a node that is up is not over: its code, and the effects of that.
    pub(super) fn is_booting(&self, operations: &Operations, node: u32) -> bool {
        let life = &self.lives[self.life(node) as usize];
        let boot = &operations[life.boot];
        boot.stage != OperationStage::Gone || boot.outbox.first().is_some()
    }

    /// Returns all operations of a node's last incarnation, also those that have ended.
    pub(crate) fn members(&self, node: u32) -> Vec<u32> {
        let life = self.nodes[node as usize].life;
        let life = self.lives.get(life as usize);
        life.map_or_else(Vec::new, |life| life.members.clone())
    }

    pub(super) fn link_number(&self, from: u32, to: u32) -> Option<u32> {
        let out = &self.nodes[from as usize].out;
        let number = out.get(to as usize).copied();
        number.filter(|number| *number != NO_NODE)
    }

    pub(super) fn set_link_number(&mut self, from: u32, to: u32, number: u32) {
        let out = &mut self.nodes[from as usize].out;
        if out.len() <= to as usize {
            out.resize(to as usize + 1, NO_NODE);
        }
        out[to as usize] = number;
    }

    pub(super) fn key(&self, node: u32) -> u64 {
        self.nodes[node as usize].key
    }

    pub(crate) fn spare(&mut self, node: u32) {
        self.nodes[node as usize].is_spared = true;
    }

    /// Records that the node is down.
    pub(crate) fn set_down(&mut self, node: u32) {
        self.nodes[node as usize].is_up = false;
        for link in &mut self.links {
            link.is_stale &= link.from != node;
        }
    }

    /// Returns whether an operation is a name on a node, which belongs to no incarnation.
    pub(super) fn is_name(&self, operation: u32) -> bool {
        self.node_of(operation).is_some() && self.node_incarnation_of(operation) == NO_NODE
    }

    /// Returns the prefix of the names of an incarnation's operations.
    fn prefix(&self, life: u32) -> Option<String> {
        let life = self.lives.get(life as usize)?;
        let name = self.name(life.node);
        Some(match life.number {
            1 => format!("{name}/"),
            number => format!("{name}({number})/"),
        })
    }

    /// Returns the prefix of an operation's name, if the operation is on a node.
    pub(crate) fn prefix_of(&self, operation: u32) -> Option<String> {
        self.prefix(self.node_incarnation_of(operation))
    }

    /// Returns the number of actors of a type in the incarnation of an operation.
    pub(crate) fn count_beside(&self, operation: u32, of_type: u32) -> Option<u32> {
        let life = self
            .lives
            .get(self.node_incarnation_of(operation) as usize)?;
        life.counts.get(of_type as usize).copied()
    }

    fn place(&mut self, operation: u32, life: u32) {
        if life == NO_NODE {
            return;
        }
        if self.places.len() <= operation as usize {
            let nowhere = (NO_NODE, NO_NODE);
            self.places.resize(operation as usize + 1, nowhere);
        }
        let life_of_it = &mut self.lives[life as usize];
        self.places[operation as usize] = (life, life_of_it.node);
        life_of_it.members.push(operation);
    }

    /// Puts the operation of a name on a node, where it belongs to no incarnation.
    pub(super) fn place_name(&mut self, operation: u32, node: Option<u32>) {
        if let Some(node) = node {
            let nowhere = (NO_NODE, NO_NODE);
            self.places.resize(operation as usize + 1, nowhere);
            self.places[operation as usize] = (NO_NODE, node);
        }
    }

    /// Declares a node, which is down at first.
    pub(crate) fn declare(&mut self, name: &str) -> u32 {
        self.nodes.push(NodeRecord {
            name: name.into(),
            key: text(name),
            life: NO_NODE,
            is_up: false,
            is_paused: false,
            is_spared: false,
            clock: NodeClock::right(),
            out: Vec::new(),
        });
        self.count() - 1
    }

    /// Begins the next incarnation of a node. Returns its boot operation, which is not started yet.
    pub(crate) fn begin_incarnation(&mut self, operations: &mut Operations, node: u32) -> u32 {
        let number = self.starts(node) + 1;
        let key = mix(self.key(node), u64::from(number));
        let life = self.lives.len() as u32;
        let boot = operations.create(OperationRole::Boot { node }, key);
        self.lives.push(NodeIncarnation {
            node,
            number,
            boot,
            members: Vec::new(),
            counts: Vec::new(),
        });
        let found = &mut self.nodes[node as usize];
        found.life = life;
        found.is_up = true;
        self.place(boot, life);
        boot
    }

    /// Puts a new operation on the node of its parent, if any. Returns the number of a new actor among those
    /// of its type in that incarnation.
    pub(crate) fn place_with_parent(
        &mut self,
        operations: &Operations,
        parent: u32,
        child: u32,
    ) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let life = self.node_incarnation_of(parent);
        if life == NO_NODE {
            return None;
        }
        self.place(child, life);
        let OperationRole::Actor(of_type) = operations[child].kind else {
            return None;
        };
        let counts = &mut self.lives[life as usize].counts;
        if counts.len() <= of_type as usize {
            counts.resize(of_type as usize + 1, 0);
        }
        counts[of_type as usize] += 1;
        Some(counts[of_type as usize])
    }

    /// Returns whether no fault of this kind is injected at the operation, because its node is spared. For
    /// faults of links, the link decides.
    pub(crate) fn spares(&self, kind: FaultKind, operation: u32) -> bool {
        let is_of_node = matches!(kind, FaultKind::Call | FaultKind::Full | FaultKind::Disk);
        let node = self.node_of(operation).filter(|_| is_of_node);
        node.is_some_and(|node| self.is_spared(node))
    }

    /// Returns whether a fault of a script can take effect now: its nodes and links are in the required
    /// state, and not spared.
    pub(crate) fn can_happen(&self, node_fault: &NodeFault) -> bool {
        if node_fault.node().is_some_and(|node| self.is_spared(node)) {
            return false;
        }
        let spared = |(from, to): (u32, u32)| self.is_link_spared(from, to);
        if node_fault.links().into_iter().any(spared) {
            return false;
        }
        match node_fault {
            NodeFault::Crash { node } => self.is_up(*node),
            NodeFault::Restart { node, .. } => !self.is_up(*node),
            NodeFault::Pause { node } => self.is_up(*node) && !self.is_paused(*node),
            NodeFault::Resume { node } => self.is_paused(*node),
            NodeFault::Cut(links) => links.iter().any(|(from, to)| !self.is_cut(*from, *to)),
            NodeFault::Heal(links) => links.iter().any(|(from, to)| self.is_cut(*from, *to)),
            NodeFault::HealAll => self.links().any(|link| link.is_cut),
            NodeFault::Break { one, other } => {
                self.in_transit(*one, *other) + self.in_transit(*other, *one) > 0
            }
            NodeFault::HalfOpen { sees, unaware } => !self.is_half_open(*sees, *unaware),
            NodeFault::Notice { node, of } => self.is_stale(*node, *of),
            NodeFault::Hold { from, to } => !self.is_held(*from, *to),
            NodeFault::Release { from, to } => self.is_held(*from, *to),
            NodeFault::Fill { from, to } => !self.is_full(*from, *to),
            NodeFault::Drain { from, to } => self.is_full(*from, *to),
            NodeFault::At {
                wish,
                from,
                to,
                place,
            } => self.can_wish(*wish, *from, *to, *place),
            NodeFault::Next { .. } | NodeFault::SetAhead { .. } | NodeFault::SetBack { .. } => true,
            NodeFault::Spare { .. } | NodeFault::SpareLink { .. } => true,
        }
    }
}
