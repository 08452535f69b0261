//! The registry of names of the system and of each node, and the references by name: [`Names`].

use std::collections::BTreeMap;

use crate::data::constructs::StepConstruct;
use crate::engine::world::asks::Asks;
use crate::engine::world::effect::Effect;
use crate::engine::world::nodes::{NO_NODE, Nodes};
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::operations::Operations;
use crate::engine::world::state::ExecutionState;
use crate::hash::{mix, text};

/// The tag of a name among the keys of operations.
const NAME: u64 = 0x4a_3e;

/// Stands for no type.
pub(crate) const NO_TYPE: u32 = u32::MAX;

/// A name that operations refer to: an operation without steps, so that it has an address.
#[derive(Clone, Debug)]
pub(crate) struct NamedReference {
    pub(crate) operation: u32,
    /// The node of the name; `None` for a name of the system.
    node: Option<u32>,
    name: Box<str>,
    of_type: u32,
}

/// The actor that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NameHolder {
    pub(crate) operation: u32,
    /// The number of the use that has registered the actor, under which the arena has the entry.
    pub(crate) entry: u32,
}

/// A use of the registry, as an effect carries it out.
#[derive(Clone, Debug)]
pub(crate) enum NameUseRecord {
    Register {
        name: Box<str>,
        actor: u32,
        /// The ask that gets the outcome.
        ask: Option<u32>,
    },
    Unregister {
        name: Box<str>,
    },
    Lookup {
        ask: u32,
    },
}

/// The outcome of finding the actor of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FoundName {
    Holder(NameHolder),
    /// The actor that has the name is of this type, and another one is wanted.
    OtherType(u32),
    Nobody,
    /// The node is down.
    Down,
    /// Nobody yet, since the node boots.
    Booting,
}

/// The names of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The holders, by incarnation (or [`NO_NODE`]) and name.
    holders: BTreeMap<u32, BTreeMap<Box<str>, NameHolder>>,
    /// The references, in the order of their operations.
    references: Vec<NamedReference>,
    uses: Vec<NameUseRecord>,
    /// The effects that wait for the end of a node's boot, with the operation of each.
    waiting: Vec<(u32, Effect)>,
}

impl Names {
    pub(super) fn clear(&mut self) {
        self.holders.clear();
        self.references.clear();
        self.uses.clear();
        self.waiting.clear();
    }

    /// Feeds the holders into a fingerprint, each by another name of it.
    pub(crate) fn feed(&self, mut to: impl FnMut(u64), named: impl Fn(u32) -> u64) {
        for (life, holders) in &self.holders {
            for (name, holder) in holders {
                to(mix(u64::from(*life), text(name)));
                to(named(holder.operation));
            }
        }
    }

    /// Returns the effects that wait for the end of a boot, in their order, with the operation of each.
    pub(crate) fn waiting(&self) -> &[(u32, Effect)] {
        &self.waiting
    }

    pub(crate) fn wait(&mut self, by: u32, effect: Effect) {
        self.waiting.push((by, effect));
    }

    pub(crate) fn take_waiting(&mut self) -> Vec<(u32, Effect)> {
        std::mem::take(&mut self.waiting)
    }

    /// Ends the wait of a look-up, of which the connection broke.
    pub(crate) fn give_up(&mut self, ask: u32) {
        let uses = &self.uses;
        self.waiting.retain(|(_, effect)| match effect {
            Effect::Name { name_use, .. } => {
                !matches!(uses[*name_use as usize], NameUseRecord::Lookup { ask: of } if of == ask)
            }
            _ => true,
        });
    }

    /// Returns whether the name is on a node.
    fn is_on_node(&self, operation: u32) -> bool {
        self.reference(operation)
            .is_some_and(|reference| reference.node.is_some())
    }

    pub(crate) fn reference(&self, operation: u32) -> Option<&NamedReference> {
        let references = &self.references;
        let found = references.binary_search_by_key(&operation, |reference| reference.operation);
        Some(&references[found.ok()?])
    }

    /// Adds a use, which an effect carries out later; returns its number.
    pub(crate) fn add_use(&mut self, name_use: NameUseRecord) -> u32 {
        self.uses.push(name_use);
        self.uses.len() as u32 - 1
    }

    pub(crate) fn name_use(&self, number: u32) -> &NameUseRecord {
        &self.uses[number as usize]
    }

    /// Returns the name that a use looks up.
    pub(crate) fn target_of_lookup(&self, number: u32, asks: &Asks) -> Option<u32> {
        match *self.name_use(number) {
            NameUseRecord::Lookup { ask } => Some(asks[ask].target),
            NameUseRecord::Register { .. } | NameUseRecord::Unregister { .. } => None,
        }
    }

    /// Returns a number for a use in the fingerprint of a state.
    pub(super) fn print_use(&self, number: u32) -> u64 {
        match self.name_use(number) {
            NameUseRecord::Register { name, actor, ask } => {
                let waits = u64::from(ask.is_some());
                mix(text(name), u64::from(*actor) << 1 | waits)
            }
            NameUseRecord::Unregister { name } => text(name),
            NameUseRecord::Lookup { ask } => u64::from(*ask),
        }
    }

    fn holder(&self, operations: &Operations, life: u32, name: &str) -> Option<NameHolder> {
        let holder = *self.holders.get(&life)?.get(name)?;
        (operations[holder.operation].stage != OperationStage::Gone).then_some(holder)
    }

    /// Removes the names of an incarnation; returns their holders.
    pub(crate) fn end_incarnation(
        &mut self,
        life: u32,
    ) -> impl Iterator<Item = NameHolder> + use<> {
        let holders = self.holders.remove(&life);
        holders.unwrap_or_default().into_values()
    }
}

impl NamedReference {
    /// Returns the name as another node uses it.
    pub(crate) fn full_name(&self, nodes: &Nodes) -> String {
        match self.node {
            Some(node) => format!("{}/{}", nodes.name(node), self.name),
            None => self.name.to_string(),
        }
    }

    /// Returns the node before a slash in the name if there is none of that name.
    pub(crate) fn unknown_node(&self, nodes: &Nodes) -> Option<&str> {
        let (node, _) = self.name.split_once('/')?;
        (self.node.is_none() && !nodes.is_empty()).then_some(node)
    }
}

impl ExecutionState {
    /// Returns the operation of a name, and whether it is new. The name is on the node before the slash, or
    /// where `by` is.
    pub(crate) fn name_operation(&mut self, by: u32, name: &str, of_type: u32) -> (u32, bool) {
        let on_another = name.split_once('/');
        let on_another = on_another.and_then(|(node, name)| Some((self.nodes.find(node)?, name)));
        let (node, name) = match on_another {
            Some((node, name)) => (Some(node), name),
            None => (self.nodes.node_of(by), name),
        };
        let known = self.names.references.iter().find(|reference| {
            reference.node == node && &*reference.name == name && reference.of_type == of_type
        });
        if let Some(known) = known {
            return (known.operation, false);
        }
        let of = node.map_or(0, |node| self.nodes.key(node));
        // The number of the type depends on what this worker has met before.
        let type_name = match of_type {
            NO_TYPE => 0,
            of_type => self.operations.types[of_type].name,
        };
        let key = mix(mix(NAME, of), mix(text(name), type_name));
        let operation = self.operations.create_name(of_type, key);
        self.nodes.place_name(operation, node);
        let reference = NamedReference {
            operation,
            node,
            name: name.into(),
            of_type,
        };
        self.operations[operation].name = Some(reference.full_name(&self.nodes).into());
        self.names.references.push(reference);
        (operation, true)
    }

    /// Finds the actor that has the name of a reference; `None` if the operation is no name.
    pub(crate) fn find_named(&self, operation: u32) -> Option<FoundName> {
        let NamedReference {
            node,
            name,
            of_type,
            ..
        } = self.names.reference(operation)?;
        let life = match *node {
            None => NO_NODE,
            Some(node) if !self.nodes.is_up(node) => return Some(FoundName::Down),
            Some(node) => self.nodes.life(node),
        };
        let is_booting = || node.is_some_and(|node| self.nodes.is_booting(&self.operations, node));
        let holder = self.names.holder(&self.operations, life, name);
        Some(match holder {
            None if is_booting() => FoundName::Booting,
            None => FoundName::Nobody,
            Some(holder) => match self.operations[holder.operation].kind {
                OperationRole::Actor(found) if *of_type != NO_TYPE && found != *of_type => {
                    FoundName::OtherType(found)
                }
                _ => FoundName::Holder(holder),
            },
        })
    }

    /// Records the use of a name by the step in progress: a message was sent by it to its holder, if any, or the
    /// name was used in another way.
    pub(crate) fn record_name(&mut self, name: u32, is_send: bool, found: FoundName) {
        if !is_send || !self.names.is_on_node(name) {
            return self.footprint.use_name();
        }
        match found {
            FoundName::Holder(holder) => {
                let key = |operation: u32| self.operations[operation].key;
                let (name, holder) = (key(name), key(holder.operation));
                self.footprint.send_by_name(name, holder);
            }
            _ => self.footprint.add(StepConstruct::Names),
        }
    }

    /// Makes an actor the holder of a name where `by` is, or nobody. Returns the holder before, and fails
    /// with it if it is another actor that has not stopped.
    pub(crate) fn set_holder(
        &mut self,
        by: u32,
        name: &str,
        holder: Option<NameHolder>,
    ) -> Result<Option<NameHolder>, NameHolder> {
        let boots = matches!(self.operations[by].kind, OperationRole::Boot { .. });
        let life = self.nodes.node_incarnation_of(by);
        let held = self.names.holder(&self.operations, life, name);
        let holders = self.names.holders.entry(life).or_default();
        match boots && holder.is_some() && !holders.contains_key(name) {
            true => self.footprint.add(StepConstruct::Names),
            false => self.footprint.use_name(),
        }
        match (held, holder) {
            (Some(held), Some(holder)) if held.operation != holder.operation => Err(held),
            (_, Some(holder)) => Ok(holders.insert(name.into(), holder)),
            (_, None) => Ok(holders.remove(name)),
        }
    }
}
