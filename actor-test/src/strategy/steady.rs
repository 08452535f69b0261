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
