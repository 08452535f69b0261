//! Chain replication, after van Renesse and Schneider, "Chain Replication for Supporting High
//! Throughput and Availability".
//!
//! Clients send every [`Update`] to the head of a chain of [`Server`]s, and every [`Query`] to its
//! tail. A server adds an update to its history and [`Forward`]s it; the tail replies, and an
//! [`Ack`] goes back along the chain, so that each server knows what is still on its way. As every
//! server has what those behind it have, a query of the tail finds what all have, and of n servers
//! n − 1 may fail.
//!
//! When the [`FailureDetector`] reports a failure, the [`Master`] mends the chain: it appoints a new
//! head or a new tail, or links the two neighbours of a server in the middle. For that it asks the
//! successor what it has, and tells the predecessor, which sends what is missing. Meanwhile other
//! servers may fail. A [`Client`] that waits for long asks around; a server that is asked for
//! what is not its business passes it on.
//!
//! Where a test is about failures, each server is on a node of its own, and the tester decides which of
//! them stop, and when: see [`set_up_on_nodes`]. The detector itself switches off who is only slow.
//!
//! **The bugs it teaches** are eleven, each a line that is easily forgotten: see [`Bug`].

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

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A server sends its new successor everything that is not acknowledged, also what it has.
    ResendNoDedup,
    /// A server sends its new successor nothing that it had sent to the old one.
    LoseInflight,
    /// A new tail does not answer those whose updates were on their way to the old one.
    NewTailSilent,
    /// A new head numbers its updates from 1.
    HeadSeqReset,
    /// A server that is not the tail answers a query that it is asked by mistake.
    QueryAny,
    /// A server that is not the head takes an update that it is given by mistake.
    StaleHead,
    /// The head replies to an update before the tail has it.
    EarlyReply,
    /// The master tells the clients of a failure in the middle, and does not link the neighbours.
    WrongHandler,
    /// A server without a history has nothing to say about it to its new predecessor.
    EmptyHistNoInfo,
    /// A server that misses a ping is taken for dead, while it goes on.
    FalseSuspicion,
    /// While the master mends the chain, it leaves any other failure for later, also that of a server
    /// whose answer it awaits.
    OneFailureAtATime,
}

/// Who takes part, and what happens.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// How many servers there are.
    pub servers: usize,
    /// How many clients there are.
    pub clients: u32,
    /// How many updates and queries each of them sends.
    pub requests: u32,
    /// How often the failure detector pings the servers. Those that do not answer in time are
    /// switched off.
    pub pings: u32,
    /// How many servers may fail by themselves: so many more it leaves on.
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

/// Starts everybody, where nothing fails.
pub fn set_up(sys: &System, scenario: Scenario, bug: Option<Bug>) -> Chain {
    let servers = (0..scenario.servers).map(|_| sys.spawn(Server::new(bug)));
    start(sys, servers.collect(), scenario, bug)
}

// ANCHOR: on_nodes
/// Starts each server on a node of its own, and everybody else on none, where nothing fails.
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
        // None, where the node is gone already.
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
