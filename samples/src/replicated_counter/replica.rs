//! A replica of the counter: merging, acknowledgements and recovery.

use actor_core::actor;
use actor_core::prelude::*;

use super::{Add, Bug, Counts, Hello, Merge, Merged, NODES, Total};

// ANCHOR: state
/// A replica of the counter.
#[derive(Debug)]
pub struct Replica {
    pub(super) node: &'static str,
    counts: Counts,
    others: Vec<ActorRef<Replica>>,
    /// The replies that wait until another replica has this much of the node's own amount.
    waiting: Vec<(u64, Reply<u64>)>,
    bug: Option<Bug>,
}
// ANCHOR_END: state

impl Replica {
    /// Creates the replica of a node.
    pub fn new(node: &'static str, bug: Option<Bug>) -> Self {
        Self {
            node,
            counts: Counts::new(),
            others: Vec::new(),
            waiting: Vec::new(),
            bug,
        }
    }

    /// Returns the amount added on each node, as known to this replica.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns the total of all nodes, as known to this replica.
    pub fn total_now(&self) -> u64 {
        self.counts.values().sum()
    }

    fn own(&self) -> u64 {
        self.counts.get(self.node).copied().unwrap_or(0)
    }
}

// ANCHOR: replica
#[actor(remote)]
impl Replica {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for node in NODES.into_iter().filter(|node| *node != self.node) {
            let other = cx.at::<Replica>(format!("{node}/replica"));
            other.tell(Hello(cx.recipient()));
            self.others.push(other);
        }
    }

    #[on]
    fn hello(&mut self, hello: Hello, cx: &mut Context<Self>) {
        hello.0.tell(self.knowledge(cx));
    }

    #[on]
    fn add(&mut self, add: Add, reply: Reply<u64>, cx: &mut Context<Self>) {
        let own = self.own() + add.0;
        self.counts.insert(self.node.into(), own);
        for other in &self.others {
            other.tell(self.knowledge(cx));
        }
        match self.bug {
            Some(Bug::EarlyAnswer) => reply.send(own),
            None => self.waiting.push((own, reply)),
        }
    }

    #[on]
    fn merge(&mut self, merge: Merge) {
        for (node, count) in merge.counts {
            let known = self.counts.entry(node).or_default();
            *known = count.max(*known);
        }
        merge.confirm.tell(Merged(merge.own));
    }

    #[on]
    fn merged(&mut self, merged: Merged) {
        for (own, reply) in std::mem::take(&mut self.waiting) {
            match own <= merged.0 {
                true => reply.send(own),
                false => self.waiting.push((own, reply)),
            }
        }
    }

    #[on]
    fn total(&mut self, _: Total) -> u64 {
        self.total_now()
    }
}
// ANCHOR_END: replica

impl Replica {
    fn knowledge(&self, cx: &Context<Self>) -> Merge {
        Merge {
            counts: self.counts.clone(),
            own: self.own(),
            confirm: cx.recipient(),
        }
    }
}
