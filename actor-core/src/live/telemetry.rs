//! What is told to `tracing` and `metrics`, where those features are on; otherwise nothing is.
//!
//! The subscriber and the recorder are the user's, and so is how an event prints: a panic in there is
//! a failure of the actor that it was about, and ends here.

use super::cell::Cell;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use super::hooks::FailureKind;
use super::hooks::{DeadLetterReason, Fault};
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::contained::contained;
use crate::event::Event;
use crate::watch::StopReason;

/// An actor was spawned.
pub(super) fn spawned(cell: &Cell) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(cell, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %cell.name(),
            id = cell.id().as_u64(),
            "spawned"
        );
        #[cfg(feature = "metrics")]
        cell.meters.alive.increment(1.0);
    });
    let _ = cell;
}

/// An actor that was spawned has ended for good.
pub(super) fn ended(cell: &Cell, reason: StopReason) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(cell, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %cell.name(),
            id = cell.id().as_u64(),
            ?reason,
            "stopped"
        );
        #[cfg(feature = "metrics")]
        cell.meters.alive.decrement(1.0);
    });
    let _ = (cell, reason);
}

/// A supervised actor is brought back.
pub(super) fn restarted(cell: &Cell) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(cell, || {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            target: "actor_core",
            actor = %cell.name(),
            id = cell.id().as_u64(),
            life = cell.life(),
            "restarted"
        );
        #[cfg(feature = "metrics")]
        cell.meters.restarts.increment(1);
    });
    let _ = cell;
}

/// An actor has failed, or reports a failure that it survives.
pub(super) fn failed(cell: &Cell, fault: &Fault) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(cell, || {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            target: "actor_core",
            actor = %cell.name(),
            id = cell.id().as_u64(),
            kind = ?fault.kind,
            message = fault.message,
        );
        #[cfg(feature = "metrics")]
        cell.meters.failures.increment(1);
    });
    let _ = (cell, fault);
}

/// An event will never be handled.
pub(super) fn lost(cell: &Cell, event: &dyn Event, reason: DeadLetterReason) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(cell, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %cell.name(),
            id = cell.id().as_u64(),
            ?event,
            %reason,
            "dead letter"
        );
        #[cfg(feature = "metrics")]
        cell.meters.dead_letters.increment(1);
    });
    let _ = (cell, event, reason);
}

/// So many events were unread when the actor took some from its mailbox.
#[cfg(feature = "metrics")]
pub(super) fn fetched(cell: &Cell, unread: usize) {
    cell.meters.depth.record(unread as f64);
}

/// Tells somebody's subscriber or recorder, which may panic.
#[cfg(any(feature = "tracing", feature = "metrics"))]
fn tell(cell: &Cell, what: impl FnOnce()) {
    if let Err(message) = contained(what) {
        let fault = Fault {
            kind: FailureKind::Panicked,
            message,
        };
        cell.hub().failed(cell.id(), &cell.name(), fault);
    }
}
