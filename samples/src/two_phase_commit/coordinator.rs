//! The transaction coordinator: voting, logging, decision and recovery.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{
    Abort, Append, Appended, Bug, CancelFail, CancelOk, CancelTimer, Client, Clock, Commit, Crash,
    DecisionRequest, Fetch, Log, LogRead, Outcome, Participant, Prepare, ReadLog, ReadRequest,
    Restart, Restarted, StartTimer, Timeout, Tx, Vote, WriteRequest, WriteResponse,
};
use CoordinatorState as To;

/// Runs one transaction after the other.
#[derive(Debug, Hash)]
pub struct Coordinator {
    participants: Vec<ActorRef<Participant>>,
    clock: ActorRef<Clock>,
    log: ActorRef<Log>,
    /// The last transaction that began.
    tx: Tx,
    /// The client that waits for the transaction.
    client: Option<ActorRef<Client>>,
    votes: BTreeSet<ActorId>,
    committed: BTreeSet<Tx>,
    bug: Option<Bug>,
}

// ANCHOR: states
// The coordinator awaits the clock's answers in `Cancelling`. In other states
// they come only with [`Bug::TimerRace`], which does not wait for them.
#[actor(states(
    Ready(ignore(Vote, CancelOk, CancelFail)),
    Collecting(defer(WriteRequest, ReadRequest), ignore(CancelOk, CancelFail)),
    Logging(
        defer(WriteRequest, ReadRequest),
        ignore(Vote, Timeout, CancelOk, CancelFail)
    ),
    Cancelling(defer(WriteRequest, ReadRequest), ignore(Vote, Timeout)),
    Recovering(
        defer(WriteRequest, ReadRequest, DecisionRequest),
        ignore(Vote, Timeout, CancelOk, CancelFail, Appended, Crash)
    ),
))]
// ANCHOR_END: states
impl Coordinator {
    /// Creates a coordinator of these participants, with its clock and its log.
    pub fn new(
        participants: Vec<ActorRef<Participant>>,
        clock: ActorRef<Clock>,
        log: ActorRef<Log>,
        bug: Option<Bug>,
    ) -> Self {
        Self {
            participants,
            clock,
            log,
            tx: Tx { life: 0, number: 0 },
            client: None,
            votes: BTreeSet::new(),
            committed: BTreeSet::new(),
            bug,
        }
    }

    // ANCHOR: phases
    /// Begins the first phase: asks all participants to vote.
    #[on(Ready)]
    fn write(&mut self, write: WriteRequest, cx: &mut Context<Self>) {
        self.tx.number += 1;
        self.client = Some(write.client);
        self.votes.clear();
        for participant in &self.participants {
            participant.tell(Prepare {
                tx: self.tx,
                key: write.key,
                value: write.value,
                coordinator: cx.me(),
            });
        }
        self.clock.tell(StartTimer {
            coordinator: cx.me(),
        });
        cx.goto(To::Collecting);
    }

    #[on(Collecting)]
    fn vote(&mut self, vote: Vote, cx: &mut Context<Self>) {
        if vote.tx != self.tx && self.bug != Some(Bug::StaleVote) {
            return;
        }
        if !vote.yes {
            self.abort();
            return self.stop_the_clock(cx);
        }
        self.votes.insert(vote.participant);
        if self.votes.len() == self.participants.len() {
            self.commit(cx);
        }
    }

    #[on(Collecting)]
    fn timeout(&mut self, _: Timeout, cx: &mut Context<Self>) {
        self.abort();
        cx.goto(To::Ready);
    }

    /// Aborts without a log record: a transaction that the log lacks is aborted (presumed abort).
    fn abort(&mut self) {
        let tx = self.tx;
        for participant in &self.participants {
            participant.tell(Abort { tx });
        }
        self.answer(Outcome::Aborted);
    }

    fn commit(&mut self, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::DecideUnlogged) {
            self.answer(Outcome::Committed);
        }
        self.log.tell(Append {
            tx: self.tx,
            coordinator: cx.me(),
        });
        cx.goto(To::Logging);
    }

    /// Begins the second phase: the decision is in the log.
    #[on(Logging)]
    fn appended(&mut self, appended: Appended, cx: &mut Context<Self>) {
        let tx = appended.tx;
        self.committed.insert(tx);
        for participant in &self.participants {
            participant.tell(Commit { tx });
        }
        self.answer(Outcome::Committed);
        self.stop_the_clock(cx);
    }

    fn answer(&mut self, outcome: Outcome) {
        if let Some(client) = self.client.take() {
            let tx = self.tx;
            client.tell(WriteResponse { tx, outcome });
        }
    }

    /// Waits for the clock's answer: no transaction begins while a [`Timeout`] may be in flight.
    fn stop_the_clock(&mut self, cx: &mut Context<Self>) {
        self.clock.tell(CancelTimer);
        cx.goto(match self.bug {
            Some(Bug::TimerRace) => To::Ready,
            _ => To::Cancelling,
        });
    }

    #[on(Cancelling)]
    fn cancelled(&mut self, _: CancelOk, cx: &mut Context<Self>) {
        cx.goto(To::Ready);
    }

    /// The clock was already over: this state has ignored the time-out.
    #[on(Cancelling)]
    fn cancelled_too_late(&mut self, _: CancelFail, cx: &mut Context<Self>) {
        cx.goto(To::Ready);
    }
    // ANCHOR_END: phases

    /// Reads at any participant: a committed value is in flight to each of them.
    #[on(Ready)]
    fn read(&mut self, read: ReadRequest, cx: &mut Context<Self>) {
        let ReadRequest { key, client } = read;
        let participant = cx.choose(self.participants.len());
        self.participants[participant].tell(Fetch { key, client });
    }

    // ANCHOR: recovery
    /// Answers a participant in doubt. During the decision there is no answer, and it asks again.
    #[on]
    fn decision(&mut self, request: DecisionRequest, cx: &mut Context<Self>) {
        let tx = request.tx;
        if self.committed.contains(&tx) {
            request.participant.tell(Commit { tx });
        } else if tx != self.tx || !matches!(cx.state(), To::Collecting | To::Logging) {
            request.participant.tell(Abort { tx });
        }
    }

    /// Forgets everything but the addresses of the other actors.
    #[on]
    fn crash(&mut self, _: Crash, cx: &mut Context<Self>) {
        self.client = None;
        self.committed.clear();
        self.clock.tell(Restart {
            coordinator: cx.me(),
        });
        cx.goto(To::Recovering);
    }

    #[on(Recovering)]
    fn restarted(&mut self, _: Restarted, cx: &mut Context<Self>) {
        self.log.tell(ReadLog {
            coordinator: cx.me(),
        });
    }

    #[on(Recovering)]
    fn recover(&mut self, log: LogRead, cx: &mut Context<Self>) {
        self.committed = log.committed;
        self.tx = Tx {
            life: log.life,
            number: 0,
        };
        cx.goto(To::Ready);
    }
    // ANCHOR_END: recovery
}
