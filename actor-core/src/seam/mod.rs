//! The seam between actors and the executor that runs them.
//!
//! Both executors run the untyped parts of an actor: its [mail](AnyMail), its [`Body`], effects, requests.
//! They are made in [`actor`](crate::Actor)'s module, where the type is known, and the executors see them as
//! [`AnyMail`] and [`AnyInstance`]. So everything around them is compiled once, and not for each actor type.
//!
//! A controlled executor, the tester's, implements [`Runtime`]. While an execution is controlled, a
//! thread-local pointer leads to the implementation (`current`), and each effect of an actor goes there.
//! The tester imports this module, and no other hidden one. Production uses the parts alone: `dispatch`,
//! above both, decides which of the two a call goes to.

mod action;
mod actor_id;
mod announcing;
mod asking;
mod body;
mod crossing;
mod current;
pub(crate) mod disk;
mod dropped;
mod effects;
mod faults;
mod mail;
mod mailbox;
mod naming;
mod note;
mod query;
mod registration;
pub(crate) mod rules;
mod runtime;
mod sharing;
mod spawning;
mod waiting;

pub use crate::identity::{Address, AskId, DiskId, EncodedActorRef, RequestId, TimerId};
pub use crate::panics::{Payload, call_each, discard, drop_each};
pub use crate::renaming::{name_of, with_renaming};
pub use crate::specification::monitor::AnyMonitor;
pub use crate::specification::predicate::{Expectation, Predicate, PredicateResult, Snapshot};
pub use crate::supervision::children::{Children, Order};
pub use crate::supervision::options::ChildOptions;
pub use action::Action;
pub use asking::{AnySlot, AskError, AskSite, AskSlot, Fate};
pub use body::{AnyInstance, Body, Driver, NextWork, RunOutcome};
pub use crossing::CannotCross;
pub use current::{block_on, enter, is_controlled};
pub use dropped::Dropped;
pub use effects::{
    Announce, LinkNotice, NextTick, Notice, Offered, Purpose, PutReason, PutStart, RandomChoice,
    ShutdownSummary, Stop,
};
pub use faults::{
    CallErrors, DiskAfterRestart, InjectedError, MessageFault, Script, ScriptedFault,
};
pub use mail::{AnyMail, AnySlab, Mail, MakeMail};
pub use mailbox::{Mailbox, Overflow};
pub use naming::{
    LookupError, NameEntry, NameTaken, NameUse, PutFound, PutRegistered, RegisteredRef,
};
pub use note::Note;
pub use query::{Query, SendTable};
pub use registration::Registration;
pub use rules::{CHAIN_MAX, Violation, ViolationKind};
pub use runtime::Runtime;
pub use sharing::{
    Access, AccessEffect, BlockUntil, Hold, Locals, MadeAccess, NewTask, ObjectId, Release,
    SchedulingPoint, SourceLocation, Unblock, Wait,
};
pub use spawning::{
    ActorType, AskSupervisor, Factory, Host, NewOperation, Spawn, SpawnOptions, SpawnType,
};
pub use waiting::{Awaited, Request, TimerEvent};

pub(crate) use announcing::Announcing;
pub(crate) use asking::{AskStatus, wake};
pub(crate) use body::{CatchPanic, NextJob, hand_back};
pub(crate) use crossing::Carry;
pub(crate) use current::*;
pub(crate) use mail::{Mailed, mail_of};
