//! Liveness: temperatures, lassos, fair cycles, and confirmed verdicts.

use actor_test::strategy::{Enabled, Execution, Fairness, Pruned, Strategy};

mod confirmation;
mod fair_cycles;
mod lasso;
mod temperature;

/// Picks by a rule, and claims a fairness that the rule may not have.
#[derive(Debug)]
struct Picks {
    fairness: Fairness,
    rule: fn(&Enabled<'_>) -> usize,
}
impl Strategy for Picks {
    fn name(&self) -> String {
        "picks".into()
    }
    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        Some(self.fairness)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        Ok((self.rule)(enabled))
    }
}
