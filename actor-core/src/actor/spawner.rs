//! How an actor is to be started: [`Spawner`].

use std::any::TypeId;
use std::fmt;

use super::names::{Entry, names};
use super::rest::{Making, Spawning};
use super::{Actor, ActorRef};
use crate::parts::{Host, Mailbox, SpawnOptions};
use crate::production::Target;
use crate::runtime::{Factory, Spawn, Starts};
use crate::supervision::{Backoff, Restart, Unread};

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
    registered: bool,
}

impl<'a> Spawner<'a> {
    pub(crate) fn new(parent: &'a dyn Starts) -> Self {
        Self {
            parent,
            options: SpawnOptions::default(),
            registered: false,
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

    /// Makes the actor known by its name; see [`System::register`](crate::System::register).
    ///
    /// ```
    /// # use actor_core::prelude::*;
    /// # struct Printer;
    /// # #[actor]
    /// # impl Printer {}
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let sys = System::new();
    /// let printer = sys.spawner().name("printer").registered().spawn(Printer);
    /// assert_eq!(sys.lookup::<Printer>("printer").await?, printer);
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn registered(mut self) -> Self {
        self.registered = true;
        self
    }

    /// Lets the actor's handlers block: in production they run on the threads that the runtime keeps
    /// for that, as with `spawn_blocking`, and leave those of other actors free. It is for actors that
    /// block now and then; their inboxes are handled by the batch, each on a thread that happens to be
    /// idle. Under test nothing changes.
    ///
    /// Hooks are handlers here, and so is the `Drop` of an actor that ends by itself. What blocks can't
    /// be aborted: a shutdown that comes to its deadline leaves its thread behind until it returns, and
    /// a runtime that is dropped waits for it.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Read(std::path::PathBuf);
    ///
    /// struct Files;
    ///
    /// #[actor]
    /// impl Files {
    ///     #[on]
    ///     fn read(&mut self, read: Read) -> Option<Vec<u8>> {
    ///         std::fs::read(read.0).ok()
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let files = sys.spawner().blocking().spawn(Files);
    /// assert_eq!(files.ask(Read("no such file".into())).await, Ok(None));
    /// # sys.shutdown().await
    /// # }
    /// ```
    pub fn blocking(mut self) -> Self {
        self.options.host = Host::BlockingThreads;
        self
    }

    /// Gives the actor a thread of its own in production, called after it: for what blocks most of the
    /// time, or has to stay on one thread. Under test nothing changes.
    ///
    /// As with [`blocking`](Spawner::blocking), what blocks can't be aborted, but nobody waits for its
    /// thread. Where the process can have no more threads, that is a failure of the actor, which never
    /// starts.
    ///
    /// A clock of tokio that is [paused](https://docs.rs/tokio/latest/tokio/time/fn.pause.html) knows
    /// nothing of such threads: it moves on when the runtime has nothing to do, although an actor on
    /// its thread may be about to send. A test of such actors lets real time pass, or runs under the
    /// tester, where they have no threads.
    pub fn thread(mut self) -> Self {
        self.options.host = Host::Thread;
        self
    }

    /// Starts the actor and returns a reference to it, to which events may be sent at once.
    pub fn spawn<A: Actor>(self, actor: A) -> ActorRef<A> {
        ActorRef::new(self.start(&mut Spawning(Some(actor))))
    }

    fn start(&self, actor: &mut dyn Spawn) -> Target {
        let target = self.parent.start(actor, &self.options);
        self.register(&target, actor.actor_type(), actor.path());
        target
    }

    fn register(&self, target: &Target, actor_type: TypeId, path: &'static str) {
        if self.registered {
            let entry = Entry::actor(target.clone(), actor_type, path);
            names(self.parent).enter(target.own_name(), entry);
        }
    }

    /// When a supervised child is brought back; [`Restart::Transient`] unless told. It is for
    /// [`spawn_with`](Spawner::spawn_with): what [`spawn`](Spawner::spawn) starts is never brought
    /// back.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.options.child.restart = restart;
        self
    }

    /// How long a supervised child waits until it is brought back; it does not unless told.
    ///
    /// In production this needs the time driver of the tokio runtime: without one, the child is not
    /// brought back.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.options.child.backoff = Some(backoff);
        self
    }

    /// What becomes of a supervised child's inbox when it is brought back; [`Unread::Keep`] unless
    /// told.
    pub fn on_restart(mut self, unread: Unread) -> Self {
        self.options.child.unread = unread;
        self
    }

    /// Starts what `factory` makes as a *supervised child* of the actor, or of the system, that
    /// spawns it, and returns a reference to it.
    ///
    /// A child that fails is brought back: its own children are stopped, its value is dropped (its
    /// `Drop` may send), its timers and piped futures end, what it watched is forgotten, and
    /// `factory` makes a new value, which starts in its first state with its `#[start]` hook and the
    /// first `#[entry]`. References stay valid, the name and the identity are the same, and watchers
    /// hear of the end only where there is one. What had reached the inbox waits for the new value,
    /// unless [told otherwise](Spawner::on_restart).
    ///
    /// The event at which it failed is gone, and an [`ask`](crate::ActorRef::ask) ends in
    /// [`AskError::Failed`](crate::AskError::Failed). It is never offered again, since what has
    /// made an actor fail once would most likely make it fail again, until its supervisor gives up:
    /// who needs it handled sends it again.
    ///
    /// The supervisor is the actor whose context this is: [`Context::supervise`] says who else is
    /// brought back, and how often at most; a supervisor that ends stops its children first. A child
    /// of the system is brought back alone, 3 times within 5 s at most; once more, and it stays
    /// stopped, which the [failure hook](crate::LiveSystem::on_failure) is told.
    ///
    /// The first value is made here, by the caller; a `factory` that panics later has failed as a
    /// handler does.
    ///
    /// [`Context::supervise`]: crate::Context::supervise
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::{Restart, Unread};
    ///
    /// #[derive(Debug)]
    /// struct Divide(u32, u32);
    ///
    /// #[derive(Default)]
    /// struct Divider;
    ///
    /// #[actor]
    /// impl Divider {
    ///     #[on]
    ///     fn divide(&mut self, by: Divide) -> u32 {
    ///         by.0 / by.1
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// # sys.as_live().unwrap().on_failure(|_| {});
    /// let spawner = sys.spawner().restart(Restart::Permanent).on_restart(Unread::Drop);
    /// let divider = spawner.spawn_with(Divider::default);
    /// assert_eq!(divider.ask(Divide(6, 0)).await, Err(AskError::Failed));
    /// assert_eq!(divider.ask(Divide(6, 2)).await, Ok(3));
    /// # sys.shutdown().await
    /// # }
    /// ```
    pub fn spawn_with<A: Actor>(self, factory: impl FnMut() -> A + Send + 'static) -> ActorRef<A> {
        ActorRef::new(self.start_with(Box::new(Making(factory))))
    }

    fn start_with(&self, factory: Factory) -> Target {
        let (actor_type, path) = (factory.actor_type(), factory.path());
        let target = self.parent.start_with(factory, &self.options);
        self.register(&target, actor_type, path);
        target
    }
}

impl fmt::Debug for Spawner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spawner").field(&self.options).finish()
    }
}
