//! The application that uses the transport.

use actor_core::prelude::*;

use super::{Delivered, Failed, HowManyDelivered, Sender, Submit};

/// Submits messages, and submits those that failed again.
#[derive(Debug)]
pub struct App {
    sender: ActorRef<Sender>,
    messages: u32,
    delivered: u32,
}

#[actor(states(Sending(defer(HowManyDelivered)), Content))]
impl App {
    /// Creates an app with this number of messages.
    pub fn new(sender: ActorRef<Sender>, messages: u32) -> Self {
        Self {
            sender,
            messages,
            delivered: 0,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for message in 1..=self.messages {
            self.submit(message, cx);
        }
    }

    #[on(Sending)]
    fn delivered(&mut self, _: Delivered, cx: &mut Context<Self>) {
        self.delivered += 1;
        if self.delivered == self.messages {
            cx.goto(AppState::Content);
        }
    }

    #[on(Sending)]
    fn failed(&mut self, failed: Failed, cx: &mut Context<Self>) {
        self.submit(failed.message, cx);
    }

    #[on(Content)]
    fn how_many_delivered(&mut self, _: HowManyDelivered) -> u32 {
        self.delivered
    }

    fn submit(&self, message: u32, cx: &Context<Self>) {
        let app = cx.me();
        self.sender.tell(Submit { message, app });
    }
}
