//! A message transport without a three-way handshake, after MaceTransport in Killian et al.,
//! "Life, Death, and the Critical Transition: Finding Liveness Bugs in Systems Code", section 5.
//!
//! An [`App`] hands its messages to a [`Sender`]. The sender sends each message as [`Data`]
//! over a network that may reorder packets ([`Packet`]), and retransmits on a timer until
//! the [`Receiver`] acknowledges. The first message of a connection is a SYN, which opens
//! the connection and sets its first sequence number. If the SYN is not acknowledged for
//! too long, the sender closes the connection and notifies the app. The app hands its
//! messages over again, and the sender opens a new connection, with another first number.
//! The monitor [`AllAcked`] demands that every message is acknowledged eventually.
//!
//! **The bug it teaches.** The SYN of a new connection may overtake the SYN of an old one. Each
//! SYN carries the number of its connection, so the receiver recognises a stale one. With
//! [`Bug::NoConnectionId`], the receiver takes every SYN with another sequence number for a newer
//! connection, and returns to the old connection. So far nothing is lost: the sender will still
//! retransmit the SYN of its connection. But now the acknowledgement of that SYN, which was sent
//! earlier, may arrive. The sender then believes that its connection is open, and continues with
//! the next message. The receiver does not expect that message, and acknowledges its last one for
//! ever. The late acknowledgement is the *critical transition*: the step from a state that can
//! recover to one that cannot. Like every other step of the execution, it seems harmless.

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

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The receiver takes any SYN with another sequence number for a newer connection.
    NoConnectionId,
}

/// Starts a sender, a receiver, and an app with this number of messages; returns the app.
pub fn set_up(sys: &System, messages: u32, bug: Option<Bug>) -> ActorRef<App> {
    sys.monitor::<AllAcked>();
    let receiver = sys.spawn(Receiver::new(bug));
    let sender = sys.spawn(Sender::new(receiver.recipient()));
    sys.spawn(App::new(sender, messages))
}
