//! The interface of a spawn, which makes the typed parts of an actor: [`Spawn`].

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;

use super::target::Target;
use crate::parts::{AnyInstance, MakeMail};
use crate::supervision::{Decision, Failure};
use crate::table::ActorInfo;

/// An actor about to be spawned, without its type.
pub trait Spawn {
    /// The actor type's table.
    fn info(&self) -> &'static ActorInfo;
    /// Identifies the actor type, so that its parts can be pooled.
    fn actor_type(&self) -> TypeId;
    /// Returns the path of the actor type, as rustc prints it.
    fn path(&self) -> &'static str;
    /// Makes empty mail for this type.
    fn mail(&self) -> MakeMail;
    /// Makes the instance, whose context names it `me`. Called once, except for a [`Factory`].
    fn rest(&mut self, me: &Target) -> Box<dyn AnyInstance>;
}

/// A factory of a supervised actor's values: [`rest`](Spawn::rest) may be called repeatedly.
pub type Factory = Box<dyn Spawn + Send>;

/// Asks a supervisor to decide about a failed child; the question is sent at the first poll.
pub type AskSupervisor = fn(Target, Failure) -> Pin<Box<dyn Future<Output = Decision> + Send>>;

/// The registry of names of a node.
pub enum NamesOn {
    /// The registry, since the node is up.
    Registry(Target),
    /// The node is down.
    Down,
    /// There is no such node; these are the nodes.
    NoNode(Vec<Box<str>>),
    /// The system has no nodes.
    NoNodes,
}
