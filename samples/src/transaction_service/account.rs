//! An account, replicated on a leader and a backup.

use std::collections::VecDeque;

use actor_core::prelude::*;

use super::{
    Accounts, Book, Bug, Coordinator, Copied, Copy, DEPOSIT, Decision, Done, Prepare, Settled,
    Side, Vote,
};
use AccountState as To;

/// A message that is sent once the backup has a copy.
#[derive(Debug)]
struct Said {
    copy: u64,
    what: What,
    to: ActorRef<Coordinator>,
}

#[derive(Debug)]
enum What {
    Vote(Vote),
    Done(Done),
}

/// A replica of an account.
#[derive(Debug)]
pub struct Account {
    side: Side,
    pub(super) book: Book,
    /// True if this replica leads.
    pub(super) leads: bool,
    backup: Option<ActorRef<Account>>,
    copies: u64,
    /// The messages that wait for the backup, in order.
    to_say: VecDeque<Said>,
    /// The transactions that wait until the account is unlocked.
    waiting: VecDeque<Prepare>,
    bug: Option<Bug>,
}

// ANCHOR: account
#[actor(states(
    Backup(defer(Prepare, Decision), ignore(Copied)),
    Leading(ignore(Copy))
))]
impl Account {
    /// Creates a replica of that account.
    pub fn new(side: Side, bug: Option<Bug>) -> Self {
        let book = Book {
            balance: DEPOSIT,
            ..Book::default()
        };
        Self {
            side,
            book,
            leads: false,
            backup: None,
            copies: 0,
            to_say: VecDeque::new(),
            waiting: VecDeque::new(),
            bug,
        }
    }

    #[on(Backup)]
    fn copy(&mut self, copy: Copy) {
        self.book = copy.book;
        copy.leader.tell(Copied(copy.number));
    }

    #[on]
    fn lead(&mut self, now: Accounts, cx: &mut Context<Self>) {
        self.backup = now.backup;
        self.leads = true;
        if self.backup.is_none() {
            self.say(u64::MAX);
        }
        if cx.state() == To::Backup {
            cx.goto(To::Leading);
        }
    }

    #[on(Leading)]
    fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        let number = prepare.transaction.number;
        let amount = self.change(prepare.transaction.transfer.amount);
        let yes = match (self.book.settled.get(&number), self.book.lock) {
            (Some(committed), _) => *committed,
            (None, Some(lock)) if lock != number => return self.waiting.push_back(prepare),
            (None, Some(_)) => true,
            (None, None) => self.book.balance + amount >= 0,
        };
        if yes && !self.book.settled.contains_key(&number) {
            self.book.lock = Some(number);
        }
        let side = self.side;
        let vote = What::Vote(Vote { number, side, yes });
        self.say_when_copied(vote, prepare.from, cx);
    }

    #[on(Leading)]
    fn carry_out(&mut self, decision: Decision, cx: &mut Context<Self>) {
        let transaction = decision.transaction;
        let number = transaction.number;
        let is_known = self.book.settled.contains_key(&number);
        if !is_known || self.bug == Some(Bug::ApplyTwice) {
            let committed = transaction.decision == Some(true);
            if committed {
                self.book.balance += self.change(transaction.transfer.amount);
            }
            self.book.settled.insert(number, committed);
            cx.announce(Settled {
                side: self.side,
                request: transaction.transfer.request,
                committed,
            });
        }
        self.book.lock.take_if(|lock| *lock == number);
        let side = self.side;
        let done = What::Done(Done { number, side });
        self.say_when_copied(done, decision.from, cx);
        for prepare in std::mem::take(&mut self.waiting) {
            self.prepare(prepare, cx);
        }
    }

    #[on(Leading)]
    fn copied(&mut self, copied: Copied) {
        self.say(copied.0);
    }
}
// ANCHOR_END: account

impl Account {
    fn change(&self, amount: i64) -> i64 {
        match self.side {
            Side::Left => -amount,
            Side::Right => amount,
        }
    }

    fn say_when_copied(&mut self, what: What, to: ActorRef<Coordinator>, cx: &Context<Self>) {
        self.copies += 1;
        let copy = self.copies;
        self.to_say.push_back(Said { copy, what, to });
        match &self.backup {
            None => self.say(copy),
            Some(backup) => backup.tell(Copy {
                number: copy,
                book: self.book.clone(),
                leader: cx.me(),
            }),
        }
    }

    /// Sends the messages whose copies the backup has: all up to `copied`.
    fn say(&mut self, copied: u64) {
        let due = self.to_say.partition_point(|said| said.copy <= copied);
        for said in self.to_say.drain(..due) {
            match said.what {
                What::Vote(vote) => said.to.tell(vote),
                What::Done(done) => said.to.tell(done),
            }
        }
    }
}
