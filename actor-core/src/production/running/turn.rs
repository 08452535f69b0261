//! The span and duration of the handling of one message, for `tracing` and `metrics`: [`Turn`].
//!
//! The current turn is in a thread-local variable, since the span that is entered on a thread must be
//! exited there, too. If the handler waits, the turn moves to the actor, and the span is entered again at
//! the actor's next run. A panic in a handler is caught within the poll; [`Shift`] cleans up after
//! others, as one of the user's subscriber.

use std::cell::Cell;

#[cfg(feature = "metrics")]
use tokio::time::Instant;
#[cfg(feature = "tracing")]
use tracing::{Span, span::EnteredSpan};

use super::actor::LiveActor;
use super::telemetry::is_on;
#[cfg(feature = "tracing")]
use crate::production::mailbox::carried::Carried;

thread_local! {
    static RUNNING: Cell<Option<Running>> = const { Cell::new(None) };
}

pub(in crate::production) struct Turn {
    #[cfg(feature = "tracing")]
    span: Span,
    #[cfg(feature = "metrics")]
    since: Instant,
}

/// The turn of a handler that runs on this thread.
struct Running {
    #[cfg(feature = "tracing")]
    span: EnteredSpan,
    #[cfg(feature = "metrics")]
    since: Instant,
}

impl From<Turn> for Running {
    fn from(turn: Turn) -> Self {
        Self {
            #[cfg(feature = "tracing")]
            span: turn.span.entered(),
            #[cfg(feature = "metrics")]
            since: turn.since,
        }
    }
}

impl From<Running> for Turn {
    fn from(running: Running) -> Self {
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
    expect(dead_code, reason = "spans alone tell of it")
)]
pub(in crate::production) struct About {
    pub(in crate::production) event: u16,
    pub(in crate::production) state: usize,
    /// The span context from the sender.
    #[cfg(feature = "tracing")]
    pub(in crate::production) carried: Option<Carried>,
}

/// Begins the turn of the next message.
pub(in crate::production) fn begin(actor: &LiveActor, about: About) {
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
    let turn = Turn {
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

fn done(actor: &LiveActor, turn: Turn) {
    #[cfg(feature = "metrics")]
    {
        actor.meters.handled.increment(1);
        actor.meters.seconds.record(turn.since.elapsed());
    }
    let _ = (actor, turn);
}

/// One run of an actor. At its end, the turn of an outer actor on this thread is restored.
pub(in crate::production) struct Shift(Option<Running>);

impl Shift {
    /// Continues a suspended turn.
    pub(in crate::production) fn begin(turn: Option<Turn>) -> Self {
        Self(RUNNING.replace(turn.map(Running::from)))
    }

    /// Ends the run. Returns the suspended turn if the handler waits; otherwise ends it.
    pub(in crate::production) fn end(self, actor: &LiveActor, waits: bool) -> Option<Turn> {
        if !waits {
            finish(actor);
        }
        RUNNING.take().map(Turn::from)
    }
}

impl Drop for Shift {
    fn drop(&mut self) {
        RUNNING.set(self.0.take());
    }
}
