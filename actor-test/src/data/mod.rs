//! Plain data of executions: findings, coverage, records, stories and snapshots.
//!
//! The engine fills the data in; traces and reports hold it. Stories, snapshots, causes and bugs are public
//! and can be serialised; the rest is for this crate.
//! Nothing here runs or prints anything. Every module of the crate may use this one, and it uses none.

pub(crate) mod bug;
pub mod causes;
pub(crate) mod clocks;
pub(crate) mod coverage;
pub(crate) mod end_state;
pub(crate) mod faults;
pub(crate) mod fields;
pub(crate) mod interned;
pub(crate) mod marks;
pub(crate) mod node_fault;
mod reasons;
pub(crate) mod records;
pub(crate) mod schedule;
pub mod snapshot;
pub mod story;
