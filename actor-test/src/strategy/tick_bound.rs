//! The bound on ticks: how often the periodic timers of an actor fire before steps of others in a search.

use super::per_operation::PerOperation;
use super::{Enabled, Gap, OperationId, Pending, Recurrence, StepKind};

/// The number of ticks of one actor, before or between steps of others, that a search tries.
const FREE_MAX: u32 = 2;

/// Bounds the ticks of one execution: a periodic timer can fire for ever before another step, and schedules
/// in which it does have no end.
///
/// The periodic timers of an actor that has had so many ticks *wait*: they fire only when nothing else is
/// enabled, as patient timers do. An execution is *cut* if such a timer waits, and two operations are enabled
/// when an actor has its last free tick, or at any time after it. If none waits, none does in a schedule that
/// differs only in the order of independent steps: it waits from the step that arms it to one that comes later
/// in all of them. If one waits, but each step from that tick on is the only one possible, it has waited while
/// nothing else could be done, in this schedule and in those.
#[derive(Debug, Default)]
pub(super) struct TickBound {
    /// The number of ticks of each actor.
    ticks: PerOperation<u32>,
    /// True once some actor has had its last free tick.
    is_spent: bool,
    /// True once a timer has waited since its ticks are spent.
    has_waited: bool,
    /// True once two operations were enabled at a last free tick or after it.
    had_alternatives: bool,
}

impl TickBound {
    /// Starts an execution.
    pub(super) fn begin(&mut self) {
        self.ticks.clear();
        self.is_spent = false;
        self.has_waited = false;
        self.had_alternatives = false;
    }

    /// True if executions with more ticks of an actor may be left out.
    pub(super) fn is_cut(&self) -> bool {
        self.has_waited && self.had_alternatives
    }

    /// The gap that so many cut executions leave.
    pub(super) fn gap(executions: u64) -> Option<Gap> {
        let bound = FREE_MAX;
        (executions > 0).then_some(Gap::Ticks { bound, executions })
    }

    /// True if only timers are enabled that wait until nothing else is.
    pub(super) fn only_waiting(&self, enabled: &Enabled<'_>) -> bool {
        enabled.iter().all(|pending| self.waits(enabled, pending))
    }

    fn waits(&self, enabled: &Enabled<'_>, pending: &Pending) -> bool {
        match timer_of(enabled, pending) {
            Some((Recurrence::Patient, _)) => true,
            _ => self.waits_as_spent(enabled, pending),
        }
    }

    /// True for a periodic timer whose owner has had its free ticks.
    fn waits_as_spent(&self, enabled: &Enabled<'_>, pending: &Pending) -> bool {
        match timer_of(enabled, pending) {
            Some((Recurrence::Periodic, owner)) => self.ticks.get(owner) >= FREE_MAX,
            _ => false,
        }
    }

    /// The positions of the steps that may be taken.
    pub(super) fn free(&self, enabled: &Enabled<'_>) -> impl Iterator<Item = usize> + Clone {
        let only_waiting = self.only_waiting(enabled);
        let all = 0..enabled.len();
        all.filter(move |position| only_waiting || !self.waits(enabled, &enabled[*position]))
    }

    /// Records the step that was picked.
    #[inline]
    pub(super) fn record(&mut self, enabled: &Enabled<'_>, picked: &Pending) {
        if self.is_spent || picked.kind == StepKind::Timer {
            self.record_tick(enabled, picked);
        }
    }

    fn record_tick(&mut self, enabled: &Enabled<'_>, picked: &Pending) {
        let is_waiting = |pending: &Pending| self.waits_as_spent(enabled, pending);
        self.has_waited |= self.is_spent && enabled.iter().any(is_waiting);
        if let Some((Recurrence::Periodic, owner)) = timer_of(enabled, picked) {
            let ticks = self.ticks.of(owner);
            *ticks += 1;
            self.is_spent |= *ticks >= FREE_MAX;
        }
        self.had_alternatives |= self.is_spent && enabled.len() > 1;
    }
}

/// Returns the timer that fires in a step, with its owner.
fn timer_of(enabled: &Enabled<'_>, pending: &Pending) -> Option<(Recurrence, OperationId)> {
    let owner = pending.inbox.filter(|_| pending.kind == StepKind::Timer)?;
    let details = enabled.details()?;
    Some((details.recurrence(pending.operation), owner))
}

/// True if a timer is enabled.
pub(super) fn has_timers(enabled: &Enabled<'_>) -> bool {
    enabled
        .iter()
        .any(|pending| pending.kind == StepKind::Timer)
}

/// True if a timer is enabled that is periodic or patient.
pub(super) fn has_ticks(enabled: &Enabled<'_>) -> bool {
    let mut timers = enabled
        .iter()
        .filter_map(|pending| timer_of(enabled, pending));
    timers.any(|(recurrence, _)| recurrence != Recurrence::Once)
}
