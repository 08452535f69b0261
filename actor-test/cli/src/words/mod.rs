//! All words of the tool: those of every test, and its own.

mod coverage;
#[cfg(feature = "mcp")]
mod mcp;
mod tool;

pub(crate) use actor_test::tool::words::*;
pub(crate) use coverage::*;
#[cfg(feature = "mcp")]
pub(crate) use mcp::*;
pub(crate) use tool::*;
