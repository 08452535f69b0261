//! Waits without a time limit and deferred events: what is owed without a specification that says so.
//!
//! A handler that awaits is owed what it awaits, and an actor that defers an event owes that it takes
//! it. Where nothing else can happen, the end of the execution tells. Beside periodic timers and other
//! traffic the rules of liveness do: what has been owed for more fair steps than the threshold is
//! suspect. Nothing is counted at a step. A wait knows the step at which it began, and the thermometer
//! raises its alarm when the first may be overdue; then all are looked at.

use actor_core::generated::Disposition;

use crate::engine::world::operation::{Envelope, Operation, OperationStage, STOP};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::TimerStage;

/// An event that an actor was seen to defer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deferral {
    pub(crate) actor: u32,
    /// The event's key.
    pub(crate) letter: u64,
    /// The step of the look that saw it first.
    pub(crate) since: u64,
}

impl ExecutionState {
    /// A handler, or the body, waits from now on.
    pub(crate) fn wait_begins(&mut self, operation: u32) {
        let step = self.step;
        self.operations[operation as usize].waits_since = step;
        self.thermometer.schedule_overdue_check(step);
    }

    /// Who awaits what is owed to it.
    pub(crate) fn pending_waits(&self) -> impl Iterator<Item = u32> {
        let awaits = |operation: &Operation| {
            operation.stage == OperationStage::Suspended && operation.endless_waits == 0
        };
        let all = 0..self.live as u32;
        let waiting = all.filter(move |index| awaits(&self.operations[*index as usize]));
        waiting.filter(|index| self.objects.is_unused() || !self.may_wait_forever(*index))
    }

    pub(crate) fn someone_awaits(&self) -> bool {
        self.suspended > 0 && self.pending_waits().next().is_some()
    }

    /// A sleep, or a time limit, will have the operation go on.
    pub(crate) fn has_time_limit(&self, operation: u32) -> bool {
        self.timers.of(operation).any(|timer| {
            let timer = &self.timers.slots[timer as usize];
            let runs = matches!(timer.stage, TimerStage::Unarmed | TimerStage::Armed);
            runs && timer.event.is_none()
        })
    }

    /// It awaits the next tick of an interval, and no reply.
    pub(crate) fn awaits_ticks(&self, operation: u32) -> bool {
        let mut timers = self.timers.of(operation);
        let ticks = timers.any(|timer| {
            let timer = &self.timers.slots[timer as usize];
            timer.is_sleep() && timer.periodic && timer.stage != TimerStage::Over
        });
        ticks && self.operations[operation as usize].open_asks == 0
    }

    /// Since which step the wait counts.
    pub(crate) fn counts_since(&self, operation: u32, counts_from: u64) -> u64 {
        let found = &self.operations[operation as usize];
        found.waits_since.max(counts_from)
    }

    /// The waits that have lasted for longer than that; asks to look again when the next may have.
    pub(crate) fn overdue(&mut self, threshold: u64, counts_from: u64) -> Vec<u32> {
        let mut overdue = Vec::new();
        let mut next = u64::MAX;
        for operation in self.pending_waits() {
            let due = self.counts_since(operation, counts_from) + threshold + 1;
            if self.step < due {
                next = next.min(due);
            } else if !self.operations[operation as usize].woken && !self.has_time_limit(operation)
            {
                overdue.push(operation);
                // Should nobody be blamed now.
                next = next.min(self.step + threshold / 4 + 1);
            }
        }
        self.thermometer.schedule_check(next);
        overdue
    }

    /// Those of `overdue` that are to be blamed: who awaits the reply of one that has waited for long
    /// itself is not, unless that one is among those who wait for each other.
    pub(crate) fn roots(&self, overdue: &[u32], threshold: u64, counts_from: u64) -> Vec<u32> {
        let long = |operation: &u32| {
            self.step
                .saturating_sub(self.counts_since(*operation, counts_from))
                > threshold / 2
        };
        let waits: Vec<u32> = self.pending_waits().filter(long).collect();
        let mut roots = overdue.to_vec();
        roots.retain(|operation| {
            let mut asked = self.asks.iter();
            !asked
                .any(|ask| ask.asker == *operation && ask.is_open() && waits.contains(&ask.target))
        });
        if roots.is_empty() && waits.iter().all(|wait| overdue.contains(wait)) {
            return overdue.to_vec();
        }
        roots
    }

    /// What the actor defers at the head of its inbox. Ticks come again.
    fn deferred(&self, index: u32) -> Option<Envelope> {
        let actor = &self.operations[index as usize];
        if !actor.defers || actor.stage != OperationStage::Idle {
            return None;
        }
        let is_deferred = |letter: &&Envelope| {
            let is_event = letter.event != STOP && !letter.sender.is_timer();
            is_event && self.disposition(index, letter.event) == Disposition::Defer
        };
        actor.inbox.iter().find(is_deferred).copied()
    }

    /// Notes what is deferred now; tells what was deferred for longer than the threshold, in all looks
    /// since.
    pub(crate) fn look_at_deferrals(&mut self, threshold: u64) -> Option<Deferral> {
        let defers = |index: &u32| self.operations[*index as usize].defers;
        let mut actors = (0..self.live as u32).filter(defers).peekable();
        actors.peek()?;
        let mut now = Vec::new();
        for actor in actors {
            let Some(letter) = self.deferred(actor) else {
                continue;
            };
            let is_same = |seen: &&Deferral| seen.actor == actor && seen.letter == letter.key;
            let since = self.deferrals.iter().find(is_same);
            now.push(Deferral {
                actor,
                letter: letter.key,
                since: since.map_or(self.step, |seen| seen.since),
            });
        }
        let is_overdue = |seen: &&Deferral| self.step - seen.since > threshold;
        let overdue = now.iter().find(is_overdue).copied();
        self.deferrals = now;
        self.thermometer.schedule_early_check(self.step);
        overdue
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::world::operation::{OperationRole, OperationStage};
    use crate::engine::world::state::ExecutionState;

    const THRESHOLD: u64 = 100;
    const NOBODY: [u32; 0] = [];

    /// Who waits from the second operation on, since those steps, under a threshold of 100.
    fn waiting(since: &[u64]) -> ExecutionState {
        let mut state = ExecutionState::default();
        state.begin();
        state.thermometer.begin(Some(THRESHOLD), 0, None);
        for (since, key) in since.iter().zip(1..) {
            let operation = state.create(OperationRole::Boot { node: 0 }, key) as usize;
            state.operations[operation].stage = OperationStage::Suspended;
            state.operations[operation].waits_since = *since;
        }
        state
    }

    fn overdue_at(state: &mut ExecutionState, step: u64) -> Vec<u32> {
        state.step = step;
        state.thermometer.takes_look(step);
        state.overdue(THRESHOLD, 0)
    }

    /// From when on it is looked again.
    fn next_look(state: &ExecutionState) -> Option<u64> {
        (0..1_000).find(|step| state.thermometer.alarms(*step))
    }

    #[test]
    fn a_wait_is_overdue_above_the_threshold() {
        let mut state = waiting(&[10, 60]);
        assert_eq!(overdue_at(&mut state, 50), NOBODY);
        assert_eq!(next_look(&state), Some(111));
        assert_eq!(overdue_at(&mut state, 110), NOBODY);
        assert_eq!(next_look(&state), Some(111));
        assert_eq!(overdue_at(&mut state, 111), [1]);
        // A quarter of the threshold later it is looked again, whoever is blamed now.
        assert_eq!(next_look(&state), Some(137));
        assert_eq!(overdue_at(&mut state, 140), [1]);
        assert_eq!(next_look(&state), Some(161));
        assert_eq!(overdue_at(&mut state, 161), [1, 2]);
    }

    #[test]
    fn what_was_waited_before_steps_count_does_not_count() {
        let mut state = waiting(&[10, 60]);
        state.step = 130;
        assert_eq!(state.overdue(THRESHOLD, 40), NOBODY);
        assert_eq!(next_look(&state), Some(141));
        state.step = 141;
        assert_eq!(state.overdue(THRESHOLD, 40), [1]);
    }

    #[test]
    fn who_was_woken_or_may_wait_for_ever_is_not_overdue() {
        let mut state = waiting(&[0, 0, 0]);
        state.operations[1].woken = true;
        state.operations[2].endless_waits = 1;
        assert_eq!(overdue_at(&mut state, 101), [3]);
        assert_eq!(overdue_at(&mut state, 100), NOBODY);
    }

    #[test]
    fn who_waits_for_one_that_waits_for_long_is_not_to_blame() {
        let mut state = waiting(&[0, 51]);
        let ask = state.open_ask(1, 2);
        state.step = 101;
        // The other has waited for half of the threshold: it may go on yet.
        assert_eq!(state.roots(&[1], THRESHOLD, 0), [1]);
        state.step = 102;
        assert_eq!(state.roots(&[1], THRESHOLD, 0), NOBODY);
        assert_eq!(state.roots(&[1, 2], THRESHOLD, 0), [2]);
        assert_eq!(state.roots(&[1], THRESHOLD, 52), [1]);
        state.asks[ask as usize].delivered = true;
        assert_eq!(state.roots(&[1, 2], THRESHOLD, 0), [1, 2]);
    }

    /// Nobody else is to blame where all wait for each other; but as long as somebody around is not
    /// overdue himself, it may be due to him.
    #[test]
    fn those_who_wait_for_each_other_are_all_to_blame() {
        let mut state = waiting(&[0, 0, 60]);
        state.open_ask(1, 2);
        state.open_ask(2, 1);
        state.step = 110;
        assert_eq!(state.roots(&[1, 2], THRESHOLD, 0), [1, 2]);
        state.step = 111;
        assert_eq!(state.roots(&[1, 2], THRESHOLD, 0), NOBODY);
        assert_eq!(state.roots(&[1, 2, 3], THRESHOLD, 0), [3]);
    }
}
