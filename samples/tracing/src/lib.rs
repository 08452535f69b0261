//! Distributed tracing: one request through several actors is one trace of OpenTelemetry.
//!
//! An order goes from the shop to the shelf, and from there to the scales and the packer. Each
//! handler has a span of its own, and all spans belong to the trace of the incoming request.

use actor_core::prelude::*;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::layer::SubscriberExt;

/// Orders an item; the reply is the weight of the item.
#[derive(Debug)]
pub struct Order(pub String);
#[derive(Debug)]
struct Fetch(String);
#[derive(Debug)]
struct Weigh(String);
#[derive(Debug)]
struct Pack(String);

/// Takes orders.
#[derive(Debug)]
pub struct Shop {
    shelf: ActorRef<Shelf>,
}

#[actor]
impl Shop {
    #[on]
    async fn order(&mut self, order: Order) -> usize {
        self.shelf.ask(Fetch(order.0)).await.unwrap_or(0)
    }
}

/// The storage of the items.
#[derive(Debug)]
struct Shelf {
    scales: ActorRef<Scales>,
    packer: ActorRef<Packer>,
}

#[actor]
impl Shelf {
    #[on]
    async fn fetch(&mut self, fetch: Fetch) -> usize {
        let weight = self.scales.ask(Weigh(fetch.0.clone())).await;
        self.packer.tell(Pack(fetch.0));
        weight.unwrap_or(0)
    }
}

/// Returns the weights of items.
#[derive(Debug)]
struct Scales;

#[actor]
impl Scales {
    #[on]
    fn weigh(&mut self, weigh: Weigh) -> usize {
        weigh.0.len()
    }
}

/// Packs items.
#[derive(Debug)]
struct Packer;

#[actor]
impl Packer {
    #[on]
    fn pack(&mut self, pack: Pack) {
        tracing::debug!(item = pack.0, "packed");
    }
}

// ANCHOR: follow
/// Starts the actors. The span of each handler follows from the span in which its event was sent.
pub fn set_up(sys: &System) -> ActorRef<Shop> {
    if let Some(live) = sys.as_live() {
        live.follow_senders(
            || Some(tracing::Span::current().context()),
            |span, sender| drop(span.set_parent(sender)),
        );
    }
    let (scales, packer) = (sys.spawn(Scales), sys.spawn(Packer));
    let shelf = sys.spawn(Shelf { scales, packer });
    sys.spawn(Shop { shelf })
}
// ANCHOR_END: follow

/// Returns a subscriber that exports the program's spans to OpenTelemetry.
pub fn exported_by(provider: &SdkTracerProvider) -> impl Subscriber + Send + Sync + use<> {
    let tracer = provider.tracer("shop");
    let layer = tracing_opentelemetry::layer().with_tracer(tracer);
    tracing_subscriber::registry().with(layer)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use opentelemetry::trace::{SpanId, TraceId};
    use opentelemetry_sdk::trace::{InMemorySpanExporter, SpanData};
    use tracing::{Instrument, info_span};

    use super::*;

    /// Returns the event of a handler's span, or the name of any other span.
    fn what(span: &SpanData) -> String {
        let mut attributes = span.attributes.iter();
        let event = attributes.find(|attribute| attribute.key.as_str() == "event");
        event.map_or_else(|| span.name.to_string(), |event| event.value.to_string())
    }

    /// Returns the spans of each trace, each behind its parent, such as `order/Fetch`.
    fn traces(spans: &[SpanData]) -> HashMap<TraceId, Vec<String>> {
        let by_id: HashMap<SpanId, &SpanData> = spans
            .iter()
            .map(|span| (span.span_context.span_id(), span))
            .collect();
        let mut traces: HashMap<_, Vec<_>> = HashMap::new();
        for span in spans {
            let mut path = what(span);
            let mut child = span;
            while let Some(parent) = by_id.get(&child.parent_span_id) {
                path = format!("{}/{path}", what(parent));
                child = parent;
            }
            let trace = traces.entry(span.span_context.trace_id()).or_default();
            trace.push(path);
            trace.sort();
        }
        traces
    }

    // ANCHOR: test
    #[tokio::test]
    async fn a_request_is_one_trace() {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder()
            .with_simple_exporter(exporter.clone())
            .build();
        let _guard = tracing::subscriber::set_default(exported_by(&provider));
        let sys = System::new();
        let shop = set_up(&sys);
        // The two requests run at the same time.
        let order = |item: &str| {
            let span = info_span!("request");
            // An `ask` sends when it is called, so the call must be inside the sender's span.
            let answer = span.in_scope(|| shop.ask(Order(item.into())));
            answer.instrument(span)
        };
        let (teapot, cup) = (order("teapot"), order("cup"));
        assert_eq!(cup.await, Ok(3));
        assert_eq!(teapot.await, Ok(6));
        sys.shutdown().await.expect("a good end");
        let spans = exporter.get_finished_spans().expect("they are kept");
        let traces = traces(&spans);
        let whole = [
            "request",
            "request/Order",
            "request/Order/Fetch",
            "request/Order/Fetch/Pack",
            "request/Order/Fetch/Weigh",
        ];
        let traces: Vec<_> = traces.into_values().collect();
        assert_eq!(traces, [whole, whole]);
    }
    // ANCHOR_END: test
}
