//! Span contexts that travel with events from the sender to the span of the handler.

use std::any::Any;

/// A span context, opaque to this crate.
pub(crate) type SpanContext = Box<dyn Any + Send>;

/// The span contexts of events, by their slots in the mail. Allocates only for the first one.
#[derive(Default)]
pub(crate) struct SpanContexts(Option<Box<BySlot>>);

#[derive(Default)]
struct BySlot(Vec<Option<SpanContext>>);

impl SpanContexts {
    /// Sets or clears a slot's context. Returns that of an earlier event, to be dropped under no lock.
    pub(super) fn put(&mut self, slot: u32, carried: Option<SpanContext>) -> Option<SpanContext> {
        let slot = slot as usize;
        if carried.is_none() {
            return self.0.as_mut()?.0.get_mut(slot)?.take();
        }
        let BySlot(all) = &mut **self.0.get_or_insert_default();
        if all.len() <= slot {
            all.resize_with(slot + 1, || None);
        }
        std::mem::replace(&mut all[slot], carried)
    }

    pub(super) fn take(&mut self, slot: u32) -> Option<SpanContext> {
        self.0.as_mut()?.0.get_mut(slot as usize)?.take()
    }
}

#[cfg(test)]
mod tests {
    use super::SpanContexts;

    #[test]
    fn what_is_left_of_an_event_does_not_go_to_the_next() {
        let mut contexts = SpanContexts::default();
        assert!(contexts.put(3, None).is_none());
        assert!(contexts.0.is_none(), "nothing is kept for nothing");
        assert!(contexts.put(1, Some(Box::new("one"))).is_none());
        let left = contexts.put(1, None).expect("it was never taken");
        assert_eq!(left.downcast_ref(), Some(&"one"));
        assert!(contexts.take(1).is_none());
        assert!(contexts.take(9).is_none());
    }
}
