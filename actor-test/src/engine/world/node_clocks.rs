//! The clocks of nodes: what each shows, and when a timer is due by it.
//!
//! [`State::now`] is the right time. The clock of a node begins ahead of it, goes faster or slower, and
//! jumps; it goes on while its node is down, as a machine's does. What is on no node has the right time.

use std::time::Duration;

use crate::engine::world::children::Supervised;
use crate::engine::world::nodes::Nodes;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::TimerStage;

/// A second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// A clock. It is exact: what it shows is a fraction, of which readers see whole nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeClock {
    /// How many nanoseconds it goes on in a second.
    rate: u64,
    /// By how much it is ahead of what its rate alone makes of the right time.
    ahead: Duration,
    /// By how much the date on its node was set back.
    behind_date: Duration,
}

impl NodeClock {
    /// One that shows the right time.
    pub(super) const fn right() -> Self {
        Self {
            rate: SECOND as u64,
            ahead: Duration::ZERO,
            behind_date: Duration::ZERO,
        }
    }

    /// What it shows at that time.
    fn reading(&self, now: Duration) -> Duration {
        let shown = now.as_nanos() * u128::from(self.rate) / SECOND as u128;
        nanoseconds(shown).saturating_add(self.ahead)
    }

    /// After how long it has gone on by so much, at whatever time that begins.
    fn until(&self, delay: Duration) -> Duration {
        let scaled = delay.as_nanos().saturating_mul(SECOND as u128);
        nanoseconds(scaled.div_ceil(u128::from(self.rate)))
    }

    /// How much passes on it in so long.
    fn passes_in(&self, time: Duration) -> Duration {
        let scaled = time.as_nanos().saturating_mul(u128::from(self.rate));
        nanoseconds(scaled / SECOND as u128)
    }

    /// After how long what is due after `left` is due, where it jumps ahead.
    fn sooner(&self, left: Duration, by: Duration) -> Duration {
        let goes_on = left.as_nanos() * u128::from(self.rate);
        let left = goes_on.saturating_sub(by.as_nanos().saturating_mul(SECOND as u128));
        nanoseconds(left.div_ceil(u128::from(self.rate)))
    }

    /// What there is to know of it, in numbers.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        let short = |duration: Duration| duration.as_nanos() as u64;
        [self.rate, short(self.ahead), short(self.behind_date)]
    }
}

/// The longest there is, where it is longer.
fn nanoseconds(nanoseconds: u128) -> Duration {
    let (seconds, rest) = (nanoseconds / SECOND as u128, nanoseconds % SECOND as u128);
    match u64::try_from(seconds) {
        Ok(seconds) => Duration::new(seconds, rest as u32),
        Err(_) => Duration::MAX,
    }
}

impl Nodes {
    /// Some clock is not right.
    #[inline]
    pub(crate) fn are_clocks_apart(&self) -> bool {
        self.are_clocks_apart
    }

    /// Has the clock of a node begin so far ahead, and gain so many nanoseconds in a second.
    pub(crate) fn set_clock(&mut self, node: u32, ahead: Duration, gains: i64) {
        let clock = &mut self.nodes[node as usize].clock;
        clock.ahead = ahead;
        clock.rate = SECOND.saturating_add(gains).max(1) as u64;
        self.are_clocks_apart = true;
    }

    /// The clocks of all nodes, where some are not right.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = &NodeClock> {
        let nodes = self.nodes.iter().filter(|_| self.are_clocks_apart);
        nodes.map(|node| &node.clock)
    }

    fn clock_of(&self, operation: u32) -> Option<&NodeClock> {
        if !self.are_clocks_apart {
            return None;
        }
        let node = self.node_of(operation)?;
        Some(&self.nodes[node as usize].clock)
    }
}

impl ExecutionState {
    /// What time it is where an operation is.
    pub(crate) fn now_at(&self, operation: u32) -> Duration {
        let clock = self.nodes.clock_of(operation);
        clock.map_or(self.now, |clock| clock.reading(self.now))
    }

    /// What time it is for a supervisor: the system's has the right time.
    pub(crate) fn now_at_family(&self, household: &Supervised) -> Duration {
        let supervisor = household.supervisor;
        supervisor.map_or(self.now, |supervisor| self.now_at(supervisor))
    }

    /// By how much the date was set back where an operation is.
    pub(crate) fn behind_date_at(&self, operation: u32) -> Duration {
        let clock = self.nodes.clock_of(operation);
        clock.map_or(Duration::ZERO, |clock| clock.behind_date)
    }

    /// After how long so much has passed where an operation is.
    pub(super) fn until(&self, operation: u32, delay: Duration) -> Duration {
        let clock = self.nodes.clock_of(operation);
        clock.map_or(delay, |clock| clock.until(delay))
    }

    /// How much has to pass on its owner's clock until a timer is due.
    pub(crate) fn time_left(&self, timer: u32) -> Duration {
        let timer = &self.timers.slots[timer as usize];
        if timer.stage == TimerStage::Unarmed {
            return timer.delay;
        }
        let left = timer.deadline.saturating_sub(self.now);
        let clock = self.nodes.clock_of(timer.owner);
        clock.map_or(left, |clock| clock.passes_in(left))
    }

    /// The clock of a node jumps ahead, and the timers there are due so much sooner.
    pub(crate) fn set_ahead(&mut self, node: u32, by: Duration) {
        self.nodes.are_clocks_apart = true;
        let now = self.now;
        for timer in 0..self.timers.slots.len() as u32 {
            let found = &self.timers.slots[timer as usize];
            let (owner, deadline) = (found.owner, found.deadline);
            let is_there = self.nodes.node_of(owner) == Some(node);
            if found.stage != TimerStage::Armed || !is_there {
                continue;
            }
            let clock = &self.nodes.nodes[node as usize].clock;
            let deadline = match deadline.checked_sub(now) {
                Some(left) => now.saturating_add(clock.sooner(left, by)),
                None => deadline.saturating_sub(clock.until(by)),
            };
            self.hide_timer(timer);
            self.timers.postpone(timer, now, deadline);
        }
        self.refresh_timers();
        let clock = &mut self.nodes.nodes[node as usize].clock;
        clock.ahead = clock.ahead.saturating_add(by);
    }

    /// The date on a node is set back; its timers go on.
    pub(crate) fn set_back(&mut self, node: u32, by: Duration) {
        self.nodes.are_clocks_apart = true;
        let clock = &mut self.nodes.nodes[node as usize].clock;
        clock.behind_date = clock.behind_date.saturating_add(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(gains: i64) -> NodeClock {
        NodeClock {
            rate: (SECOND + gains) as u64,
            ahead: Duration::from_nanos(13),
            ..NodeClock::right()
        }
    }

    /// By its own clock, a timer is never early, and late by less than the clock goes on in two
    /// nanoseconds; whatever jumps in between.
    #[test]
    fn a_timer_is_due_when_its_clock_says_so() {
        for gains in [-500_000_000, -1_000_003, -1, 0, 1, 999_999, 500_000_000] {
            for begun in [0, 1, 999, 1_000_000_007] {
                for delay in [0, 1, 2, 10, 1_000, 999_999_999, 86_400_000_000_000] {
                    for jump in [0, 1, 5_000, 999_999_998] {
                        let mut clock = clock(gains);
                        let now = Duration::from_nanos(begun);
                        let delay = Duration::from_nanos(delay);
                        let target = clock.reading(now) + delay;
                        let left = clock.until(delay);
                        let by = Duration::from_nanos(jump);
                        let left = clock.sooner(left, by);
                        clock.ahead += by;
                        let shown = clock.reading(now + left);
                        let tale =
                            format!("{gains} {begun} {delay:?} {jump}: {shown:?} {target:?}");
                        assert!(shown >= target, "{tale}");
                        let late = shown - target.max(clock.reading(now));
                        assert!(late <= Duration::from_nanos(2), "{tale}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_longer_than_all_times_is_the_longest() {
        let slow = clock(-500_000_000);
        assert_eq!(slow.until(Duration::MAX), Duration::MAX);
        assert_eq!(slow.sooner(Duration::ZERO, Duration::MAX), Duration::ZERO);
        assert_eq!(
            clock(1).reading(Duration::from_secs(u64::MAX)),
            Duration::MAX
        );
    }
}
