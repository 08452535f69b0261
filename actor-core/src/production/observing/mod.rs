//! What is seen of actors from outside, as data: failures, violations, what an actor is at.
//!
//! - [`hooks`]: the program's functions that are told; [`monitors`]: those that run in production;
//!   [`violation`]: what one saw; [`limits`]: how long a handler may take, and who is told;
//!   [`report`]: what a shutdown left.
//! - [`work`]: what an actor is at; [`attention`]: whether anyone looks; `meters`: what is counted;
//!   `carrier`: what a span follows from.
//!
//! The actors that run report here. What looks at them in turn, the watchdog, is with the system.

pub(crate) mod attention;
#[cfg(feature = "tracing")]
pub(crate) mod carrier;
pub(crate) mod hooks;
pub(crate) mod limits;
#[cfg(feature = "metrics")]
pub(crate) mod meters;
pub(crate) mod monitors;
pub(crate) mod report;
pub(crate) mod violation;
pub(crate) mod work;
