//! A contender without its type: [`Entrant`].

use crate::contender::{Contender, Role};
use crate::memory;
use crate::scenario::Scenario;

/// What the tables are made from.
pub(crate) trait Entrant {
    fn name(&self) -> &'static str;
    fn role(&self) -> Role;
    /// Sets up the scenario on so many workers, or on the current thread where there are none, and
    /// tells what it found; `None` where the contender has no part in it.
    fn measure(&self, scenario: Scenario, workers: usize) -> Option<f64>;
    /// The memory of an idle actor in bytes; once in a process, since memory is not given back.
    fn weigh(&self, workers: usize) -> f64;
}

impl<C: Contender> Entrant for C {
    fn name(&self) -> &'static str {
        Contender::name(*self)
    }

    fn role(&self) -> Role {
        Contender::role(*self)
    }

    fn measure(&self, scenario: Scenario, workers: usize) -> Option<f64> {
        if scenario == Scenario::BoundedSend {
            return self.bounded()?.measure(Scenario::Tell, workers);
        }
        Some(self.execute(workers, scenario.of(*self)))
    }

    fn weigh(&self, workers: usize) -> f64 {
        self.execute(workers, Box::pin(memory::idle(*self)))
    }
}
