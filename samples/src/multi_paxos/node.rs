//! A node: follower, candidate or leader.

use std::collections::BTreeMap;

use actor_core::prelude::*;

use super::acceptor::Acceptor;
use super::log::Log;
use super::{
    Accept, Accepted, Ballot, Bug, Chosen, Command, Done, Executed, Join, Peer, Prepare, Promise,
    Rejected, Request, Slot, Vote,
};
use NodeState as To;

/// A command that a leader has proposed for a slot.
#[derive(Debug, Hash)]
struct Proposal {
    command: Command,
    votes: usize,
}

/// Accepts and executes commands, and leads for a while.
#[derive(Debug, Hash)]
pub struct Node {
    number: u32,
    peers: Vec<Peer>,
    acceptor: Acceptor,
    log: Log,
    /// The requests that the node has received and not executed yet.
    requests: Vec<Request>,
    /// The node's own ballot, while it leads or is a candidate.
    ballot: Ballot,
    promises: usize,
    /// The newest vote that the promises reported for each slot.
    reported: BTreeMap<Slot, Vote>,
    proposals: BTreeMap<Slot, Proposal>,
    bug: Option<Bug>,
}

// ANCHOR: node
#[actor(states(
    Following(ignore(Promise, Accepted, Rejected)),
    Standing(defer(Request), ignore(Accepted)),
    Leading(ignore(Promise)),
))]
impl Node {
    /// Creates a node with an empty log.
    pub fn new(number: u32, bug: Option<Bug>) -> Self {
        Self {
            number,
            peers: Vec::new(),
            acceptor: Acceptor::new(bug),
            log: Log::default(),
            requests: Vec::new(),
            ballot: Ballot::default(),
            promises: 0,
            reported: BTreeMap::new(),
            proposals: BTreeMap::new(),
            bug,
        }
    }

    #[on]
    fn join(&mut self, join: Join) {
        self.peers = join.peers;
    }

    #[on(Following)]
    fn request_to_follower(&mut self, request: Request, cx: &mut Context<Self>) {
        if self.log.has_executed(request.command) {
            self.done(&request);
        } else {
            self.requests.push(request);
            cx.goto(To::Standing);
        }
    }

    #[entry(Standing)]
    fn stand(&mut self, cx: &mut Context<Self>) {
        self.ballot = Ballot {
            round: self.acceptor.promised().round + 1,
            node: self.number,
        };
        self.promises = 0;
        self.reported.clear();
        self.proposals.clear();
        for peer in &self.peers {
            peer.node.tell(Prepare {
                ballot: self.ballot,
                first: self.log.first_unknown(),
                from: cx.me(),
            });
        }
    }

    #[on(Standing)]
    fn promised(&mut self, promise: Promise, cx: &mut Context<Self>) {
        if promise.ballot != self.ballot {
            return;
        }
        for vote in promise.accepted {
            let newest = self.reported.entry(vote.slot).or_insert(vote);
            if newest.ballot < vote.ballot {
                *newest = vote;
            }
        }
        self.promises += 1;
        if self.promises == self.majority() {
            cx.goto(To::Leading);
        }
    }

    #[entry(Leading)]
    fn lead(&mut self, cx: &mut Context<Self>) {
        if self.bug != Some(Bug::SlotReuse) {
            self.propose_again(cx);
        }
        for request in self.requests.clone() {
            self.propose_new(request.command, cx);
        }
    }

    /// Proposes the commands that may have been chosen before, and fills the gaps between them.
    fn propose_again(&mut self, cx: &mut Context<Self>) {
        let reported = self.reported.keys().next_back();
        let end = reported.map_or(0, |last| last + 1).max(self.log.end());
        for slot in self.log.first_unknown()..end {
            if self.log.is_chosen(slot) {
                continue;
            }
            match self.reported.get(&slot) {
                Some(vote) => self.propose(slot, vote.command, cx),
                None if self.bug == Some(Bug::NoGapFill) => {}
                None => self.propose(slot, Command::Nothing, cx),
            }
        }
    }

    #[on(Leading)]
    fn request_to_leader(&mut self, request: Request, cx: &mut Context<Self>) {
        if self.log.has_executed(request.command) {
            self.done(&request);
        } else {
            self.propose_new(request.command, cx);
            self.requests.push(request);
        }
    }

    /// Proposes a command, unless the log has it already: a client may have asked another node before.
    fn propose_new(&mut self, command: Command, cx: &mut Context<Self>) {
        let mut proposals = self.proposals.values();
        if !self.log.contains(command) && !proposals.any(|proposal| proposal.command == command) {
            self.propose(self.next_slot(), command, cx);
        }
    }

    fn next_slot(&self) -> Slot {
        let proposed = self.proposals.keys().next_back();
        let chosen = match self.bug {
            Some(Bug::SlotReuse) => self.log.first_unknown(),
            _ => self.log.end(),
        };
        proposed.map_or(0, |last| last + 1).max(chosen)
    }

    fn propose(&mut self, slot: Slot, command: Command, cx: &Context<Self>) {
        let proposal = Proposal { command, votes: 0 };
        self.proposals.insert(slot, proposal);
        let ballot = self.ballot;
        for peer in &self.peers {
            peer.accepts.tell(Accept {
                slot,
                ballot,
                command,
                from: cx.me(),
            });
        }
    }

    #[on(Leading)]
    fn accepted(&mut self, accepted: Accepted) {
        if accepted.ballot != self.ballot {
            return;
        }
        let (slot, majority) = (accepted.slot, self.majority());
        if let Some(proposal) = self.proposals.get_mut(&slot) {
            proposal.votes += 1;
            if proposal.votes == majority {
                for peer in &self.peers {
                    let command = proposal.command;
                    peer.node.tell(Chosen { slot, command });
                }
            }
        }
    }

    #[on(Standing, Leading)]
    fn rejected(&mut self, rejected: Rejected, cx: &mut Context<Self>) {
        if rejected.ballot == self.ballot {
            cx.goto(To::Following);
        }
    }

    #[on]
    fn prepare(&mut self, prepare: Prepare) {
        match self.acceptor.prepare(&prepare) {
            Ok(promise) => prepare.from.tell(promise),
            Err(rejected) => prepare.from.tell(rejected),
        }
    }

    #[on]
    fn accept(&mut self, accept: Accept) {
        match self.acceptor.accept(&accept) {
            Ok(accepted) => accept.from.tell(accepted),
            Err(rejected) => accept.from.tell(rejected),
        }
    }

    #[on]
    fn chosen(&mut self, chosen: Chosen, cx: &mut Context<Self>) {
        self.log.choose(chosen.slot, chosen.command);
        while let Some((slot, command)) = self.log.execute_next() {
            cx.announce(Executed { slot, command });
            for request in self
                .requests
                .extract_if(.., |request| request.command == command)
            {
                request.from.tell(Done { command });
            }
        }
    }

    fn done(&self, request: &Request) {
        let command = request.command;
        request.from.tell(Done { command });
    }

    fn majority(&self) -> usize {
        self.peers.len() / 2 + 1
    }
}
// ANCHOR_END: node
