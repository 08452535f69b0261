//! A candidate of minimisation: a schedule that may lead to the same bug.

use crate::data::schedule::Schedule;
use crate::strategy::{Fairness, Guided, Strategy};

/// A candidate schedule, with the way to follow it.
#[derive(Debug)]
pub(super) struct Candidate {
    schedule: Schedule,
    by_sort: bool,
    stays: bool,
    completion: Option<Box<dyn Strategy>>,
    /// The seed of the completion.
    pub(super) seed: u64,
}

impl Candidate {
    /// Follows exactly these steps, as far as they are enabled.
    pub(super) fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            by_sort: false,
            stays: false,
            completion: None,
            seed: 0,
        }
    }

    /// Lets other messages of the same type replace listed ones that don't come.
    pub(super) fn by_sort(mut self) -> Self {
        self.by_sort = true;
        self
    }

    /// Lets the current operation continue while its steps are listed.
    pub(super) fn staying(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Sets the strategy that follows the listed steps.
    pub(super) fn then(mut self, completion: Box<dyn Strategy>) -> Self {
        self.completion = Some(completion);
        self
    }

    /// Sets the seed of the strategy that follows the listed steps.
    pub(super) fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Returns the strategy for at most `limit` steps; `completion` follows if the candidate has none.
    pub(super) fn guided(
        self,
        fairness: Fairness,
        limit: u64,
        completion: Option<Box<dyn Strategy>>,
    ) -> Guided {
        let completion = self.completion.or(completion);
        let guided = Guided::new(self.schedule, fairness, completion).up_to(limit);
        let guided = if self.by_sort {
            guided.by_sort()
        } else {
            guided
        };
        if self.stays { guided.staying() } else { guided }
    }
}
