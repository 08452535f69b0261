//! The clients, whose commands the nodes execute.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Command, Done, Group, HowManyNodes, Node, Request};

/// A timer: the node is too slow.
#[derive(Debug, Hash)]
pub struct Impatient;

/// Asks one node after another until its commands are executed.
#[derive(Debug, Fingerprint)]
pub struct Client {
    commands: Vec<Command>,
    nodes: Vec<ActorRef<Node>>,
    /// The index of the node that the client asks.
    node: usize,
    asked: u32,
    patience: Duration,
    retries_left: u32,
    timer: Option<Timer>,
}

#[actor(states(Waiting(defer(HowManyNodes)), Served(ignore(Done))))]
impl Client {
    /// Creates a client with commands of its own.
    pub fn new(number: usize, nodes: Vec<ActorRef<Node>>, group: Group) -> Self {
        let first = number as u32 * group.commands;
        Self {
            commands: (first..first + group.commands)
                .map(Command::Append)
                .collect(),
            node: number % nodes.len(),
            nodes,
            asked: 0,
            patience: group.patience,
            retries_left: group.retries,
            timer: None,
        }
    }

    /// Requests all commands that are not executed yet, without waiting in between.
    #[entry(Waiting)]
    fn ask(&mut self, cx: &mut Context<Self>) {
        let node = &self.nodes[self.node];
        for command in self.commands.iter().copied() {
            let from = cx.recipient();
            node.tell(Request { command, from });
        }
        self.asked += 1;
        if self.retries_left > 0 {
            self.timer = Some(cx.after(self.patience, Impatient));
        }
    }

    #[on(Waiting)]
    fn impatient(&mut self, _: Impatient, cx: &mut Context<Self>) {
        self.retries_left -= 1;
        self.node = (self.node + 1) % self.nodes.len();
        cx.goto(ClientState::Waiting);
    }

    #[on(Waiting)]
    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        self.commands.retain(|command| *command != done.command);
        if self.commands.is_empty() {
            if let Some(timer) = self.timer.take() {
                cx.cancel(timer);
            }
            cx.goto(ClientState::Served);
        }
    }

    #[on(Served)]
    fn how_many_nodes(&mut self, _: HowManyNodes) -> u32 {
        self.asked
    }
}
