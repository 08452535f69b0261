//! All texts of the tool: those shared with the library, and its own.

mod coverage;
#[cfg(feature = "mcp")]
mod mcp;
mod tool;

pub(crate) use actor_test::tool::words::*;
pub(crate) use coverage::*;
#[cfg(feature = "mcp")]
pub(crate) use mcp::*;
pub(crate) use tool::*;
