//! Untyped parts of an actor for both executors: its [mail](AnyMail), its [`Body`], effects, requests.
//!
//! They are made in [`actor`](crate::Actor)'s module, where the type is known, and run by the executors,
//! which see them as [`AnyMail`] and [`Resting`]. So [`Body`] and everything around it is compiled once.

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

pub use crate::contained::{call_each, drop_each};
pub use crate::renaming::{name_of, under_names};
pub use asking::{AnySlot, AskError, AskSlot, Fate};
pub use body::{Body, Driver, Due, Ran, Resting};
pub use crossing::CannotCross;
pub use effects::{
    Again, Announce, Notice, Offered, Purpose, PutReason, PutStart, ShutdownSummary, Stop, Trap,
};
pub use faults::{Disk, Failing, Failure, Fault, Script, Wish};
pub use mail::{AnyMail, AnySlab, Mail, MakeMail};
pub use mailbox::{Mailbox, Overflow};
pub use rules::{CHAIN_MAX, Violation, ViolationKind};
pub use sharing::{Access, Hold, Locals, NewTask, ObjectId, Place, Release, Sharing, Touch, Wait};
pub use spawning::{Host, SpawnOptions};

pub(crate) use announcing::Announcing;
pub(crate) use asking::{Status, wake};
pub(crate) use body::{Contained, Job, hand_back};
pub(crate) use crossing::Carry;
pub(crate) use mail::{Mailed, mail_of};
