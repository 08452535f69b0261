//! The registry of names: entries, and the answers to those who use it.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

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
    pub fn by(name: &str, holder: ActorId, holder_name: String) -> Self {
        Self {
            name: name.to_owned(),
            holder,
            holder_name,
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

/// The registry entry of one actor, for an executor whose actors are a `Me` each.
#[derive(Clone)]
pub struct NameEntry<Me> {
    /// The actor.
    pub actor: Me,
    /// The reference by which the actor was registered.
    pub reference: RegisteredRef,
}

/// A reference in the registry of names, without its type.
#[derive(Clone)]
pub struct RegisteredRef {
    reference: Arc<dyn Any + Send + Sync>,
    /// The type of the actor, if the reference is an [`ActorRef`](crate::ActorRef).
    actor_type: Option<TypeId>,
    type_name: &'static str,
}

impl RegisteredRef {
    pub(crate) fn new(
        reference: impl Any + Send + Sync,
        actor_type: Option<TypeId>,
        type_name: &'static str,
    ) -> Self {
        Self {
            reference: Arc::new(reference),
            actor_type,
            type_name,
        }
    }

    /// Returns true for an [`ActorRef`](crate::ActorRef) of this type.
    pub(crate) fn is_actor(&self, actor_type: TypeId) -> bool {
        self.actor_type == Some(actor_type)
    }

    /// Returns the reference if it was made from an `R`.
    pub(crate) fn get<R: Any + Clone>(&self) -> Option<R> {
        self.reference.downcast_ref().cloned()
    }

    /// Returns the path of the type of the reference.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }
}

impl fmt::Debug for RegisteredRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name)
    }
}

/// Puts the outcome of a registration into the slot of the waiter.
pub type PutRegistered = Box<dyn FnOnce(Result<(), NameTaken>)>;

/// Puts the result of a lookup into the slot of the waiter.
pub type PutFound = Box<dyn FnOnce(Result<RegisteredRef, LookupError>)>;

/// A use of the registry of names, of the system or node that the current operation is on.
pub enum NameUse {
    /// Registers an actor. A name that another actor has is reported as an error that nobody receives.
    Register {
        /// The name.
        name: String,
        /// The actor.
        entry: NameEntry<Address>,
        /// True if the actor was just spawned: it has the name from its start on.
        with_spawn: bool,
    },
    /// Registers an actor, and answers an `ask` without an event.
    TryRegister(AskId, String, NameEntry<Address>, PutRegistered),
    /// Removes a name.
    Unregister(String),
    /// Looks up the name of the `ask`'s target, which is a name and no actor.
    Lookup(AskId, PutFound),
}
