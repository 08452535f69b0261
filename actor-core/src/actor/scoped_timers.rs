//! Timers of an actor that have a name, or end with a state or an event: [`ScopedTimers`].

use std::collections::BTreeMap;

use super::context::Piped;
use crate::environment::Timer;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::insertion_ordered_map::CleanupSchedule;
use crate::seam::Purpose;

/// The event that ends a timer. Fingerprints contain the number of a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimerScope {
    StateLeft,
    EventHandled,
    Cancelled,
    StateLeftOrEventHandled,
}

impl TimerScope {
    /// Returns the scope that ends when the first of the two ends.
    pub(crate) fn or(self, other: Self) -> Self {
        match self {
            Self::Cancelled => other,
            _ if self == other => self,
            _ => Self::StateLeftOrEventHandled,
        }
    }

    fn ends_at(self, ending: Self) -> bool {
        self == ending || self == Self::StateLeftOrEventHandled
    }

    /// Returns the purpose of such a timer in reports, which know one end per timer.
    pub(crate) fn purpose(self) -> Purpose {
        match self {
            Self::StateLeft => Purpose::State,
            Self::EventHandled | Self::StateLeftOrEventHandled => Purpose::NextEvent,
            Self::Cancelled => Purpose::Event,
        }
    }
}

/// The named timers of one actor, and those that end with a state or an event. Most actors have none.
#[derive(Default)]
pub(crate) struct ScopedTimers(Option<Box<Kept>>);

#[derive(Default)]
struct Kept {
    of_state: Option<Timer>,
    of_event: Option<Timer>,
    of_state_or_event: Option<Timer>,
    /// The named timers. Names are literals, hence few; a fired timer stays until its name is reused.
    named: BTreeMap<&'static str, NamedTimer>,
    /// Futures that end with the state.
    piped: Vec<Piped>,
    sweep: CleanupSchedule,
}

struct NamedTimer {
    scope: TimerScope,
    timer: Timer,
}

impl Kept {
    /// Returns the unnamed timer of this scope.
    fn unnamed(&mut self, scope: TimerScope) -> Option<&mut Option<Timer>> {
        match scope {
            TimerScope::StateLeft => Some(&mut self.of_state),
            TimerScope::EventHandled => Some(&mut self.of_event),
            TimerScope::StateLeftOrEventHandled => Some(&mut self.of_state_or_event),
            TimerScope::Cancelled => None,
        }
    }

    #[cold]
    fn end(&mut self, ending: TimerScope) {
        for scope in [ending, TimerScope::StateLeftOrEventHandled] {
            if let Some(timer) = self.unnamed(scope).and_then(Option::take) {
                timer.cancel();
            }
        }
        let named = &mut self.named;
        let ended = named.extract_if(.., |_, named| named.scope.ends_at(ending));
        ended.for_each(|(_, named)| named.timer.cancel());
        if ending == TimerScope::StateLeft {
            self.piped.drain(..).for_each(Piped::cancel);
        }
    }

    /// Returns true if nothing is kept.
    fn is_empty(&self) -> bool {
        self.of_state.is_none()
            && self.of_event.is_none()
            && self.of_state_or_event.is_none()
            && self.named.is_empty()
            && self.piped.is_empty()
    }
}

impl ScopedTimers {
    /// Keeps a timer in the place of its name, or else of its scope, and cancels the one before.
    pub(crate) fn set(&mut self, name: Option<&'static str>, scope: TimerScope, timer: &Timer) {
        if name.is_none() && scope == TimerScope::Cancelled {
            return;
        }
        let kept = self.0.get_or_insert_default();
        let timer = timer.clone();
        let before = match name {
            Some(name) => {
                let before = kept.named.insert(name, NamedTimer { scope, timer });
                before.map(|named| named.timer)
            }
            None => kept.unnamed(scope).and_then(|place| place.replace(timer)),
        };
        if let Some(before) = before {
            before.cancel();
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

    /// Cancels the timers that end at this event.
    #[inline]
    pub(crate) fn end(&mut self, ending: TimerScope) {
        if let Some(kept) = &mut self.0
            && !kept.is_empty()
        {
            kept.end(ending);
        }
    }

    /// Feeds the positions of the running ones among the actor's timers; nothing if none runs.
    pub(crate) fn fingerprint(&self, to: &mut Fingerprinter) {
        let Some(kept) = &self.0 else {
            return;
        };
        let mark = |timer: &Option<Timer>| timer.as_ref().map_or(0, Timer::fingerprint_position);
        let marks = [mark(&kept.of_state), mark(&kept.of_event)];
        if marks != [0, 0] {
            marks.fingerprint(to);
        }
        let of_either = mark(&kept.of_state_or_event);
        if of_either != 0 {
            (TimerScope::StateLeftOrEventHandled as u8, of_either).fingerprint(to);
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
                (*name, named.scope as u8, mark).fingerprint(to);
            }
        }
    }
}
