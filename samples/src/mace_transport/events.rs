//! What the app, the sender and the receiver say to each other, and the packets of the network.

use actor_core::Event;
use actor_core::prelude::*;

use super::App;

/// Have this message sent.
#[derive(Debug)]
pub struct Submit {
    /// Which.
    pub message: u32,
    /// Who wants to hear of it.
    pub app: ActorRef<App>,
}

/// The message was acknowledged.
#[derive(Debug)]
pub struct Delivered {
    /// Which.
    pub message: u32,
}

/// The connection was closed before the message was acknowledged.
#[derive(Debug)]
pub struct Failed {
    /// Which.
    pub message: u32,
}

/// A message on its way.
#[derive(Clone, Debug)]
pub struct Data {
    /// Its number.
    pub seq: u64,
    /// It opens a connection, this one in the order of the sender's connections.
    pub syn: Option<u64>,
    /// Who sends it.
    pub sender: Recipient<Ack>,
}

/// A message has arrived, with all that were to come before it.
#[derive(Clone, Debug)]
pub struct Ack {
    /// Its number.
    pub seq: u64,
}

/// Asks an app how many of its messages were delivered; answered when all were.
#[derive(Debug)]
pub struct HowManyDelivered;

// ANCHOR: packet
/// Something on its way through the network. It is an actor, so when it arrives is a matter of the
/// schedule: packets overtake each other.
#[derive(Debug)]
pub struct Packet<E: Event> {
    to: Recipient<E>,
    carries: Option<E>,
}
// ANCHOR_END: packet

#[actor]
impl<E: Event> Packet<E> {
    /// A packet to somebody.
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
