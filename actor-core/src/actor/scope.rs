//! The scope of a spawn: what a system and an actor's context have in common.

use std::future::Future;
use std::time::Duration;

use super::instance::actor_type;
use super::names::{self, NameLookup};
use super::{Actor, ActorRef, AnyRef, Context, Spawner};
use crate::dispatch::Parent;
use crate::environment::{self, ActorRng};
use crate::event::Event;
use crate::fs::Disk;
use crate::seam::{self, Announcing, NameTaken, Purpose};
use crate::supervision::Supervision;

pub(crate) use sealed::HasParent;

mod sealed {
    use super::Parent;

    /// Seals [`Scope`](super::Scope): a system and a context have a parent to spawn with.
    pub trait HasParent {
        fn parent(&self) -> Parent<'_>;
    }
}

/// The scope that actors are spawned in: a [`System`](crate::System), or the [`Context`](crate::Context)
/// of an actor, whose children they are. Through it a program also reaches names, time, random choices
/// and the disk.
///
/// The [prelude](crate::prelude) has this trait. Nothing else implements it.
///
/// ```
/// use actor_core::prelude::*;
///
/// struct Logger;
/// #[actor]
/// impl Logger {}
///
/// /// Spawns a logger under a name that `main` and actors can look up.
/// fn spawn_logger(scope: &impl Scope) -> ActorRef<Logger> {
///     let logger = scope.spawn(Logger);
///     scope.register("logger", &logger);
///     logger
/// }
///
/// struct Server;
/// #[actor]
/// impl Server {
///     #[start]
///     fn start(&mut self, cx: &mut Context<Self>) {
///         spawn_logger(cx);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// spawn_logger(&sys).stop().await;
/// sys.spawn(Server);
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub trait Scope: HasParent {
    /// Starts an actor, named after its type and a number. Returns a reference, to which events may be sent
    /// at once. After the beginning of a shutdown, the actor is dropped instead, and the reference is to a
    /// stopped actor.
    fn spawn<A: Actor>(&self, actor: A) -> ActorRef<A> {
        self.spawner().spawn(actor)
    }

    /// Starts an actor with a name, which logs and reports show.
    fn spawn_named<A: Actor>(&self, name: &str, actor: A) -> ActorRef<A> {
        self.spawner().name(name).spawn(actor)
    }

    /// Starts the actor that `factory` creates as a supervised child of the actor, or of the system, which
    /// is restarted if it fails; see [`Spawner::spawn_with`].
    ///
    /// An actor's children end with it: each is stopped, in reverse order of the spawns, before the value
    /// of their parent is dropped. If the parent ends in order, that happens after its `#[stop]` hook, and
    /// each child handles what was sent to it before; if it fails or is killed, they are stopped first.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Trip;
    ///
    /// #[derive(Default)]
    /// struct Walker {
    ///     steps: u32,
    /// }
    ///
    /// #[actor]
    /// impl Walker {
    ///     #[on]
    ///     fn trip(&mut self, _: Trip) {
    ///         panic!("ouch");
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// # sys.as_live().unwrap().on_failure(|_| {});
    /// let walker = sys.spawn_with(Walker::default);
    /// assert_eq!(walker.ask(Trip).await, Err(AskError::Failed));
    /// assert_eq!(walker.ask(Trip).await, Err(AskError::Failed));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn spawn_with<A: Actor>(&self, factory: impl FnMut() -> A + Send + 'static) -> ActorRef<A> {
        self.spawner().spawn_with(factory)
    }

    /// Returns a builder of actors with settings of their own: a name, a mailbox, a back-off.
    fn spawner(&self) -> Spawner<'_> {
        Spawner::new(self.parent())
    }

    /// Configures the supervision of the children that are spawned with a factory from now on.
    ///
    /// An actor's children are restarted one for one by default, with at most 3 restarts within 5 s;
    /// exceeding the limit is a failure of the actor. After a restart of the actor, call this again.
    ///
    /// A system's children are groups of their own by default, each with 3 restarts within 5 s. This makes
    /// those spawned afterwards one group. If the limit is exceeded, the group is given up: its children are
    /// stopped, [a hook](crate::LiveSystem::on_failure) is notified, and the system continues. Children that
    /// are spawned later form a new group. A [node](crate::System::node) has its own children.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::Supervision;
    /// use std::time::Duration;
    ///
    /// struct Reader;
    /// #[actor]
    /// impl Reader {}
    ///
    /// struct Writer;
    /// #[actor]
    /// impl Writer {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// sys.supervise(Supervision::one_for_all().intensity(5, Duration::from_secs(60)));
    /// sys.spawn_with(|| Reader);
    /// sys.spawn_with(|| Writer);
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn supervise(&self, supervision: Supervision) {
        self.parent().supervise(supervision);
    }

    /// Passes `event` to the monitors that observe its type, and to nobody else.
    fn announce<E: Event>(&self, event: E) {
        match self.parent().hub() {
            Some(hub) => hub.announce(&event),
            None => seam::with(|rt| rt.announce(&mut Announcing(Some(event)))),
        }
    }

    /// Returns a number below `bound`, chosen by the tester; in production a random one.
    ///
    /// # Panics
    ///
    /// If `bound` is zero or above 2³² − 1.
    fn choose(&self, bound: usize) -> usize {
        environment::choose(self.parent().is_live(), bound)
    }

    /// Returns `true` or `false` as the tester chooses; in production at random.
    fn choose_bool(&self) -> bool {
        environment::choose_bool(self.parent().is_live())
    }

    /// Returns a random number generator: under test its seed is one recorded choice.
    fn rng(&self) -> ActorRng {
        environment::generator(self.parent().is_live())
    }

    /// Returns the time since the system started: virtual under test, and constant within a step. If the
    /// test sets clock skew, an actor reads the clock of its node.
    fn now(&self) -> Duration {
        match self.parent().hub() {
            Some(hub) => hub.now(),
            None => seam::with(|rt| rt.now(true)),
        }
    }

    /// Waits for `delay`, in virtual time under test. Events that arrive meanwhile stay in the inbox.
    ///
    /// # Panics
    ///
    /// In production, outside a tokio runtime unless the crate's feature `futures` is on, or on a
    /// runtime without a time driver.
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send + use<Self> {
        environment::sleep(self.parent().is_live(), delay, Purpose::Sleep)
    }

    /// Returns the system's disk, which holds [files](crate::fs).
    ///
    /// In production it is a directory, named once with [`LiveSystem::disk_at`](crate::LiveSystem::disk_at);
    /// before that, every call to it fails.
    fn disk(&self) -> Disk {
        match self.parent().hub() {
            Some(hub) => Disk::live(hub.disk.clone()),
            None => Disk::controlled(),
        }
    }

    /// Registers an actor under a name, until the actor stops. A
    /// [`ProtocolRef`](crate::protocols::ProtocolRef) or a [`Recipient`](crate::Recipient) can be registered
    /// as well; it is found as a reference of that kind.
    ///
    /// If another living actor has the name, nothing changes, and that is reported as an error that nobody
    /// receives: a bug under test, and a [failure](crate::supervision::FailureKind::Error) in production.
    /// [`try_register`](Scope::try_register) returns the error instead. An actor may have several names.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::names::LookupError;
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
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = System::new();
    /// sys.register("printer", &sys.spawn(Printer));
    /// let printer = sys.lookup::<Printer>("printer").await?;
    /// printer.tell(Print("hello".into()));
    /// let none = sys.lookup::<Printer>("plotter").await;
    /// assert_eq!(none, Err(LookupError::Unknown));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn register(&self, name: &str, actor: &impl AnyRef) {
        let (target, reference) = (actor.target(), actor.registered());
        names::register(self.parent(), name.to_owned(), target, reference, false);
    }

    /// Registers as [`register`](Scope::register) does, and returns the outcome. The registration is sent
    /// by this call; the future waits for the answer.
    ///
    /// # Errors
    ///
    /// If another actor has the name; the error names that actor.
    fn try_register<R: AnyRef>(
        &self,
        name: &str,
        actor: &R,
    ) -> impl Future<Output = Result<(), NameTaken>> + Send + use<Self, R> {
        names::try_register(self.parent(), name, actor)
    }

    /// Removes a name from the registry. Unknown names are ignored.
    fn unregister(&self, name: &str) {
        names::unregister(self.parent(), name);
    }

    /// Returns a reference by name: it leads to the `A` that has the name when a message arrives, as
    /// `{Name, Node} ! Message` does in Erlang. `node/name` is a name on a [node](crate::System::node).
    ///
    /// A message, a watch or an order to stop that finds nobody is a dead letter,
    /// [`AskError::Stopped`](crate::AskError::Stopped), or
    /// [`StopReason::Unregistered`](crate::StopReason::Unregistered); if the node is down, an `ask` gets
    /// [`AskError::Disconnected`](crate::AskError::Disconnected). So a reference by name survives a restart of
    /// the node. An actor of another type under the name is an error that nobody receives. While a
    /// node boots under test, what is sent to its names waits until the boot code has run.
    ///
    /// Two such references of one name and type are equal, and not equal to a reference to the actor itself,
    /// even while that has the name. [`lookup`](Scope::lookup) returns the latter. In messages both travel.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Greet;
    ///
    /// struct Greeter;
    ///
    /// #[actor]
    /// impl Greeter {
    ///     #[on]
    ///     fn greet(&mut self, _: Greet) -> &'static str {
    ///         "hello"
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = System::new();
    /// sys.node("n1", |node| {
    ///     node.spawner().name("greeter").registered().spawn(Greeter);
    /// });
    /// let greeter = sys.at::<Greeter>("n1/greeter");
    /// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
    ///
    /// sys.faults().restart("n1");
    /// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
    /// sys.faults().crash("n1");
    /// assert_eq!(greeter.ask(Greet).await, Err(AskError::Disconnected));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn at<A: Actor>(&self, name: impl AsRef<str>) -> ActorRef<A> {
        ActorRef::new(self.parent().at(name.as_ref(), actor_type::<A>()))
    }

    /// Looks up the actor of that name, at the time when the registry handles the request.
    ///
    /// `node/name` is a name on a [node](crate::System::node). If the node has not booted yet, the look-up
    /// waits until it has; over a cut link it waits for ever, unless it has a
    /// [time limit](NameLookup::timeout).
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Log(&'static str);
    ///
    /// struct Logger;
    ///
    /// #[actor]
    /// impl Logger {
    ///     #[on]
    ///     fn log(&mut self, line: Log) {
    ///         println!("{}", line.0);
    ///     }
    /// }
    ///
    /// struct Worker;
    ///
    /// #[actor]
    /// impl Worker {
    ///     #[start]
    ///     async fn start(&mut self, cx: &mut Context<Self>) {
    ///         if let Ok(logger) = cx.lookup::<Logger>("log").await {
    ///             logger.tell(Log("a worker starts"));
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such actor, or one of another type. After the beginning of a shutdown there are none.
    /// [`LookupError::UnknownNode`](crate::names::LookupError::UnknownNode) if there is no such node, and
    /// [`LookupError::Unreachable`](crate::names::LookupError::Unreachable) if it can't be reached.
    fn lookup<A: Actor>(&self, name: impl AsRef<str>) -> NameLookup<ActorRef<A>> {
        names::find(self.parent(), name.as_ref())
    }

    /// Looks up as [`lookup`](Scope::lookup) does, for any type of reference that was registered:
    /// `sys.lookup_ref::<StoreRef>("store")`.
    ///
    /// # Errors
    ///
    /// As [`lookup`](Scope::lookup).
    fn lookup_ref<R: AnyRef>(&self, name: impl AsRef<str>) -> NameLookup<R> {
        names::find(self.parent(), name.as_ref())
    }
}

impl<A: Actor> HasParent for Context<A> {
    fn parent(&self) -> Parent<'_> {
        self.executor().parent()
    }
}

impl<A: Actor> Scope for Context<A> {}
