//! Observation of actors in production, as data: failures, violations, current handlers.
//!
//! - [`hooks`]: hooks of the program; [`monitors`]: monitors in production; [`violation`]: their
//!   violations; [`limits`]: limits of handlers and mailboxes, with their hooks; [`report`]: actors that
//!   a shutdown aborted.
//! - [`work`]: the current handler of an actor; [`observer_flags`]: flags for observers; `meters`: metrics;
//!   `carrier`: propagation of spans.
//!
//! Running actors report here. The watchdog, which checks them, is in the system module.

pub(crate) mod hooks;
pub(crate) mod limits;
#[cfg(feature = "metrics")]
pub(crate) mod meters;
pub(crate) mod monitors;
pub(crate) mod observer_flags;
pub(crate) mod report;
#[cfg(feature = "tracing")]
pub(crate) mod span_propagator;
pub(crate) mod violation;
pub(crate) mod work;
