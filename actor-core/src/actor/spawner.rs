//! How an actor is to be started: [`Spawner`].

use std::any::TypeId;
use std::fmt;
use std::sync::{Arc, Weak};

use super::names::{Entry, names};
use super::rest::{Making, Spawning};
use super::{Actor, ActorRef};
use crate::parts::{Host, Mailbox, SpawnOptions};
use crate::production::{Count, Target};
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
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "an actor starts with `spawn`"]
pub struct Spawner<'a> {
    parent: &'a dyn Starts,
    options: SpawnOptions,
    registered: bool,
    ref_counted: bool,
}

impl<'a> Spawner<'a> {
    pub(crate) fn new(parent: &'a dyn Starts) -> Self {
        Self {
            parent,
            options: SpawnOptions::default(),
            registered: false,
            ref_counted: false,
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

    /// Has the actor end when nobody refers to it any more: with the last reference to it that is
    /// dropped it is stopped in order, so it handles what it was sent before, and its `#[stop]` hook runs.
    /// Whoever watches it is told [`StopReason::Stopped`](crate::StopReason::Stopped). Unless told, an
    /// actor goes on until it is stopped, whoever refers to it.
    ///
    /// An [`ActorRef`] counts, and so does whatever was made of one to send by: a
    /// [`Recipient`](crate::Recipient), a [`ProtocolRef`](crate::ProtocolRef), a `send` that waits for
    /// room; it counts wherever it is kept: in an actor's state, in an event that is not handled yet, in
    /// the registry of names, in a group. [`cx.me()`](crate::Context::me) counts as any other, so an actor
    /// that keeps it goes on for ever; [`cx.weak()`](crate::Context::weak) does not. What the actor is
    /// busy with counts too: a future [piped](crate::Context::pipe_to_self) to it and a stream
    /// [attached](crate::Context::attach) to it, until they are done.
    ///
    /// What does not: a [`WeakRef`](crate::WeakRef), a timer of the actor's, a watch, a link, its
    /// supervisor, who awaits [`stopped`](crate::ActorRef::stopped) or a reply, and a reference that has
    /// travelled to another [node](crate::System::node). A supervised child is not brought back once
    /// nobody refers to it.
    ///
    /// Under test the same holds. Whoever drops the last reference tells the actor to stop in the same
    /// step, as if by [`System::stop`](crate::System::stop) at that place; a predicate that captures a
    /// reference keeps the actor, so look by [`World::all`](crate::World::all) instead.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::StopReason;
    ///
    /// #[derive(Debug)]
    /// struct Note(&'static str);
    ///
    /// #[derive(Default)]
    /// struct Session {
    ///     notes: Vec<&'static str>,
    /// }
    ///
    /// #[actor]
    /// impl Session {
    ///     #[on]
    ///     fn note(&mut self, note: Note) {
    ///         self.notes.push(note.0);
    ///     }
    ///
    ///     #[stop]
    ///     fn stop(&mut self) {
    ///         println!("{} notes", self.notes.len());
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let session = sys.spawner().ref_counted().spawn(Session::default());
    /// let (weak, end) = (session.downgrade(), session.stopped());
    /// session.tell(Note("the last words"));
    /// drop(session);
    /// assert_eq!(end.await, StopReason::Stopped); // and prints "1 notes"
    /// assert_eq!(weak.upgrade(), None);
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn ref_counted(mut self) -> Self {
        self.ref_counted = true;
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
    /// # sys.shutdown().await?;
    /// # Ok(())
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
        let count = Counting::begin(self.ref_counted);
        let mut actor = Spawning::counting(actor, count.weak());
        ActorRef::new(self.start(&mut actor, count))
    }

    fn start(&self, actor: &mut dyn Spawn, count: Counting) -> Target {
        let target = count.end(self.parent.start(actor, &self.options));
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

    /// Makes the child one of many that do the same: it is brought back after a failure and after a halt,
    /// however often, but for one that ends before its start is over.
    pub(crate) fn worker(mut self) -> Self {
        self.options.child.restart = Restart::Permanent;
        self.options.child.is_worker = true;
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
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn spawn_with<A: Actor>(self, factory: impl FnMut() -> A + Send + 'static) -> ActorRef<A> {
        let count = Counting::begin(self.ref_counted);
        let factory = Box::new(Making::counting(factory, count.weak()));
        ActorRef::new(self.start_with(factory, count))
    }

    fn start_with(&self, factory: Factory, count: Counting) -> Target {
        let (actor_type, path) = (factory.actor_type(), factory.path());
        let target = count.end(self.parent.start_with(factory, &self.options));
        self.register(&target, actor_type, path);
        target
    }
}

/// Counts who refers to an actor, from before it is there, where that is to be counted.
struct Counting(Option<Arc<Count>>);

impl Counting {
    fn begin(counts: bool) -> Self {
        Self(counts.then(Count::new))
    }

    fn weak(&self) -> Option<Weak<Count>> {
        self.0.as_ref().map(Arc::downgrade)
    }

    /// The first reference to the actor.
    fn end(self, started: Target) -> Target {
        match self.0 {
            None => started,
            Some(count) => {
                count.settle(&started);
                count.reference()
            }
        }
    }
}

impl fmt::Debug for Spawner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spawner").field(&self.options).finish()
    }
}
