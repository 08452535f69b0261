//! A ring of nodes with routed joins, after Pastry (Rowstron and Druschel,
//! Middleware 2001) and its implementation in Killian et al., "Life, Death, and
//! the Critical Transition: Finding Liveness Bugs in Systems Code", section 5.
//!
//! Each [`Peer`] has a number, and knows the numbers of others, its *leaf set*. A number is an
//! address, which stays the same after a restart. A new peer sends a [`Join`] to the first node.
//! Each node forwards the message to the node in its leaf set that is nearest to the new number.
//! The nearest of all answers with its leaf set ([`Welcome`]). The new peer then announces
//! itself, and a peer that learns of a new number sends its leaf set to all others ([`Leaves`]).
//!
//! A restarted node keeps its number, and the others still know it. The `Join` of that node is therefore
//! forwarded to itself: no number is nearer. The node has not joined yet, so it sends the message
//! [back](Bounced). The previous node then removes the old entry, and tries the next nearest one.
//!
//! **The bug it teaches.** With [`Bug::NoBounce`], a node that has not joined drops such a
//! message. The node sends its `Join` again and again, and gets it back each time. The authors
//! took years to find the bug: it needs a complete ring, and then the restart of a node.

mod events;
mod peer;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use events::*;
pub use peer::{Peer, PeerState};
pub use specifications::{AllJoined, AllJoinedState, all_know_all};

/// The numbers of the nodes. The first node starts the ring and never fails.
pub const NUMBERS: [u32; 4] = [10, 20, 30, 40];

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A node that has not joined drops a `Join`.
    NoBounce,
}

// ANCHOR: set_up
/// Starts the nodes.
pub fn set_up(sys: &System, bug: Option<Bug>) {
    sys.monitor::<AllJoined>();
    for number in NUMBERS {
        sys.node(&format!("n{number}"), move |node| {
            let peer = Peer::new(number, bug);
            node.spawner().name("peer").registered().spawn(peer);
        });
    }
    sys.faults().spare("n10");
}
// ANCHOR_END: set_up
