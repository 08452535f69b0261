//! Raft: four servers elect leaders and replicate a log, and one of them may crash.
//!
//! The protocol is that of D. Ongaro and J. Ousterhout, *In Search of an Understandable Consensus Algorithm*,
//! USENIX ATC 2014, without snapshots and changes of membership. Each node has a [`Server`] with a log of
//! commands. Time is divided into *terms* with at most one leader each.
//! - *Election*: a server that hears from no leader begins a term and asks for votes ([`RequestVote`]). A server
//!   gives one vote in each term, and only to a candidate whose log is as recent as its own.
//! - *Replication*: the leader sends its entries to the others ([`AppendEntries`]), who remove what conflicts with
//!   them. An entry that a majority has is committed.
//! - *Durable state*: the term, the vote and the log are in a journal before anything is sent that depends on them.
//!
//! Servers take notice of a later term in requests; a follower ignores all answers, and a candidate those to entries.
//! A leader with nothing to send is silent: it sends no heartbeats. So servers stand for election again and again,
//! each a limited number of times, and executions end. The message that begins a term has the leader's entries
//! from the first one that it does not know to be committed.
//!
//! **The bug it teaches.** Section 5.4.2 of the paper, figure 8: a majority that has an entry of an *earlier* term
//! does not commit it. A server with a later entry may still be elected, and removes it. With
//! [`Bug::CountsEarlierTerms`], a leader counts the replicas of such entries, too. The twin commits entries of its
//! own term only, and with them all entries before.

mod messages;
mod server;
mod specifications;
#[cfg(test)]
mod tests;

use std::time::Duration;

use actor_core::prelude::*;

pub use messages::*;
pub use server::{Server, ServerState};
pub use specifications::{LeaderCompleteness, LeaderCompletenessState};

/// The nodes, each with a server.
pub const NODES: [&str; 4] = ["n1", "n2", "n3", "n4"];

/// The number of servers that elect a leader, and that have an entry when it is committed.
pub const MAJORITY: usize = NODES.len() / 2 + 1;

/// The shorter of the two times after which a server that hears from no leader stands for election; the other
/// is twice as long.
pub const ELECTION_TIMEOUT: Duration = Duration::from_millis(150);

/// The number of elections for which a server stands after each start.
pub const ELECTIONS: u32 = 4;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A leader commits an entry of an earlier term as soon as a majority has it.
    CountsEarlierTerms,
}

// ANCHOR: set_up
/// Starts four servers, each with a command from a client.
pub fn set_up(sys: &System, bug: Option<Bug>) {
    sys.monitor::<LeaderCompleteness>();
    for (id, name) in NODES.into_iter().enumerate() {
        sys.node(name, move |node| {
            let server = node.spawner().name("server").registered();
            server.spawn(Server::new(id, bug));
        });
        sys.at::<Server>(format!("{name}/server"))
            .tell(Propose(name.into()));
    }
}
// ANCHOR_END: set_up
