//! Queries on a recorded execution, for `cargo actor-test debug`: replay, inspect, branch.
//!
//! The debugger lives in the tool, and the program under test in its child process.
//! [`hosting`](crate::hosting) hands each [`Inquiry`] to a [`server`], which runs the program up to the step in
//! question. A step costs as much as while exploring: only a [run](Question::Run) records the story, and a
//! [snapshot](Question::Snapshot) records nothing. The executions of snapshots stay paused for later ones; every
//! other question starts a new execution. If the program crashes the process, only the paused executions are
//! lost, since the tool can start another child and ask again.

mod answer;
mod replayer;
mod server;
#[cfg(test)]
mod tests;

pub(crate) use server::serve;
