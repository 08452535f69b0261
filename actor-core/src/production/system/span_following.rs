//! Propagation of tracing spans from senders to handlers: [`LiveSystem::follow_senders`].

use tracing::Span;

use super::live::LiveSystem;
use crate::production::observing::observer_flags::CARRIES;
use crate::production::observing::span_propagator::SpanPropagator;

impl LiveSystem {
    /// Makes the span of each handler follow from that of the event's sender, so that one request can be
    /// traced through all actors that take part.
    ///
    /// `capture` is called for each sent event, on the sender's thread, and returns a context of the
    /// current span; `follow` gets that context with the handler's new span, before the span is entered.
    /// With OpenTelemetry the spans become one trace:
    ///
    /// ```ignore
    /// use tracing_opentelemetry::OpenTelemetrySpanExt;
    ///
    /// live.follow_senders(
    ///     || Some(tracing::Span::current().context()),
    ///     |span, sender| drop(span.set_parent(sender)),
    /// );
    /// ```
    ///
    /// Other subscribers are notified by `Span::follows_from`:
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// use actor_core::System;
    ///
    /// let sys = System::new();
    /// if let Some(live) = sys.as_live() {
    ///     live.follow_senders(
    ///         || tracing::Span::current().id(),
    ///         |span, sender| {
    ///             span.follows_from(sender);
    ///         },
    ///     );
    /// }
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Events of timers and notices of an actor's end carry no context; nor does a reply, since the asker
    /// continues in its own span. Call this before actors are spawned. Only the first call has an effect.
    /// Each captured context costs an allocation; without this call there is no cost.
    pub fn follow_senders<C: Send + 'static>(
        &self,
        capture: impl Fn() -> Option<C> + Send + Sync + 'static,
        follow: impl Fn(&Span, C) + Send + Sync + 'static,
    ) {
        self.hooks().carry(SpanPropagator::new(capture, follow));
        for hub in self.hubs() {
            hub.observer_flags.add(CARRIES);
        }
    }
}
