//! The foundation of the production executor: tokio's tasks and clock, threads, randomness, files.
//!
//! - [`executor`]: tokio, or another thread pool; [`disk`]: files; [`lease`]: file locks; [`chance`]:
//!   randomness.
//! - [`slice`], [`current`] and [`forever`]: thread-local data of the running actor: its time slice, its
//!   identity, and its waits without end.
//!
//! Everything above calls this module, which knows no actors.

pub(crate) mod chance;
pub(crate) mod current;
pub(crate) mod disk;
pub(crate) mod executor;
pub(crate) mod forever;
pub(crate) mod lease;
pub(crate) mod slice;
