//! Spans that follow from those of who sent the event.

use tracing::Span;

use super::live::LiveSystem;
use crate::production::observing::attention::CARRIES;
use crate::production::observing::carrier::Carrier;

impl LiveSystem {
    /// Has the span of each handler follow from where its event was sent, so that one request can be
    /// followed through all actors that have a part in it.
    ///
    /// `capture` is called by whoever sends an event, and takes along what it likes of the sender's span;
    /// `follow` is given that with the handler's new span, before this is entered. Of OpenTelemetry it is
    /// the context, by which all spans become one trace:
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
    /// Any other subscriber can be told by `Span::follows_from`:
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
    /// Events of timers and word of an actor's end are sent by nobody and carry nothing; a reply needs to
    /// carry nothing, since who asked goes on in its own span. Say it before actors are spawned. It can
    /// be said once; later calls change nothing. Who sends pays for an allocation for each event for which
    /// `capture` returns something; without this call nothing is paid.
    pub fn follow_senders<C: Send + 'static>(
        &self,
        capture: impl Fn() -> Option<C> + Send + Sync + 'static,
        follow: impl Fn(&Span, C) + Send + Sync + 'static,
    ) {
        self.hooks().carry(Carrier::new(capture, follow));
        for hub in self.hubs() {
            hub.attention.add(CARRIES);
        }
    }
}
