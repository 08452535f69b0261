//! An object-safe view of a contender.

use crate::contender::{Contender, Role};
use crate::memory;
use crate::scenario::Scenario;

/// A contender as a trait object, for the tables.
pub(crate) trait Entrant {
    fn name(&self) -> &'static str;
    fn role(&self) -> Role;
    /// Runs the scenario on a number of workers, or on the current thread if there
    /// are none, and returns the figure; `None` if the contender has no such feature.
    fn measure(&self, scenario: Scenario, workers: usize) -> Option<f64>;
    /// Returns the memory of an idle actor in bytes; once per process, since memory is not given back.
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
