//! A schedule that may lead to the bug as well.

use crate::data::schedule::Schedule;
use crate::strategy::{Fairness, Guided, Strategy};

/// What is tried.
#[derive(Debug)]
pub(super) struct Candidate {
    schedule: Schedule,
    by_sort: bool,
    stays: bool,
    completion: Option<Box<dyn Strategy>>,
    /// Of what the completion draws.
    pub(super) seed: u64,
}

impl Candidate {
    /// Exactly these steps, as far as they can be taken.
    pub(super) fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            by_sort: false,
            stays: false,
            completion: None,
            seed: 0,
        }
    }

    /// Other messages may stand for those that are listed and don't come.
    pub(super) fn by_sort(mut self) -> Self {
        self.by_sort = true;
        self
    }

    /// Whoever is at it goes on.
    pub(super) fn staying(mut self) -> Self {
        self.stays = true;
        self
    }

    /// What follows the listed steps.
    pub(super) fn then(mut self, completion: Box<dyn Strategy>) -> Self {
        self.completion = Some(completion);
        self
    }

    /// What follows draws with this seed.
    pub(super) fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The strategy that follows it for so many steps; `completion` goes on where nothing else is to.
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
