//! The seam between actors and a controlled executor, and the places where the two executors part.
//!
//! `seam` is what the tester implements, and `current` finds it: while an execution is controlled, a
//! pointer in the thread names its [`Runtime`]. Production never takes this path: a reference to an actor
//! is either live or controlled (`target`), an actor runs in one or the other (`home`), and only the
//! controlled kind comes here. What actors and programs do arrives from the rooms above; it goes on to
//! production, which knows nothing of this room, or to the tester.

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
