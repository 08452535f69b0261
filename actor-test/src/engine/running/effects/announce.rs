//! Announcements: an event is shown to the monitors.

use actor_core::AskError;
use actor_core::generated::Moment;

use crate::data::constructs::StepConstruct;
use crate::engine::running::execution::Engine;
use crate::engine::world::state::BODY;
use crate::records::Record;

impl Engine {
    /// Shows an announced event to the monitors.
    pub(super) fn announce(&mut self, by: u32, slab: u32, slot: u32) {
        self.state().footprint.add(StepConstruct::Announcement);
        let slab = self.arena().slab(slab);
        let sender = (by != BODY).then(|| self.actor_id(by));
        self.show(Moment::Sent, sender, None, |show| {
            slab.inspect(slot, show);
        });
        if self.shared.is_recorded() {
            let event = self.print(|f| slab.inspect(slot, f));
            self.shared.record(|| Record::Announced { who: by, event });
        }
        self.dropping(AskError::Dropped, || slab.discard(slot));
    }
}
