//! Events of the current operation: they are put into mail, or announced to monitors.

use std::any::Any;

use actor_core::generated::Moment;
use actor_core::seam::Announce;

use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::effect::Effect;
use crate::records::Record;

impl ControlledRuntime {
    /// Puts an event into an actor's mail; returns its slot and its number among the actor's events.
    #[inline]
    pub(super) fn put(&self, to: u32, message: &mut dyn Any) -> Option<(u32, u16)> {
        let arena = self.arena.borrow();
        Some(arena.mail(to)?.put(message))
    }

    /// Announces an event if some monitor observes it.
    pub(super) fn show_monitors(&self, event: &mut dyn Announce) {
        if !self.may_act("announce") {
            return;
        }
        let current = self.current.get();
        let observer = {
            let observers = &self.session.borrow().observers;
            observers.next(0, event.event_type(), Moment::Sent)
        };
        if observer.is_none() {
            // Without an observer the time of the event does not show: it is recorded here, and is no effect.
            if self.is_recorded() {
                let text = self.print(|show| event.inspect(show));
                self.record(|| Record::Announced {
                    who: current,
                    event: text,
                });
            }
            return;
        }
        let (slab, slot) = self.arena().store(event);
        self.state()
            .operations
            .push(current, Effect::Announce { slab, slot });
    }
}
