//! The messages between app, sender and receiver, and the packets of the network.

use actor_core::Event;
use actor_core::prelude::*;

use super::App;

/// Asks the sender to deliver a message.
#[derive(Debug)]
pub struct Submit {
    /// The message.
    pub message: u32,
    /// The app, which is notified of the outcome.
    pub app: ActorRef<App>,
}

/// The message was acknowledged.
#[derive(Debug)]
pub struct Delivered {
    /// The message.
    pub message: u32,
}

/// The connection was closed before the message was acknowledged.
#[derive(Debug)]
pub struct Failed {
    /// The message.
    pub message: u32,
}

/// A message in transit.
#[derive(Clone, Debug)]
pub struct Data {
    /// The sequence number of the message.
    pub seq: u64,
    /// The number of the connection, if this message is the SYN that opens it.
    pub syn: Option<u64>,
    /// The sender, which gets the acknowledgement.
    pub sender: Recipient<Ack>,
}

/// Acknowledges a message and all messages before it.
#[derive(Clone, Debug)]
pub struct Ack {
    /// The sequence number of the message.
    pub seq: u64,
}

/// Asks an app for the number of delivered messages; answered when all are delivered.
#[derive(Debug)]
pub struct HowManyDelivered;

// ANCHOR: packet
/// A packet in transit through the network. Each packet is an actor, so the
/// schedule decides when it arrives, and packets may overtake each other.
#[derive(Debug)]
pub struct Packet<E: Event> {
    to: Recipient<E>,
    carries: Option<E>,
}
// ANCHOR_END: packet

#[actor]
impl<E: Event> Packet<E> {
    /// Creates a packet for this recipient.
    pub fn new(to: Recipient<E>, carries: E) -> Self {
        Self {
            to,
            carries: Some(carries),
        }
    }

    #[start]
    fn arrive(&mut self, cx: &mut Context<Self>) {
        if let Some(carried) = self.carries.take() {
            self.to.tell(carried);
        }
        cx.halt();
    }
}
