//! Nodes as set-up code and scripts under test use them: declarations, names and faults.

use std::any::Any;

use actor_core::seam::{Address, EncodedActorRef, NamesOn, NodeCode, ScriptedFault, SpawnOptions};

use crate::data::bug::BugKind;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::Effect;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::records::node_fault::NodeFault;
use crate::records::{Created, Record, nanoseconds};

impl ControlledRuntime {
    /// Sends to an actor on a node; does nothing if the address is of another execution.
    #[inline(never)]
    pub(super) fn post_to_node(&self, to: Address, message: &mut dyn Any) {
        let Some(to) = self.local(to) else {
            return;
        };
        let current = self.current.get();
        let Some((slot, event)) = self.put(to, message) else {
            return;
        };
        self.state
            .borrow_mut()
            .send_across(current, to, slot, event);
    }

    /// Declares a node, and boots it.
    pub(super) fn begin_node(&self, name: &str, code: NodeCode) {
        let NodeCode { registry, boot } = code;
        if self.state.borrow().nodes.find(name).is_some() {
            let message = format!("there is a node `{name}` already: each has a name of its own");
            return self.find(BugKind::Node, message, None);
        }
        if name.is_empty() || name.contains('/') {
            let message = format!("`{name}` is no name of a node: give one without a slash");
            return self.find(BugKind::Node, message, None);
        }
        let node = self.state.borrow_mut().declare_node(name);
        self.arena().add_node(registry, boot);
        self.draw_clock(node);
        let boot = self.launch(node);
        let current = self.current.get();
        self.state
            .borrow_mut()
            .operations
            .push(current, Effect::Start(boot));
    }

    /// Begins the next incarnation of a node, with a registry of names; returns the operation that boots it.
    pub(crate) fn launch(&self, node: u32) -> u32 {
        let boot = {
            let mut state = self.state();
            let boot = state.begin_incarnation(node);
            self.record(|| Record::Created {
                who: boot,
                path: state.operations[boot].key,
                what: Created::Boot {
                    name: state.name(boot),
                },
            });
            boot
        };
        let mut registry = self.arena().registry(node);
        let options = SpawnOptions::named("registry");
        let before = self.current.replace(boot);
        let (index, parts) = self.create_unstarted_actor(&mut *registry, &options);
        self.current.set(before);
        {
            let mut state = self.state();
            state.operations[index].stage = OperationStage::Idle;
            state.nodes.set_registry(boot, index);
        }
        self.hand_over_actor(index, parts);
        boot
    }

    /// Returns the prefix of the names of actors on an actor's node.
    pub(super) fn prefix(&self, of: Address) -> Option<String> {
        let of = self.local(of)?;
        self.state.borrow().nodes.prefix_of(of)
    }

    /// Returns the name of an actor's node.
    pub(super) fn name_of_node(&self, of: Address) -> Option<String> {
        let of = self.local(of)?;
        let state = self.state.borrow();
        let node = state.nodes.node_of(of)?;
        Some(state.nodes.name(node).to_owned())
    }

    /// Returns the registry of names of a node.
    pub(super) fn registry_on(&self, node: &str) -> NamesOn<Address> {
        let state = self.state.borrow();
        let nodes = &state.nodes;
        if nodes.is_empty() {
            return NamesOn::NoNodes;
        }
        let registry = nodes.find(node).and_then(|node| nodes.registry_on(node));
        match registry {
            Some(registry) => {
                drop(state);
                NamesOn::Registry(self.address(registry))
            }
            None => NamesOn::NoNode(nodes.names()),
        }
    }

    /// Translates a script's fault from names to numbers. A node that does not exist is a bug.
    pub(crate) fn node_fault(&self, fault: &ScriptedFault) -> Option<NodeFault> {
        let node = |name: &str| self.node_called(name);
        let links = |these: &[Box<str>], those: &[Box<str>]| {
            let mut links = Vec::new();
            for one in these {
                for other in those {
                    let (one, other) = (node(one)?, node(other)?);
                    if one != other {
                        links.extend([(one, other), (other, one)]);
                    }
                }
            }
            Some(links)
        };
        Some(match fault {
            ScriptedFault::Crash(name) => NodeFault::Crash { node: node(name)? },
            ScriptedFault::Restart(name, disk) => NodeFault::Restart {
                node: node(name)?,
                disk: *disk,
            },
            ScriptedFault::Partition(these, those) => NodeFault::Cut(links(these, those)?),
            ScriptedFault::Cut(from, to) => NodeFault::Cut(vec![self.link_called(from, to)?]),
            ScriptedFault::Heal => NodeFault::HealAll,
            ScriptedFault::HealBetween(one, other) => {
                let (one, other) = self.link_called(one, other)?;
                NodeFault::Heal(vec![(one, other), (other, one)])
            }
            ScriptedFault::Break(one, other) => {
                let (one, other) = self.link_called(one, other)?;
                NodeFault::Break { one, other }
            }
            ScriptedFault::Hold(from, to) => {
                let (from, to) = self.link_called(from, to)?;
                NodeFault::Hold { from, to }
            }
            ScriptedFault::Release(from, to) => {
                let (from, to) = self.link_called(from, to)?;
                NodeFault::Release { from, to }
            }
            ScriptedFault::Next {
                wish,
                from,
                to,
                event,
                ..
            } => {
                let (from, to) = self.link_called(from, to)?;
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
                let (one, other) = self.link_called(one, other)?;
                NodeFault::SpareLink { one, other }
            }
        })
    }

    fn node_called(&self, name: &str) -> Option<u32> {
        let (found, known) = {
            let state = self.state.borrow();
            (state.nodes.find(name), state.nodes.names())
        };
        if found.is_none() {
            let message = match known.is_empty() {
                true => format!(
                    "there is no node `{name}` yet, nor any other: first make it, by \
                     `sys.node(\"{name}\", ..)`"
                ),
                false => format!("there is no node `{name}`, only `{}`", known.join("`, `")),
            };
            self.find(BugKind::Node, message, None);
        }
        found
    }

    fn link_called(&self, from: &str, to: &str) -> Option<(u32, u32)> {
        let (one, other) = (self.node_called(from)?, self.node_called(to)?);
        if one == other {
            let message = format!("there is no link from node `{from}` to itself");
            self.find(BugKind::Node, message, None);
            return None;
        }
        Some((one, other))
    }

    /// Injects a fault, as an effect of the current operation.
    pub(super) fn begin_node_fault(&self, fault: &ScriptedFault) {
        if !self.may_act("faults") {
            return;
        }
        if let Some(node_fault) = self.node_fault(fault) {
            let current = self.current.get();
            let mut state = self.state.borrow_mut();
            // A node is spared in the whole execution: otherwise a fault could strike before this effect.
            match node_fault {
                NodeFault::Spare { node } => return state.nodes.spare(node),
                NodeFault::SpareLink { one, other } => return state.spare_link(one, other),
                _ => {}
            }
            state.nodes.node_faults.push(node_fault);
            let number = state.nodes.node_faults.len() as u32 - 1;
            state.operations.push(current, Effect::Fault(number));
        }
    }

    /// Returns the encoded form of a reference to an actor.
    pub(super) fn passport_of(&self, of: Address) -> Option<EncodedActorRef> {
        if self.phase.get() == CodePhase::Over {
            return None;
        }
        let id = self.local(of)?;
        let state = self.state.borrow();
        Some(EncodedActorRef {
            node: state.nodes.node_of(id),
            incarnation: state.nodes.incarnation_of(id),
            id,
        })
    }

    /// Returns the actor to which a decoded reference leads.
    pub(super) fn admitted(&self, passport: &EncodedActorRef) -> Option<Address> {
        let state = self.state.borrow();
        let found = state.operations.get(passport.id)?;
        let is_it = matches!(found.kind, OperationRole::Actor(_))
            && state.nodes.node_of(passport.id) == passport.node
            && state.nodes.incarnation_of(passport.id) == passport.incarnation;
        drop(state);
        is_it.then(|| self.address(passport.id))
    }
}
