//! The builder that sets options of an actor and starts it: [`Spawner`].

use std::fmt;
use std::sync::{Arc, Weak};

use super::instance::{TypedSpawn, spawn_of};
use super::names;
use super::{Actor, ActorRef};
use crate::dispatch::{AnySpawn, Parent, RefCount, Target};
use crate::seam::{ActorType, Host, Mailbox, RegisteredRef, SpawnOptions};
use crate::supervision::{Backoff, Restart, Unread};

/// Starts actors with settings of their own; made by [`Scope::spawner`](crate::Scope::spawner).
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
    parent: Parent<'a>,
    options: SpawnOptions,
    registered: bool,
    ref_counted: bool,
}

impl<'a> Spawner<'a> {
    pub(crate) fn new(parent: Parent<'a>) -> Self {
        Self {
            parent,
            options: SpawnOptions::default(),
            registered: false,
            ref_counted: false,
        }
    }

    /// Gives the actor a name for logs and reports. The default is the type and a number, as `Printer#3`.
    pub fn name(mut self, name: impl Into<Box<str>>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Bounds the actor's mailbox, which is unbounded by default. See [`Mailbox`].
    pub fn mailbox(mut self, mailbox: Mailbox) -> Self {
        self.options.mailbox = mailbox;
        self
    }

    /// Registers the actor under its name; see [`Scope::register`](crate::Scope::register).
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

    /// Stops the actor when the last reference to it is dropped. The actor is stopped in order: it handles
    /// the events sent to it before, its `#[stop]` hook runs, and its watchers get
    /// [`StopReason::Stopped`](crate::StopReason::Stopped). By default an actor lives until it is stopped.
    ///
    /// An [`ActorRef`] counts, and so does every sender made from one: a [`Recipient`](crate::Recipient), a
    /// [`ProtocolRef`](crate::protocols::ProtocolRef), a `send` that waits for capacity. References count in
    /// every place: in an actor's state, in an unhandled event, in the registry of names, in a group.
    /// [`cx.me()`](crate::Context::me) counts as any other, so an actor that keeps it never ends this way;
    /// [`cx.weak()`](crate::Context::weak) does not. A future [piped](crate::Context::pipe_to_self) to the
    /// actor and a stream [attached](crate::Context::attach) to it count until they are done.
    ///
    /// These do not count: a [`WeakRef`](crate::WeakRef), a timer of the actor's, a watch, a link, the
    /// supervisor, a task that awaits [`stopped`](crate::ActorRef::stopped) or a reply, and a reference
    /// that was sent to another [node](crate::System::node). A supervised child without references is not
    /// restarted.
    ///
    /// Under test the same holds. Dropping the last reference stops the actor in the same step, as if by
    /// [`ActorRef::stop`](crate::ActorRef::stop) at that place; a predicate that captures a reference keeps
    /// the actor alive, so read the actor through [`World::all`](crate::specification::World::all) instead.
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

    /// Lets the actor's handlers block: in production they run on the runtime's threads for blocking work,
    /// as with `spawn_blocking`, and don't occupy those of other actors. Use this for actors that block now
    /// and then: each batch of events runs on some idle thread. Under test nothing changes.
    ///
    /// Hooks count as handlers here, and so does the `Drop` of an actor that ends by itself. A blocking
    /// call can't be aborted: a shutdown that reaches its deadline leaves the thread running until the
    /// call returns, and a runtime that is dropped waits for the thread.
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

    /// Gives the actor a thread of its own in production, with the actor's name: for actors that block
    /// most of the time, or have to stay on one thread. Under test nothing changes.
    ///
    /// As with [`blocking`](Spawner::blocking), a blocking call can't be aborted, but nothing waits for
    /// the thread. If the process can't start another thread, the actor fails and never starts.
    ///
    /// A [paused](https://docs.rs/tokio/latest/tokio/time/fn.pause.html) clock of tokio ignores such
    /// threads: the clock advances when the runtime is idle, although an actor on its own thread may be
    /// about to send. Test such actors in real time, or under the tester, where they have no threads.
    pub fn thread(mut self) -> Self {
        self.options.host = Host::Thread;
        self
    }

    /// Starts the actor and returns a reference to it, to which events may be sent at once.
    pub fn spawn<A: Actor>(self, actor: A) -> ActorRef<A> {
        let count = PendingRefCount::begin(self.ref_counted);
        let mut actor = spawn_of(actor, count.weak());
        ActorRef::new(self.start(&mut actor, count))
    }

    fn start(&self, actor: &mut dyn AnySpawn, count: PendingRefCount) -> Target {
        let target = count.end(self.parent.spawn(actor, &self.options));
        self.register(&target, actor.of());
        target
    }

    fn register(&self, target: &Target, of: ActorType) {
        if self.registered {
            let reference = RegisteredRef::new(target.clone(), Some(of.id), of.path);
            // A name that was given depends on no number of the actor.
            let name = self.options.name.as_deref().map(str::to_owned);
            let name = name.unwrap_or_else(|| target.own_name());
            names::register(self.parent, name, target, reference, true);
        }
    }

    /// Sets when a supervised child is restarted; the default is [`Restart::Transient`]. Applies to
    /// [`spawn_with`](Spawner::spawn_with): [`spawn`](Spawner::spawn) starts actors that never restart.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.options.child.restart = restart;
        self
    }

    /// Makes the child one of many equal workers: it is restarted after a failure and after a halt,
    /// without a limit, unless it ends before its start is over.
    pub(crate) fn worker(mut self) -> Self {
        self.options.child.restart = Restart::Permanent;
        self.options.child.is_worker = true;
        self
    }

    /// Sets the back-off before a supervised child is restarted; the default is none.
    ///
    /// In production this needs tokio's time driver: without one, the child is restarted at once.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.options.child.backoff = Some(backoff);
        self
    }

    /// Sets the treatment of a supervised child's inbox at a restart; the default is [`Unread::Keep`].
    pub fn on_restart(mut self, unread: Unread) -> Self {
        self.options.child.unread = unread;
        self
    }

    /// Starts the value that `factory` returns as a *supervised child* of the actor, or of the system,
    /// that spawns it, and returns a reference to it.
    ///
    /// A child that fails is restarted: its own children are stopped, its value is dropped (its `Drop`
    /// may send), its timers and piped futures end, its watches are removed, and `factory` makes a new
    /// value, which starts in its first state with its `#[start]` hook and the first `#[entry]`.
    /// References stay valid, the name and the identity are the same, and watchers are notified only if
    /// the child is not restarted. Events in the inbox wait for the new value, unless
    /// [`on_restart`](Spawner::on_restart) says otherwise.
    ///
    /// The event at which it failed is lost, and an [`ask`](crate::ActorRef::ask) ends in
    /// [`AskError::Failed`](crate::AskError::Failed). The event is never handled again, since it would most
    /// likely make the actor fail again, until the supervisor gives up. The sender may send it again.
    ///
    /// The supervisor is the actor whose context this is: [`Scope::supervise`] sets which other
    /// children are restarted, and how often at most; a supervisor that ends stops its children first.
    /// A child of the system is restarted alone, at most 3 times within 5 s; after one more failure it
    /// stays stopped, which is reported to the [failure hook](crate::LiveSystem::on_failure).
    ///
    /// The caller makes the first value, here. A later panic of `factory` is a failure of the actor.
    ///
    /// [`Scope::supervise`]: crate::Scope::supervise
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::supervision::{Restart, Unread};
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
        let count = PendingRefCount::begin(self.ref_counted);
        let factory = Box::new(TypedSpawn::new(factory, count.weak()));
        ActorRef::new(self.start_with(factory, count))
    }

    fn start_with(&self, factory: Box<dyn AnySpawn + Send>, count: PendingRefCount) -> Target {
        let actor_type = factory.of();
        let target = count.end(self.parent.spawn_with(factory, &self.options));
        self.register(&target, actor_type);
        target
    }
}

/// A count of references to an actor that begins before the actor is started; `None` if not counted.
struct PendingRefCount(Option<Arc<RefCount>>);

impl PendingRefCount {
    fn begin(counts: bool) -> Self {
        Self(counts.then(RefCount::new))
    }

    fn weak(&self) -> Option<Weak<RefCount>> {
        self.0.as_ref().map(Arc::downgrade)
    }

    /// Ends the start, and returns the first reference to the actor.
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
