//! The registry of actor names, as an interface of [`System`].

use std::future::Future;

use super::System;
use crate::actor::names::{NameLookup, NameTaken, find, names};
use crate::actor::{Actor, ActorRef, AnyRef};

impl System {
    /// Registers an actor under a name, until the actor stops. A [`ProtocolRef`](crate::ProtocolRef) or a
    /// [`Recipient`](crate::Recipient) can be registered as well; it is found as a reference of that kind.
    ///
    /// If another living actor has the name, nothing changes, and that is reported as an error that nobody
    /// receives: a bug under test, and a [failure](crate::FailureKind::Error) in production.
    /// [`try_register`](System::try_register) returns the error instead. An actor may have several names.
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

    /// As [`register`](System::register), which is sent at once; the future returns the result.
    ///
    /// # Errors
    ///
    /// If the name is taken; the error contains the actor that has it.
    pub fn try_register<R: AnyRef>(
        &self,
        name: &str,
        actor: &R,
    ) -> impl Future<Output = Result<(), NameTaken>> + Send + use<R> {
        names(self).try_register(name, actor)
    }

    /// Removes a name; does nothing for an unknown name.
    pub fn unregister(&self, name: &str) {
        names(self).unregister(name);
    }

    /// Looks up the actor of that name, at the time when the registry handles the request.
    ///
    /// `node/name` is a name on a [node](System::node). If the node has not booted yet, the look-up waits
    /// until it has; over a cut link it waits for ever, unless it has a [time limit](NameLookup::timeout).
    ///
    /// # Errors
    ///
    /// If there is no such actor, or one of another type. After the beginning of a shutdown there are none.
    /// [`LookupError::UnknownNode`](crate::LookupError::UnknownNode) if there is no such node, and
    /// [`LookupError::Unreachable`](crate::LookupError::Unreachable) if it can't be reached.
    pub fn lookup<A: Actor>(&self, name: impl AsRef<str>) -> NameLookup<ActorRef<A>> {
        find(self, name.as_ref())
    }

    /// As [`lookup`](System::lookup), for any type of reference that was registered:
    /// `sys.lookup_ref::<StoreRef>("store")`.
    ///
    /// # Errors
    ///
    /// As [`lookup`](System::lookup).
    pub fn lookup_ref<R: AnyRef>(&self, name: impl AsRef<str>) -> NameLookup<R> {
        find(self, name.as_ref())
    }
}
