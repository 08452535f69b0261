//! Where actors under test meet the engine: its side of
//! [`Runtime`](actor_core::runtime::Runtime).
//!
//! A handler calls in here, through a pointer of its thread, while the run loop has it run. What it
//! asks for goes into its operation's outbox, as an effect that is carried out later; choices are
//! answered at once, by the strategy. `running` and `sameness` share the same [`controlled::Shared`].

pub(crate) mod controlled;
