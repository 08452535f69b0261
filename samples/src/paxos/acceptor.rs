//! An acceptor: its promises and accepted proposals.

use actor_core::prelude::*;
use actor_core::{Event, Handler};

use super::line::Packet;
use super::{Accept, Accepted, Ballot, Bug, Line, Prepare, Promise, Proposal, Proposer, Rejected};

/// Promises ballots and accepts proposals.
#[derive(Debug, Hash)]
pub struct Acceptor {
    promised: Ballot,
    accepted: Option<Proposal>,
    line: Option<ActorRef<Line>>,
    bug: Option<Bug>,
}

// ANCHOR: acceptor
#[actor]
impl Acceptor {
    /// Creates an acceptor without a promise, which answers over `line` if there is one.
    pub fn new(line: Option<ActorRef<Line>>, bug: Option<Bug>) -> Self {
        Self {
            promised: Ballot::default(),
            accepted: None,
            line,
            bug,
        }
    }

    #[on]
    fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        let ballot = prepare.ballot;
        let is_newer = match self.bug {
            Some(Bug::SameBallot) => ballot >= self.promised,
            _ => ballot > self.promised,
        };
        if !is_newer {
            return self.reject(ballot, &prepare.from, cx);
        }
        self.promised = ballot;
        let promise = Promise {
            ballot,
            accepted: self.accepted,
            from: cx.me(),
        };
        self.answer(&prepare.from, promise);
    }

    #[on]
    fn accept(&mut self, accept: Accept, cx: &mut Context<Self>) {
        let Accept { ballot, value, .. } = accept;
        if ballot < self.promised && self.bug != Some(Bug::NoPromiseCheck) {
            return self.reject(ballot, &accept.from, cx);
        }
        self.promised = ballot;
        self.accepted = Some(Proposal { ballot, value });
        let from = cx.me();
        self.answer(&accept.from, Accepted { ballot, from });
    }

    fn reject(&self, ballot: Ballot, to: &ActorRef<Proposer>, cx: &Context<Self>) {
        let rejected = Rejected {
            ballot,
            promised: self.promised,
            from: cx.me(),
        };
        self.answer(to, rejected);
    }

    fn answer<E: Event>(&self, to: &ActorRef<Proposer>, answer: E)
    where
        Proposer: Handler<E>,
        Line: Handler<Packet<E>>,
    {
        match &self.line {
            None => to.tell(answer),
            Some(line) => line.tell(Packet {
                to: to.recipient(),
                answer,
            }),
        }
    }
}
// ANCHOR_END: acceptor
