//! A replica: leases, status queries and the election of a primary.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    Ballot, Bug, CommittedHint, Crash, Elected, Join, Observer, Prepare, Promise, Refused,
    StatusQuery, StatusReply,
};
use ReplicaState as To;

/// The interval at which the primary renews its leases.
const HEARTBEAT: Duration = Duration::from_millis(40);
/// The length of a lease.
const LEASE: Duration = Duration::from_millis(100);
/// Without a lease, a replica waits for this time, or for a small multiple of it.
const TURN: Duration = Duration::from_millis(10);

/// A timer: the primary renews its leases.
#[derive(Clone, Debug)]
pub struct Heartbeat;

/// A timer: the primary's lease has expired.
#[derive(Debug)]
pub struct LeaseExpired;

/// A timer: this replica may become a candidate, if no replica has a lease.
#[derive(Debug)]
pub struct Turn;

/// Keeps a log, and may be the primary.
#[derive(Debug)]
pub struct Replica {
    number: u32,
    decrees: Vec<u32>,
    others: Vec<ActorRef<Replica>>,
    observer: ActorRef<Observer>,
    promised: Ballot,
    /// The lease that this replica has granted to the primary or to a candidate.
    lease: Option<Timer>,
    /// The number of the last status query.
    query: u32,
    /// The number of replicas that have answered or promised, including this one.
    voices: usize,
    heartbeat: Option<Timer>,
    turn: Option<Timer>,
    bug: Option<Bug>,
}

// ANCHOR: replica
#[actor(states(
    Joining(defer(CommittedHint, StatusQuery, Prepare, Crash)),
    Stable(ignore(Promise, Refused)),
    Learning(ignore(Promise, Refused, Turn)),
    Preparing(ignore(StatusReply, Turn)),
    Primary(ignore(StatusReply, Promise, Refused, Turn)),
))]
impl Replica {
    /// Creates a replica that knows the decrees of its log.
    pub fn new(
        number: u32,
        decrees: Vec<u32>,
        observer: ActorRef<Observer>,
        bug: Option<Bug>,
    ) -> Self {
        Self {
            number,
            decrees,
            others: Vec::new(),
            observer,
            promised: Ballot::default(),
            lease: None,
            query: 0,
            voices: 0,
            heartbeat: None,
            turn: None,
            bug,
        }
    }

    #[on(Joining)]
    fn join(&mut self, join: Join, cx: &mut Context<Self>) {
        self.others = join.others;
        self.promised = Ballot {
            round: 1,
            replica: join.primary,
        };
        if self.number == join.primary {
            cx.goto(To::Primary);
        } else {
            self.renew_lease(cx);
            cx.goto(To::Stable);
        }
    }

    #[entry(Stable)]
    fn settle(&mut self, cx: &mut Context<Self>) {
        if self.lease.is_none() {
            self.wait_for_turn(cx);
        }
    }

    #[on(Stable)]
    fn lease_expired_while_stable(&mut self, _: LeaseExpired, cx: &mut Context<Self>) {
        self.lease = None;
        self.wait_for_turn(cx);
    }

    #[on(Learning, Preparing, Primary)]
    fn lease_expired(&mut self, _: LeaseExpired) {
        self.lease = None;
    }

    #[on(Stable)]
    fn turn(&mut self, _: Turn, cx: &mut Context<Self>) {
        if self.lease.is_none() {
            cx.goto(To::Learning);
        }
    }

    #[on(Stable, Learning, Preparing, Primary)]
    fn hint(&mut self, hint: CommittedHint, cx: &mut Context<Self>) {
        if hint.ballot < self.promised {
            return;
        }
        self.promised = hint.ballot;
        self.renew_lease(cx);
        if cx.state() == To::Learning {
            return;
        }
        cx.goto(if hint.committed > self.decrees.len() {
            To::Learning
        } else {
            To::Stable
        });
    }

    #[entry(Learning)]
    fn ask_for_status(&mut self, cx: &mut Context<Self>) {
        self.query += 1;
        self.voices = 1;
        for other in &self.others {
            let (query, from) = (self.query, cx.me());
            other.tell(StatusQuery { query, from });
        }
    }

    #[on(Stable, Learning, Preparing, Primary)]
    fn status_query(&mut self, query: StatusQuery) {
        query.from.tell(StatusReply {
            query: query.query,
            decrees: self.decrees.clone(),
        });
    }

    // ANCHOR: status
    #[on(Stable, Learning)]
    fn status(&mut self, reply: StatusReply, cx: &mut Context<Self>) {
        let is_awaited = cx.state() == To::Learning && reply.query == self.query;
        if !is_awaited && self.bug != Some(Bug::NoStateCheck) {
            return;
        }
        self.learn(reply.decrees);
        self.voices += 1;
        if self.voices < self.majority() {
            return;
        }
        if self.lease.is_some() {
            cx.goto(To::Stable);
        } else {
            let from = cx.state();
            assert!(
                from == To::Learning,
                "from {from:?} to Preparing, without learning"
            );
            cx.goto(To::Preparing);
        }
    }
    // ANCHOR_END: status

    #[entry(Preparing)]
    fn prepare(&mut self, cx: &mut Context<Self>) {
        self.promised = Ballot {
            round: self.promised.round + 1,
            replica: self.number,
        };
        self.voices = 1;
        for other in &self.others {
            let (ballot, from) = (self.promised, cx.me());
            other.tell(Prepare { ballot, from });
        }
    }

    #[on(Stable, Learning, Preparing, Primary)]
    fn prepared(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        let ballot = prepare.ballot;
        if self.lease.is_some() || ballot < self.promised {
            let promised = self.promised;
            return prepare.from.tell(Refused { ballot, promised });
        }
        self.promised = ballot;
        self.renew_lease(cx);
        let decrees = self.decrees.clone();
        prepare.from.tell(Promise { ballot, decrees });
        if matches!(cx.state(), To::Preparing | To::Primary) {
            cx.goto(To::Stable);
        }
    }

    #[on(Preparing)]
    fn promised(&mut self, promise: Promise, cx: &mut Context<Self>) {
        if promise.ballot != self.promised {
            return;
        }
        self.learn(promise.decrees);
        self.voices += 1;
        if self.voices == self.majority() {
            self.observer.tell(Elected {
                ballot: self.promised,
                decrees: self.decrees.len(),
            });
            cx.goto(To::Primary);
        }
    }

    #[on(Preparing)]
    fn refused(&mut self, refused: Refused, cx: &mut Context<Self>) {
        if refused.ballot == self.promised {
            self.promised = self.promised.max(refused.promised);
            cx.goto(To::Stable);
        }
    }

    #[entry(Primary)]
    fn reign(&mut self, cx: &mut Context<Self>) {
        self.heartbeat = Some(cx.every(HEARTBEAT, Heartbeat));
        self.renew_all_leases();
    }

    #[on(Primary)]
    fn heartbeat(&mut self, _: Heartbeat) {
        self.renew_all_leases();
    }

    #[exit(Primary)]
    fn resign(&mut self, cx: &mut Context<Self>) {
        if let Some(heartbeat) = self.heartbeat.take() {
            cx.cancel(heartbeat);
        }
    }

    #[on(Stable, Learning, Preparing, Primary)]
    fn crash(&mut self, _: Crash, cx: &mut Context<Self>) {
        cx.halt();
    }

    fn learn(&mut self, decrees: Vec<u32>) {
        if decrees.len() > self.decrees.len() {
            self.decrees = decrees;
        }
    }

    fn renew_lease(&mut self, cx: &mut Context<Self>) {
        if let Some(lease) = self.lease.take() {
            cx.cancel(lease);
        }
        self.lease = Some(cx.after(LEASE, LeaseExpired));
    }

    fn renew_all_leases(&self) {
        for other in &self.others {
            other.tell(CommittedHint {
                ballot: self.promised,
                committed: self.decrees.len(),
            });
        }
    }

    fn wait_for_turn(&mut self, cx: &mut Context<Self>) {
        if let Some(turn) = self.turn.take() {
            cx.cancel(turn);
        }
        let times = 1 + cx.choose(4) as u32;
        self.turn = Some(cx.after(TURN * times, Turn));
    }

    fn majority(&self) -> usize {
        let all = self.others.len() + 1;
        all / 2 + 1
    }
}
// ANCHOR_END: replica
