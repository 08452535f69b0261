//! What the executor stands on: tokio's tasks and clock, threads, randomness, files.
//!
//! - [`executor`]: tokio, or another thread pool; [`disk`]: the real files; [`lease`]: who has one to itself;
//!   [`chance`]: randomness.
//! - [`slice`], [`current`] and [`forever`]: what a worker's thread knows of the actor that it runs: how long
//!   it may, who it is, and for what it may rightly wait.
//!
//! Everything above calls it. It knows no actor.

pub(crate) mod chance;
pub(crate) mod current;
pub(crate) mod disk;
pub(crate) mod executor;
pub(crate) mod forever;
pub(crate) mod lease;
mod lock;
pub(crate) mod slice;

pub(crate) use lock::lock;
