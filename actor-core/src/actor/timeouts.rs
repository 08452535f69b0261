//! State, event and named timeouts of an actor: [`Timeouts`].

use std::collections::BTreeMap;

use super::context::Piped;
use crate::environment::Timer;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::insertion_ordered_map::CleanupSchedule;

/// The event that ends a timeout that has not fired.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeoutScope {
    StateLeft,
    EventHandled,
    Cancelled,
}

/// The timeouts of one actor. Most actors have none.
#[derive(Default)]
pub(crate) struct Timeouts(Option<Box<Kept>>);

#[derive(Default)]
struct Kept {
    of_state: Option<Timer>,
    of_event: Option<Timer>,
    /// The named timeouts. Names are literals, hence few; a fired timeout stays until its name is reused.
    named: BTreeMap<&'static str, Named>,
    /// Futures that end with the state.
    piped: Vec<Piped>,
    sweep: CleanupSchedule,
}

struct Named {
    until: TimeoutScope,
    timer: Timer,
}

impl Kept {
    /// Returns the unnamed timeout of this kind.
    fn nameless(&mut self, until: TimeoutScope) -> Option<&mut Option<Timer>> {
        match until {
            TimeoutScope::StateLeft => Some(&mut self.of_state),
            TimeoutScope::EventHandled => Some(&mut self.of_event),
            TimeoutScope::Cancelled => None,
        }
    }

    #[cold]
    fn end(&mut self, until: TimeoutScope) {
        if let Some(timer) = self.nameless(until).and_then(Option::take) {
            timer.cancel();
        }
        let ended = self.named.extract_if(.., |_, named| named.until == until);
        ended.for_each(|(_, named)| named.timer.cancel());
        if until == TimeoutScope::StateLeft {
            self.piped.drain(..).for_each(Piped::cancel);
        }
    }

    /// Returns true if no timeout is set.
    fn is_empty(&self) -> bool {
        self.of_state.is_none()
            && self.of_event.is_none()
            && self.named.is_empty()
            && self.piped.is_empty()
    }
}

impl Timeouts {
    /// Keeps `timer` in the place of the one before, which it cancels.
    pub(crate) fn set(&mut self, until: TimeoutScope, timer: Timer) {
        let kept = self.0.get_or_insert_default();
        let before = kept.nameless(until).and_then(|place| place.replace(timer));
        if let Some(before) = before {
            before.cancel();
        }
    }

    /// Keeps `timer` in the place of the one of that name, which it cancels.
    pub(crate) fn set_named(&mut self, name: &'static str, until: TimeoutScope, timer: Timer) {
        let named = &mut self.0.get_or_insert_default().named;
        if let Some(before) = named.insert(name, Named { until, timer }) {
            before.timer.cancel();
        }
    }

    /// Keeps a future that ends with the state.
    pub(crate) fn add(&mut self, piped: Piped) {
        let Kept {
            piped: known,
            sweep,
            ..
        } = &mut **self.0.get_or_insert_default();
        if sweep.is_due(known.len()) {
            known.retain(|piped| !piped.is_over());
            sweep.record_cleanup(known.len());
        }
        known.push(piped);
    }

    pub(crate) fn cancel(&mut self, name: &str) {
        let kept = self.0.as_mut();
        if let Some(named) = kept.and_then(|kept| kept.named.remove(name)) {
            named.timer.cancel();
        }
    }

    /// Ends the timeouts that end at this event.
    #[inline]
    pub(crate) fn end(&mut self, until: TimeoutScope) {
        if let Some(kept) = &mut self.0
            && !kept.is_empty()
        {
            kept.end(until);
        }
    }

    /// Feeds the indices of the timeouts among the actor's timers; nothing if no timeout runs.
    pub(crate) fn fingerprint(&self, to: &mut Fingerprinter) {
        let Some(kept) = &self.0 else {
            return;
        };
        let mark = |timer: &Option<Timer>| timer.as_ref().map_or(0, Timer::fingerprint_position);
        let marks = [mark(&kept.of_state), mark(&kept.of_event)];
        if marks != [0, 0] {
            marks.fingerprint(to);
        }
        for piped in &kept.piped {
            let mark = piped.mark();
            if mark != 0 {
                mark.fingerprint(to);
            }
        }
        for (name, named) in &kept.named {
            let mark = named.timer.fingerprint_position();
            if mark != 0 {
                (*name, named.until as u8, mark).fingerprint(to);
            }
        }
    }
}
