//! The set-up interface of both executors: [`System`] and its [nodes](node).
//!
//! Programs and tests call it; it delegates to production or to the tester.

pub(crate) mod node;
mod set_up;
pub(crate) mod shutdown;

pub use node::Faults;
pub use set_up::System;
pub use shutdown::Shutdown;
