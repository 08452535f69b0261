//! The drivers of the soak test: each gives random orders to the crew.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actor_core::prelude::*;
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::crew::share_of;
use crate::crew::{
    Brief, BriefJob, Crew, Foreman, Hire, Refused, Slow, SlowJob, Stamp, Trip, Worker,
};
use crate::ledger::{LEDGER, Ticket};

/// The maximum number of open asks of one driver.
const ASKS_OPEN: usize = 256;

/// Gives random orders until the round is over.
pub(crate) struct Driver {
    pub(crate) number: usize,
    pub(crate) crew: Arc<Crew>,
    pub(crate) foremen: Arc<[ActorRef<Foreman>]>,
    pub(crate) choices: Xoshiro256PlusPlus,
    pub(crate) is_over: Arc<AtomicBool>,
}

/// An ask, and the expected answer.
pub(crate) struct Pending {
    number: u64,
    ask: Ask<Result<u64, Refused>>,
}

impl Pending {
    /// Waits for the answer, or for the error.
    pub(crate) async fn settle(self) {
        if let Ok(Ok(number)) = self.ask.await {
            assert_eq!(number, self.number, "the answer is to another question");
        }
    }
}

impl Driver {
    /// Returns the asks that are still open at the end.
    pub(crate) async fn run(mut self) -> VecDeque<Pending> {
        let mut pending = VecDeque::new();
        for number in 1.. {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            if number % 64 == 0 {
                tokio::task::yield_now().await;
            }
            self.keep_pace().await;
            self.order(number, &mut pending).await;
            if pending.len() > ASKS_OPEN
                && let Some(oldest) = pending.pop_front()
            {
                Pending::settle(oldest).await;
            }
        }
        pending
    }

    /// Waits while the crew is far behind.
    async fn keep_pace(&self) {
        let most = 2 * self.crew.size() as u64;
        while LEDGER.open() > most && !self.is_over.load(Ordering::Relaxed) {
            tokio::task::yield_now().await;
        }
    }

    async fn order(&mut self, number: u64, pending: &mut VecDeque<Pending>) {
        let place = self.below(self.crew.size());
        let Some(worker) = self.crew.at(place) else {
            return;
        };
        let stamp = Stamp {
            driver: self.number,
            number,
        };
        match self.below(1_000) {
            0..4 => self.replace(place, &worker),
            4 if self.below(40) == 0 => self.foremen[share_of(place)].tell(Trip {
                ticket: Ticket::new(),
            }),
            4..40 => self.offer(&worker, stamp).await,
            40..500 => {
                let brief = self.brief(stamp);
                worker.tell(brief);
            }
            500..600 => {
                let slow = self.slow(place, stamp);
                worker.tell(slow);
            }
            600..900 => {
                let ask = worker.ask(self.brief(stamp));
                pending.push_back(Pending { number, ask });
            }
            _ => {
                let ask = worker.ask(self.slow(place, stamp));
                pending.push_back(Pending { number, ask });
            }
        }
    }

    /// Kills or stops a worker, and orders a replacement.
    fn replace(&mut self, place: usize, worker: &ActorRef<Worker>) {
        LEDGER.killed();
        match self.below(2) {
            0 => drop(worker.kill()),
            _ => drop(worker.stop()),
        }
        self.foremen[share_of(place)].tell(Hire {
            ticket: Ticket::new(),
            place,
        });
    }

    /// Sends with `send`, which waits for capacity, or with `try_send`, which does not.
    async fn offer(&mut self, worker: &ActorRef<Worker>, stamp: Stamp) {
        let brief = self.brief(stamp);
        let sent = match self.below(8) {
            0 => worker.send(brief).await,
            _ => worker.try_send(brief).await,
        };
        if let Err(refused) = sent {
            refused.into_event().ticket.returned();
        }
    }

    fn brief(&mut self, stamp: Stamp) -> Brief {
        let job = match self.below(2_000) {
            0..4 => BriefJob::Panic,
            4..8 => BriefJob::Refuse,
            8 => BriefJob::Halt,
            9..20 => BriefJob::Tick,
            20..500 => self.other(0).map_or(BriefJob::Nothing, BriefJob::Forward),
            _ => BriefJob::Nothing,
        };
        Brief {
            ticket: Ticket::new(),
            stamp: Some(stamp),
            job,
        }
    }

    fn slow(&mut self, place: usize, stamp: Stamp) -> Slow {
        let job = match self.below(200) {
            0 => SlowJob::Panic,
            1..20 => SlowJob::Sleep,
            20..80 => self.other(place + 1).map_or(SlowJob::Yield, SlowJob::Ask),
            _ => SlowJob::Yield,
        };
        Slow {
            ticket: Ticket::new(),
            stamp: Some(stamp),
            job,
        }
    }

    /// Returns a random worker at that place or after it.
    fn other(&mut self, from: usize) -> Option<ActorRef<Worker>> {
        let left = self
            .crew
            .size()
            .checked_sub(from)
            .filter(|left| *left > 0)?;
        let place = from + self.below(left);
        self.crew.at(place)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.choices.next_u64() % bound as u64) as usize
    }
}
