//! The clients of the transfer service.

use actor_core::prelude::*;

use super::{Answer, Coordinator, Coordinators, HowMany, Request, Transfer};
use ClientState as To;

/// Asks for one transfer after the other.
#[derive(Debug)]
pub struct Client {
    client: u32,
    amount: i64,
    transfers: u32,
    answered: u32,
    coordinator: Option<ActorRef<Coordinator>>,
}

#[actor(states(Asking(defer(HowMany)), Served(ignore(Coordinators, Answer))))]
impl Client {
    /// Creates a client with this number, and this many transfers of that amount.
    pub fn new(client: u32, amount: i64, transfers: u32) -> Self {
        Self {
            client,
            amount,
            transfers,
            answered: 0,
            coordinator: None,
        }
    }

    /// Sends the transfer again: the old leader may have lost it.
    #[on(Asking)]
    fn coordinators(&mut self, now: Coordinators, cx: &mut Context<Self>) {
        self.coordinator = Some(now.leader);
        self.ask(cx);
    }

    /// A transfer that was requested twice may be answered twice.
    #[on(Asking)]
    fn answer(&mut self, answer: Answer, cx: &mut Context<Self>) {
        if answer.request != self.request() {
            return;
        }
        self.answered += 1;
        match self.answered < self.transfers {
            true => self.ask(cx),
            false => cx.goto(To::Served),
        }
    }

    #[on(Served)]
    fn how_many(&mut self, _: HowMany) -> u32 {
        self.answered
    }

    fn ask(&self, cx: &Context<Self>) {
        if let Some(coordinator) = &self.coordinator {
            coordinator.tell(Transfer {
                request: self.request(),
                amount: self.amount,
                client: cx.me(),
            });
        }
    }

    fn request(&self) -> Request {
        Request {
            client: self.client,
            number: self.answered + 1,
        }
    }
}
