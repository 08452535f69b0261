//! Overdue waits and deferrals: operations that wait too long, and events that are deferred for ever.

use actor_core::seam::AskSite;

use crate::data::problem::{AskCall, Awaited, AwaitedList, ObligationDetails, Problem, Wait};
use crate::engine::running::outcome::EndReason;
use crate::engine::running::waits::{check_deferrals, counts_since, overdue, pending_waits, roots};
use crate::engine::session::EngineSession;
use crate::engine::specs::specifications::PendingObligation;
use crate::engine::specs::suspicion::Suspicion;
use crate::engine::world::asks::AskRecord;
use crate::engine::world::capacity::RequestStatus;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::shared_objects::awaited_objects;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::temperature::{Deferral, Obligation};

/// The number of steps between two checks of a continuation. A check asks if a deferred event was taken, or
/// if an actor has handled anything but its own events.
const WATCH_PERIOD: u64 = 64;

/// The minimum number of its own events in a row after which an actor is suspected of handling nothing
/// else. The number exceeds the events that fit between two checks of a continuation.
pub(crate) const ALONE_MIN: u64 = 100;

/// The maximum number of waits that a report names beside the first.
const OTHERS_MAX: usize = 7;

/// Describes in a sentence what an operation awaits; `None` if the tester can't see it.
pub(crate) fn wait_of(state: &ExecutionState, operation: u32) -> Wait {
    Wait {
        who: state.name(operation),
        awaits: awaited(state, operation),
    }
}

/// Returns what an operation awaits from others.
pub(crate) fn awaited(state: &ExecutionState, operation: u32) -> AwaitedList {
    let asked = state.requests.asks.iter().zip(0..);
    let asked = asked
        .filter(|(ask, _)| ask.asker == operation && ask.is_open())
        .map(|(ask, number)| {
            let of = state.name(ask.target);
            match ask.is_for_end() {
                true if state.names.reference(ask.target).is_some() => Awaited::Name { name: of },
                true if state.relations.watches.await_start(number) => Awaited::Start { of },
                true => Awaited::End { of },
                false => Awaited::Reply {
                    of,
                    call: call_of(state, ask),
                },
            }
        });
    let room = state.requests.capacity.iter();
    let room = room
        .filter(|question| question.sender == operation && question.status == RequestStatus::InLine)
        .map(|question| match question.is_of_link() {
            true => Awaited::LinkRoom {
                link: state.name(question.line),
            },
            false => Awaited::Room {
                of: state.name(question.target),
            },
        });
    let events = state
        .operations
        .info(operation)
        .map_or(&[][..], |info| info.events);
    let receiving = state.operations[operation].receiving.iter();
    let received = receiving
        .filter_map(|event| events.get(usize::from(*event)))
        .map(|event| Awaited::Event {
            name: event.name.into(),
        });
    let shared = awaited_objects(state, operation);
    AwaitedList(asked.chain(room).chain(received).chain(shared).collect())
}

/// Returns the call of an ask, unless the framework itself has asked.
pub(crate) fn call_of(state: &ExecutionState, ask: &AskRecord) -> Option<AskCall> {
    let AskSite { event, place } = ask.site?;
    let info = state.operations.info(ask.target)?;
    let event = info.events.get(usize::from(event))?;
    Some(AskCall {
        event: event.name.into(),
        place: format!("{}:{}", place.file(), place.line()),
    })
}

/// Returns the waits that the bound has cut off, if they have lasted for more than a tenth of the threshold.
pub(crate) fn long_waits(state: &ExecutionState) -> Vec<PendingObligation> {
    let Some((threshold, counts_from)) = state.temperatures.judges() else {
        return Vec::new();
    };
    let is_long = |operation: &u32| {
        let since = counts_since(state, *operation, counts_from);
        state.progress.step().saturating_sub(since) > threshold / 10
            && !state.timers.has_limit_of(*operation)
    };
    let pending = |operation: u32| {
        let wait = wait_of(state, operation);
        (!wait.awaits.is_empty()).then(|| PendingObligation {
            entry: Obligation::Wait(operation),
            obligation: ObligationDetails::Wait(wait),
            since: state.operations[operation].waits_since,
        })
    };
    pending_waits(state)
        .filter(is_long)
        .filter_map(pending)
        .collect()
}

/// Checks all waits and deferred events.
pub(crate) fn find_overdue(
    state: &mut ExecutionState,
    session: &mut EngineSession,
) -> Option<EndReason> {
    match state.temperatures.watched() {
        Some(Obligation::Deferral(actor, letter)) => {
            let is_paid = !is_unread(state, actor, letter);
            return check_again(state, is_paid);
        }
        Some(Obligation::SelfSending(actor)) => {
            let is_paid = !is_alone(state, actor);
            return check_again(state, is_paid);
        }
        Some(Obligation::Specification(_) | Obligation::Wait(_)) => return None,
        None => {}
    }
    let (threshold, counts_from) = state.temperatures.judges()?;
    let late = overdue(state, threshold, counts_from);
    let deferral = check_deferrals(state, threshold);
    let roots = roots(state, &late, threshold, counts_from);
    // Executions report different roots: a first root that goes on after all does not hide the others.
    let root = roots.get((state.operations.behaviour_hash() % roots.len().max(1) as u64) as usize);
    match root {
        Some(root) => find_wait(state, session, *root, &late, (threshold, counts_from)),
        None => find_deferral(state, session, deferral?, threshold),
    }
    Some(EndReason::Bug)
}

/// Returns true if a continuation with that end has discharged its obligation since the last check.
pub(crate) fn was_paid(state: &ExecutionState, end: EndReason) -> bool {
    match state.temperatures.watched() {
        Some(Obligation::Deferral(actor, letter)) => !is_unread(state, actor, letter),
        // An actor that becomes quiescent was only slow.
        Some(Obligation::SelfSending(actor)) => {
            matches!(end, EndReason::Quiescent | EndReason::Finished) || !is_alone(state, actor)
        }
        Some(Obligation::Specification(_) | Obligation::Wait(_)) | None => false,
    }
}

fn is_unread(state: &ExecutionState, actor: u32, letter: u64) -> bool {
    let mut inbox = state.operations[actor].inbox.iter();
    inbox.any(|unread| unread.key == letter)
}

/// Returns true if the actor has handled nothing but its own events since it was suspected.
fn is_alone(state: &ExecutionState, actor: u32) -> bool {
    own_run(state, actor) >= ALONE_MIN
}

/// Returns the number of its own events that an actor has handled in a row, if it still has something to
/// do. An actor that has nothing left to do does not go on, whatever others do.
pub(crate) fn own_run(state: &ExecutionState, actor: u32) -> u64 {
    let found = &state.operations[actor];
    let is_busy = found.inbox.len() > 0 || !found.outbox.is_empty();
    match found.stage != OperationStage::Gone && is_busy {
        true => u64::from(found.own_run),
        false => 0,
    }
}

/// Ends a continuation whose obligation is discharged, or schedules the next check.
fn check_again(state: &mut ExecutionState, is_paid: bool) -> Option<EndReason> {
    if is_paid {
        return Some(EndReason::Recovered);
    }
    let next = state.progress.step() + WATCH_PERIOD;
    state.temperatures.schedule_check(next);
    None
}

fn find_wait(
    state: &ExecutionState,
    session: &mut EngineSession,
    operation: u32,
    overdue: &[u32],
    (threshold, counts_from): (u64, u64),
) {
    let steps = state.progress.step() - counts_since(state, operation, counts_from);
    let since = state.operations[operation].waits_since;
    let others = overdue.iter().filter(|other| **other != operation);
    let others = others.map(|other| wait_of(state, *other));
    let problem = Problem::LongWait {
        wait: wait_of(state, operation),
        steps,
        threshold,
        since,
        others: others
            .filter(|wait| !wait.awaits.is_empty())
            .take(OTHERS_MAX)
            .collect(),
    };
    session.suspicion = Some(Suspicion {
        entry: Obligation::Wait(operation),
        since,
        cycle: None,
        certain: false,
    });
    session.find(state.progress.step(), &problem, None);
}

fn find_deferral(
    state: &ExecutionState,
    session: &mut EngineSession,
    found: Deferral,
    threshold: u64,
) {
    let Deferral {
        actor,
        letter,
        since,
    } = found;
    let mut inbox = state.operations[actor].inbox.iter();
    let event = inbox.find(|unread| unread.key == letter);
    let events = state
        .operations
        .info(actor)
        .map_or(&[][..], |info| info.events);
    let event = event.and_then(|event| events.get(usize::from(event.event)));
    let problem = Problem::LongDeferred {
        who: state.name(actor),
        state: state.operations.state_name(actor).unwrap_or_default(),
        event: event.map_or("an event", |event| event.name),
        steps: state.progress.step() - since,
        threshold,
    };
    session.suspicion = Some(Suspicion {
        entry: Obligation::Deferral(actor, letter),
        since,
        cycle: None,
        certain: false,
    });
    session.find(state.progress.step(), &problem, None);
}
