//! Warnings about the end of an execution: unread events, idle actors, periodic timers that keep it going.

use crate::data::end_state::EndState;
use crate::data::problem::{NoEnd, Restless, Unread};
use crate::engine::running::outcome::EndReason;
use crate::engine::running::waits::someone_awaits;
use crate::engine::world::letter::{Envelope, STOP};
use crate::engine::world::operation::{Operation, OperationRole, OperationStage};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::TimerStage;

/// Returns the warnings about an execution that found no bug.
pub(crate) fn warnings(state: &ExecutionState, end: EndReason, is_fair: bool) -> EndState {
    match end {
        EndReason::Quiescent | EndReason::Finished => EndState {
            unread: unread(state),
            idle: is_idle(state),
            restless: None,
        },
        EndReason::Bound if is_fair => EndState {
            restless: restless(state),
            ..EndState::default()
        },
        // A pruned execution counts as idle if no actor has acted, even if there are no actors. The steps
        // that would follow are not worth exploring.
        EndReason::Pruned => EndState {
            idle: nobody_acted(state),
            ..EndState::default()
        },
        EndReason::Bound | EndReason::Bug | EndReason::Recovered | EndReason::Exhausted => {
            EndState::default()
        }
    }
}

fn live(state: &ExecutionState) -> impl Iterator<Item = (u32, &Operation)> {
    (0..).zip(state.operations.iter())
}

/// Returns true for an event whose loss matters: neither a tick of a timer nor an order to stop.
fn is_event(letter: &&Envelope) -> bool {
    letter.event != STOP && !letter.sender.is_timer()
}

fn unread(state: &ExecutionState) -> Option<Unread> {
    let unread = |operation: &Operation| match operation.stage {
        OperationStage::Gone => 0,
        _ => operation.inbox.iter().filter(is_event).count(),
    };
    if let Some((number, actor)) = live(state).find(|(_, operation)| unread(operation) > 0) {
        let events = state.operations.info(number)?.events;
        let first = actor.inbox.iter().find(is_event)?;
        return Some(Unread::In {
            who: state.name(number),
            count: unread(actor) as u64,
            first: events[usize::from(first.event)].name.into(),
        });
    }
    let count = state.operations.in_flight() as u64;
    (count > 0).then_some(Unread::Underway { count })
}

/// Returns true if there are actors and none has acted.
fn is_idle(state: &ExecutionState) -> bool {
    let has_actors =
        live(state).any(|(_, operation)| matches!(operation.kind, OperationRole::Actor(_)));
    has_actors && nobody_acted(state)
}

/// Returns true if no actor has started, handled, stopped or failed: each of these extends its history.
fn nobody_acted(state: &ExecutionState) -> bool {
    let is_fresh = |operation: &Operation| {
        let is_between = matches!(
            operation.stage,
            OperationStage::NotStarted | OperationStage::Starting | OperationStage::Idle
        );
        is_between && operation.chain == operation.key
    };
    let is_actor =
        |(_, operation): &(u32, &Operation)| matches!(operation.kind, OperationRole::Actor(_));
    let mut actors = live(state).filter(is_actor);
    actors.all(|(_, actor)| is_fresh(actor))
}

/// Returns a periodic timer that runs at the bound, and the reason why it did not end the execution: with
/// nothing else left, the execution would have ended by itself.
fn restless(state: &ExecutionState) -> Option<Restless> {
    let mut timers = state.timers.iter();
    let timer = timers.find(|timer| timer.stage == TimerStage::Armed && timer.periodic)?;
    let info = state.operations.info(timer.owner);
    let gets = match timer.event {
        None => None,
        Some((_, event)) => {
            let event = info?.events[usize::from(event)].name;
            Some((event.into(), timer.delay))
        }
    };
    let why = match state.timers.armed() > state.timers.armed_periodic() {
        true => NoEnd::OtherTimers,
        false if someone_awaits(state) => NoEnd::SomeoneAwaits,
        false if state.temperatures.any_pending() => NoEnd::ObligationPending,
        false => NoEnd::NoPause,
    };
    let who = state.name(timer.owner);
    Some(Restless { who, gets, why })
}
