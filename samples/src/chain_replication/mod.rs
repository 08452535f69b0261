//! Chain replication, after van Renesse and Schneider, "Chain
//! Replication for Supporting High Throughput and Availability".
//!
//! Clients send every [`Update`] to the head of a chain of [`Server`]s, and every [`Query`]
//! to its tail. A server adds an update to its history and [`Forward`]s the update. The
//! tail replies, and an [`Ack`] goes back along the chain, so that each server knows the
//! updates still in flight. Each server has all updates that its successors have. The tail
//! therefore knows only updates that all servers have, and n − 1 of n servers may fail.
//!
//! When the [`FailureDetector`] reports a failure, the [`Master`] repairs the chain: it
//! appoints a new head or tail, or links the two neighbours of a failed server in the
//! middle. For a link, the master asks the successor for its last update. The predecessor
//! then sends the missing ones. Meanwhile other servers may fail. A [`Client`] without a
//! reply asks a random server, which forwards a request that another server must answer.
//!
//! In tests of failures, each server runs on a node of its own, and the tester decides which nodes stop,
//! and when: see [`set_up_on_nodes`]. The detector itself switches off servers that are only slow.
//!
//! **The bugs it teaches.** There are eleven, each a line that is easily forgotten: see [`Bug`].

mod client;
mod detector;
mod events;
mod master;
mod server;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use client::{Client, ClientState, Impatience};
pub use detector::{FailureDetector, RoundOver};
pub use events::*;
pub use master::{Master, MasterState};
pub use server::{Server, ServerState};
pub use specifications::{
    Currency, CurrencyState, Histories, HistoriesState, Progress, ProgressState, Wholeness,
    WholenessState, nothing_gets_lost,
};

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A server sends its new successor all unacknowledged updates, even those that the successor has.
    ResendNoDedup,
    /// A server does not send its new successor the updates that it had sent to the old one.
    LoseInflight,
    /// A new tail does not answer the clients whose updates were in flight to the old tail.
    NewTailSilent,
    /// A new head numbers its updates from 1.
    HeadSeqReset,
    /// A server that is not the tail answers a query, and does not forward it.
    QueryAny,
    /// A server that is not the head accepts an update, and does not forward it.
    StaleHead,
    /// The head replies to an update before the tail has it.
    EarlyReply,
    /// After a failure in the middle, the master notifies the clients and does not link the neighbours.
    WrongHandler,
    /// A server with an empty history does not answer [`NewPred`].
    EmptyHistNoInfo,
    /// A server that misses a ping is removed as failed, while it continues to run.
    FalseSuspicion,
    /// During a repair, the master postpones every other failure,
    /// even the failure of a server whose answer it awaits.
    OneFailureAtATime,
}

/// The size of the system, and the failures in a test.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The number of servers.
    pub servers: usize,
    /// The number of clients.
    pub clients: u32,
    /// The number of updates and queries that each client sends.
    pub requests: u32,
    /// The number of times that the detector pings the servers.
    /// A server that does not answer in time is switched off.
    pub pings: u32,
    /// The number of servers that may fail by themselves. The detector keeps as many more servers on.
    pub failures: usize,
}

/// A chain and its clients.
#[derive(Debug)]
pub struct Chain {
    /// The servers, from head to tail.
    pub servers: Vec<ServerRef>,
    /// The clients.
    pub clients: Vec<ActorRef<Client>>,
}

/// Starts a chain in which no node fails.
pub fn set_up(sys: &System, scenario: Scenario, bug: Option<Bug>) -> Chain {
    let servers = (0..scenario.servers).map(|_| sys.spawn(Server::new(bug)));
    start(sys, servers.collect(), scenario, bug)
}

// ANCHOR: on_nodes
/// Starts each server on a node of its own. All other actors run on no node, and so never fail.
pub async fn set_up_on_nodes(sys: &System, scenario: Scenario, bug: Option<Bug>) -> Chain {
    let names: Vec<_> = (1..=scenario.servers)
        .map(|number| format!("n{number}"))
        .collect();
    for name in &names {
        sys.node(name, move |node| {
            let server = Server::new(bug);
            node.spawner().name("server").registered().spawn(server);
        });
    }
    let mut servers = Vec::new();
    for name in &names {
        // The result is `None` if the node has already stopped.
        let server = sys.lookup::<Server>(format!("{name}/server")).await;
        servers.extend(server);
    }
    start(sys, servers, scenario, bug)
}
// ANCHOR_END: on_nodes

fn start(sys: &System, servers: Vec<ServerRef>, scenario: Scenario, bug: Option<Bug>) -> Chain {
    sys.monitor::<Histories>();
    sys.monitor::<Currency>();
    sys.monitor::<Wholeness>();
    sys.monitor::<Progress>();
    let clients: Vec<_> = (1..=scenario.clients)
        .map(|id| sys.spawn(Client::new(id, servers.clone(), scenario.requests)))
        .collect();
    let master = sys.spawn(Master::new(servers.clone(), clients.clone(), bug));
    let switches = scenario.servers.saturating_sub(1 + scenario.failures);
    sys.spawn(FailureDetector::new(
        servers.clone(),
        master,
        scenario.pings,
        switches,
        bug,
    ));
    Chain { servers, clients }
}
