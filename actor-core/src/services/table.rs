//! Hand-written event tables of actor types that forward the events of another type.

use crate::table::{Disposition, EventInfo};

/// The largest number of events in such a table.
pub(crate) const EVENTS_MAX: usize = 256;

/// Concatenates the events of another type and `own`; the rest of the array is padding.
pub(crate) const fn joined<const N: usize>(
    events: &[EventInfo],
    own: [EventInfo; N],
) -> [EventInfo; EVENTS_MAX] {
    let mut all = [own[0]; EVENTS_MAX];
    let mut at = 0;
    while at < events.len() {
        all[at] = events[at];
        at += 1;
    }
    let mut more = 0;
    while more < N {
        all[at + more] = own[more];
        more += 1;
    }
    all
}

/// Returns the dispositions of that many events: all are handled.
pub(crate) const fn handled(events: usize) -> &'static [Disposition] {
    const HANDLED: [Disposition; EVENTS_MAX] = [Disposition::Handle; EVENTS_MAX];
    const ALL: &[Disposition] = &HANDLED;
    ALL.split_at(events).0
}
