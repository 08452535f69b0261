//! The span and duration of the handling of one message, for `tracing` and `metrics`: [`HandlerSpan`].
//!
//! The current turn is in a thread-local variable, since the span that is entered on a thread must be
//! exited there, too. If the handler waits, the turn moves to the actor, and the span is entered again at
//! the actor's next run. A panic in a handler is caught within the poll; [`HandlerSpanGuard`] cleans up after
//! others, as one of the user's subscriber.

use std::cell::Cell;

#[cfg(feature = "metrics")]
use tokio::time::Instant;
#[cfg(feature = "tracing")]
use tracing::{Span, span::EnteredSpan};

use super::live_actor::LiveActor;
use super::telemetry::is_on;
#[cfg(feature = "tracing")]
use crate::production::mailbox::span_context::SpanContext;

thread_local! {
    static RUNNING: Cell<Option<EnteredHandlerSpan>> = const { Cell::new(None) };
}

pub(in crate::production) struct HandlerSpan {
    #[cfg(feature = "tracing")]
    span: Span,
    #[cfg(feature = "metrics")]
    since: Instant,
}

/// The turn of a handler that runs on this thread.
struct EnteredHandlerSpan {
    #[cfg(feature = "tracing")]
    span: EnteredSpan,
    #[cfg(feature = "metrics")]
    since: Instant,
}

impl From<HandlerSpan> for EnteredHandlerSpan {
    fn from(turn: HandlerSpan) -> Self {
        Self {
            #[cfg(feature = "tracing")]
            span: turn.span.entered(),
            #[cfg(feature = "metrics")]
            since: turn.since,
        }
    }
}

impl From<EnteredHandlerSpan> for HandlerSpan {
    fn from(running: EnteredHandlerSpan) -> Self {
        Self {
            #[cfg(feature = "tracing")]
            span: running.span.exit(),
            #[cfg(feature = "metrics")]
            since: running.since,
        }
    }
}

/// The message of a turn.
#[cfg_attr(
    not(feature = "tracing"),
    expect(dead_code, reason = "only spans record it")
)]
pub(in crate::production) struct HandledMessage {
    pub(in crate::production) event: u16,
    pub(in crate::production) state: usize,
    /// The span context from the sender.
    #[cfg(feature = "tracing")]
    pub(in crate::production) carried: Option<SpanContext>,
}

/// Begins the turn of the next message.
pub(in crate::production) fn begin(actor: &LiveActor, about: HandledMessage) {
    if !is_on() {
        return;
    }
    #[cfg(feature = "tracing")]
    let span = {
        let info = actor.info();
        let span = tracing::debug_span!(
            target: "actor_core",
            "handle",
            actor = %actor.name(),
            id = actor.id().number(),
            event = info.events[usize::from(about.event)].name,
            state = info.state_name(about.state),
        );
        if let (Some(carrier), Some(carried)) = (actor.hub().hooks.carrier(), about.carried) {
            carrier.follow(&span, carried);
        }
        span
    };
    let turn = HandlerSpan {
        #[cfg(feature = "tracing")]
        span,
        #[cfg(feature = "metrics")]
        since: Instant::now(),
    };
    #[cfg(not(feature = "tracing"))]
    let _ = (actor, about);
    RUNNING.set(Some(turn.into()));
}

/// Ends the turn on this thread, if any.
pub(in crate::production) fn finish(actor: &LiveActor) {
    if let Some(running) = RUNNING.take() {
        done(actor, running.into());
    }
}

fn done(actor: &LiveActor, turn: HandlerSpan) {
    #[cfg(feature = "metrics")]
    {
        actor.meters.handled.increment(1);
        actor.meters.seconds.record(turn.since.elapsed());
    }
    let _ = (actor, turn);
}

/// One run of an actor. At its end, the turn of an outer actor on this thread is restored.
pub(in crate::production) struct HandlerSpanGuard(Option<EnteredHandlerSpan>);

impl HandlerSpanGuard {
    /// Continues a suspended turn.
    pub(in crate::production) fn begin(turn: Option<HandlerSpan>) -> Self {
        Self(RUNNING.replace(turn.map(EnteredHandlerSpan::from)))
    }

    /// Ends the run. Returns the suspended turn if the handler waits; otherwise ends it.
    pub(in crate::production) fn end(self, actor: &LiveActor, waits: bool) -> Option<HandlerSpan> {
        if !waits {
            finish(actor);
        }
        RUNNING.take().map(HandlerSpan::from)
    }
}

impl Drop for HandlerSpanGuard {
    fn drop(&mut self) {
        RUNNING.set(self.0.take());
    }
}
