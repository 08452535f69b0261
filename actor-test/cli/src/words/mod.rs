//! All words of the tool: those of every test, and its own.

mod coverage;
mod tool;

pub(crate) use actor_test::tool::words::*;
pub(crate) use coverage::*;
pub(crate) use tool::*;
