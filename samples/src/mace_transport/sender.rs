//! The sender of the transport: retransmission and connections.

use std::collections::VecDeque;
use std::time::Duration;

use actor_core::prelude::*;

use super::{Ack, App, Data, Delivered, Failed, Packet, Submit};

/// The time after which a message is sent again.
const RETRANSMISSION: Duration = Duration::from_millis(50);

/// The number of times that a SYN is sent before the connection is closed.
const TRIES: u32 = 2;

/// The first sequence number of the first connection.
const FIRST: u64 = 2001;

/// The distance between the first sequence numbers of two successive connections.
const APART: u64 = 4000;

/// A timer: the message in flight was not acknowledged in time.
#[derive(Clone, Debug)]
pub struct Retransmit;

/// Sends one message after the other, each until it is acknowledged.
#[derive(Debug)]
pub struct Sender {
    receiver: Recipient<Data>,
    app: Option<ActorRef<App>>,
    /// The messages: the first is in flight, the others wait.
    messages: VecDeque<u32>,
    /// The number of connections so far.
    connections: u64,
    /// The sequence number of the message in flight.
    seq: u64,
    /// True if the message in flight is the SYN of its connection.
    is_syn: bool,
    /// The number of times that the message in flight was sent.
    tries: u32,
    timer: Option<Timer>,
}

#[actor(states(Closed(ignore(Ack, Retransmit)), Open))]
impl Sender {
    /// Creates a sender that is not connected.
    pub fn new(receiver: Recipient<Data>) -> Self {
        Self {
            receiver,
            app: None,
            messages: VecDeque::new(),
            connections: 0,
            seq: 0,
            is_syn: false,
            tries: 0,
            timer: None,
        }
    }

    #[on(Closed)]
    fn open(&mut self, submit: Submit, cx: &mut Context<Self>) {
        self.app = Some(submit.app);
        self.messages.push_back(submit.message);
        self.seq = FIRST + APART * self.connections;
        self.is_syn = true;
        self.connections += 1;
        self.tries = 0;
        self.send(cx);
        cx.goto(SenderState::Open);
    }

    #[on(Open)]
    fn submit(&mut self, submit: Submit, cx: &mut Context<Self>) {
        self.messages.push_back(submit.message);
        if self.messages.len() == 1 {
            self.send_next(cx);
        }
    }

    // ANCHOR: ack
    #[on(Open)]
    fn acknowledged(&mut self, ack: Ack, cx: &mut Context<Self>) {
        if self.messages.is_empty() || ack.seq != self.seq {
            return;
        }
        if let (Some(message), Some(app)) = (self.messages.pop_front(), &self.app) {
            app.tell(Delivered { message });
        }
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
        if self.messages.is_empty() {
            return;
        }
        self.send_next(cx);
    }

    #[on(Open)]
    fn retransmit(&mut self, _: Retransmit, cx: &mut Context<Self>) {
        // After an acknowledged SYN, the receiver exists, so the sender retransmits without a limit.
        if !self.is_syn || self.tries < TRIES {
            self.send(cx);
            return;
        }
        if let Some(app) = &self.app {
            for message in self.messages.drain(..) {
                app.tell(Failed { message });
            }
        }
        cx.goto(SenderState::Closed);
    }
    // ANCHOR_END: ack

    fn send_next(&mut self, cx: &mut Context<Self>) {
        self.seq += 1;
        self.is_syn = false;
        self.send(cx);
    }

    fn send(&mut self, cx: &mut Context<Self>) {
        let data = Data {
            seq: self.seq,
            syn: self.is_syn.then_some(self.connections),
            sender: cx.recipient(),
        };
        self.tries += 1;
        cx.spawn(Packet::new(self.receiver.clone(), data));
        self.timer = Some(cx.after(RETRANSMISSION, Retransmit));
    }
}
