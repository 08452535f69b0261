//! A peer of the ring: joining, routing and leaf sets.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::protocols::AcceptedBy;

use super::{Again, Bounced, Bug, Join, Joined, Joining, Leaves, NUMBERS, Welcome};
use PeerState as To;

/// The time after which a peer that has not joined asks again.
const PATIENCE: Duration = Duration::from_millis(100);

/// A node that is in the ring, or wants to join it.
#[derive(Debug)]
pub struct Peer {
    number: u32,
    /// The leaf set: the numbers of the known peers, itself included.
    pub(super) leaves: BTreeSet<u32>,
    bug: Option<Bug>,
}

// ANCHOR: peer
#[actor(states(Outside(ignore(Leaves, Bounced)), Inside(ignore(Welcome))))]
impl Peer {
    /// Creates a peer with that number.
    pub fn new(number: u32, bug: Option<Bug>) -> Self {
        Self {
            number,
            leaves: BTreeSet::new(),
            bug,
        }
    }

    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let number = self.number;
        cx.announce(Joining { number });
        if number == NUMBERS[0] {
            self.enter(BTreeSet::new(), cx).await;
        } else {
            self.join(cx).await;
        }
    }

    async fn join(&mut self, cx: &mut Context<Self>) {
        let join = Join {
            joiner: self.number,
            from: self.number,
        };
        self.send(NUMBERS[0], join, cx).await;
        cx.timer().until_state_left().after(PATIENCE, Again);
    }

    #[on(Outside)]
    async fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        self.join(cx).await;
    }

    #[on(Outside)]
    async fn welcome(&mut self, welcome: Welcome, cx: &mut Context<Self>) {
        self.enter(welcome.leaves, cx).await;
    }

    async fn enter(&mut self, leaves: BTreeSet<u32>, cx: &mut Context<Self>) {
        let number = self.number;
        self.leaves = leaves;
        self.leaves.insert(number);
        cx.announce(Joined { number });
        cx.goto(To::Inside);
        self.tell_all(cx).await;
    }

    /// Sends back a message that was routed here by a stale leaf set.
    #[on(Outside)]
    async fn not_inside(&mut self, join: Join, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::NoBounce) {
            return;
        }
        let bounced = Bounced {
            joiner: join.joiner,
            by: self.number,
        };
        self.send(join.from, bounced, cx).await;
    }

    #[on(Inside)]
    async fn pass_on(&mut self, join: Join, cx: &mut Context<Self>) {
        self.route(join.joiner, cx).await;
    }

    #[on(Inside)]
    async fn bounced(&mut self, bounced: Bounced, cx: &mut Context<Self>) {
        self.leaves.remove(&bounced.by);
        self.route(bounced.joiner, cx).await;
    }

    /// Forwards the message to the nearest reachable peer, or answers if this peer is the nearest.
    async fn route(&mut self, joiner: u32, cx: &mut Context<Self>) {
        loop {
            let nearest = self.leaves.iter().min_by_key(|leaf| leaf.abs_diff(joiner));
            let nearest = nearest.copied().unwrap_or(self.number);
            if nearest == self.number {
                let leaves = self.leaves.clone();
                self.send(joiner, Welcome { leaves }, cx).await;
                return;
            }
            let from = self.number;
            if self.send(nearest, Join { joiner, from }, cx).await {
                return;
            }
            self.leaves.remove(&nearest);
        }
    }

    /// Forwards new numbers to all known peers.
    #[on(Inside)]
    async fn learn(&mut self, news: Leaves, cx: &mut Context<Self>) {
        if !news.leaves.is_subset(&self.leaves) {
            self.leaves.extend(news.leaves);
            self.tell_all(cx).await;
        }
    }

    async fn tell_all(&mut self, cx: &mut Context<Self>) {
        for leaf in self.leaves.clone() {
            if leaf != self.number {
                let leaves = self.leaves.clone();
                self.send(leaf, Leaves { leaves }, cx).await;
            }
        }
    }

    /// Sends to the peer that runs under this number now; returns false if there is none.
    async fn send<E>(&self, number: u32, event: E, cx: &mut Context<Self>) -> bool
    where
        E: AcceptedBy<Self>,
    {
        let found = cx.lookup::<Self>(format!("n{number}/peer")).await;
        found.map(|peer| peer.tell(event)).is_ok()
    }
}
// ANCHOR_END: peer
