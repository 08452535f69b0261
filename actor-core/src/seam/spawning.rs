//! The description of a spawn for either executor: [`Spawn`], and its [`SpawnOptions`].

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;

use super::{AnyInstance, Mailbox, MakeMail, NewTask};
use crate::identity::Address;
use crate::supervision::{ChildOptions, Decision, Failure};
use crate::table::ActorInfo;

/// The type of an actor about to be spawned, as far as executors use it.
pub trait SpawnType {
    /// The actor type's table.
    fn info(&self) -> &'static ActorInfo;
    /// Identifies the actor type, so that its parts can be pooled.
    fn actor_type(&self) -> TypeId;
    /// Returns the path of the actor type, as rustc prints it.
    fn path(&self) -> &'static str;
    /// Makes empty mail for this type.
    fn mail(&self) -> MakeMail;
}

/// An actor about to be spawned, without its type, in an executor that refers to actors by `Me`.
pub trait Spawn<Me>: SpawnType {
    /// Makes the instance, whose context names it `me`. Called once, except for a [`Factory`].
    fn instance(&mut self, me: Me) -> Box<dyn AnyInstance>;
}

/// An operation about to be spawned under test.
pub enum NewOperation<'a> {
    /// An actor.
    Actor(&'a mut dyn Spawn<Address>, &'a SpawnOptions),
    /// A supervised actor, whose first value the factory makes at once.
    Child {
        /// The supervisor; `None` for the system.
        supervisor: Option<Address>,
        /// Makes the actor's values.
        factory: Factory<Address>,
        /// The options of the spawn.
        options: &'a SpawnOptions,
    },
    /// A future that ends with its owner.
    Future(Address, Pin<Box<dyn Future<Output = ()>>>),
    /// A task or a thread.
    Task(NewTask),
}

impl NewOperation<'_> {
    /// Returns the call as a report names it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Actor(..) | Self::Task(_) => "spawn",
            Self::Child { .. } => "spawn_with",
            Self::Future(..) => "pipe_to_self",
        }
    }
}

/// A factory of a supervised actor's values: [`instance`](Spawn::instance) may be called repeatedly.
pub type Factory<Me> = Box<dyn Spawn<Me> + Send>;

/// Asks a supervisor to decide about a failed child; the question is sent at the first poll.
pub type AskSupervisor<Me> = fn(Me, Failure) -> Pin<Box<dyn Future<Output = Decision> + Send>>;

/// The registry of names of a node, as a reference `R` to its actor.
#[derive(Default)]
pub enum NamesOn<R> {
    /// The registry, since the node is up.
    Registry(R),
    /// The node is down.
    Down,
    /// There is no such node; these are the nodes.
    NoNode(Vec<Box<str>>),
    /// The system has no nodes.
    #[default]
    NoNodes,
}

impl<R> NamesOn<R> {
    pub(crate) fn map<T>(self, to: impl FnOnce(R) -> T) -> NamesOn<T> {
        match self {
            Self::Registry(registry) => NamesOn::Registry(to(registry)),
            Self::Down => NamesOn::Down,
            Self::NoNode(known) => NamesOn::NoNode(known),
            Self::NoNodes => NamesOn::NoNodes,
        }
    }
}

/// The options that a [`Spawner`](crate::Spawner) collects.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SpawnOptions {
    /// The actor's own name, for logs and reports.
    pub name: Option<Box<str>>,
    /// The capacity of the actor's mailbox.
    pub mailbox: Mailbox,
    /// The supervision options of a child spawned by `spawn_with`.
    pub child: ChildOptions,
    /// The threads of the actor's handlers in production.
    pub host: Host,
}

impl SpawnOptions {
    /// Returns the default options with that name.
    pub fn named(name: &str) -> Self {
        Self {
            name: Some(name.into()),
            ..Self::default()
        }
    }
}

/// The threads on which the handlers of an actor run in production.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Host {
    /// The worker threads of the runtime.
    #[default]
    Workers,
    /// The runtime's threads for blocking work.
    BlockingThreads,
    /// A thread of the actor's own.
    Thread,
}
