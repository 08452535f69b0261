//! Dispatch between the two executors: references, contexts and parents of spawns that belong to either.
//!
//! A reference leads to a live actor or to one under test ([`Target`]), an actor runs in production or
//! under test ([`ActorExecutor`]), and so does the parent of a spawn ([`Parent`]). Each call goes on to
//! [`production`](crate::production), or through the [`seam`](crate::seam) to the tester. Neither of these
//! knows that there is another.

mod executor;
mod parent;
mod target;

pub(crate) use executor::ActorExecutor;
pub(crate) use parent::{AnySpawn, Parent};
pub(crate) use target::{ActorAddress, RefCount, Target, WeakTarget};
