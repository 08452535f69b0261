//! Liveness: temperatures, lassos, fair cycles, and confirmed verdicts.

use actor_core::prelude::*;
use actor_test::strategy::{Enabled, Execution, Fairness, Pruned, Strategy};

mod confirmation;
mod fair_cycles;
mod lasso;
mod temperature;

/// An obligation arises.
#[derive(Debug)]
struct Owe;
/// The obligation is discharged.
#[derive(Debug)]
struct Pay;
/// The obligation is suspended: the monitor becomes warm.
#[derive(Debug)]
struct Forgive;

/// Hot from an `Owe` to the next `Pay` or `Forgive`.
#[derive(Default)]
struct Debt;
#[monitor(hot(Open), cold(Paid), warm(Forgiven))]
impl Debt {
    #[on]
    fn owe(&mut self, _: &Owe, cx: &mut MonitorContext<Self>) {
        cx.goto(DebtState::Open);
    }
    #[on]
    fn pay(&mut self, _: &Pay, cx: &mut MonitorContext<Self>) {
        cx.goto(DebtState::Paid);
    }
    #[on]
    fn forgive(&mut self, _: &Forgive, cx: &mut MonitorContext<Self>) {
        cx.goto(DebtState::Forgiven);
    }
}

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
