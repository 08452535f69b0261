//! Actors known by name, as the set-up sees them.

use std::future::Future;

use super::System;
use crate::actor::names::{NameLookup, NameTaken, find, names};
use crate::actor::{Actor, ActorRef, AnyRef};

/// Names under which actors are found, by anyone who is in the same system.
impl System {
    /// Makes an actor known by a name, until it stops; a [`ProtocolRef`](crate::ProtocolRef) or a
    /// [`Recipient`](crate::Recipient) as well, under which it is found as such.
    ///
    /// Where the name is that of another actor which has not stopped, nothing changes, and that is
    /// reported as an error that nobody receives: a bug under test, and a
    /// [failure](crate::FailureKind::Error) in production. [`try_register`](System::try_register)
    /// returns it instead. An actor may have several names.
    ///
    /// The registry is an actor of its own, which starts when it is first used.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::LookupError;
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
    pub fn register(&self, name: &str, actor: &impl AnyRef) {
        names(self).register(name, actor);
    }

    /// As [`register`](System::register), and says whether it was done. The registration is sent when
    /// this is called; awaiting it waits for the answer.
    ///
    /// # Errors
    ///
    /// Names the actor whose name it is.
    pub fn try_register<R: AnyRef>(
        &self,
        name: &str,
        actor: &R,
    ) -> impl Future<Output = Result<(), NameTaken>> + Send + use<R> {
        names(self).try_register(name, actor)
    }

    /// Forgets a name. Unknown ones are left alone.
    pub fn unregister(&self, name: &str) {
        names(self).unregister(name);
    }

    /// The actor of that name, as it is when the registry comes to the question.
    ///
    /// `node/name` is a name on a [node](System::node). Where the node has not booted, this waits until
    /// it has; over a link that is cut, for ever: give it a [time limit](NameLookup::timeout).
    ///
    /// # Errors
    ///
    /// Where there is none, or one of another type. A system that shuts down knows none.
    /// [`LookupError::UnknownNode`](crate::LookupError::UnknownNode) and
    /// [`LookupError::Unreachable`](crate::LookupError::Unreachable) where the node is to blame.
    pub fn lookup<A: Actor>(&self, name: impl AsRef<str>) -> NameLookup<ActorRef<A>> {
        find(self, name.as_ref())
    }

    /// As [`lookup`](System::lookup), for whatever reference was registered:
    /// `sys.lookup_ref::<StoreRef>("store")`.
    ///
    /// # Errors
    ///
    /// As [`lookup`](System::lookup).
    pub fn lookup_ref<R: AnyRef>(&self, name: impl AsRef<str>) -> NameLookup<R> {
        find(self, name.as_ref())
    }
}
