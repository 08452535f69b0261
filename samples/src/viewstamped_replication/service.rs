//! The replicated service: an account, and the table of its clients.

use std::collections::BTreeMap;

use super::{Command, Operation};

/// The state after the executed commands.
#[derive(Debug, Default)]
pub(super) struct Service {
    balance: u64,
    /// The client table: the number of each client's last request, and the answer.
    clients: BTreeMap<u32, (u32, u64)>,
}

impl Service {
    pub(super) fn execute(&mut self, command: Command) -> u64 {
        if let Operation::Deposit(amount) = command.operation {
            self.balance += amount;
        }
        let last = (command.number, self.balance);
        self.clients.insert(command.client, last);
        self.balance
    }

    /// Returns the number of the client's last executed request, and the answer.
    pub(super) fn last_of(&self, client: u32) -> (u32, u64) {
        self.clients.get(&client).copied().unwrap_or_default()
    }
}
