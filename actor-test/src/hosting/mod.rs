//! The processes of a test: a libtest test, or the tool's child process, each with a watchdog.
//!
//! `#[actor_test]` calls [`run`](run::run), which reads the [`environment`] and explores the test in this
//! process. If the tool started the process, [`child`] performs the tool's request and sends
//! [events](protocol) instead of printing. The [`watchdog`] ends a process whose handler does not return.
//! Only the tool depends on this folder.

pub(crate) mod child;
pub mod environment;
pub mod postmortem;
#[allow(missing_docs, reason = "for the tool alone: a name may say enough")]
pub mod process;
mod program;
#[allow(missing_docs, reason = "for the tool alone: a name may say enough")]
pub mod protocol;
pub mod run;
pub(crate) mod script;
pub mod watchdog;
