//! Reports to `tracing` and `metrics`, if those features are on.
//!
//! The subscriber, the recorder and the `Debug` of an event are the user's code: a panic in them is
//! reported as a failure of the actor, and has no other effect.

use super::live_actor::LiveActor;
use crate::event::Event;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::panics::catch_panic;
use crate::production::observing::hooks::{DeadLetterReason, FailureCause};
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::supervision::FailureKind;
use crate::supervision::StopReason;

/// Reports the spawn of an actor.
pub(in crate::production) fn spawned(actor: &LiveActor) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    emit(actor, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            "spawned"
        );
        #[cfg(feature = "metrics")]
        actor.meters.alive.increment(1.0);
    });
    let _ = actor;
}

/// Reports that a spawned actor has ended for good.
pub(in crate::production) fn ended(actor: &LiveActor, reason: StopReason) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    emit(actor, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            ?reason,
            "stopped"
        );
        #[cfg(feature = "metrics")]
        actor.meters.alive.decrement(1.0);
    });
    let _ = (actor, reason);
}

/// Reports the restart of a supervised actor.
pub(in crate::production) fn restarted(actor: &LiveActor) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    emit(actor, || {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            life = actor.restart_count(),
            "restarted"
        );
        #[cfg(feature = "metrics")]
        actor.meters.restarts.increment(1);
    });
    let _ = actor;
}

/// Reports that an actor has failed, or a failure that it survives.
pub(in crate::production) fn failed(actor: &LiveActor, fault: &FailureCause) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    emit(actor, || {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            kind = ?fault.kind,
            message = fault.message,
        );
        #[cfg(feature = "metrics")]
        actor.meters.failures.increment(1);
    });
    let _ = (actor, fault);
}

/// Reports a dead letter.
pub(in crate::production) fn lost(actor: &LiveActor, event: &dyn Event, reason: DeadLetterReason) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    emit(actor, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            ?event,
            %reason,
            "dead letter"
        );
        #[cfg(feature = "metrics")]
        actor.meters.dead_letters.increment(1);
    });
    let _ = (actor, event, reason);
}

/// Records the number of unread events when the actor fetches some from its mailbox.
#[cfg(feature = "metrics")]
pub(in crate::production) fn fetched(actor: &LiveActor, unread: usize) {
    actor.meters.depth.record(unread as f64);
}

/// Returns true if turns are recorded: always with `metrics`, otherwise if spans are enabled.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline]
pub(in crate::production) fn is_on() -> bool {
    #[cfg(feature = "metrics")]
    return true;
    #[cfg(not(feature = "metrics"))]
    return tracing::level_filters::LevelFilter::current() >= tracing::Level::DEBUG;
}

/// Calls the user's subscriber or recorder, which may panic.
#[cfg(any(feature = "tracing", feature = "metrics"))]
fn emit(actor: &LiveActor, what: impl FnOnce()) {
    if let Err(message) = catch_panic(what) {
        let fault = FailureCause {
            kind: FailureKind::Panicked,
            message,
        };
        // To the failure hook alone, since the subscriber or the recorder is broken.
        actor.hub().failed(actor.id(), &actor.name(), fault);
    }
}
