//! A server of the chain: its history of updates, and its role as head, middle or tail.

use std::collections::VecDeque;

use actor_core::prelude::*;

use super::{
    Ack, Appended, BecomeHead, BecomeTail, Bug, Entry, Fail, Forward, HeadChanged, Join, NewPred,
    NewSucc, NewSuccInfo, Ping, Pong, Query, QueryReply, ServerRef, Success, TailChanged, Update,
    UpdateReply,
};
use ServerState as To;

/// Keeps the history of all updates, and forwards new ones.
#[derive(Debug)]
pub struct Server {
    pred: Option<ServerRef>,
    succ: Option<ServerRef>,
    /// All updates that the server has received.
    pub(super) history: Vec<Entry>,
    /// The updates that were forwarded and are not acknowledged.
    pub(super) sent: VecDeque<Entry>,
    /// The last update that the tail is known to have.
    acked: u64,
    /// The next sequence number that a head assigns.
    next: u64,
    bug: Option<Bug>,
}

// ANCHOR: states
// Only a server that was removed while it was alive sends
// an update to a head or an acknowledgement to a tail.
#[actor(states(
    Joining,
    Head(ignore(Forward)),
    Middle,
    Tail(ignore(Ack)),
    Alone(ignore(Forward, Ack)),
))]
// ANCHOR_END: states
impl Server {
    /// Creates a server without a history and without neighbours.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            pred: None,
            succ: None,
            history: Vec::new(),
            sent: VecDeque::new(),
            acked: 0,
            next: 1,
            bug,
        }
    }

    #[on(Joining)]
    fn join(&mut self, join: Join, cx: &mut Context<Self>) {
        self.pred = join.pred;
        self.succ = join.succ;
        cx.goto(self.role());
    }

    fn role(&self) -> ServerState {
        match (&self.pred, &self.succ) {
            (None, None) => To::Alone,
            (None, Some(_)) => To::Head,
            (Some(_), Some(_)) => To::Middle,
            (Some(_), None) => To::Tail,
        }
    }

    // ANCHOR: updates
    /// Answers a repeated request now if every server has
    /// the update, and otherwise when the tail has it.
    #[on(Head, Alone)]
    fn update(&mut self, update: Update, cx: &mut Context<Self>) {
        let Update {
            request,
            value,
            client,
        } = update;
        if let Some(known) = self.history.iter().find(|entry| entry.request == request) {
            if known.seq <= self.acked {
                reply(known);
            }
            return;
        }
        let entry = Entry {
            seq: self.next,
            request,
            value,
            client,
        };
        self.next += 1;
        if self.bug == Some(Bug::EarlyReply) {
            reply(&entry);
        }
        self.append(entry, cx);
    }

    /// Forwards an update towards the head.
    #[on(Middle, Tail)]
    fn pass_update_on(&mut self, update: Update, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::StaleHead) {
            self.update(update, cx);
        } else if let Some(pred) = &self.pred {
            pred.tell(update);
        }
    }

    /// Ignores updates from a server that was removed from the chain.
    #[on(Middle, Tail)]
    fn forwarded(&mut self, forward: Forward, cx: &mut Context<Self>) {
        if self.pred.as_ref() == Some(&forward.from) {
            self.append(forward.entry, cx);
        }
    }

    fn append(&mut self, entry: Entry, cx: &mut Context<Self>) {
        cx.announce(Appended {
            seq: entry.seq,
            request: entry.request,
        });
        self.history.push(entry.clone());
        match &self.succ {
            Some(succ) => {
                self.sent.push_back(entry.clone());
                let from = cx.me();
                succ.tell(Forward { entry, from });
            }
            None => self.complete(&entry),
        }
    }

    /// Replies to the client: the tail has the update, so all servers have it.
    fn complete(&mut self, entry: &Entry) {
        reply(entry);
        self.acknowledge(entry.seq);
    }

    #[on(Head, Middle)]
    fn ack(&mut self, ack: Ack) {
        self.acknowledge(ack.seq);
    }

    fn acknowledge(&mut self, seq: u64) {
        if seq > self.acked {
            self.acked = seq;
            self.sent.retain(|entry| entry.seq > seq);
            if let Some(pred) = &self.pred {
                pred.tell(Ack { seq });
            }
        }
    }
    // ANCHOR_END: updates

    #[on(Tail, Alone)]
    fn query(&mut self, query: Query) {
        let Query { request, client } = query;
        let last = self.history.last();
        client.tell(QueryReply {
            request,
            seq: last.map_or(0, |entry| entry.seq),
            value: last.map(|entry| entry.value),
        });
    }

    /// Forwards a query towards the tail: another server may have updates that the tail never gets.
    #[on(Head, Middle)]
    fn pass_query_on(&mut self, query: Query) {
        if self.bug == Some(Bug::QueryAny) {
            self.query(query);
        } else if let Some(succ) = &self.succ {
            succ.tell(query);
        }
    }

    // ANCHOR: repair
    #[on(Middle, Tail)]
    fn become_head(&mut self, become_head: BecomeHead, cx: &mut Context<Self>) {
        self.pred = None;
        if self.bug != Some(Bug::HeadSeqReset) {
            self.next = self.last_received() + 1;
        }
        let server = cx.me().id();
        become_head.master.tell(HeadChanged { server });
        cx.goto(self.role());
    }

    /// Completes the updates in flight to the old tail: this server is the new tail.
    #[on(Head, Middle)]
    fn become_tail(&mut self, become_tail: BecomeTail, cx: &mut Context<Self>) {
        self.succ = None;
        if self.bug != Some(Bug::NewTailSilent) {
            for entry in std::mem::take(&mut self.sent) {
                self.complete(&entry);
            }
        }
        let server = cx.me().id();
        become_tail.master.tell(TailChanged { server });
        cx.goto(self.role());
    }

    #[on(Middle, Tail)]
    fn new_pred(&mut self, new: NewPred, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::EmptyHistNoInfo) && self.history.is_empty() {
            return;
        }
        new.master.tell(NewSuccInfo {
            pred: new.pred.id(),
            succ: cx.me().id(),
            last_received: self.last_received(),
            last_acked: self.acked,
        });
        self.pred = Some(new.pred);
    }

    /// Sends the new successor the updates that the old one may have received and lost.
    #[on(Head, Middle)]
    fn new_succ(&mut self, new: NewSucc, cx: &mut Context<Self>) {
        let has = match self.bug {
            Some(Bug::ResendNoDedup) => 0,
            Some(Bug::LoseInflight) => u64::MAX,
            _ => new.last_received,
        };
        for entry in self.sent.iter().filter(|entry| entry.seq > has) {
            let (entry, from) = (entry.clone(), cx.me());
            new.succ.tell(Forward { entry, from });
        }
        self.acknowledge(new.last_acked);
        new.master.tell(Success {
            pred: cx.me().id(),
            succ: new.succ.id(),
        });
        self.succ = Some(new.succ);
    }
    // ANCHOR_END: repair

    fn last_received(&self) -> u64 {
        self.history.last().map_or(0, |entry| entry.seq)
    }

    #[on]
    fn ping(&mut self, ping: Ping, cx: &mut Context<Self>) {
        let server = cx.me().id();
        ping.from.tell(Pong { server });
    }

    #[on]
    fn fail(&mut self, _: Fail, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn reply(entry: &Entry) {
    let Entry { request, seq, .. } = *entry;
    entry.client.tell(UpdateReply { request, seq });
}
