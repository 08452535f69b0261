//! Announcements: an event is shown to the monitors.

use actor_core::AskError;
use actor_core::generated::Moment;

use crate::data::constructs::StepConstruct;
use crate::engine::running::effects::Effects;
use crate::engine::world::state::BODY;
use crate::records::Record;

impl Effects<'_> {
    /// Shows an announced event to the monitors.
    pub(super) fn announce(&self, by: u32, slab: u32, slot: u32) {
        self.shared
            .state()
            .footprint
            .add(StepConstruct::Announcement);
        let slab = self.shared.arena().slab(slab);
        let sender = (by != BODY).then(|| self.shared.audience().actor_id(by));
        self.shared
            .audience()
            .show(Moment::Sent, sender, None, |show| {
                slab.inspect(slot, show);
            });
        if self.shared.is_recorded() {
            let event = self.shared.print(|f| slab.inspect(slot, f));
            self.shared.record(|| Record::Announced { who: by, event });
        }
        self.dropping(AskError::Dropped, || slab.discard(slot));
    }
}
