//! Plain data of executions: what was found, what was reached, what happened step by step.
//!
//! The engine fills it in; traces and reports hold it; all of it is public and can be serialised.
//! Nothing here runs or prints anything. Every room may use this one, and it uses none.

pub(crate) mod bug;
pub mod causes;
pub(crate) mod clocks;
pub(crate) mod coverage;
pub(crate) mod faults;
pub(crate) mod fields;
pub(crate) mod interned;
pub(crate) mod leftovers;
pub(crate) mod marks;
pub(crate) mod mishap;
mod reasons;
pub(crate) mod records;
pub(crate) mod schedule;
pub mod snapshot;
pub mod story;
