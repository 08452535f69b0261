//! The master: reconfigures the chain after failures, one repair at a time.

use actor_core::prelude::*;

use super::{
    BecomeHead, BecomeTail, Bug, ChainFormed, Client, HeadChanged, HeadTailChanged, Join, NewPred,
    NewSucc, NewSuccInfo, ServerFailed, ServerRef, Success, TailChanged,
};
use MasterState as To;

/// Keeps the membership of the chain, and carries out one repair at a time.
#[derive(Debug)]
pub struct Master {
    /// The servers that have not failed, in order.
    chain: Vec<ServerRef>,
    clients: Vec<ActorRef<Client>>,
    /// The server that has confirmed that it is the head.
    head: Option<ServerRef>,
    /// The server that has confirmed that it is the tail.
    tail: Option<ServerRef>,
    /// The pairs of servers that have confirmed that they are neighbours.
    linked: Vec<(ServerRef, ServerRef)>,
    /// The repair in progress.
    repair: Option<Repair>,
    bug: Option<Bug>,
}

/// A repair of the chain.
#[derive(Debug)]
enum Repair {
    /// Make the first server the head.
    Head(ServerRef),
    /// Make the last server the tail.
    Tail(ServerRef),
    /// Link a server to its successor.
    Link(ServerRef, ServerRef),
}

impl Repair {
    fn needs(&self, server: ActorId) -> bool {
        match self {
            Self::Head(new) | Self::Tail(new) => new.id() == server,
            Self::Link(pred, succ) => pred.id() == server || succ.id() == server,
        }
    }
}

// In `Stable`, such answers come only from a server that was removed while it was alive.
#[actor(states(
    Stable(ignore(HeadChanged, TailChanged, NewSuccInfo, Success)),
    Repairing,
))]
impl Master {
    /// Creates the master of these servers, in this order.
    pub fn new(chain: Vec<ServerRef>, clients: Vec<ActorRef<Client>>, bug: Option<Bug>) -> Self {
        Self {
            chain,
            clients,
            head: None,
            tail: None,
            linked: Vec::new(),
            repair: None,
            bug,
        }
    }

    #[start]
    fn start(&mut self) {
        for (at, server) in self.chain.iter().enumerate() {
            server.tell(Join {
                pred: at.checked_sub(1).map(|pred| self.chain[pred].clone()),
                succ: self.chain.get(at + 1).cloned(),
            });
        }
        self.head = self.chain.first().cloned();
        self.tail = self.chain.last().cloned();
        self.linked = self.neighbours().collect();
        self.tell_clients();
    }

    // ANCHOR: mend
    /// Continues the repair in progress, unless the repair needs the server that failed.
    #[on]
    fn failed(&mut self, failed: ServerFailed, cx: &mut Context<Self>) {
        let server = failed.server;
        self.chain.retain(|other| other.id() != server);
        let waits = |it: &Repair| self.bug == Some(Bug::OneFailureAtATime) || !it.needs(server);
        if !self.repair.as_ref().is_some_and(waits) {
            self.mend(cx);
        }
    }

    fn mend(&mut self, cx: &mut Context<Self>) {
        self.repair = self.lacks();
        let master = cx.me();
        match &self.repair {
            None => return self.formed(cx),
            Some(Repair::Link(..)) if self.bug == Some(Bug::WrongHandler) => {
                return self.formed(cx);
            }
            Some(Repair::Head(first)) => first.tell(BecomeHead { master }),
            Some(Repair::Tail(last)) => last.tell(BecomeTail { master }),
            Some(Repair::Link(pred, succ)) => {
                let pred = pred.clone();
                succ.tell(NewPred { pred, master });
            }
        }
        cx.goto(To::Repairing);
    }

    fn lacks(&self) -> Option<Repair> {
        let (first, last) = (self.chain.first()?, self.chain.last()?);
        if self.head.as_ref() != Some(first) {
            return Some(Repair::Head(first.clone()));
        }
        if self.tail.as_ref() != Some(last) {
            return Some(Repair::Tail(last.clone()));
        }
        self.neighbours()
            .find(|pair| !self.linked.contains(pair))
            .map(|(pred, succ)| Repair::Link(pred, succ))
    }

    #[on(Repairing)]
    fn head_changed(&mut self, changed: HeadChanged, cx: &mut Context<Self>) {
        if let Some(Repair::Head(new)) = &self.repair
            && new.id() == changed.server
        {
            self.head = Some(new.clone());
            self.mend(cx);
        }
    }

    #[on(Repairing)]
    fn tail_changed(&mut self, changed: TailChanged, cx: &mut Context<Self>) {
        if let Some(Repair::Tail(new)) = &self.repair
            && new.id() == changed.server
        {
            self.tail = Some(new.clone());
            self.mend(cx);
        }
    }

    /// The successor has answered; the master sends the answer on to the predecessor.
    #[on(Repairing)]
    fn new_succ_info(&mut self, info: NewSuccInfo, cx: &mut Context<Self>) {
        if let Some(Repair::Link(pred, succ)) = &self.repair
            && (pred.id(), succ.id()) == (info.pred, info.succ)
        {
            pred.tell(NewSucc {
                succ: succ.clone(),
                last_received: info.last_received,
                last_acked: info.last_acked,
                master: cx.me(),
            });
        }
    }

    #[on(Repairing)]
    fn success(&mut self, success: Success, cx: &mut Context<Self>) {
        if let Some(Repair::Link(pred, succ)) = &self.repair
            && (pred.id(), succ.id()) == (success.pred, success.succ)
        {
            self.linked.push((pred.clone(), succ.clone()));
            self.mend(cx);
        }
    }
    // ANCHOR_END: mend

    fn formed(&mut self, cx: &mut Context<Self>) {
        self.repair = None;
        self.tell_clients();
        cx.announce(ChainFormed);
        cx.goto(To::Stable);
    }

    fn tell_clients(&self) {
        let (Some(head), Some(tail)) = (&self.head, &self.tail) else {
            return;
        };
        for client in &self.clients {
            client.tell(HeadTailChanged {
                head: head.clone(),
                tail: tail.clone(),
            });
        }
    }

    fn neighbours(&self) -> impl Iterator<Item = (ServerRef, ServerRef)> {
        self.chain
            .windows(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
    }
}
