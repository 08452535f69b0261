//! Temperatures: for how many steps something has been owed.

use std::hash::Hasher;

use actor_core::Fingerprinter;
use serde::{Deserialize, Serialize};

/// The temperature from which on it is worth to look for a lasso: most of what is owed is paid by
/// then, and sixteen states are still certain within 320 steps.
pub(crate) const WARNING: u64 = 128;

/// Who owes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Obligation {
    /// A specification, by its number in the thermometer.
    Specification(usize),
    /// That an operation goes on which waits in a handler.
    Wait(u32),
    /// That an actor takes an event which it defers, by the event's key.
    Deferral(u32, u64),
    /// That an actor does something else than handle what it has sent itself.
    SelfSending(u32),
}

/// What a specification owes: a hot monitor, or a predicate that is still to become true.
#[derive(Clone, Debug)]
struct TemperatureEntry {
    /// The heat of earlier hot periods, since it was last cold.
    kept: u64,
    /// The step from which it has been hot without a break, where it is.
    hot_from: Option<u64>,
    /// The step at which it became hot after it was last cold, while it is hot or warm since.
    pending_since: Option<u64>,
}

/// The temperatures of one execution.
///
/// A temperature rises by one for every step in a hot state, drops to zero on entering a cold one
/// and stays as it is in a warm one. Instead of counting at every step, the thermometer knows the
/// step at which the next entry would pass the threshold, so a step costs one comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temperatures {
    entries: Vec<TemperatureEntry>,
    /// Above this it is a liveness bug; `None` where liveness is not judged.
    threshold: Option<u64>,
    /// Steps before this one do not count.
    counts_from: u64,
    /// The first step at which an entry above [`WARNING`] is of interest, if at all.
    warns_from: Option<u64>,
    /// The first step at which some entry is above the threshold, or to be warned of, if nothing
    /// changes.
    alarm: u64,
    /// The first step at which waits and deferred events are to be looked at.
    looks_from: u64,
    /// Of what it is to be seen whether it is paid, and from which step on.
    watched: Option<(Obligation, u64)>,
    /// It has.
    recovered: bool,
    /// For how many steps something was owed at most that became cold in the end.
    owed_longest: u64,
}

impl Temperatures {
    /// Starts an execution. Heat counts from the step `counts_from`. An entry that is watched from
    /// some step on raises the alarm when it becomes cold.
    pub(crate) fn begin(
        &mut self,
        threshold: Option<u64>,
        counts_from: u64,
        watched: Option<(Obligation, u64)>,
    ) {
        self.entries.clear();
        self.threshold = threshold;
        self.counts_from = counts_from;
        self.warns_from = None;
        self.looks_from = match watched {
            Some((Obligation::Deferral(..) | Obligation::SelfSending(_), from)) => from + 1,
            _ => u64::MAX,
        };
        self.watched = watched;
        self.recovered = false;
        self.owed_longest = 0;
        self.alarm = self.looks_from;
    }

    /// Judges from `step` on, with every temperature at zero there.
    pub(crate) fn count_from(&mut self, step: u64, threshold: u64) {
        self.threshold = Some(threshold);
        self.counts_from = step;
        for entry in &mut self.entries {
            entry.kept = 0;
        }
        // Who waits already is owed from here on.
        self.looks_from = step + 1;
        self.set_alarm();
    }

    /// The threshold, where liveness is judged, and the step from which on it is.
    pub(crate) fn judges(&self) -> Option<(u64, u64)> {
        Some((self.threshold?, self.counts_from))
    }

    /// Asks for an alarm when something that begins at `step` would be owed for too long.
    #[inline]
    pub(crate) fn schedule_overdue_check(&mut self, step: u64) {
        if let Some(threshold) = self.threshold {
            self.schedule_check(step.max(self.counts_from) + threshold + 1);
        }
    }

    /// Asks for an alarm after a quarter of the threshold, since what is looked at has no beginning
    /// that is known.
    pub(crate) fn schedule_early_check(&mut self, step: u64) {
        if let Some(threshold) = self.threshold {
            self.schedule_check(step.max(self.counts_from) + threshold / 4 + 1);
        }
    }

    /// Asks for an alarm at that step, or sooner.
    #[inline]
    pub(crate) fn schedule_check(&mut self, step: u64) {
        let looks = self.threshold.is_some() || self.watched.is_some();
        if step < self.looks_from && looks {
            self.looks_from = step;
            self.alarm = self.alarm.min(step);
        }
    }

    /// Whether it is time to look; no more is asked for then.
    pub(crate) fn takes_look(&mut self, step: u64) -> bool {
        let is_due = step >= self.looks_from;
        if is_due {
            self.looks_from = u64::MAX;
            self.set_alarm();
        }
        is_due
    }

    /// Whether something is to be warned of.
    pub(crate) fn warns(&self, step: u64) -> bool {
        let warns = |from: u64| self.passes(WARNING).max(from) <= step;
        self.warns_from.is_some_and(warns)
    }

    /// What is to be seen to be paid.
    pub(crate) fn watched(&self) -> Option<Obligation> {
        self.watched.map(|(debt, _)| debt)
    }

    /// Somebody's debt is paid. What was paid in the step after which it is watched was owed anew in it.
    #[inline]
    pub(crate) fn discharge(&mut self, debt: Obligation, step: u64) {
        if let Some((watched, from)) = self.watched
            && watched == debt
            && step > from
        {
            self.recovered = true;
            self.set_alarm();
        }
    }

    /// Adds an entry that is cold; tells its number.
    pub(crate) fn add(&mut self) -> usize {
        self.entries.push(TemperatureEntry {
            kept: 0,
            hot_from: None,
            pending_since: None,
        });
        self.entries.len() - 1
    }

    /// The entry is hot from `step` on; tells whether it was not before. Hot to hot resets nothing.
    pub(crate) fn hot(&mut self, number: usize, step: u64) -> bool {
        let entry = &mut self.entries[number];
        let begins = entry.hot_from.is_none();
        if begins {
            entry.pending_since.get_or_insert(step);
            entry.hot_from = Some(step);
            self.set_alarm();
        }
        begins
    }

    /// The entry is warm: the heat stays.
    pub(crate) fn warm(&mut self, number: usize, step: u64) {
        let counts_from = self.counts_from;
        let entry = &mut self.entries[number];
        if let Some(from) = entry.hot_from.take() {
            entry.kept += step.saturating_sub(from.max(counts_from));
            self.set_alarm();
        }
    }

    /// The entry is cold: nothing is owed.
    pub(crate) fn cold(&mut self, number: usize, step: u64) {
        self.discharge(Obligation::Specification(number), step);
        let entry = &mut self.entries[number];
        entry.kept = 0;
        if let Some(since) = entry.pending_since.take() {
            self.owed_longest = self.owed_longest.max(step - since);
        }
        if entry.hot_from.take().is_some() {
            self.set_alarm();
        }
    }

    /// Asks for an alarm when something is above [`WARNING`] at or after that step; `None` for no
    /// such alarm.
    pub(crate) fn warn(&mut self, from: Option<u64>) {
        self.warns_from = from;
        self.set_alarm();
    }

    fn set_alarm(&mut self) {
        if self.recovered {
            self.alarm = 0;
            return;
        }
        let Some(threshold) = self.threshold else {
            return;
        };
        let warning = self.warns_from.map(|from| self.passes(WARNING).max(from));
        let alarm = self.passes(threshold).min(warning.unwrap_or(u64::MAX));
        self.alarm = alarm.min(self.looks_from);
    }

    /// The first step at which some entry is above `limit`, if nothing changes.
    fn passes(&self, limit: u64) -> u64 {
        let due = |entry: &TemperatureEntry| {
            let from = entry.hot_from?.max(self.counts_from);
            Some(from + limit.saturating_sub(entry.kept) + 1)
        };
        self.entries
            .iter()
            .filter_map(due)
            .min()
            .unwrap_or(u64::MAX)
    }

    /// Whether some entry is above the threshold after `step` steps, or to be warned of.
    #[inline]
    pub(crate) fn alarms(&self, step: u64) -> bool {
        step >= self.alarm
    }

    /// For how many steps something was owed at most that became cold in the end.
    pub(crate) fn owed_longest(&self) -> u64 {
        self.owed_longest
    }

    /// Whether the watched entry became cold.
    pub(crate) fn recovered(&self) -> bool {
        self.recovered
    }

    /// The entry above the threshold, its temperature, and since when it has been owed.
    pub(crate) fn alarming(&self, step: u64) -> Option<(usize, u64, u64)> {
        let threshold = self.threshold?;
        (0..self.entries.len())
            .map(|number| (number, self.temperature(number, step)))
            .find(|(_, temperature)| *temperature > threshold)
            .map(|(number, temperature)| {
                let since = self.entries[number].pending_since.unwrap_or(step);
                (number, temperature, since)
            })
    }

    /// The hottest entry that is hot now and above [`WARNING`], and since when it has been owed.
    pub(crate) fn hottest(&self, step: u64) -> Option<(usize, u64)> {
        let is_hot = |number: &usize| {
            self.hot_since(*number).is_some() && self.temperature(*number, step) > WARNING
        };
        let hottest = (0..self.entries.len())
            .filter(is_hot)
            .max_by_key(|number| self.temperature(*number, step))?;
        Some((hottest, self.owed_since(hottest)?))
    }

    /// Which entries are owed, and which of them are hot, a bit for each. Those beyond the 62nd share the
    /// last one, and the last but one is nobody's.
    pub(crate) fn pending_bits(&self) -> (u64, u64) {
        let (mut owed, mut hot) = (0, 0);
        for (number, entry) in self.entries.iter().enumerate() {
            let bit = 1 << if number < 62 { number } else { 63 };
            owed |= if entry.pending_since.is_some() {
                bit
            } else {
                0
            };
            hot |= if entry.hot_from.is_some() { bit } else { 0 };
        }
        (owed, hot)
    }

    /// Feeds which entries are hot, and which are warm since they were.
    pub(crate) fn feed(&self, to: &mut Fingerprinter) {
        for entry in &self.entries {
            to.write_u8(
                u8::from(entry.hot_from.is_some()) + u8::from(entry.pending_since.is_some()),
            );
        }
    }

    /// The temperature after `step` steps.
    pub(crate) fn temperature(&self, number: usize, step: u64) -> u64 {
        let entry = &self.entries[number];
        let from = |from: u64| step.saturating_sub(from.max(self.counts_from));
        entry.kept + entry.hot_from.map_or(0, from)
    }

    /// Whether something is owed: hot, or warm since it was hot.
    pub(crate) fn owes(&self, number: usize) -> bool {
        self.entries[number].pending_since.is_some()
    }

    /// The step at which the entry became hot after it was last cold.
    pub(crate) fn owed_since(&self, number: usize) -> Option<u64> {
        self.entries[number].pending_since
    }

    /// Whether the entry is hot now, and since when.
    pub(crate) fn hot_since(&self, number: usize) -> Option<u64> {
        let entry = &self.entries[number];
        entry.hot_from.and(entry.pending_since)
    }

    /// Whether anything is hot now.
    pub(crate) fn any_hot(&self) -> bool {
        self.entries.iter().any(|entry| entry.hot_from.is_some())
    }

    /// Whether anything is owed now.
    pub(crate) fn any_owed(&self) -> bool {
        (0..self.entries.len()).any(|number| self.owes(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the step on at which it begins to count, everything is cold, and waits are looked at in the
    /// next one.
    #[test]
    fn what_was_hot_before_does_not_count() {
        let mut thermometer = Temperatures::default();
        thermometer.begin(None, 0, None);
        let hot = thermometer.add();
        thermometer.hot(hot, 5);
        thermometer.warm(hot, 15);
        thermometer.hot(hot, 20);
        assert_eq!(thermometer.temperature(hot, 30), 20);
        thermometer.count_from(30, 100);
        assert_eq!(thermometer.temperature(hot, 30), 0);
        assert_eq!(thermometer.judges(), Some((100, 30)));
        assert!(!thermometer.alarms(30));
        assert!(thermometer.alarms(31));
        assert!(!thermometer.takes_look(30));
        assert!(thermometer.takes_look(31));
        assert!(!thermometer.alarms(130));
        assert_eq!(thermometer.alarming(130), None);
        assert!(thermometer.alarms(131));
        assert_eq!(thermometer.alarming(131), Some((hot, 101, 5)));
    }
}
