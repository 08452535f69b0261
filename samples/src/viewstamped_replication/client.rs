//! The clients of the replicated account.

use std::collections::VecDeque;

use actor_core::prelude::*;

use super::directory::{Directory, Found};
use super::{
    Answer, Answered, Asked, Command, Operation, REPLICAS, Request, TICK, Tick, View,
    replica::primary,
};

/// The name of the timer that limits the wait for an answer.
const ANSWER: &str = "answer";

/// Executes its operations, one after the other. The client asks the primary
/// that it knows, and after a time without an answer it asks all replicas.
#[derive(Debug)]
pub struct Client {
    number: u32,
    operations: VecDeque<Operation>,
    /// The command that waits for its answer.
    command: Option<Command>,
    asked: u32,
    view: View,
    replicas: Directory,
    /// The number of ticks that the client has waited for the answer.
    waited: u32,
}

#[actor]
impl Client {
    /// Creates a client with this number, which no other client has.
    pub fn new(number: u32, operations: impl IntoIterator<Item = Operation>) -> Self {
        Self {
            number,
            operations: operations.into_iter().collect(),
            command: None,
            asked: 0,
            view: 0,
            replicas: Directory::of(0..REPLICAS.len() as u32),
            waited: 0,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.replicas.look_up(cx);
        self.next(cx);
    }

    #[on]
    fn found(&mut self, found: Found, cx: &mut Context<Self>) {
        let is_primary = found.is_of(primary(self.view));
        self.replicas.found(found, cx);
        if let Some(command) = self.command.filter(|_| is_primary) {
            self.ask_primary(command, cx);
        }
    }

    #[on]
    fn terminated(&mut self, ended: Terminated, cx: &mut Context<Self>) {
        self.replicas.terminated(&ended, cx);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.replicas.look_up(cx);
        let Some(command) = self.command else { return };
        cx.timer().named(ANSWER).after(TICK, Tick);
        self.waited += 1;
        // Exponential back-off: more requests do not help a slow replica.
        if self.waited.is_power_of_two() {
            let client = cx.recipient();
            self.replicas.tell_all(&Request { command, client });
        }
    }

    #[on]
    fn answer(&mut self, answer: Answer, cx: &mut Context<Self>) {
        let is_expected = { self.command }.is_some_and(|command| command.number == answer.number);
        if !is_expected {
            return;
        }
        self.view = answer.view;
        cx.announce(Answered {
            client: self.number,
            number: answer.number,
            balance: answer.balance,
        });
        self.next(cx);
    }
}

impl Client {
    fn next(&mut self, cx: &mut Context<Self>) {
        self.command = self.operations.pop_front().map(|operation| Command {
            client: self.number,
            number: self.asked + 1,
            operation,
        });
        cx.cancel(ANSWER);
        if let Some(command) = self.command {
            self.asked += 1;
            self.waited = 0;
            cx.timer().named(ANSWER).after(TICK, Tick);
            cx.announce(Asked(command));
            self.ask_primary(command, cx);
        }
    }

    fn ask_primary(&self, command: Command, cx: &Context<Self>) {
        let client = cx.recipient();
        let request = Request { command, client };
        self.replicas.tell(primary(self.view), request);
    }
}
