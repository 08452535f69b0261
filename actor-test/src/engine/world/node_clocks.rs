//! The clocks of nodes: offset, drift and jumps, and the deadlines of timers by them.
//!
//! [`Timers::now`](crate::engine::world::timers::Timers::now) is the true time. The clock of a node starts
//! ahead of it, runs faster or slower, and jumps. The clock runs on while its node is down, as a machine's
//! does. Operations on no node have the true time.

use std::time::Duration;

use crate::engine::world::children::Supervised;
use crate::engine::world::nodes::Nodes;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::{TimerStage, VirtualTimer};

const SECOND: i64 = 1_000_000_000;

/// The clock of a node. The exact reading is a fraction, of which readers see whole nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeClock {
    /// The nanoseconds by which the clock advances in a second.
    rate: u64,
    /// The lead over the time that follows from the rate alone.
    ahead: Duration,
    /// The amount by which the date on the node was set back.
    behind_date: Duration,
}

impl NodeClock {
    /// Returns a clock that shows the true time.
    pub(super) const fn right() -> Self {
        Self {
            rate: SECOND as u64,
            ahead: Duration::ZERO,
            behind_date: Duration::ZERO,
        }
    }

    /// Returns the reading of the clock at the true time `now`.
    fn reading(&self, now: Duration) -> Duration {
        let shown = now.as_nanos() * u128::from(self.rate) / SECOND as u128;
        nanoseconds(shown).saturating_add(self.ahead)
    }

    /// Returns the true time in which the clock advances by `delay`, whenever that starts.
    fn until(&self, delay: Duration) -> Duration {
        let scaled = delay.as_nanos().saturating_mul(SECOND as u128);
        nanoseconds(scaled.div_ceil(u128::from(self.rate)))
    }

    /// Returns the advance of the clock in a true time.
    fn passes_in(&self, time: Duration) -> Duration {
        let scaled = time.as_nanos().saturating_mul(u128::from(self.rate));
        nanoseconds(scaled / SECOND as u128)
    }

    /// Returns the true time until a deadline that was `left` away, after the clock has jumped ahead.
    fn sooner(&self, left: Duration, by: Duration) -> Duration {
        let goes_on = left.as_nanos() * u128::from(self.rate);
        let left = goes_on.saturating_sub(by.as_nanos().saturating_mul(SECOND as u128));
        nanoseconds(left.div_ceil(u128::from(self.rate)))
    }

    /// Returns the parameters of the clock as numbers.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        let short = |duration: Duration| duration.as_nanos() as u64;
        [self.rate, short(self.ahead), short(self.behind_date)]
    }
}

/// Converts nanoseconds to a duration, or to [`Duration::MAX`] if they are too many.
fn nanoseconds(nanoseconds: u128) -> Duration {
    let (seconds, rest) = (nanoseconds / SECOND as u128, nanoseconds % SECOND as u128);
    match u64::try_from(seconds) {
        Ok(seconds) => Duration::new(seconds, rest as u32),
        Err(_) => Duration::MAX,
    }
}

impl Nodes {
    /// Returns whether some clock may deviate from the true time.
    #[inline]
    pub(crate) fn are_clocks_apart(&self) -> bool {
        self.are_clocks_apart
    }

    /// Makes the clock of a node start `ahead` of the true time, and gain so many nanoseconds in a second.
    pub(crate) fn set_clock(&mut self, node: u32, ahead: Duration, gains: i64) {
        let clock = &mut self.nodes[node as usize].clock;
        clock.ahead = ahead;
        clock.rate = SECOND.saturating_add(gains).max(1) as u64;
        self.are_clocks_apart = true;
    }

    /// Returns the clocks of all nodes, if some may deviate from the true time.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = &NodeClock> {
        let nodes = self.nodes.iter().filter(|_| self.are_clocks_apart);
        nodes.map(|node| &node.clock)
    }

    /// Returns the time on the clock of an operation's node at the true time `now`.
    pub(crate) fn now_at(&self, operation: u32, now: Duration) -> Duration {
        let clock = self.clock_of(operation);
        clock.map_or(now, |clock| clock.reading(now))
    }

    /// Returns the time on the clock of a supervisor's node at the true time `now`. The system has the true time.
    pub(crate) fn now_at_family(&self, supervised: &Supervised, now: Duration) -> Duration {
        let supervisor = supervised.supervisor;
        supervisor.map_or(now, |supervisor| self.now_at(supervisor, now))
    }

    /// Returns the amount by which the date on an operation's node was set back.
    pub(crate) fn behind_date_at(&self, operation: u32) -> Duration {
        let clock = self.clock_of(operation);
        clock.map_or(Duration::ZERO, |clock| clock.behind_date)
    }

    /// Returns the true time in which the clock of an operation's node advances by `delay`.
    pub(super) fn until(&self, operation: u32, delay: Duration) -> Duration {
        let clock = self.clock_of(operation);
        clock.map_or(delay, |clock| clock.until(delay))
    }

    /// Returns the time from `now` until a timer is due, on the clock of its owner's node.
    pub(crate) fn time_left(&self, timer: &VirtualTimer, now: Duration) -> Duration {
        if timer.stage == TimerStage::Unarmed {
            return timer.delay;
        }
        let left = timer.deadline.saturating_sub(now);
        let clock = self.clock_of(timer.owner);
        clock.map_or(left, |clock| clock.passes_in(left))
    }

    /// Sets the date on a node back, without effect on timers.
    pub(crate) fn set_back(&mut self, node: u32, by: Duration) {
        self.are_clocks_apart = true;
        let clock = &mut self.nodes[node as usize].clock;
        clock.behind_date = clock.behind_date.saturating_add(by);
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
    /// Makes the clock of a node jump ahead, so that the timers on the node are due that much sooner.
    pub(crate) fn set_ahead(&mut self, node: u32, by: Duration) {
        self.nodes.are_clocks_apart = true;
        let now = self.timers.now();
        for timer in 0..self.timers.count() {
            let found = &self.timers[timer];
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
            self.timers.postpone(timer, deadline);
        }
        self.refresh_timers();
        let clock = &mut self.nodes.nodes[node as usize].clock;
        clock.ahead = clock.ahead.saturating_add(by);
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

    /// By the clock of its node, a timer is never early, and late by at most two nanoseconds, whatever jumps
    /// come between.
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
