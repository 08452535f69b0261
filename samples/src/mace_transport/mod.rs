//! A message transport that does without a three-way handshake, after MaceTransport in Killian et al.,
//! "Life, Death, and the Critical Transition: Finding Liveness Bugs in Systems Code", section 5.
//!
//! An [`App`] has messages for the other side, and hands them to a [`Sender`]. That sends each as
//! [`Data`] over a network that may deliver packets in any order ([`Packet`]), and again when a timer
//! fires, until the [`Receiver`] acknowledges it. The first message of a connection opens it: it is a
//! SYN, and its number is where the connection begins to count. Where that is not acknowledged for too
//! long, the connection is closed, and the app told; it hands its messages over again, and the sender
//! opens a new connection, which counts from elsewhere. That every message is acknowledged in the end
//! is what [`AllAcked`] asks for.
//!
//! **The bug it teaches.** A SYN of an old connection may be overtaken by one of a new connection. The
//! SYN carries which connection it is of, one after the other, so the receiver knows that it is stale.
//! With [`Bug::NoConnectionId`] it takes every SYN with another number for that of a newer connection,
//! and goes back to the old one. Up to here nothing is lost: the sender still has to send the SYN of
//! its connection again. But if now the acknowledgement of that SYN arrives, which was sent before, the
//! sender believes that its connection is open, and goes on with the next message. The receiver does
//! not expect that one and acknowledges what it had last, for ever. The late acknowledgement is the
//! *critical transition*: the step that makes a state from which one gets back to one from which
//! nobody does. It looks harmless, as does every other step.

mod app;
mod events;
mod receiver;
mod sender;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use app::{App, AppState};
pub use events::*;
pub use receiver::Receiver;
pub use sender::{Sender, SenderState};
pub use specifications::{AllAcked, AllAckedState};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The receiver takes any SYN with another number for that of a newer connection.
    NoConnectionId,
}

/// Starts a sender, a receiver, and an app that has so many messages; returns the app.
pub fn set_up(sys: &System, messages: u32, bug: Option<Bug>) -> ActorRef<App> {
    sys.monitor::<AllAcked>();
    let receiver = sys.spawn(Receiver::new(bug));
    let sender = sys.spawn(Sender::new(receiver.recipient()));
    sys.spawn(App::new(sender, messages))
}
