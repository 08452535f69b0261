//! Temperatures: the number of steps for which liveness obligations have been pending.

use std::hash::Hasher;

use actor_core::Fingerprinter;
use serde::{Deserialize, Serialize};

/// The temperature from which on it pays to search for a lasso. Most obligations are discharged before, and a
/// lasso of sixteen states is still proved within 320 steps.
pub(crate) const WARNING: u64 = 128;

/// A liveness obligation that is pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Obligation {
    /// A specification has to become cold. The number is that of its temperature.
    Specification(usize),
    /// A suspended operation has to resume.
    Wait(u32),
    /// An actor has to take an event that it defers, by the key of the event.
    Deferral(u32, u64),
    /// An actor has to do something else than handle events that it has sent itself.
    SelfSending(u32),
}

/// An event that an actor defers, as a check has found it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deferral {
    pub(crate) actor: u32,
    /// The key of the event.
    pub(crate) letter: u64,
    /// The step of the first check that found the event deferred.
    pub(crate) since: u64,
}

/// The temperature of a monitor, or of a predicate that has to become true.
#[derive(Clone, Debug)]
struct TemperatureEntry {
    /// The heat of earlier hot periods since the entry was last cold.
    kept: u64,
    /// The step since which the entry has been hot without a break, if it is hot.
    hot_from: Option<u64>,
    /// The step at which the entry became hot after it was last cold, while it is hot or warm.
    pending_since: Option<u64>,
}

/// The temperatures of one execution.
///
/// A temperature rises by one for every step in a hot state, drops to zero on entering a cold one and stays
/// as it is in a warm one. Nothing is counted at a step: the field `alarm` is the step at which the next
/// entry would pass the threshold, so a step costs one comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temperatures {
    entries: Vec<TemperatureEntry>,
    /// The temperature above which there is a liveness bug; `None` if liveness is not checked.
    threshold: Option<u64>,
    /// The first step that counts.
    counts_from: u64,
    /// The first step at which an entry above [`WARNING`] is of interest, if any.
    warns_from: Option<u64>,
    /// The first step at which an entry passes the threshold or is to be reported, or a check is due, if
    /// nothing changes.
    alarm: u64,
    /// The step at which waits and deferred events are checked next.
    checks_from: u64,
    /// The obligation under watch, and the step after which its discharge counts.
    watched: Option<(Obligation, u64)>,
    /// True once the obligation under watch has been discharged.
    recovered: bool,
    /// The largest number of steps for which a discharged obligation was pending.
    longest_pending: u64,
    /// The deferred events that the last check has found.
    deferrals: Vec<Deferral>,
}

impl Temperatures {
    /// Starts an execution. Heat counts from the step `counts_from`. The obligation `watched`, if any, raises
    /// the alarm when it is discharged after its step.
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
        self.checks_from = match watched {
            Some((Obligation::Deferral(..) | Obligation::SelfSending(_), from)) => from + 1,
            _ => u64::MAX,
        };
        self.watched = watched;
        self.recovered = false;
        self.longest_pending = 0;
        self.deferrals.clear();
        self.alarm = self.checks_from;
    }

    /// Returns the events that the last check of deferrals has found.
    pub(crate) fn deferrals(&self) -> &[Deferral] {
        &self.deferrals
    }

    pub(crate) fn set_deferrals(&mut self, deferrals: Vec<Deferral>) {
        self.deferrals = deferrals;
    }

    /// Checks liveness from `step` on, with every temperature at zero at that step.
    pub(crate) fn count_from(&mut self, step: u64, threshold: u64) {
        self.threshold = Some(threshold);
        self.counts_from = step;
        for entry in &mut self.entries {
            entry.kept = 0;
        }
        // Waits that began earlier count from here on.
        self.checks_from = step + 1;
        self.set_alarm();
    }

    /// Returns the threshold and the first step that counts, if liveness is checked.
    pub(crate) fn judges(&self) -> Option<(u64, u64)> {
        Some((self.threshold?, self.counts_from))
    }

    /// Schedules a check for the step at which an obligation that begins at `step` would be overdue.
    #[inline]
    pub(crate) fn schedule_overdue_check(&mut self, step: u64) {
        if let Some(threshold) = self.threshold {
            self.schedule_check(step.max(self.counts_from) + threshold + 1);
        }
    }

    /// Schedules a check after a quarter of the threshold, for obligations whose first step is unknown.
    pub(crate) fn schedule_early_check(&mut self, step: u64) {
        if let Some(threshold) = self.threshold {
            self.schedule_check(step.max(self.counts_from) + threshold / 4 + 1);
        }
    }

    /// Schedules a check at that step, unless an earlier one is scheduled.
    #[inline]
    pub(crate) fn schedule_check(&mut self, step: u64) {
        let is_checked = self.threshold.is_some() || self.watched.is_some();
        if step < self.checks_from && is_checked {
            self.checks_from = step;
            self.alarm = self.alarm.min(step);
        }
    }

    /// Returns whether the scheduled check is due, and if so removes it from the schedule.
    pub(crate) fn takes_check(&mut self, step: u64) -> bool {
        let is_due = step >= self.checks_from;
        if is_due {
            self.checks_from = u64::MAX;
            self.set_alarm();
        }
        is_due
    }

    /// Returns whether an entry above [`WARNING`] is to be reported.
    pub(crate) fn warns(&self, step: u64) -> bool {
        let warns = |from: u64| self.passes(WARNING).max(from) <= step;
        self.warns_from.is_some_and(warns)
    }

    /// Returns the obligation under watch.
    pub(crate) fn watched(&self) -> Option<Obligation> {
        self.watched.map(|(obligation, _)| obligation)
    }

    /// Records that an obligation is discharged. A discharge in the step at which its watch begins does not
    /// count, since the obligation has arisen again in that step.
    #[inline]
    pub(crate) fn discharge(&mut self, obligation: Obligation, step: u64) {
        if let Some((watched, from)) = self.watched
            && watched == obligation
            && step > from
        {
            self.recovered = true;
            self.set_alarm();
        }
    }

    /// Adds an entry that is cold; returns its number.
    pub(crate) fn add(&mut self) -> usize {
        self.entries.push(TemperatureEntry {
            kept: 0,
            hot_from: None,
            pending_since: None,
        });
        self.entries.len() - 1
    }

    /// Makes the entry hot from `step` on; returns whether it was not hot before. From hot to hot, nothing is
    /// reset.
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

    /// Makes the entry warm: its temperature stays.
    pub(crate) fn warm(&mut self, number: usize, step: u64) {
        let counts_from = self.counts_from;
        let entry = &mut self.entries[number];
        if let Some(from) = entry.hot_from.take() {
            entry.kept += step.saturating_sub(from.max(counts_from));
            self.set_alarm();
        }
    }

    /// Makes the entry cold: its obligation is discharged.
    pub(crate) fn cold(&mut self, number: usize, step: u64) {
        self.discharge(Obligation::Specification(number), step);
        let entry = &mut self.entries[number];
        entry.kept = 0;
        if let Some(since) = entry.pending_since.take() {
            self.longest_pending = self.longest_pending.max(step - since);
        }
        if entry.hot_from.take().is_some() {
            self.set_alarm();
        }
    }

    /// Sets the step from which on entries above [`WARNING`] raise the alarm; `None` for no such alarm.
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
        self.alarm = alarm.min(self.checks_from);
    }

    /// Returns the first step at which some entry is above `limit`, if nothing changes.
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

    /// Returns whether an entry or a check may need attention after `step` steps.
    #[inline]
    pub(crate) fn alarms(&self, step: u64) -> bool {
        step >= self.alarm
    }

    pub(crate) fn longest_pending(&self) -> u64 {
        self.longest_pending
    }

    /// Returns whether the obligation under watch has been discharged.
    pub(crate) fn recovered(&self) -> bool {
        self.recovered
    }

    /// Returns the entry above the threshold, its temperature, and the step since which it has been pending.
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

    /// Returns the hottest entry that is hot now and above [`WARNING`], and the step since which it is
    /// pending.
    pub(crate) fn hottest(&self, step: u64) -> Option<(usize, u64)> {
        let is_hot = |number: &usize| {
            self.hot_since(*number).is_some() && self.temperature(*number, step) > WARNING
        };
        let hottest = (0..self.entries.len())
            .filter(is_hot)
            .max_by_key(|number| self.temperature(*number, step))?;
        Some((hottest, self.pending_since(hottest)?))
    }

    /// Returns the entries that are pending and those that are hot, with one bit for each. Entries after the
    /// 62nd share the last bit, and the last but one is unused.
    pub(crate) fn pending_bits(&self) -> (u64, u64) {
        let (mut pending, mut hot) = (0, 0);
        for (number, entry) in self.entries.iter().enumerate() {
            let bit = 1 << if number < 62 { number } else { 63 };
            pending |= if entry.pending_since.is_some() {
                bit
            } else {
                0
            };
            hot |= if entry.hot_from.is_some() { bit } else { 0 };
        }
        (pending, hot)
    }

    /// Feeds the entries that are hot, and those that are warm since they were hot, into a fingerprint.
    pub(crate) fn feed(&self, to: &mut Fingerprinter) {
        for entry in &self.entries {
            to.write_u8(
                u8::from(entry.hot_from.is_some()) + u8::from(entry.pending_since.is_some()),
            );
        }
    }

    /// Returns the temperature after `step` steps.
    pub(crate) fn temperature(&self, number: usize, step: u64) -> u64 {
        let entry = &self.entries[number];
        let from = |from: u64| step.saturating_sub(from.max(self.counts_from));
        entry.kept + entry.hot_from.map_or(0, from)
    }

    /// Returns whether the entry's obligation is pending: hot, or warm since it was hot.
    pub(crate) fn is_pending(&self, number: usize) -> bool {
        self.entries[number].pending_since.is_some()
    }

    /// Returns the step at which the entry became hot after it was last cold.
    pub(crate) fn pending_since(&self, number: usize) -> Option<u64> {
        self.entries[number].pending_since
    }

    /// Returns the step since which the entry is pending, if it is hot now.
    pub(crate) fn hot_since(&self, number: usize) -> Option<u64> {
        let entry = &self.entries[number];
        entry.hot_from.and(entry.pending_since)
    }

    pub(crate) fn any_hot(&self) -> bool {
        self.entries.iter().any(|entry| entry.hot_from.is_some())
    }

    pub(crate) fn any_pending(&self) -> bool {
        (0..self.entries.len()).any(|number| self.is_pending(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When steps begin to count, all entries are cold, and waits are checked in the next step.
    #[test]
    fn what_was_hot_before_does_not_count() {
        let mut temperatures = Temperatures::default();
        temperatures.begin(None, 0, None);
        let hot = temperatures.add();
        temperatures.hot(hot, 5);
        temperatures.warm(hot, 15);
        temperatures.hot(hot, 20);
        assert_eq!(temperatures.temperature(hot, 30), 20);
        temperatures.count_from(30, 100);
        assert_eq!(temperatures.temperature(hot, 30), 0);
        assert_eq!(temperatures.judges(), Some((100, 30)));
        assert!(!temperatures.alarms(30));
        assert!(temperatures.alarms(31));
        assert!(!temperatures.takes_check(30));
        assert!(temperatures.takes_check(31));
        assert!(!temperatures.alarms(130));
        assert_eq!(temperatures.alarming(130), None);
        assert!(temperatures.alarms(131));
        assert_eq!(temperatures.alarming(131), Some((hot, 101, 5)));
    }
}
