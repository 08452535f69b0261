//! Recording of an execution: the decisions always, and records of all that happened if a story is wanted.
//!
//! `running` and `seam` emit a [`Record`](crate::records::Record) at the place where something
//! happens. [`recorder`] collects the records, and they leave with the outcome, to be read outside the
//! engine. No step depends on whether it is recorded.

pub(crate) mod printing;
pub(crate) mod recorder;
pub(crate) mod tape;
