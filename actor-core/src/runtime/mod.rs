//! The interface between actors and a controlled executor, and dispatch between the two executors.
//!
//! The tester implements the trait in `seam`, and `current` finds the implementation: while an execution
//! is controlled, a thread-local pointer names its [`Runtime`]. Production never takes this path: a
//! reference to an actor is either live or controlled (`target`), an actor runs in one or the other
//! (`home`), and only the controlled kind comes here. Calls arrive from the modules above and go on to
//! the tester, or to production, which does not depend on this module.

mod current;
mod home;
mod seam;
mod spawn_parent;
mod target;

pub use crate::identity::{
    Address, AskId, CapacityRequestId, DiskCallId, DiskId, EncodedActorRef, TimerId,
};
pub use crate::panics::{Payload, discard};
pub use crate::parts::{
    Access, AccessEffect, Announce, CallErrors, DiskAfterRestart, Hold, Host, InjectedError,
    LinkNotice, Locals, MessageFault, NewTask, NextTick, Notice, ObjectId, Offered, Purpose,
    PutReason, PutStart, Release, Script, ScriptedFault, Sharing, SourceLocation, SpawnOptions,
    Stop, Violation, ViolationKind, Wait,
};
pub use crate::production::{AskSupervisor, Factory, NamesOn, Spawn, Target};
pub use crate::supervision::children::{Children, Order};
pub use crate::supervision::options::ChildOptions;
pub use current::{block_on, enter, is_controlled};
pub use seam::{NodeCode, Runtime};

pub(crate) use current::*;
pub(crate) use home::ActorExecutor;
pub(crate) use spawn_parent::SpawnParent;
