//! A transaction coordinator, replicated on a leader and a backup.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use actor_core::prelude::*;

use super::{
    Account, Accounts, Answer, Bug, Coordinators, Decision, Done, Finished, Prepare, Record,
    Recorded, Request, Side, Transaction, Transfer, Vote,
};
use CoordinatorState as To;

/// The phase of the last transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Idle,
    /// The backup must store the transaction.
    Beginning,
    /// The accounts must vote.
    Preparing,
    /// The backup must store the decision.
    Deciding,
    /// The accounts must carry out the decision.
    Finishing,
}

/// Carries out one transfer after the other.
#[derive(Debug)]
pub struct Coordinator {
    backup: Option<ActorRef<Coordinator>>,
    accounts: BTreeMap<Side, ActorRef<Account>>,
    queue: VecDeque<Transfer>,
    last: Option<Transaction>,
    /// The number of the last transaction.
    number: u64,
    answers: BTreeMap<Request, bool>,
    phase: Phase,
    votes: BTreeMap<Side, bool>,
    done: BTreeSet<Side>,
    bug: Option<Bug>,
}

// ANCHOR: coordinator
#[actor(states(
    Backup(defer(Transfer), ignore(Recorded, Vote, Done)),
    Leading(ignore(Record)),
))]
impl Coordinator {
    /// Creates a coordinator without a transaction.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            backup: None,
            accounts: BTreeMap::new(),
            queue: VecDeque::new(),
            last: None,
            number: 0,
            answers: BTreeMap::new(),
            phase: Phase::Idle,
            votes: BTreeMap::new(),
            done: BTreeSet::new(),
            bug,
        }
    }

    #[on(Backup)]
    fn record(&mut self, record: Record) {
        let Transaction {
            number,
            transfer,
            decision,
        } = &record.transaction;
        self.number = *number;
        if let Some(committed) = *decision {
            self.answers.insert(transfer.request, committed);
        }
        record.leader.tell(Recorded {
            number: *number,
            decided: decision.is_some(),
        });
        self.last = Some(record.transaction);
    }

    /// Takes over as the leader, and continues with the last transaction.
    #[on(Backup)]
    fn lead(&mut self, now: Coordinators, cx: &mut Context<Self>) {
        self.backup = now.backup;
        cx.goto(To::Leading);
        if self.bug == Some(Bug::TransactionIdRestart) {
            self.number = 0;
        }
        match self.last.as_ref().map(|last| last.decision) {
            None => self.begin_next(cx),
            Some(None) => self.decide(false, cx),
            Some(Some(_)) => self.tell_decision(cx),
        }
    }

    #[on(Leading)]
    fn lead_alone(&mut self, now: Coordinators, cx: &mut Context<Self>) {
        self.backup = now.backup;
        self.backed_up(cx);
    }

    #[on(Leading)]
    fn transfer(&mut self, transfer: Transfer, cx: &mut Context<Self>) {
        self.queue.push_back(transfer);
        if self.phase == Phase::Idle {
            self.begin_next(cx);
        }
    }

    fn begin_next(&mut self, cx: &mut Context<Self>) {
        self.phase = Phase::Idle;
        while let Some(transfer) = self.queue.pop_front() {
            let request = transfer.request;
            if let Some(committed) = self.answers.get(&request).copied() {
                transfer.client.tell(Answer { request, committed });
                continue;
            }
            self.number += 1;
            self.last = Some(Transaction {
                number: self.number,
                transfer,
                decision: None,
            });
            self.phase = Phase::Beginning;
            return self.back_up(cx);
        }
    }

    #[on(Leading)]
    fn recorded(&mut self, recorded: Recorded, cx: &mut Context<Self>) {
        let decided = self.phase == Phase::Deciding;
        if (recorded.number, recorded.decided) == (self.number, decided) {
            self.backed_up(cx);
        }
    }

    fn backed_up(&mut self, cx: &mut Context<Self>) {
        match self.phase {
            Phase::Beginning => {
                self.phase = Phase::Preparing;
                self.votes.clear();
                for side in [Side::Left, Side::Right] {
                    self.prepare(side, cx);
                }
            }
            Phase::Deciding => self.tell_decision(cx),
            Phase::Idle | Phase::Preparing | Phase::Finishing => {}
        }
    }

    #[on(Leading)]
    fn vote(&mut self, vote: Vote, cx: &mut Context<Self>) {
        if self.phase == Phase::Preparing && vote.number == self.number {
            self.votes.insert(vote.side, vote.yes);
            if self.votes.len() == 2 {
                let all = self.votes.values().all(|yes| *yes);
                self.decide(all, cx);
            }
        }
    }

    fn decide(&mut self, commit: bool, cx: &mut Context<Self>) {
        if let Some(last) = &mut self.last {
            last.decision = Some(commit);
            self.answers.insert(last.transfer.request, commit);
        }
        self.phase = Phase::Deciding;
        if self.bug == Some(Bug::DecideBeforeReplicate) {
            self.carry_out(Side::Left, cx);
            self.carry_out(Side::Right, cx);
        }
        self.back_up(cx);
    }

    fn tell_decision(&mut self, cx: &mut Context<Self>) {
        self.phase = Phase::Finishing;
        self.done.clear();
        self.carry_out(Side::Left, cx);
        self.carry_out(Side::Right, cx);
        let Some(last) = &self.last else { return };
        let (request, committed) = (last.transfer.request, last.decision == Some(true));
        last.transfer.client.tell(Answer { request, committed });
        if self.bug == Some(Bug::LockLeak) && !committed {
            self.begin_next(cx);
        }
    }

    #[on(Leading)]
    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        if self.phase == Phase::Finishing
            && done.number == self.last.as_ref().map_or(0, |last| last.number)
        {
            self.done.insert(done.side);
            if self.done.len() == 2 {
                self.finish(cx);
            }
        }
    }

    fn finish(&mut self, cx: &mut Context<Self>) {
        if let Some(last) = &self.last {
            cx.announce(Finished {
                request: last.transfer.request,
                committed: last.decision == Some(true),
            });
        }
        self.begin_next(cx);
    }

    /// Sends the last request again: the old leader of the account may have lost it.
    #[on(Leading)]
    fn account(&mut self, now: Accounts, cx: &mut Context<Self>) {
        self.accounts.insert(now.side, now.leader);
        match self.phase {
            Phase::Preparing if !self.votes.contains_key(&now.side) => self.prepare(now.side, cx),
            Phase::Finishing if !self.done.contains(&now.side) => self.carry_out(now.side, cx),
            _ => {}
        }
    }

    #[on(Backup)]
    fn account_of_leader(&mut self, now: Accounts) {
        self.accounts.insert(now.side, now.leader);
    }
}
// ANCHOR_END: coordinator

impl Coordinator {
    fn back_up(&mut self, cx: &mut Context<Self>) {
        match (&self.backup, &self.last) {
            (Some(backup), Some(last)) => backup.tell(Record {
                transaction: last.clone(),
                leader: cx.me(),
            }),
            _ => self.backed_up(cx),
        }
    }

    fn prepare(&self, side: Side, cx: &Context<Self>) {
        if let (Some(account), Some(last)) = (self.accounts.get(&side), &self.last) {
            account.tell(Prepare {
                transaction: last.clone(),
                from: cx.me(),
            });
        }
    }

    fn carry_out(&self, side: Side, cx: &Context<Self>) {
        if let (Some(account), Some(last)) = (self.accounts.get(&side), &self.last) {
            account.tell(Decision {
                transaction: last.clone(),
                from: cx.me(),
            });
        }
    }
}
