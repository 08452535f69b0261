//! `cargo actor-test` from outside: a small project is written, the tool is run on it, and what it
//! says and leaves behind is read.
//!
//! All tests share one project, `specimens`, and one target directory, which outlives a run so that
//! the next one builds little.

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
