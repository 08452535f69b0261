//! The set-up: [`System`], in both executors, and the [nodes](node) that it may have.
//!
//! Programs and tests call it; it hands on to production or to the tester.

mod naming;
pub(crate) mod node;
mod set_up;
pub(crate) mod shutdown;

pub use node::{Faults, Node};
pub use set_up::System;
pub use shutdown::Shutdown;
