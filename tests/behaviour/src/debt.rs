//! An obligation: a monitor that is hot while a debt is open, and the events that open and settle it.

use actor_core::prelude::*;

/// An obligation arises.
#[derive(Debug)]
pub struct Owe;
/// The obligation is discharged.
#[derive(Debug)]
pub struct Pay;
/// The obligation is suspended: the monitor becomes warm.
#[derive(Debug)]
pub struct Forgive;

/// Hot from an `Owe` to the next `Pay` or `Forgive`.
#[derive(Default)]
pub struct Debt;

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
