//! Nodes under test: messages to them, their incarnations, and the faults that scripts inject into them.

use std::any::Any;

use actor_core::seam::{Address, ScriptedFault};

use crate::data::problem::{BadNode, Problem};
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::effect::Effect;
use crate::engine::world::nodes::Nodes;
use crate::records::node_fault::NodeFault;
use crate::records::{Created, Record, nanoseconds};

impl ControlledRuntime {
    /// Begins the next incarnation of a node; returns the operation that boots it.
    pub(crate) fn launch(&self, node: u32) -> u32 {
        let state = &mut *self.state();
        let boot = state.nodes.begin_incarnation(&mut state.operations, node);
        self.record(|| Record::Created {
            who: boot,
            path: state.operations[boot].key,
            what: Created::Boot {
                name: state.name(boot),
            },
        });
        boot
    }

    /// Translates a script's fault from names to numbers. A node that does not exist is a bug.
    pub(crate) fn node_fault(&self, fault: &ScriptedFault) -> Option<NodeFault> {
        let found = node_fault(&self.state.borrow().nodes, fault);
        found
            .map_err(|bad| self.find(&Problem::BadNode(bad), None))
            .ok()
    }
}

impl CurrentOperation<'_> {
    /// Sends to an actor on a node; does nothing if the address is of another execution.
    #[inline(never)]
    pub(super) fn post_to_node(self, to: Address, message: &mut dyn Any) {
        if let Some(to) = self.local(to)
            && let Some((slot, event)) = self.put(to, message)
        {
            let mut state = self.state();
            let letter = state.operations.letter(self.number, to, slot, event);
            state.send_letter(self.number, to, letter);
        }
    }

    /// Injects a fault, as an effect of the operation.
    pub(super) fn inject(self, fault: &ScriptedFault) {
        if let Some(node_fault) = self.node_fault(fault) {
            let state = &mut *self.state();
            // A node is spared in the whole execution: otherwise a fault could strike before this effect.
            match node_fault {
                NodeFault::Spare { node } => return state.nodes.spare(node),
                NodeFault::SpareLink { one, other } => {
                    return state.nodes.spare_link(&mut state.operations, one, other);
                }
                _ => {}
            }
            state.nodes.node_faults.push(node_fault);
            let number = state.nodes.node_faults.len() as u32 - 1;
            state.operations.push(self.number, Effect::Fault(number));
        }
    }
}

/// Translates a script's fault from names to numbers.
fn node_fault(nodes: &Nodes, fault: &ScriptedFault) -> Result<NodeFault, BadNode> {
    let node = |name: &str| node_called(nodes, name);
    let link = |from: &str, to: &str| link_called(nodes, from, to);
    Ok(match fault {
        ScriptedFault::Crash(name) => NodeFault::Crash { node: node(name)? },
        ScriptedFault::Restart(name, disk) => NodeFault::Restart {
            node: node(name)?,
            disk: *disk,
        },
        ScriptedFault::Pause(name) => NodeFault::Pause { node: node(name)? },
        ScriptedFault::Resume(name) => NodeFault::Resume { node: node(name)? },
        ScriptedFault::Partition(these, those) => {
            NodeFault::Cut(links_between(nodes, these, those)?)
        }
        ScriptedFault::Cut(from, to) => NodeFault::Cut(vec![link(from, to)?]),
        ScriptedFault::Heal => NodeFault::HealAll,
        ScriptedFault::HealBetween(one, other) => {
            let (one, other) = link(one, other)?;
            NodeFault::Heal(vec![(one, other), (other, one)])
        }
        ScriptedFault::Break(one, other) => {
            let (one, other) = link(one, other)?;
            NodeFault::Break { one, other }
        }
        ScriptedFault::HalfOpen(sees, unaware) => {
            let (sees, unaware) = link(sees, unaware)?;
            NodeFault::HalfOpen { sees, unaware }
        }
        ScriptedFault::Hold(from, to) => {
            let (from, to) = link(from, to)?;
            NodeFault::Hold { from, to }
        }
        ScriptedFault::Release(from, to) => {
            let (from, to) = link(from, to)?;
            NodeFault::Release { from, to }
        }
        ScriptedFault::Fill(from, to) => {
            let (from, to) = link(from, to)?;
            NodeFault::Fill { from, to }
        }
        ScriptedFault::Drain(from, to) => {
            let (from, to) = link(from, to)?;
            NodeFault::Drain { from, to }
        }
        ScriptedFault::Next {
            wish,
            from,
            to,
            event,
            ..
        } => {
            let (from, to) = link(from, to)?;
            NodeFault::Next {
                wish: *wish,
                from,
                to,
                event: *event,
            }
        }
        ScriptedFault::SetAhead(name, by) => NodeFault::SetAhead {
            node: node(name)?,
            by_ns: nanoseconds(*by),
        },
        ScriptedFault::SetBack(name, by) => NodeFault::SetBack {
            node: node(name)?,
            by_ns: nanoseconds(*by),
        },
        ScriptedFault::Spare(name) => NodeFault::Spare { node: node(name)? },
        ScriptedFault::SpareLink(one, other) => {
            let (one, other) = link(one, other)?;
            NodeFault::SpareLink { one, other }
        }
    })
}

fn node_called(nodes: &Nodes, name: &str) -> Result<u32, BadNode> {
    nodes.find(name).ok_or_else(|| BadNode::Unknown {
        name: name.into(),
        known: nodes.names().into_iter().map(String::from).collect(),
    })
}

fn link_called(nodes: &Nodes, from: &str, to: &str) -> Result<(u32, u32), BadNode> {
    let (one, other) = (node_called(nodes, from)?, node_called(nodes, to)?);
    match one == other {
        true => Err(BadNode::Itself { name: from.into() }),
        false => Ok((one, other)),
    }
}

/// Returns the links between two sets of nodes, both ways.
fn links_between(
    nodes: &Nodes,
    these: &[Box<str>],
    those: &[Box<str>],
) -> Result<Vec<(u32, u32)>, BadNode> {
    let mut links = Vec::new();
    for one in these {
        for other in those {
            let (one, other) = (node_called(nodes, one)?, node_called(nodes, other)?);
            if one != other {
                links.extend([(one, other), (other, one)]);
            }
        }
    }
    Ok(links)
}
