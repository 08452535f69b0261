//! The registry of actor names: one registry actor for each system or node.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use actor_macros::actor;

use super::crossing::ClonedAcrossNodes;
use super::instance::spawn_of;
use super::{ActorRef, AnyRef, Context};
use crate::asking::{Ask, Reply, TimedAsk};
use crate::dispatch::{Parent, Target};
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;
use crate::seam::{AskError, NamesOn};

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
    /// No answer came within the [time limit](NameLookup::timeout).
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

/// Returns the registry of a system.
pub(crate) fn names(parent: Parent<'_>) -> ActorRef<Names> {
    ActorRef::new(parent.names(&mut spawn_of(Names::default(), None)))
}

/// Looks up a name, in this registry or in that of a node.
pub(crate) fn find<R: AnyRef>(parent: Parent<'_>, name: &str) -> NameLookup<R> {
    let (asked, unknown) = match name.split_once('/') {
        None => (Some(names(parent).ask_here(name)), None),
        Some((node, on_it)) => match parent.names_on(node) {
            NamesOn::Registry(registry) => {
                let registry = ActorRef::<Names>::new(registry);
                (Some(registry.ask_remote(on_it)), None)
            }
            NamesOn::Down => (None, Some(LookupError::Unreachable)),
            NamesOn::NoNodes => (Some(names(parent).ask_here(name)), None),
            // A name may contain a slash itself.
            NamesOn::NoNode(known) => {
                let node = node.into();
                let unknown = LookupError::UnknownNode { node, known };
                (Some(names(parent).ask_here(name)), Some(unknown))
            }
        },
    };
    NameLookup {
        asked: asked.map_or(LookupSource::Nobody, LookupSource::Registry),
        unknown: unknown.unwrap_or(LookupError::Unknown),
        reference: PhantomData,
    }
}

/// The future of a look-up; made by [`Scope::lookup`](crate::Scope::lookup).
#[must_use = "await the answer"]
pub struct NameLookup<R> {
    asked: LookupSource,
    /// The error of a lookup that found nothing.
    unknown: LookupError,
    reference: PhantomData<fn() -> R>,
}

/// The registry that a lookup asks.
enum LookupSource {
    Nobody,
    Registry(Ask<NameAnswer>),
    Within(TimedAsk<NameAnswer>),
}

impl<R> NameLookup<R> {
    /// Limits the wait for the answer; a lookup that exceeds the limit is [`LookupError::TimedOut`].
    /// Without a limit, a lookup on a node that does not come up, or over a link that is cut, waits for
    /// ever. The limit counts from now, and a second one changes nothing.
    ///
    /// ```
    /// # use std::time::Duration;
    /// use actor_core::names::LookupError;
    /// use actor_core::prelude::*;
    /// # struct Store;
    /// # #[actor]
    /// # impl Store {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = System::new();
    /// let store = sys.lookup::<Store>("store").timeout(Duration::from_secs(5)).await;
    /// assert_eq!(store, Err(LookupError::Unknown));
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If [`Ask::timeout`](crate::Ask::timeout) would panic.
    #[track_caller]
    pub fn timeout(mut self, limit: Duration) -> Self {
        if let LookupSource::Registry(ask) = self.asked {
            self.asked = LookupSource::Within(ask.timeout(limit));
        }
        self
    }
}

impl<R> fmt::Debug for NameLookup<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NameLookup")
    }
}

impl<R: AnyRef> Future for NameLookup<R> {
    type Output = Result<R, LookupError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.asked {
            LookupSource::Nobody => Ok(NameAnswer::Unknown),
            LookupSource::Registry(ask) => ready!(Pin::new(ask).poll(task)),
            LookupSource::Within(ask) => ready!(Pin::new(ask).poll(task)),
        };
        Poll::Ready(match answer {
            Ok(NameAnswer::Found(entry)) => {
                R::found(&entry).ok_or(LookupError::OtherType(entry.type_name()))
            }
            Err(AskError::Disconnected) => Err(LookupError::Unreachable),
            Err(AskError::TimedOut) => Err(LookupError::TimedOut),
            _ => Err(self.unknown.clone()),
        })
    }
}

/// The registry of names of a system or node, itself an actor.
#[derive(Default)]
pub(crate) struct Names {
    entries: BTreeMap<String, NameEntry>,
    /// The number of entries at which the entries of stopped actors are removed.
    sweep_at: usize,
    /// The lookups that wait for a name to appear, while the node boots.
    boot: Option<Vec<(String, Reply<NameAnswer>)>>,
}

/// The registry entry of one actor.
#[derive(Clone)]
pub struct NameEntry {
    target: Target,
    reference: Reference,
}

#[derive(Clone)]
enum Reference {
    /// An [`ActorRef`] of this type.
    Actor(TypeId, &'static str),
    Other(Arc<dyn Any + Send + Sync>, &'static str),
}

impl NameEntry {
    pub(crate) fn actor(target: Target, actor_type: TypeId, path: &'static str) -> Self {
        Self {
            target,
            reference: Reference::Actor(actor_type, path),
        }
    }

    pub(crate) fn other<R: AnyRef>(reference: &R) -> Self {
        Self {
            target: reference.target().clone(),
            reference: Reference::Other(Arc::new(reference.clone()), type_name::<R>()),
        }
    }

    /// Returns the target if the reference is an [`ActorRef`] of this type.
    pub(crate) fn as_actor(&self, actor_type: TypeId) -> Option<&Target> {
        match &self.reference {
            Reference::Actor(found, _) if *found == actor_type => Some(&self.target),
            _ => None,
        }
    }

    /// Returns the reference if it is of this type and not an [`ActorRef`].
    pub(crate) fn as_other<R: AnyRef>(&self) -> Option<R> {
        match &self.reference {
            Reference::Other(reference, _) => reference.downcast_ref().cloned(),
            Reference::Actor(..) => None,
        }
    }

    fn type_name(&self) -> &'static str {
        match &self.reference {
            Reference::Actor(_, name) | Reference::Other(_, name) => name,
        }
    }
}

impl fmt::Debug for NameEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

impl Hash for NameEntry {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.target.id().hash(hasher);
        self.type_name().hash(hasher);
    }
}

impl Fingerprint for Names {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        self.entries.hash(to);
        for (name, reply) in self.boot.iter().flatten() {
            name.hash(to);
            reply.fingerprint(to);
        }
    }
}

/// A request to the registry; one event type, since all requests are of the same kind to the program.
#[derive(Clone, Debug, Hash)]
pub(crate) enum NameRequest {
    /// A registration without an answer.
    Register(String, NameEntry),
    TryRegister(String, NameEntry),
    Unregister(String),
    Lookup(String),
}

impl ClonedAcrossNodes for NameRequest {}

/// A lookup from another node, or from outside all nodes.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Lookup(String);

impl ClonedAcrossNodes for Lookup {}

/// The notice that the boot code of the node has finished.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Booted;

impl ClonedAcrossNodes for Booted {}

impl ClonedAcrossNodes for NameAnswer {}

#[derive(Clone, Debug)]
pub(crate) enum NameAnswer {
    Done,
    Taken(NameTaken),
    Found(NameEntry),
    Unknown,
}

#[actor(crate = crate)]
impl Names {
    #[on]
    fn request(&mut self, request: NameRequest, cx: &mut Context<Self>) -> NameAnswer {
        match request {
            NameRequest::Register(name, entry) => {
                if let Err(taken) = self.enter(name, entry) {
                    cx.report(&taken.to_string());
                }
                NameAnswer::Done
            }
            NameRequest::TryRegister(name, entry) => match self.enter(name, entry) {
                Ok(()) => NameAnswer::Done,
                Err(taken) => NameAnswer::Taken(taken),
            },
            NameRequest::Unregister(name) => {
                self.entries.remove(&name);
                NameAnswer::Done
            }
            NameRequest::Lookup(name) => self.answer(&name),
        }
    }

    #[on]
    fn ask_remote(&mut self, name: Lookup, reply: Reply<NameAnswer>) {
        let answer = self.answer(&name.0);
        match &mut self.boot {
            Some(waiting) if matches!(answer, NameAnswer::Unknown) => waiting.push((name.0, reply)),
            _ => reply.send(answer),
        }
    }

    #[on]
    fn booted(&mut self, _: Booted) {
        for (name, reply) in self.boot.take().into_iter().flatten() {
            let answer = self.answer(&name);
            reply.send(answer);
        }
    }
}

impl Names {
    pub(crate) fn booting() -> Self {
        Self {
            boot: Some(Vec::new()),
            ..Self::default()
        }
    }

    fn answer(&mut self, name: &str) -> NameAnswer {
        match self.find(name) {
            Some(entry) => NameAnswer::Found(entry.clone()),
            None => NameAnswer::Unknown,
        }
    }

    fn enter(&mut self, name: String, entry: NameEntry) -> Result<(), NameTaken> {
        if let Some(held) = self.find(&name) {
            if held.target.id() != entry.target.id() {
                let holder_name = format!("{held:?}");
                return Err(NameTaken {
                    name,
                    holder: held.target.id(),
                    holder_name,
                });
            }
        } else if self.entries.len() >= self.sweep_at {
            self.entries.retain(|_, entry| !entry.target.has_stopped());
            self.sweep_at = self.entries.len() * 2 + 16;
        }
        self.entries.insert(name, entry);
        Ok(())
    }

    fn find(&mut self, name: &str) -> Option<&NameEntry> {
        if self.entries.get(name)?.target.has_stopped() {
            self.entries.remove(name);
        }
        self.entries.get(name)
    }
}

impl ActorRef<Names> {
    pub(crate) fn register(&self, name: &str, actor: &impl AnyRef) {
        self.enter(name.to_owned(), actor.entry());
    }

    pub(crate) fn enter(&self, name: String, entry: NameEntry) {
        self.tell(NameRequest::Register(name, entry));
    }

    pub(crate) fn try_register<R: AnyRef>(
        &self,
        name: &str,
        actor: &R,
    ) -> impl Future<Output = Result<(), NameTaken>> + Send + use<R> {
        let entry = actor.entry();
        let answer = self
            .ask(NameRequest::TryRegister(name.to_owned(), entry))
            .without_limit();
        async move {
            match answer.await {
                Ok(NameAnswer::Taken(taken)) => Err(taken),
                // A registry that has stopped holds no names.
                _ => Ok(()),
            }
        }
    }

    pub(crate) fn unregister(&self, name: &str) {
        self.tell(NameRequest::Unregister(name.to_owned()));
    }

    fn ask_here(&self, name: &str) -> Ask<NameAnswer> {
        self.ask(NameRequest::Lookup(name.to_owned()))
            .without_limit()
    }

    fn ask_remote(&self, name: &str) -> Ask<NameAnswer> {
        self.ask(Lookup(name.to_owned()))
    }

    /// Notifies the registry that the boot code has finished.
    pub(crate) fn booted(&self) {
        self.tell(Booted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::System;
    use crate::actor::Scope;

    struct Idle;

    #[actor(crate = crate)]
    impl Idle {}

    #[tokio::test]
    async fn names_of_the_stopped_do_not_gather() {
        let mut names = Names::default();
        for number in 0..1000 {
            let sys = System::new();
            let stopped = sys.spawn(Idle);
            sys.shutdown().await.unwrap();
            names.enter(number.to_string(), stopped.entry()).unwrap();
        }
        assert!(names.entries.len() <= 17, "{}", names.entries.len());
    }
}
