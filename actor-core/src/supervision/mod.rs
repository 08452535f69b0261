//! Supervision: the restart of failed children, its limits and delays, and the decisions of a supervisor.
//!
//! [`Supervision`] is the strategy of a supervisor. [`Spawner`](crate::Spawner) sets the other options for
//! each child, and a supervisor that decides on failures receives each [`Failure`].

// `options` is the configuration, and `children` the state machine: both executors keep one for each
// supervisor and carry out its orders. Nothing here depends on actors or clocks.

pub(crate) mod children;
pub(crate) mod ending;
mod failure;
pub(crate) mod options;

pub use failure::{Decision, Failure, FailureKind};
pub use options::{Backoff, Restart, Unread};

pub(crate) use children::{Children, Order};
pub(crate) use ending::{StopReason, Terminated};
pub(crate) use options::{ChildOptions, Strategy, Supervision};
