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
mod starts;
mod target;

pub use crate::contained::{Payload, discard};
pub use crate::identity::{Address, AskId, DiskCallId, DiskId, Passport, RoomId, TimerId};
pub use crate::parts::{
    Access, Again, Announce, Disk, Failing, Failure, Fault, Hold, Host, Locals, NewTask, Notice,
    ObjectId, Offered, Place, Purpose, PutReason, PutStart, Release, Script, Sharing, SpawnOptions,
    Stop, Touch, Trap, Violation, ViolationKind, Wait, Wish,
};
pub use crate::production::{AskSupervisor, Factory, NamesOn, Spawn, Target};
pub use crate::supervision::{ChildOptions, Children, Order};
pub use current::{block_on, enter, is_controlled};
pub use seam::{NodeCode, Runtime};

pub(crate) use current::*;
pub(crate) use home::Home;
pub(crate) use starts::Starts;
