//! The production system, as a program holds it, and observers of its actors.
//!
//! - [`live`]: the handle of the system; dropping the last one aborts every actor.
//! - [`status`]: the status of live actors; `showing`: the same over a socket.
//! - [`watchdog`]: detection of stuck actors and deep mailboxes.
//! - `following`: propagation of tracing spans.
//!
//! Programs call this module, which calls the [actors](super::actor); they don't know it.

pub(crate) mod live;
#[cfg(feature = "tracing")]
mod span_following;
pub(crate) mod status;
#[cfg(all(unix, feature = "top"))]
pub(crate) mod status_socket;
mod watchdog;
