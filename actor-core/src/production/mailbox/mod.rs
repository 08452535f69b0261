//! The mailbox of an actor in production: the queue that it shares with senders.
//!
//! - [`queue`]: the queue itself, which also keeps a parked actor; [`bound`]: capacity and waiting senders.
//! - [`signals`]: signals ahead of the inbox; [`fired`]: cancellation of timers whose events are in the inbox.
//! - `carried`: span contexts of events.
//!
//! The modules above send and receive. This module knows neither the actors nor the types of their events.

pub(crate) mod bound;
pub(crate) mod fired;
pub(crate) mod queue;
pub(crate) mod signals;
#[cfg(feature = "tracing")]
pub(crate) mod span_context;
mod sync;
#[cfg(all(test, loom_model))]
mod tests;
