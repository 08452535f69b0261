//! Untyped parts of an actor for both executors: its [mail](AnyMail), its [`Body`], effects, requests.
//!
//! They are made in [`actor`](crate::Actor)'s module, where the type is known, and run by the executors,
//! which see them as [`AnyMail`] and [`AnyInstance`]. So [`Body`] and everything around it is compiled once.

mod announcing;
mod asking;
mod body;
mod crossing;
pub(crate) mod disk;
mod effects;
mod faults;
mod mail;
mod mailbox;
mod options;
pub(crate) mod rules;
mod sharing;
mod spawning;

pub use crate::panics::{call_each, drop_each};
pub use crate::renaming::{name_of, with_renaming};
pub use asking::{AnySlot, AskError, AskSlot, Fate};
pub use body::{AnyInstance, Body, Driver, NextWork, RunOutcome};
pub use crossing::CannotCross;
pub use effects::{
    Announce, LinkNotice, NextTick, Notice, Offered, Purpose, PutReason, PutStart, ShutdownSummary,
    Stop,
};
pub use faults::{
    CallErrors, DiskAfterRestart, InjectedError, MessageFault, Script, ScriptedFault,
};
pub use mail::{AnyMail, AnySlab, Mail, MakeMail};
pub use mailbox::{Mailbox, Overflow};
pub use rules::{CHAIN_MAX, Violation, ViolationKind};
pub use sharing::{
    Access, AccessEffect, Hold, Locals, NewTask, ObjectId, Release, Sharing, SourceLocation, Wait,
};
pub use spawning::{Host, SpawnOptions};

pub(crate) use announcing::Announcing;
pub(crate) use asking::{AskStatus, wake};
pub(crate) use body::{CatchPanic, NextJob, hand_back};
pub(crate) use crossing::Carry;
pub(crate) use mail::{Mailed, mail_of};
