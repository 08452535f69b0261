//! The specifications of the transfer service.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{Account, Answer, DEPOSIT, Finished, Request, Settled, Side, Transfer};

/// Returns true if the balances add up to the deposits; while a transfer is carried out they may not.
pub fn the_books_balance(world: &World<'_>) -> bool {
    let leaders = world.all::<Account>().filter(|account| account.leads);
    let balances: Vec<i64> = leaders.map(|account| account.book.balance).collect();
    balances.len() == 2 && balances.iter().sum::<i64>() == 2 * DEPOSIT
}

// ANCHOR: answered
/// A liveness property: every request is answered eventually.
#[derive(Debug, Default)]
pub struct Answered {
    open: BTreeSet<Request>,
    answered: BTreeSet<Request>,
}

#[monitor(hot(Waiting), cold(Quiet))]
impl Answered {
    #[on]
    fn asked(&mut self, transfer: &Transfer, cx: &mut MonitorContext<Self>) {
        if !self.answered.contains(&transfer.request) {
            self.open.insert(transfer.request);
            cx.goto(AnsweredState::Waiting);
        }
    }

    #[on(handled)]
    fn answered(&mut self, answer: &Answer, cx: &mut MonitorContext<Self>) {
        self.open.remove(&answer.request);
        self.answered.insert(answer.request);
        if self.open.is_empty() {
            cx.goto(AnsweredState::Quiet);
        }
    }
}
// ANCHOR_END: answered

// ANCHOR: atomicity
/// A safety property (atomicity): all participants commit or all abort, and the client's answer agrees.
#[derive(Debug, Default)]
pub struct Atomicity {
    outcomes: BTreeMap<Request, bool>,
}

#[monitor(cold(Watching))]
impl Atomicity {
    #[on]
    fn settled(&mut self, settled: &Settled) {
        self.comes_to(settled.request, settled.committed);
    }

    #[on]
    fn answered(&mut self, answer: &Answer) {
        self.comes_to(answer.request, answer.committed);
    }

    fn comes_to(&mut self, request: Request, committed: bool) {
        let first = *self.outcomes.entry(request).or_insert(committed);
        assert_eq!(
            first, committed,
            "transfer {request:?} is committed and aborted"
        );
    }
}
// ANCHOR_END: atomicity

/// A safety property: a finished transfer was carried out by both accounts, and by no replica twice.
#[derive(Debug, Default)]
pub struct Effects {
    of: BTreeSet<(ActorId, Request)>,
    sides: BTreeSet<(Side, Request)>,
}

#[monitor(cold(Watching))]
impl Effects {
    #[on]
    fn settled(&mut self, settled: &Settled, cx: &mut MonitorContext<Self>) {
        let Settled { side, request, .. } = *settled;
        let Some(replica) = cx.sender() else { return };
        let is_new = self.of.insert((replica, request));
        assert!(is_new, "transfer {request:?} is carried out twice");
        self.sides.insert((side, request));
    }

    #[on]
    fn finished(&mut self, finished: &Finished) {
        let request = finished.request;
        for side in [Side::Left, Side::Right] {
            let was_done = self.sides.contains(&(side, request));
            assert!(
                was_done,
                "transfer {request:?} is not carried out on the {side:?}"
            );
        }
    }
}
