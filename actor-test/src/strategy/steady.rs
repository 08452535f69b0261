//! A fair schedule with few context switches.

use super::per_operation::PerOperation;
use super::{Choice, Enabled, Execution, Fairness, Strategy};

/// For how many steps one goes on at most while others wait.
const RUN_MAX: u32 = 64;

/// How many steps of others a timer waits for at most.
const TIMER_WAITS: u64 = 256;

/// Stays with one operation as long as that has something to do, within reason, and then goes on to
/// whoever has not stepped for longest. Timers fire when nobody else can step, or after a long wait.
/// Choices are answered with zero.
///
/// Guarantee: fair. It draws nothing, so it is the same for every seed.
#[derive(Debug, Default)]
pub(crate) struct Steady {
    /// The step at which each operation was picked last, plus one.
    picked_at: PerOperation<u64>,
    /// How many steps the last one has taken in a row.
    run: u32,
    /// The last step at which a timer fired, or none was there to.
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

    fn fairness(&self) -> Fairness {
        Fairness::Fair
    }

    fn begin(&mut self, _: &Execution) -> bool {
        self.picked_at.clear();
        (self.run, self.timers_at) = (0, 0);
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
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
        Some(picked)
    }

    fn choose(&mut self, _: Choice) -> u32 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::{Changes, OperationId, Pending, StepKind};

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

    /// Who takes the steps of an execution in which these can always step, and for how many in a row.
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
        // The first is taken for who has stepped before.
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
