//! The processes of a test: a libtest test, or the tool's child process, each with a watchdog.
//!
//! `#[actor_test]` calls [`run`](run::run), which reads the [environment](crate::protocol::environment) and explores the test in this
//! process. If the tool started the process, [`child`] performs the tool's request and sends
//! [events](crate::protocol) instead of printing. The [`watchdog`] ends a process whose handler does not return.
//! No other folder depends on this one.

pub(crate) mod child;
mod program;
pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod watchdog;
