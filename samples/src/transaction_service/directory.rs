//! The directory: watches all pairs, and publishes their leaders.

use std::collections::BTreeMap;

use actor_core::prelude::*;

use super::{ACCOUNTS, Account, Accounts, COORDINATORS, Client, Coordinator, Coordinators, Side};

/// Watches all pairs, and promotes a backup when its leader is lost.
#[derive(Debug)]
pub struct Directory {
    /// The coordinators that are left, the leader first.
    coordinators: Vec<ActorRef<Coordinator>>,
    accounts: BTreeMap<Side, Vec<ActorRef<Account>>>,
    clients: Vec<ActorRef<Client>>,
}

#[actor]
impl Directory {
    /// Creates a directory that notifies these clients.
    pub fn new(clients: Vec<ActorRef<Client>>) -> Self {
        Self {
            coordinators: Vec::new(),
            accounts: BTreeMap::new(),
            clients,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let coordinators = COORDINATORS.map(|node| cx.at(format!("{node}/leader")));
        self.coordinators = coordinators.into();
        for (side, nodes) in ACCOUNTS {
            let accounts = nodes.map(|node| cx.at(format!("{node}/leader")));
            self.accounts.insert(side, accounts.into());
        }
        for coordinator in &self.coordinators {
            cx.watch(coordinator);
        }
        for account in self.accounts.values().flatten() {
            cx.watch(account);
        }
        for side in [Side::Left, Side::Right] {
            self.tell_accounts(side);
        }
        self.tell_coordinators();
    }

    #[on]
    fn lost(&mut self, lost: Terminated) {
        let before = self.coordinators.len();
        self.coordinators.retain(|it| it.id() != lost.actor);
        if self.coordinators.len() < before {
            self.tell_coordinators();
        }
        for side in [Side::Left, Side::Right] {
            let replicas = self.accounts.entry(side).or_default();
            let before = replicas.len();
            replicas.retain(|it| it.id() != lost.actor);
            if replicas.len() < before {
                self.tell_accounts(side);
            }
        }
    }

    fn tell_coordinators(&self) {
        let [leader, backups @ ..] = &self.coordinators[..] else {
            return;
        };
        let now = Coordinators {
            leader: leader.clone(),
            backup: backups.first().cloned(),
        };
        leader.tell(now.clone());
        for client in &self.clients {
            client.tell(now.clone());
        }
    }

    /// Notifies all coordinators: the current backup may need the leaders later.
    fn tell_accounts(&self, side: Side) {
        let [leader, backups @ ..] = &self.accounts[&side][..] else {
            return;
        };
        let now = Accounts {
            side,
            leader: leader.clone(),
            backup: backups.first().cloned(),
        };
        leader.tell(now.clone());
        for coordinator in &self.coordinators {
            coordinator.tell(now.clone());
        }
    }
}
