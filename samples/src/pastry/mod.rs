//! A ring of nodes that join by messages which are routed, after Pastry (Rowstron and Druschel, Middleware
//! 2001) and its implementation in Killian et al., "Life, Death, and the Critical Transition: Finding
//! Liveness Bugs in Systems Code", section 5.
//!
//! Each [`Peer`] has a number, and knows the numbers of others, its *leaf set*. A number is an address:
//! whoever runs there is reached by it, also after a restart. Who starts sends a [`Join`] to the first
//! node, and each passes it on to the node that it knows whose number is nearest to the new one. The nearest
//! of all answers with its leaf set ([`Welcome`]). The new one then says that it is there, and whoever
//! hears of somebody for the first time says so to all that it knows ([`Leaves`]).
//!
//! A node that was restarted has the number that it had, and the others know it still. So its own
//! `Join` is passed on to itself: no number is nearer. It has not joined yet, so it sends the message
//! [back](Bounced), and who had it before forgets the old entry, and looks for the next nearest.
//!
//! **The bug it teaches.** With [`Bug::NoBounce`] a node that has not joined drops what it can't answer. It
//! sends its `Join` again and again, and gets it back each time. Paper and deployment took years to see
//! it: it needs a ring that is whole, and then the restart of a node.

mod events;
mod peer;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use events::*;
pub use peer::{Peer, PeerState};
pub use specifications::{AllJoined, AllJoinedState, all_know_all};

/// The numbers of the nodes. Nothing fails at the first, which starts the ring.
pub const NUMBERS: [u32; 4] = [10, 20, 30, 40];

/// A mistake that can be switched on.
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
