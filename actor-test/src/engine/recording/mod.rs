//! What is kept of an execution: the decisions, always, and the records of what happened where the
//! execution is to be told.
//!
//! `running` and `seam` emit a [`Record`](crate::data::records::Record) at the place where the thing
//! happens; [`recorder`] collects them, and they leave with the outcome. Whoever wants a story, or
//! something else, reads the stream outside the engine. Nothing comes back from here: no step depends
//! on whether it is recorded.

pub(crate) mod printing;
pub(crate) mod recorder;
pub(crate) mod tape;
