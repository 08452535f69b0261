//! How one test meets its process: as a libtest test, or as the tool's child, with a watchdog beside.
//!
//! [`run`](run::run) is what `#[actor_test]` calls. It reads the [`environment`], and
//! explores the test here and now; or, where the tool asks for it, [serves](child) the tool's request
//! and tells [events](protocol) instead of printing. The [`watchdog`] ends a process whose
//! handler does not return. Above this room is the tool alone.

pub(crate) mod child;
pub mod environment;
pub(crate) mod pinned;
pub mod postmortem;
#[allow(missing_docs, reason = "for the tool alone: a name may say enough")]
pub mod process;
mod program;
#[allow(missing_docs, reason = "for the tool alone: a name may say enough")]
pub mod protocol;
pub mod run;
pub mod watchdog;
