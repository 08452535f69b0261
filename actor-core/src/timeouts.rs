//! Timers that end by themselves when their actor goes on: [`Timeouts`].

use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::timer::Timer;

/// When a timeout is over, beside when it fires.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// The state is left.
    StateLeft = 0,
    /// An event is handled.
    EventHandled = 1,
}

/// The timeouts of one actor. Most actors have none.
#[derive(Default)]
pub(crate) struct Timeouts(Option<Box<[Option<Timer>; 2]>>);

impl Timeouts {
    /// Keeps `timer` in the place of the one before, which is cancelled.
    pub(crate) fn set(&mut self, until: Until, timer: Timer) {
        let before = self.0.get_or_insert_default()[until as usize].replace(timer);
        if let Some(before) = before {
            before.cancel();
        }
    }

    /// What a timeout waited for has come.
    #[inline]
    pub(crate) fn end(&mut self, until: Until) {
        if let Some(timers) = &mut self.0 {
            cancel(timers, until);
        }
    }

    /// Feeds which of the actor's timers they are; nothing where none of them runs.
    pub(crate) fn fingerprint(&self, to: &mut Fingerprinter) {
        let Some(timers) = &self.0 else {
            return;
        };
        let marks = timers
            .each_ref()
            .map(|timer| timer.as_ref().map_or(0, Timer::mark));
        if marks != [0, 0] {
            marks.fingerprint(to);
        }
    }
}

#[cold]
fn cancel(timers: &mut [Option<Timer>; 2], until: Until) {
    if let Some(timer) = timers[until as usize].take() {
        timer.cancel();
    }
}
