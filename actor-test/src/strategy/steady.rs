//! A deterministic fair schedule with few context switches: [`Steady`].

use super::per_operation::PerOperation;
use super::{Enabled, Execution, Fairness, Pruned, Strategy};

/// The most steps of one operation in a row while others wait.
const RUN_MAX: u32 = 64;

/// The most steps of other operations for which a timer waits.
const TIMER_WAITS: u64 = 256;

/// Stays with one operation while it is enabled, up to a limit, and then goes on to the one that has waited
/// for longest. Timers fire when no other operation is enabled, or after a long wait. All answers are zero.
///
/// Guarantee: fair. Nothing is drawn, so the schedule is the same for every seed.
#[derive(Debug, Default)]
pub(crate) struct Steady {
    /// The step at which each operation was picked last, plus one.
    picked_at: PerOperation<u64>,
    /// The number of steps that the last operation has taken in a row.
    run: u32,
    /// The last step at which a timer fired or none was enabled.
    timers_at: u64,
}

impl Steady {
    fn position(&mut self, enabled: &Enabled<'_>) -> usize {
        let stays = (self.run < RUN_MAX).then(|| enabled.last());
        let (mut next, mut timer) = (None, None);
        for (position, pending) in enabled.iter().enumerate() {
            let operation = pending.operation;
            let waits_since = (self.picked_at.get(operation), operation, position);
            if operation.is_timer() {
                timer = Some(timer.map_or(waits_since, |one: (u64, _, _)| one.min(waits_since)));
            } else if stays == Some(operation) {
                next = Some((0, operation, position));
            } else {
                next = Some(next.map_or(waits_since, |one: (u64, _, _)| one.min(waits_since)));
            }
        }
        if timer.is_none() {
            self.timers_at = enabled.step();
        }
        let is_due = enabled.step() - self.timers_at >= TIMER_WAITS;
        let next = if is_due {
            timer.or(next)
        } else {
            next.or(timer)
        };
        next.map_or(0, |(_, _, position)| position)
    }
}

impl Strategy for Steady {
    fn name(&self) -> String {
        "steady".into()
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        self.picked_at.clear();
        (self.run, self.timers_at) = (0, 0);
        Some(Fairness::Fair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.position(enabled);
        let operation = enabled[picked].operation;
        *self.picked_at.of(operation) = enabled.step() + 1;
        if operation.is_timer() {
            self.timers_at = enabled.step();
        }
        self.run = match operation == enabled.last() {
            true => self.run + 1,
            false => 0,
        };
        Ok(picked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::step::StepKind;
    use crate::strategy::{Changes, OperationId, Pending};

    fn pending(operation: OperationId) -> Pending {
        Pending {
            operation,
            kind: match operation.is_timer() {
                true => StepKind::Timer,
                false => StepKind::Handle,
            },
            inbox: None,
            sender: None,
            event: None,
            message: None,
        }
    }

    /// The operations of an execution in which all are always enabled, each with its steps in a row.
    fn runs(operations: &[OperationId], steps: u64) -> Vec<(OperationId, u64)> {
        let pending: Vec<Pending> = operations.iter().copied().map(pending).collect();
        let (mut steady, mut changes) = (Steady::default(), Changes::default());
        let mut last = operations[0];
        let mut runs: Vec<(OperationId, u64)> = Vec::new();
        for step in 0..steps {
            changes.record_all();
            let enabled = Enabled::new(&pending, &[], &changes, step, last.bits());
            last = pending[steady.pick(&enabled).expect("it never declines")].operation;
            match runs.last_mut() {
                Some((who, length)) if *who == last => *length += 1,
                _ => runs.push((last, 1)),
            }
        }
        runs
    }

    #[test]
    fn each_goes_on_for_a_while_and_nobody_waits_for_ever() {
        let actors = [0, 1, 2].map(OperationId::actor);
        let long = u64::from(RUN_MAX);
        // The first operation counts as the one of the step before.
        let expected: Vec<_> = (0..7)
            .map(|turn| (actors[turn % 3], if turn == 0 { long } else { long + 1 }))
            .collect();
        assert_eq!(runs(&actors, 7 * long + 6), expected);
    }

    #[test]
    fn a_timer_waits_until_nobody_else_can_step_but_not_for_ever() {
        let (actor, timer) = (OperationId::actor(0), OperationId::timer(1));
        let expected = [(actor, TIMER_WAITS), (timer, 1), (actor, TIMER_WAITS - 1)];
        assert_eq!(runs(&[actor, timer], 2 * TIMER_WAITS), expected);
        assert_eq!(runs(&[timer], 9), [(timer, 9)]);
    }
}
