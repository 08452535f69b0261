//! How an actor is to be started: [`Spawner`].

use std::fmt;

use crate::actor::Actor;
use crate::mailbox::Mailbox;
use crate::parts::Spawning;
use crate::reference::{ActorRef, Target};
use crate::runtime::Spawn;

/// Starts actors with settings of their own; made by [`System::spawner`](crate::System::spawner) and
/// [`Context::spawner`](crate::Context::spawner).
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Print(String);
///
/// struct Printer;
///
/// #[actor]
/// impl Printer {
///     #[on]
///     fn print(&mut self, line: Print) {
///         println!("{}", line.0);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let printer = sys.spawner().name("printer").spawn(Printer);
/// assert_eq!(format!("{printer:?}"), "printer");
/// # sys.shutdown().await
/// # }
/// ```
#[must_use = "an actor starts with `spawn`"]
pub struct Spawner<'a> {
    parent: &'a dyn Starts,
    options: SpawnOptions,
}

/// What a [`Spawner`] was told.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SpawnOptions {
    /// A name of its own, for logs and reports.
    pub name: Option<Box<str>>,
    /// How much its mailbox holds.
    pub mailbox: Mailbox,
}

/// Who starts actors.
pub(crate) trait Starts {
    fn start(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Target;
}

impl<'a> Spawner<'a> {
    pub(crate) fn new(parent: &'a dyn Starts) -> Self {
        Self {
            parent,
            options: SpawnOptions::default(),
        }
    }

    /// Gives the actor a name of its own, for logs and reports. Unless told, it is named after its
    /// type and a number, `Printer#3` for instance.
    pub fn name(mut self, name: impl Into<Box<str>>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Bounds the actor's mailbox; unless told, it has no bound. See [`Mailbox`].
    pub fn mailbox(mut self, mailbox: Mailbox) -> Self {
        self.options.mailbox = mailbox;
        self
    }

    /// Starts the actor and returns a reference to it, to which events may be sent at once.
    pub fn spawn<A: Actor>(self, actor: A) -> ActorRef<A> {
        let actor = &mut Spawning(Some(actor));
        ActorRef::new(self.parent.start(actor, &self.options))
    }
}

impl fmt::Debug for Spawner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spawner").field(&self.options).finish()
    }
}
