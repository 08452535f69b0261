//! A production system, as a program holds it, and what looks at its actors.
//!
//! - [`live`]: the system; the last handle to go aborts every actor.
//! - [`status`]: who lives, and what each is at; `showing`: the same over a socket.
//! - [`watchdog`]: looks for who is stuck, and whose mailbox is deep.
//! - `following`: spans that follow from those of who sent.
//!
//! Programs call it. It calls the actors that [run](super::running), of which none knows it.

#[cfg(feature = "tracing")]
mod following;
pub(crate) mod live;
#[cfg(all(unix, feature = "top"))]
pub(crate) mod showing;
pub(crate) mod status;
mod watchdog;
