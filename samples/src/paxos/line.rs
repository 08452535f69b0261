//! The line between an acceptor and the proposers, which may deliver a message twice.

use actor_core::prelude::*;
use actor_core::{Event, Handler};

use super::{Accepted, Promise, Rejected};

/// An answer in transit.
#[derive(Clone, Debug, Hash)]
pub struct Packet<E: Event> {
    /// The recipient of the answer.
    pub to: Recipient<E>,
    /// The answer.
    pub answer: E,
}

/// Delivers everything, and some of it twice.
#[derive(Debug, Hash)]
pub struct Line {
    copies_left: u32,
}

#[actor]
impl Line {
    /// Creates a line that delivers up to this number of packets twice.
    pub fn new(copies: u32) -> Self {
        Self {
            copies_left: copies,
        }
    }

    #[on]
    fn promise(&mut self, packet: Packet<Promise>, cx: &mut Context<Self>) {
        self.deliver(packet, cx);
    }

    #[on]
    fn accepted(&mut self, packet: Packet<Accepted>, cx: &mut Context<Self>) {
        self.deliver(packet, cx);
    }

    #[on]
    fn rejected(&mut self, packet: Packet<Rejected>, cx: &mut Context<Self>) {
        self.deliver(packet, cx);
    }

    /// Delivers a packet. The copy queues behind all packets that are already on the line.
    fn deliver<E: Event + Clone>(&mut self, packet: Packet<E>, cx: &mut Context<Self>)
    where
        Self: Handler<Packet<E>>,
    {
        if self.copies_left > 0 && cx.choose_bool() {
            self.copies_left -= 1;
            cx.me().tell(packet.clone());
        }
        packet.to.tell(packet.answer);
    }
}
