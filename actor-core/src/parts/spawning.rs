//! What is said at a spawn: [`SpawnOptions`].

use super::Mailbox;
use crate::supervision::ChildOptions;

/// What a [`Spawner`](crate::Spawner) was told.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SpawnOptions {
    /// A name of its own, for logs and reports.
    pub name: Option<Box<str>>,
    /// How much its mailbox holds.
    pub mailbox: Mailbox,
    /// What `spawn_with` is told beside.
    pub child: ChildOptions,
    /// Where its handlers run in production.
    pub host: Host,
}

impl SpawnOptions {
    /// With that name, and else as usual.
    pub fn named(name: &str) -> Self {
        Self {
            name: Some(name.into()),
            ..Self::default()
        }
    }
}

/// Where the handlers of an actor run in production.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Host {
    /// On the threads of the runtime.
    #[default]
    Workers,
    /// On the threads that the runtime keeps for what blocks.
    BlockingThreads,
    /// On a thread of its own.
    Thread,
}
