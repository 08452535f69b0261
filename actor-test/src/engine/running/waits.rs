//! Waits without a time limit and deferred events: liveness obligations without a specification.
//!
//! A suspended handler has to get what it awaits, and an actor has to take an event that it defers. If
//! nothing else can happen, the end of the execution decides. Beside periodic timers and other traffic, the
//! rules of liveness do: an obligation that was pending for more fair steps than the threshold is suspect.
//! Nothing is counted at a step. A wait has the step at which it began, and an alarm is raised when the first
//! one may be overdue; then all are checked.

use actor_core::generated::Disposition;

use crate::engine::world::letter::{Envelope, STOP};
use crate::engine::world::operation::{Operation, OperationRole, OperationStage};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::temperature::Deferral;

/// Returns the operations whose waits are liveness obligations.
pub(crate) fn pending_waits(state: &ExecutionState) -> impl Iterator<Item = u32> {
    let awaits = |operation: &Operation| {
        operation.stage == OperationStage::Suspended && operation.endless_waits == 0
    };
    let all = 0..state.operations.count();
    let waiting = all.filter(move |index| awaits(&state.operations[*index]));
    // A node that a script has paused can't do anything about its waits.
    let waiting = waiting.filter(|index| !state.nodes.is_paused_at(*index));
    waiting.filter(|index| state.objects.is_unused() || !may_wait_forever(state, *index))
}

/// Returns whether the wait of a task is no liveness obligation, as that of an actor with an empty inbox:
/// nobody joins the task, which waits for news from others; or the task waits for the next tick of an
/// interval.
fn may_wait_forever(state: &ExecutionState, operation: u32) -> bool {
    let found = &state.operations[operation];
    let awaits_ticks = found.open_asks == 0 && state.timers.has_ticks_for(operation);
    found.kind == OperationRole::Task && state.objects.awaits_news(operation, awaits_ticks)
}

pub(crate) fn someone_awaits(state: &ExecutionState) -> bool {
    state.operations.suspended() > 0 && pending_waits(state).next().is_some()
}

/// Returns the step since which the wait counts.
pub(crate) fn counts_since(state: &ExecutionState, operation: u32, counts_from: u64) -> u64 {
    let found = &state.operations[operation];
    found.waits_since.max(counts_from)
}

/// Returns the waits that have lasted longer than the threshold, and schedules the next check.
pub(crate) fn overdue(state: &mut ExecutionState, threshold: u64, counts_from: u64) -> Vec<u32> {
    let mut overdue = Vec::new();
    let mut next = u64::MAX;
    for operation in pending_waits(state) {
        let due = counts_since(state, operation, counts_from) + threshold + 1;
        if state.progress.step() < due {
            next = next.min(due);
        } else if !state.operations[operation].woken && !state.timers.has_limit_of(operation) {
            overdue.push(operation);
            // The next check comes soon, in case no wait is blamed now.
            next = next.min(state.progress.step() + threshold / 4 + 1);
        }
    }
    state.temperatures.schedule_check(next);
    overdue
}

/// Returns the waits in `overdue` that are to blame. A wait for the reply of an operation that has waited
/// for long itself is not, unless all of them wait for each other.
pub(crate) fn roots(
    state: &ExecutionState,
    overdue: &[u32],
    threshold: u64,
    counts_from: u64,
) -> Vec<u32> {
    let long = |operation: &u32| {
        state
            .progress
            .step()
            .saturating_sub(counts_since(state, *operation, counts_from))
            > threshold / 2
    };
    let waits: Vec<u32> = pending_waits(state).filter(long).collect();
    let mut roots = overdue.to_vec();
    roots.retain(|operation| {
        let mut asked = state.requests.asks.iter();
        !asked.any(|ask| ask.asker == *operation && ask.is_open() && waits.contains(&ask.target))
    });
    if roots.is_empty() && waits.iter().all(|wait| overdue.contains(wait)) {
        return overdue.to_vec();
    }
    roots
}

/// Returns the first letter that an actor between two events defers, except ticks, which come again.
fn deferred(state: &ExecutionState, index: u32) -> Option<Envelope> {
    let actor = &state.operations[index];
    if !actor.defers || actor.stage != OperationStage::Idle {
        return None;
    }
    let is_deferred = |letter: &&Envelope| {
        let is_event = letter.event != STOP && !letter.sender.is_timer();
        is_event && state.operations.disposition(index, letter.event) == Disposition::Defer
    };
    actor.inbox.iter().find(is_deferred).copied()
}

/// Updates the list of deferred events. Returns one that all checks have found for longer than the
/// threshold.
pub(crate) fn check_deferrals(state: &mut ExecutionState, threshold: u64) -> Option<Deferral> {
    let defers = |index: &u32| state.operations[*index].defers;
    let mut actors = (0..state.operations.count()).filter(defers).peekable();
    actors.peek()?;
    let mut now = Vec::new();
    for actor in actors {
        let Some(letter) = deferred(state, actor) else {
            continue;
        };
        let is_same = |seen: &&Deferral| seen.actor == actor && seen.letter == letter.key;
        let since = state.temperatures.deferrals().iter().find(is_same);
        now.push(Deferral {
            actor,
            letter: letter.key,
            since: since.map_or(state.progress.step(), |seen| seen.since),
        });
    }
    let is_overdue = |seen: &&Deferral| state.progress.step() - seen.since > threshold;
    let overdue = now.iter().find(is_overdue).copied();
    state.temperatures.set_deferrals(now);
    state
        .temperatures
        .schedule_early_check(state.progress.step());
    overdue
}

#[cfg(test)]
mod tests {
    use super::{overdue, roots};
    use crate::engine::world::operation::{OperationRole, OperationStage};
    use crate::engine::world::state::ExecutionState;

    const THRESHOLD: u64 = 100;
    const NOBODY: [u32; 0] = [];

    /// Returns a state in which the operations from 1 on wait since these steps, with a threshold of 100.
    fn waiting(since: &[u64]) -> ExecutionState {
        let mut state = ExecutionState::default();
        state.begin();
        state.temperatures.begin(Some(THRESHOLD), 0, None);
        for (since, key) in since.iter().zip(1..) {
            let operation = state
                .operations
                .create(OperationRole::Boot { node: 0 }, key);
            state.operations[operation].stage = OperationStage::Suspended;
            state.operations[operation].waits_since = *since;
        }
        state
    }

    fn open_ask(state: &mut ExecutionState, asker: u32, target: u32) -> u32 {
        let (footprint, operations) = (&mut state.footprint, &mut state.operations);
        state
            .requests
            .asks
            .open(footprint, operations, (asker, target), None)
    }

    fn overdue_at(state: &mut ExecutionState, step: u64) -> Vec<u32> {
        state.progress.set_step(step);
        state.temperatures.takes_check(step);
        overdue(state, THRESHOLD, 0)
    }

    /// Returns the step of the next check.
    fn next_check(state: &ExecutionState) -> Option<u64> {
        (0..1_000).find(|step| state.temperatures.alarms(*step))
    }

    #[test]
    fn a_wait_is_overdue_above_the_threshold() {
        let mut state = waiting(&[10, 60]);
        assert_eq!(overdue_at(&mut state, 50), NOBODY);
        assert_eq!(next_check(&state), Some(111));
        assert_eq!(overdue_at(&mut state, 110), NOBODY);
        assert_eq!(next_check(&state), Some(111));
        assert_eq!(overdue_at(&mut state, 111), [1]);
        // A quarter of the threshold later the waits are checked again, even if one is blamed now.
        assert_eq!(next_check(&state), Some(137));
        assert_eq!(overdue_at(&mut state, 140), [1]);
        assert_eq!(next_check(&state), Some(161));
        assert_eq!(overdue_at(&mut state, 161), [1, 2]);
    }

    #[test]
    fn what_was_waited_before_steps_count_does_not_count() {
        let mut state = waiting(&[10, 60]);
        state.progress.set_step(130);
        assert_eq!(overdue(&mut state, THRESHOLD, 40), NOBODY);
        assert_eq!(next_check(&state), Some(141));
        state.progress.set_step(141);
        assert_eq!(overdue(&mut state, THRESHOLD, 40), [1]);
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
        let ask = open_ask(&mut state, 1, 2);
        state.progress.set_step(101);
        // The other one has waited for only half of the threshold, and may still resume.
        assert_eq!(roots(&state, &[1], THRESHOLD, 0), [1]);
        state.progress.set_step(102);
        assert_eq!(roots(&state, &[1], THRESHOLD, 0), NOBODY);
        assert_eq!(roots(&state, &[1, 2], THRESHOLD, 0), [2]);
        assert_eq!(roots(&state, &[1], THRESHOLD, 52), [1]);
        state
            .requests
            .asks
            .deliver(&mut state.operations, ask, None);
        assert_eq!(roots(&state, &[1, 2], THRESHOLD, 0), [1, 2]);
    }

    /// All are to blame if they wait for each other. If another operation is not overdue yet, it may be the
    /// cause.
    #[test]
    fn those_who_wait_for_each_other_are_all_to_blame() {
        let mut state = waiting(&[0, 0, 60]);
        open_ask(&mut state, 1, 2);
        open_ask(&mut state, 2, 1);
        state.progress.set_step(110);
        assert_eq!(roots(&state, &[1, 2], THRESHOLD, 0), [1, 2]);
        state.progress.set_step(111);
        assert_eq!(roots(&state, &[1, 2], THRESHOLD, 0), NOBODY);
        assert_eq!(roots(&state, &[1, 2, 3], THRESHOLD, 0), [3]);
    }
}
