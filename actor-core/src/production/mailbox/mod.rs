//! Where an actor's events wait: the queue that it shares with whoever sends.
//!
//! - [`queue`]: the queue itself, in which the actor itself lies while it waits; [`bound`]: how much room there
//!   is, and who waits for some.
//! - [`lane`]: what an actor is told ahead of its inbox; [`fired`]: timers whose events are in it.
//! - `carried`: what comes with an event for the span of its handler.
//!
//! The rooms above put in and take out. It knows neither the actors nor the types of their events.

pub(crate) mod bound;
#[cfg(feature = "tracing")]
pub(crate) mod carried;
pub(crate) mod fired;
pub(crate) mod lane;
pub(crate) mod queue;
mod sync;
#[cfg(all(test, loom_model))]
mod tests;
