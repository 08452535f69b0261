//! Who is stopped and brought back when a child has failed, and why an actor has ended.
//!
//! [`options`] is what a program says, and [`children`] what follows from it: both executors keep one for
//! each supervisor and do what it orders. Nothing here knows actors or clocks.

mod children;
mod ending;
mod failure;
mod options;

pub use children::{Children, Order};
pub use ending::{StopReason, Terminated};
pub use failure::{Decision, Failure, FailureKind};
pub use options::{Backoff, ChildOptions, Restart, Supervision, Unread};

pub(crate) use options::Strategy;
