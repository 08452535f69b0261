//! The description of a spawn for either executor: [`Spawn`], and its [`SpawnOptions`].

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;

use super::{AnyInstance, Mailbox, MakeMail, NewTask};
use crate::identity::Address;
use crate::supervision::{ChildOptions, Decision, Failure};
use crate::table::ActorInfo;

/// The type of an actor, as far as executors use it.
#[derive(Clone, Copy)]
pub struct ActorType {
    /// The table of the type.
    pub info: &'static ActorInfo,
    /// Identifies the type, so that the parts of its actors can be pooled.
    pub id: TypeId,
    /// The path of the type, as rustc prints it.
    pub path: &'static str,
    /// Makes empty mail for the type.
    pub mail: MakeMail,
}

/// An actor about to be spawned, as far as its type shows.
pub trait SpawnType {
    /// Returns the type.
    fn of(&self) -> ActorType;
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
    /// A name, to whose holder messages of this type are sent: `node/name`, or a name where the current
    /// operation is. Without a type nothing is sent to it. A name takes no steps, and the same name again
    /// gives the same address.
    Name(&'a str, Option<ActorType>),
}

impl NewOperation<'_> {
    /// Returns the call as a report names it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Actor(..) | Self::Task(_) => "spawn",
            Self::Child { .. } => "spawn_with",
            Self::Future(..) => "pipe_to_self",
            Self::Name(..) => "at",
        }
    }
}

/// A factory of a supervised actor's values: [`instance`](Spawn::instance) may be called repeatedly.
pub type Factory<Me> = Box<dyn Spawn<Me> + Send>;

/// Asks a supervisor to decide about a failed child; the question is sent at the first poll.
pub type AskSupervisor<Me> = fn(Me, Failure) -> Pin<Box<dyn Future<Output = Decision> + Send>>;

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
