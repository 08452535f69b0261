//! End-to-end tests of `cargo actor-test`: the tool runs on a small project, and its output is checked.
//!
//! All tests share the project `specimens` and one target directory, which is kept for the next run.

mod bad_input;
mod checkpoints;
mod commands;
mod debugging;
mod edits;
mod integration;
#[cfg(all(feature = "mcp", unix))]
mod mcp;
mod misbehaviour;
#[cfg(target_os = "linux")]
mod native;
mod packages;
mod parameters;
mod project;
mod proofs;
mod reached;
mod reports;
mod settings;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod top;
mod traces;
