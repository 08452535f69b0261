//! The registry of names: entries, and the answers to those who use it.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::actor::AnyRef;
use crate::dispatch::Target;
use crate::identity::{ActorId, Address, AskId};

/// The error of a registration under a name that another actor has.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NameTaken {
    /// The name.
    pub name: String,
    /// The actor that has the name.
    pub holder: ActorId,
    /// The name of that actor in logs and reports.
    pub holder_name: String,
}

impl NameTaken {
    /// Returns the error that `holder` has the name.
    pub fn by(name: &str, holder: &NameEntry) -> Self {
        Self {
            name: name.to_owned(),
            holder: holder.target.id(),
            holder_name: holder.target.name(),
        }
    }
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name, holder_name, ..
        } = self;
        write!(f, "the name `{name}` is that of `{holder_name}`")
    }
}

impl std::error::Error for NameTaken {}

/// The reason why a lookup by name failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LookupError {
    /// No actor has the name, or the one that had it has stopped.
    Unknown,
    /// The registered reference is of another type: this one.
    OtherType(&'static str),
    /// There is no such node.
    UnknownNode {
        /// The unknown node.
        node: Box<str>,
        /// The names of all nodes.
        known: Vec<Box<str>>,
    },
    /// The node is down, or the connection to it broke.
    Unreachable,
    /// No answer came within the [time limit](crate::names::NameLookup::timeout).
    TimedOut,
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("no actor has the name"),
            Self::OtherType(found) => write!(f, "what has the name is another type: `{found}`"),
            Self::UnknownNode { node, known } => {
                write!(
                    f,
                    "there is no node `{node}`, only `{}`",
                    known.join("`, `")
                )
            }
            Self::Unreachable => f.write_str("the node is down, or the connection to it broke"),
            Self::TimedOut => f.write_str(
                "no answer came within the time limit: the node does not come up, or can't be reached",
            ),
        }
    }
}

impl std::error::Error for LookupError {}

/// The registry entry of one actor.
#[derive(Clone)]
pub struct NameEntry {
    target: Target,
    reference: Reference,
}

#[derive(Clone)]
enum Reference {
    /// An [`ActorRef`](crate::ActorRef) of this type.
    Actor(TypeId, &'static str),
    Other(Arc<dyn Any + Send + Sync>, &'static str),
}

impl NameEntry {
    pub(crate) fn actor(target: Target, actor_type: TypeId, path: &'static str) -> Self {
        Self {
            target,
            reference: Reference::Actor(actor_type, path),
        }
    }

    pub(crate) fn other<R: AnyRef>(reference: &R) -> Self {
        Self {
            target: reference.target().clone(),
            reference: Reference::Other(Arc::new(reference.clone()), type_name::<R>()),
        }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the actor under test.
    pub fn address(&self) -> Address {
        self.target.address()
    }

    /// Returns the target if the reference is an [`ActorRef`](crate::ActorRef) of this type.
    pub(crate) fn as_actor(&self, actor_type: TypeId) -> Option<&Target> {
        match &self.reference {
            Reference::Actor(found, _) if *found == actor_type => Some(&self.target),
            _ => None,
        }
    }

    /// Returns the reference if it is of this type and not an [`ActorRef`](crate::ActorRef).
    pub(crate) fn as_other<R: AnyRef>(&self) -> Option<R> {
        match &self.reference {
            Reference::Other(reference, _) => reference.downcast_ref().cloned(),
            Reference::Actor(..) => None,
        }
    }

    /// Returns the path of the type of the reference.
    pub fn type_name(&self) -> &'static str {
        match &self.reference {
            Reference::Actor(_, name) | Reference::Other(_, name) => name,
        }
    }
}

impl fmt::Debug for NameEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

impl Hash for NameEntry {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.target.id().hash(hasher);
        self.type_name().hash(hasher);
    }
}

/// Puts the outcome of a registration into the slot of the waiter.
pub type PutRegistered = Box<dyn FnOnce(Result<(), NameTaken>)>;

/// Puts the result of a lookup into the slot of the waiter.
pub type PutFound = Box<dyn FnOnce(Result<NameEntry, LookupError>)>;

/// A use of the registry of names, of the system or node that the current operation is on.
pub enum NameUse {
    /// Registers an actor. A name that another actor has is reported as an error that nobody receives.
    Register {
        /// The name.
        name: String,
        /// The actor.
        entry: NameEntry,
        /// True if the actor was just spawned: it has the name from its start on.
        with_spawn: bool,
    },
    /// Registers an actor, and answers an `ask` without an event.
    TryRegister(AskId, String, NameEntry, PutRegistered),
    /// Removes a name.
    Unregister(String),
    /// Looks up the name of the `ask`'s target, which is a name and no actor.
    Lookup(AskId, PutFound),
}
