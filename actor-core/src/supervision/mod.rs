//! Supervision: which actors are stopped and restarted when a child has failed, and why an actor has ended.
//!
//! [`options`] is the configuration, and [`children`] the state machine: both executors keep one for each
//! supervisor and carry out its orders. Nothing here depends on actors or clocks.

mod children;
mod ending;
mod failure;
mod options;

pub use children::{Children, Order};
pub use ending::{StopReason, Terminated};
pub use failure::{Decision, Failure, FailureKind};
pub use options::{Backoff, ChildOptions, Restart, Supervision, Unread};

pub(crate) use options::Strategy;
