//! Options of a spawn: [`SpawnOptions`].

use super::Mailbox;
use crate::supervision::ChildOptions;

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
