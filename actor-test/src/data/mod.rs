//! Plain data of executions: findings, coverage, steps, stories and snapshots.
//!
//! The engine fills the data in; traces and reports hold it. Stories, snapshots, causes and bugs are public
//! and can be serialised; the rest is for this crate.
//! Nothing here runs or prints anything. Every module of the crate may use this one, and it uses none.

pub(crate) mod bug;
pub mod causes;
pub(crate) mod clocks;
pub(crate) mod constructs;
pub(crate) mod coverage;
pub(crate) mod coverage_claim;
pub(crate) mod end_state;
pub mod extent;
pub(crate) mod faults;
pub(crate) mod fields;
pub(crate) mod interned;
pub(crate) mod problem;
mod reasons;
pub(crate) mod schedule;
pub mod snapshot;
pub mod step;
pub mod story;
pub mod test_name;
