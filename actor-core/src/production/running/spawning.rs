//! An actor on its way into a system.

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;

use super::target::Target;
use crate::parts::{MakeMail, Resting};
use crate::supervision::{Decision, Failure};
use crate::table::ActorInfo;

/// An actor about to be spawned, without its type.
pub trait Spawn {
    /// The actor type's table.
    fn info(&self) -> &'static ActorInfo;
    /// Identifies the actor type, so that its parts can be pooled.
    fn actor_type(&self) -> TypeId;
    /// The actor type with its path, as rustc prints it.
    fn path(&self) -> &'static str;
    /// Makes empty mail for this type.
    fn mail(&self) -> MakeMail;
    /// Gives the actor a context, in which it is `me`. Called once, but for a [`Factory`].
    fn rest(&mut self, me: &Target) -> Box<dyn Resting>;
}

/// What makes the values of a supervised actor: [`rest`](Spawn::rest) may be called again.
pub type Factory = Box<dyn Spawn + Send>;

/// Asks a supervisor what becomes of a child that has failed; it is asked when this is polled first.
pub type AskSupervisor = fn(Target, Failure) -> Pin<Box<dyn Future<Output = Decision> + Send>>;

/// The registry of names of a node.
pub enum NamesOn {
    /// It is this one.
    Registry(Target),
    /// The node is down.
    Down,
    /// There is no such node, among these.
    NoNode(Vec<Box<str>>),
    /// The system has no nodes.
    NoNodes,
}
