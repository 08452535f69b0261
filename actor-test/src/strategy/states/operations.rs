//! Operations within states: their names, and whether a step concerns one alone.

use crate::hash::mix;
use crate::strategy::{Pending, StepKind};

/// True if the step concerns only events of its own operation.
pub(super) fn own(pending: &Pending) -> bool {
    let of = Some(pending.operation);
    match pending.kind {
        StepKind::Flush => pending.inbox == of,
        StepKind::Handle => pending.sender == of,
        _ => false,
    }
}

/// The name of an operation within states: its number, or for a timer a hash of its owner and event.
pub(super) fn name_of(pending: &Pending) -> u64 {
    let operation = pending.operation;
    if !operation.is_timer() {
        return u64::from(operation.bits());
    }
    let owner = pending.inbox.map_or(0, |owner| u64::from(owner.bits()));
    let event = pending.event.map_or(0, |event| u64::from(event.0.get()));
    mix(owner, event) | TIMER
}

/// The bit that marks the names of timers.
pub(super) const TIMER: u64 = 1 << 63;
