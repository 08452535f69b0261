//! Propagation of tracing spans from the sender of an event to its handler: [`SpanPropagator`].

use tracing::Span;

use crate::production::mailbox::span_context::SpanContext;

/// Carries a span context from the sender of an event to the span of its handler, as the program says.
pub(crate) struct SpanPropagator {
    capture: Box<Capture>,
    follow: Box<Follow>,
}

type Capture = dyn Fn() -> Option<SpanContext> + Send + Sync;
type Follow = dyn Fn(&Span, SpanContext) + Send + Sync;

impl SpanPropagator {
    pub(crate) fn new<C: Send + 'static>(
        capture: impl Fn() -> Option<C> + Send + Sync + 'static,
        follow: impl Fn(&Span, C) + Send + Sync + 'static,
    ) -> Self {
        Self {
            capture: Box::new(move || Some(Box::new(capture()?))),
            follow: Box::new(move |span, carried| {
                if let Ok(carried) = carried.downcast() {
                    follow(span, *carried);
                }
            }),
        }
    }

    /// Captures the context of the event that is sent now.
    pub(crate) fn capture(&self) -> Option<SpanContext> {
        (self.capture)()
    }

    /// Applies the context to the span of the handler that begins.
    pub(crate) fn follow(&self, span: &Span, carried: SpanContext) {
        (self.follow)(span, carried);
    }
}
