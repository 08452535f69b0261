//! Tables of actor types that are written by hand, over events that are those of another type.

use crate::table::{Disposition, EventInfo};

/// How many events such a table has at most.
pub(crate) const EVENTS_MAX: usize = 256;

/// The events of another type, then one's own, with room behind them.
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

/// What is done with that many events: all are handled.
pub(crate) const fn handled(events: usize) -> &'static [Disposition] {
    const HANDLED: [Disposition; EVENTS_MAX] = [Disposition::Handle; EVENTS_MAX];
    const ALL: &[Disposition] = &HANDLED;
    ALL.split_at(events).0
}
