//! What is told to `tracing` and `metrics`, where those features are on; otherwise nothing is.
//!
//! The subscriber and the recorder are the user's, and so is how an event prints: a panic in there is
//! a failure of the actor that it was about, and ends here.

#[cfg(feature = "tracing")]
use std::borrow::Cow;

#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::contained::contained;
use crate::event::Event;
#[cfg(feature = "tracing")]
use crate::identity::ActorId;
use crate::production::observing::hooks::{DeadLetterReason, Fault};
#[cfg(feature = "metrics")]
use crate::production::observing::meters::Meters;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::supervision::FailureKind;
use crate::supervision::StopReason;

/// Whom it is about.
pub(in crate::production) trait Subject {
    /// Who it is.
    #[cfg(feature = "tracing")]
    fn id(&self) -> ActorId;
    /// What it is called.
    #[cfg(feature = "tracing")]
    fn name(&self) -> Cow<'_, str>;
    /// How often it was brought back.
    #[cfg(feature = "tracing")]
    fn life(&self) -> u32;
    /// What is counted of its type.
    #[cfg(feature = "metrics")]
    fn meters(&self) -> &Meters;
    /// Whoever was told of it has panicked: that is a failure, which nobody else is told of.
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    fn broke(&self, fault: Fault);
}

/// An actor was spawned.
pub(in crate::production) fn spawned(actor: &impl Subject) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(actor, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            "spawned"
        );
        #[cfg(feature = "metrics")]
        actor.meters().alive.increment(1.0);
    });
    let _ = actor;
}

/// An actor that was spawned has ended for good.
pub(in crate::production) fn ended(actor: &impl Subject, reason: StopReason) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(actor, || {
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            ?reason,
            "stopped"
        );
        #[cfg(feature = "metrics")]
        actor.meters().alive.decrement(1.0);
    });
    let _ = (actor, reason);
}

/// A supervised actor is brought back.
pub(in crate::production) fn restarted(actor: &impl Subject) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(actor, || {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            life = actor.life(),
            "restarted"
        );
        #[cfg(feature = "metrics")]
        actor.meters().restarts.increment(1);
    });
    let _ = actor;
}

/// An actor has failed, or reports a failure that it survives.
pub(in crate::production) fn failed(actor: &impl Subject, fault: &Fault) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(actor, || {
        #[cfg(feature = "tracing")]
        tracing::warn!(
            target: "actor_core",
            actor = %actor.name(),
            id = actor.id().number(),
            kind = ?fault.kind,
            message = fault.message,
        );
        #[cfg(feature = "metrics")]
        actor.meters().failures.increment(1);
    });
    let _ = (actor, fault);
}

/// An event will never be handled.
pub(in crate::production) fn lost(
    actor: &impl Subject,
    event: &dyn Event,
    reason: DeadLetterReason,
) {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    tell(actor, || {
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
        actor.meters().dead_letters.increment(1);
    });
    let _ = (actor, event, reason);
}

/// So many events were unread when the actor took some from its mailbox.
#[cfg(feature = "metrics")]
pub(in crate::production) fn fetched(actor: &impl Subject, unread: usize) {
    actor.meters().depth.record(unread as f64);
}

/// Whether each message is worth a turn: always where it is counted, else where spans are recorded.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline]
pub(in crate::production) fn is_on() -> bool {
    #[cfg(feature = "metrics")]
    return true;
    #[cfg(not(feature = "metrics"))]
    return tracing::level_filters::LevelFilter::current() >= tracing::Level::DEBUG;
}

/// Tells somebody's subscriber or recorder, which may panic.
#[cfg(any(feature = "tracing", feature = "metrics"))]
fn tell(actor: &impl Subject, what: impl FnOnce()) {
    if let Err(message) = contained(what) {
        let fault = Fault {
            kind: FailureKind::Panicked,
            message,
        };
        actor.broke(fault);
    }
}
