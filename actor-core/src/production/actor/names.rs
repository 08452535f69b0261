//! Names in production: the registry of a system or node, and references by name.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};

use super::hub::Hub;
use super::live_actor::LiveActor;
use super::node::LiveNode;
use crate::identity::ActorId;
use crate::panics::lock;
use crate::production::observing::hooks::FailureCause;
use crate::seam::{ActorType, LookupError, NameEntry, NameTaken, RegisteredRef, SpawnOptions};
use crate::supervision::{FailureKind, StopReason};

type LiveEntry = NameEntry<Arc<LiveActor>>;

/// The registry of names of a system or of one incarnation of a node.
#[derive(Default)]
pub(crate) struct NameTable(Mutex<NameEntries>);

#[derive(Default)]
struct NameEntries {
    entries: BTreeMap<String, LiveEntry>,
    /// The number of entries at which the entries of stopped actors are removed.
    sweep_at: usize,
}

impl NameTable {
    /// Registers an actor, unless another one that has not stopped has the name.
    pub(crate) fn enter(&self, name: String, entry: LiveEntry) -> Result<(), NameTaken> {
        // A reference that is dropped may end its actor, whose destructor may use the registry.
        let mut dropped = Vec::new();
        let mut table = lock(&self.0);
        let held = table.entries.get(&name);
        if let Some(held) = held.filter(|held| held.actor.is_running()) {
            if held.actor.id() != entry.actor.id() {
                let holder_name = held.actor.name().into_owned();
                return Err(NameTaken::by(&name, held.actor.id(), holder_name));
            }
        } else if table.entries.len() >= table.sweep_at {
            let stopped = |_: &String, entry: &mut LiveEntry| !entry.actor.is_running();
            dropped.extend(table.entries.extract_if(.., stopped));
            table.sweep_at = table.entries.len() * 2 + 16;
        }
        let before = table.entries.insert(name, entry);
        drop(table);
        drop((before, dropped));
        Ok(())
    }

    /// Removes a name; returns its entry, to be dropped.
    pub(crate) fn remove(&self, name: &str) -> Option<LiveEntry> {
        lock(&self.0).entries.remove(name)
    }

    fn find(&self, name: &str) -> Result<LiveEntry, LookupError> {
        let found = lock(&self.0).entries.get(name).cloned();
        found
            .filter(|entry| entry.actor.is_running())
            .ok_or(LookupError::Unknown)
    }

    /// Removes all names.
    pub(in crate::production) fn clear(&self) {
        let entries = std::mem::take(&mut lock(&self.0).entries);
        drop(entries);
    }
}

/// A lookup in production.
pub(crate) enum LiveLookup {
    Now(Result<RegisteredRef, LookupError>),
    /// The node boots, and the lookup waits until it has.
    Booting(Pin<Box<dyn Future<Output = Result<RegisteredRef, LookupError>> + Send>>),
}

impl Hub {
    /// Registers an actor; a name that is taken is a failure of the registry.
    pub(crate) fn register(&self, name: String, entry: LiveEntry) {
        if let Err(taken) = self.names.enter(name, entry) {
            let fault = FailureCause {
                kind: FailureKind::Unheard,
                message: taken.to_string(),
            };
            self.failed(ActorId::live(0), "registry", fault);
        }
    }

    /// Looks up a name, in this registry or in that of a node.
    pub(crate) fn find(&self, name: &str) -> LiveLookup {
        let Some((node, on_it)) = name.split_once('/') else {
            return LiveLookup::Now(self.names.find(name).map(reference_of));
        };
        let Some(node) = self.nodes.find(node) else {
            let known = self.nodes.names();
            // A name may contain a slash itself.
            let found = self.names.find(name).map(reference_of);
            return LiveLookup::Now(found.map_err(|unknown| match known.is_empty() {
                true => unknown,
                false => LookupError::UnknownNode {
                    node: node.into(),
                    known,
                },
            }));
        };
        if !node.is_booting() {
            return LiveLookup::Now(find_on(&node, on_it).map(reference_of));
        }
        let on_it = on_it.to_owned();
        LiveLookup::Booting(Box::pin(async move {
            node.booted().await;
            find_on(&node, &on_it).map(reference_of)
        }))
    }

    /// Returns the reference by a name to an actor of that type.
    pub(crate) fn named(self: &Arc<Self>, name: &str, of: ActorType) -> Arc<NamedActor> {
        let on_another = name.split_once('/');
        let on_another = on_another.and_then(|(node, name)| Some((self.nodes.find(node)?, name)));
        let (node, name) = match on_another {
            Some((node, name)) => (Some(node), name),
            None => {
                let own = self.node.as_deref().and_then(|own| self.nodes.find(own));
                (own, name)
            }
        };
        let whole = node.as_ref().and_then(LiveNode::whole);
        let whole = whole.as_ref().unwrap_or(self);
        self.nodes.named(whole, node, name, of)
    }
}

fn reference_of(entry: LiveEntry) -> RegisteredRef {
    entry.reference
}

fn find_on(node: &LiveNode, name: &str) -> Result<LiveEntry, LookupError> {
    match node.hub() {
        Some(hub) => hub.names.find(name),
        None => Err(LookupError::Unreachable),
    }
}

/// The references by name that are in use, so that two of one name are equal.
pub(in crate::production) type NamedActors =
    Mutex<BTreeMap<(Option<Arc<str>>, Box<str>, TypeId), Weak<NamedActor>>>;

/// A reference by name: to the actor of one type that has the name at the time of each use.
pub(crate) struct NamedActor {
    node: Option<LiveNode>,
    name: Box<str>,
    actor_type: TypeId,
    /// An actor that never ran, in whose place nobody is.
    nobody: Arc<LiveActor>,
}

impl NamedActor {
    pub(in crate::production) fn new(
        hub: &Arc<Hub>,
        node: Option<LiveNode>,
        name: &str,
        of: ActorType,
    ) -> Self {
        let full = match &node {
            Some(node) => format!("{}/{name}", node.name()),
            None => name.to_owned(),
        };
        let options = SpawnOptions::named(&full);
        let nobody = LiveActor::new(hub.clone(), &options, of);
        nobody.end(StopReason::Unregistered);
        Self {
            node,
            name: name.into(),
            actor_type: of.id,
            nobody: Arc::new(nobody),
        }
    }

    pub(crate) fn id(&self) -> ActorId {
        self.nobody.id()
    }

    pub(crate) fn full_name(&self) -> String {
        self.nobody.name().into_owned()
    }

    /// Returns the actor that has the name; one that has ended if there is none.
    pub(crate) fn holder(&self) -> Arc<LiveActor> {
        let found = match &self.node {
            Some(node) => find_on(node, &self.name),
            None => self.nobody.hub().names.find(&self.name),
        };
        let reason = match found {
            Ok(entry) if entry.reference.is_actor(self.actor_type) => return entry.actor,
            Ok(entry) => {
                let found = LookupError::OtherType(entry.reference.type_name());
                self.nobody.report(&found.to_string());
                StopReason::Unregistered
            }
            Err(LookupError::Unreachable) => StopReason::Disconnected,
            Err(_) => StopReason::Unregistered,
        };
        self.nobody.set_reason(reason);
        self.nobody.clone()
    }
}
