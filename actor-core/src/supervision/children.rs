//! The supervision state machine: [`Children`] decides which children are stopped and restarted, and when.
//!
//! Both executors keep one for each supervisor, notify it of events, and carry out its orders; so the
//! decisions are in one place. This module depends on neither actors nor clocks.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use super::{ChildOptions, Decision, Restart, StopReason, Strategy, Supervision};
use crate::insertion_ordered_map::InsertionOrderedMap;

/// An order to an executor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Order {
    /// Stop a child, which will have [`ended`](Children::ended).
    Stop {
        /// The number of the child.
        child: u64,
        /// True to stop before the events in the child's inbox, false to stop after them.
        at_once: bool,
    },
    /// Wait until a child has [`waited`](Children::waited).
    Wait {
        /// The number of the child.
        child: u64,
        /// The duration of the wait.
        delay: Duration,
        /// The part of the delay that is random, in either direction.
        jitter: f64,
    },
    /// Create a child again and run its `#[start]` hook. The child has [`started`](Children::started) when
    /// the hook has returned or waits, and has ended if the hook failed.
    Start {
        /// The number of the child.
        child: u64,
    },
    /// End a child that is down for good; it has [`left`](Children::left) afterwards.
    Finish {
        /// The number of the child.
        child: u64,
        /// True if the child ends because its supervisor gives up.
        exhausted: bool,
    },
    /// Ask the supervisor about a failed child; [`decided`](Children::decided) reports the decision.
    Decide {
        /// The number of the child.
        child: u64,
    },
    /// Fail the supervisor. The system, which can't fail, calls [`close`](Children::close) instead.
    GiveUp,
    /// Continue the end of the supervisor: no child is left.
    Closed,
}

impl Order {
    /// The child that the order concerns; `None` if it concerns the supervisor.
    pub(crate) fn child(&self) -> Option<u64> {
        match *self {
            Self::Stop { child, .. }
            | Self::Wait { child, .. }
            | Self::Start { child }
            | Self::Decide { child }
            | Self::Finish { child, .. } => Some(child),
            Self::GiveUp | Self::Closed => None,
        }
    }
}

/// The children of one supervisor.
///
/// The cost of an event is logarithmic in the number of children, plus the number of orders that follow.
#[derive(Clone, Debug)]
pub struct Children {
    supervision: Supervision,
    /// The children in the order of their spawns.
    members: InsertionOrderedMap<u64, Member>,
    /// The places of the children that are up.
    up: BTreeSet<u64>,
    /// The places of the children to be stopped and restarted with another child; each is up or stopping.
    to_restart: BTreeSet<u64>,
    /// The places of the children that are down and may start.
    ready: BTreeSet<u64>,
    /// The numbers of children that are stopping, waiting for a back-off, and starting.
    stopping: usize,
    waiting: usize,
    starting: usize,
    /// The times of recent restarts.
    restarts: VecDeque<Duration>,
    phase: Phase,
    /// True if the supervisor itself decides about failed children.
    asks: bool,
    /// True if the supervisor has decided to fail.
    escalated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Open,
    /// The supervisor was ordered to fail.
    GivenUp,
    /// The supervisor ends, after its children.
    Closing {
        at_once: bool,
    },
    /// The supervisor was notified that no child is left.
    Closed,
}

#[derive(Clone, Debug)]
struct Member {
    id: u64,
    options: ChildOptions,
    status: ChildStatus,
    /// The number of failures in a row, and the time of the latest start.
    failures: u32,
    since: Duration,
    /// The number of restarts.
    restarts_of_child: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChildStatus {
    Running,
    Stopping,
    /// The child is down, and waits for the end of its back-off.
    Waiting,
    Ready,
    Starting,
    /// The child was ordered to end for good.
    Leaving,
    /// The child is down, and its supervisor was asked for a decision.
    Asked,
}

impl ChildStatus {
    fn is_up(self) -> bool {
        matches!(self, Self::Running | Self::Starting)
    }

    fn is_down(self) -> bool {
        matches!(self, Self::Waiting | Self::Ready | Self::Asked)
    }
}

impl Children {
    /// Returns the state of a supervisor without children.
    #[must_use]
    pub fn new(supervision: Supervision) -> Self {
        Self {
            supervision,
            members: InsertionOrderedMap::new(),
            up: BTreeSet::new(),
            to_restart: BTreeSet::new(),
            ready: BTreeSet::new(),
            stopping: 0,
            waiting: 0,
            starting: 0,
            restarts: VecDeque::new(),
            phase: Phase::Open,
            asks: false,
            escalated: false,
        }
    }

    /// Replaces the supervision from now on.
    pub fn supervise(&mut self, supervision: Supervision) {
        self.supervision = supervision;
    }

    /// Asks the supervisor about each failed child from now on.
    pub fn ask(&mut self) {
        self.asks = true;
    }

    /// True if children are restarted: the supervisor has neither given up nor ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Adds a child that was spawned.
    pub fn add(&mut self, child: u64, options: ChildOptions, now: Duration) {
        let member = Member {
            id: child,
            options,
            status: ChildStatus::Running,
            failures: 0,
            since: now,
            restarts_of_child: 0,
        };
        let at = self.members.insert(child, member);
        self.up.insert(at);
    }

    /// True if there are no children.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the reason why the supervisor gives up.
    #[must_use]
    pub fn limit(&self) -> String {
        if self.escalated {
            return "its supervisor has decided to fail with it".into();
        }
        let Supervision {
            max_restarts,
            within,
            ..
        } = self.supervision;
        let times = if max_restarts == 1 { "time" } else { "times" };
        format!("restarted {max_restarts} {times} within {within:?}, it has ended once more")
    }

    /// Records that a child has ended, and its value is dropped. `was_stopped` is true if others than the
    /// supervisor have stopped it, so that it stays down; `has_started` if its start was complete.
    pub fn ended(
        &mut self,
        child: u64,
        reason: StopReason,
        was_stopped: bool,
        has_started: bool,
        now: Duration,
        orders: &mut Vec<Order>,
    ) {
        let Some((at, member)) = self.find(child) else {
            return;
        };
        let (status, options) = (member.status, member.options);
        let ordered = self.to_restart.remove(&at) || status == ChildStatus::Stopping;
        let returns = match options.restart {
            _ if was_stopped || self.phase != Phase::Open => false,
            Restart::Temporary => false,
            _ if ordered => true,
            _ if options.is_worker && !has_started => false,
            Restart::Permanent => reason != StopReason::Aborted,
            Restart::Transient => reason.is_failure(),
        };
        if !returns {
            self.finish(at, false, orders);
        } else if ordered {
            self.set(at, ChildStatus::Ready);
        } else if self.asks && reason.is_failure() {
            self.set(at, ChildStatus::Asked);
            orders.push(Order::Decide { child });
        } else {
            self.bring_back_or_give_up(at, now, orders);
        }
        self.settle(orders);
    }

    /// Records the supervisor's decision about a child, which may have ended for good meanwhile.
    pub fn decided(
        &mut self,
        child: u64,
        decision: Decision,
        now: Duration,
        orders: &mut Vec<Order>,
    ) {
        let Some((at, member)) = self.find(child) else {
            return;
        };
        if member.status != ChildStatus::Asked || self.phase != Phase::Open {
            return;
        }
        match decision {
            Decision::Restart => self.bring_back_or_give_up(at, now, orders),
            Decision::Stop => self.finish(at, false, orders),
            Decision::Escalate => {
                self.escalated = true;
                self.give_up(at, orders);
            }
        }
        self.settle(orders);
    }

    /// Records that the back-off of a child is over.
    pub fn waited(&mut self, child: u64, orders: &mut Vec<Order>) {
        if let Some((at, member)) = self.find(child)
            && member.status == ChildStatus::Waiting
        {
            self.set(at, ChildStatus::Ready);
            self.settle(orders);
        }
    }

    /// Records that the start hook of a child has returned, or waits.
    pub fn started(&mut self, child: u64, now: Duration, orders: &mut Vec<Order>) {
        if let Some((at, member)) = self.find(child)
            && member.status == ChildStatus::Starting
        {
            member.since = now;
            self.set(at, ChildStatus::Running);
            self.settle(orders);
        }
    }

    /// Removes a child that has ended for good.
    pub fn left(&mut self, child: u64, orders: &mut Vec<Order>) {
        if let Some((at, _)) = self.find(child) {
            // This removes the child from all counts and sets.
            self.set(at, ChildStatus::Leaving);
            self.to_restart.remove(&at);
            self.members.remove(&child);
            self.settle(orders);
        }
    }

    /// Begins the end of the supervisor, which continues when no child is [left](Order::Closed).
    pub fn close(&mut self, at_once: bool, orders: &mut Vec<Order>) {
        self.phase = Phase::Closing { at_once };
        let members = self.members.iter();
        let down: Vec<u64> = members
            .filter(|(_, member)| member.status.is_down())
            .map(|(at, _)| at)
            .collect();
        for at in down {
            self.finish(at, false, orders);
        }
        self.settle(orders);
    }

    /// Feeds the state to a fingerprint, with times relative to `now`.
    pub fn feed(&self, now: Duration, mut feed: impl FnMut(u64)) {
        for (at, member) in self.members.iter() {
            let condemned = self.to_restart.contains(&at);
            feed(member.id);
            feed(member.status as u64 | u64::from(condemned) << 8);
            feed(u64::from(member.failures));
            // A factory may count its calls, so the number of restarts is part of the state.
            feed(member.restarts_of_child);
            if member.options.backoff.is_some() {
                feed(now.saturating_sub(member.since).as_nanos() as u64);
            }
        }
        for restart in &self.restarts {
            let ago = now.saturating_sub(*restart);
            if ago <= self.supervision.within {
                feed(ago.as_nanos() as u64);
            }
        }
        feed(match self.phase {
            Phase::Open => 0,
            Phase::GivenUp => 1,
            Phase::Closing { at_once } => 2 + u64::from(at_once),
            Phase::Closed => 4,
        });
        if self.asks {
            feed(u64::from(self.escalated));
        }
    }

    fn find(&mut self, child: u64) -> Option<(u64, &mut Member)> {
        let at = self.members.place(&child)?;
        Some((at, self.members.at(at)?))
    }

    /// Changes the status of a member, and updates the counts and sets.
    fn set(&mut self, at: u64, status: ChildStatus) {
        let Some(member) = self.members.at(at) else {
            return;
        };
        let before = std::mem::replace(&mut member.status, status);
        if before.is_up() != status.is_up() {
            change(&mut self.up, at, status.is_up());
        }
        if (before == ChildStatus::Ready) != (status == ChildStatus::Ready) {
            change(&mut self.ready, at, status == ChildStatus::Ready);
        }
        let counts = [
            (ChildStatus::Stopping, &mut self.stopping),
            (ChildStatus::Waiting, &mut self.waiting),
            (ChildStatus::Starting, &mut self.starting),
        ];
        for (counted, count) in counts {
            *count += usize::from(status == counted);
            *count -= usize::from(before == counted);
        }
    }

    fn finish(&mut self, at: u64, exhausted: bool, orders: &mut Vec<Order>) {
        self.set(at, ChildStatus::Leaving);
        if let Some(member) = self.members.at(at) {
            orders.push(Order::Finish {
                child: member.id,
                exhausted,
            });
        }
    }

    /// Counts a restart; returns true if the limit of restarts is exceeded.
    fn is_too_often(&mut self, now: Duration) -> bool {
        let within = self.supervision.within;
        while let Some(first) = self.restarts.front()
            && now.saturating_sub(*first) > within
        {
            self.restarts.pop_front();
        }
        self.restarts.push_back(now);
        self.restarts.len() > self.supervision.max_restarts as usize
    }

    fn bring_back_or_give_up(&mut self, at: u64, now: Duration, orders: &mut Vec<Order>) {
        let is_counted = self
            .members
            .at(at)
            .is_some_and(|member| !member.options.is_worker);
        if is_counted && self.is_too_often(now) {
            self.give_up(at, orders);
        } else {
            self.bring_back(at, now, orders);
        }
    }

    fn give_up(&mut self, at: u64, orders: &mut Vec<Order>) {
        self.phase = Phase::GivenUp;
        self.finish(at, true, orders);
        orders.push(Order::GiveUp);
    }

    fn bring_back(&mut self, at: u64, now: Duration, orders: &mut Vec<Order>) {
        let Some(member) = self.members.at(at) else {
            return;
        };
        let mut status = ChildStatus::Ready;
        if let Some(backoff) = member.options.backoff {
            if now.saturating_sub(member.since) > backoff.longest() {
                member.failures = 0;
            }
            status = ChildStatus::Waiting;
            orders.push(Order::Wait {
                child: member.id,
                delay: backoff.after(member.failures),
                jitter: backoff.chance(),
            });
            member.failures = member.failures.saturating_add(1);
        }
        self.set(at, status);
        match self.supervision.strategy {
            Strategy::OneForOne => {}
            Strategy::OneForAll => self.to_restart.extend(&self.up),
            Strategy::RestForOne => self.to_restart.extend(self.up.range(at..)),
        }
    }

    /// Issues the orders that are due now.
    fn settle(&mut self, orders: &mut Vec<Order>) {
        match self.phase {
            Phase::Open => {
                self.stop_next(self.to_restart.last().copied(), true, orders);
                self.start_next(orders);
            }
            Phase::GivenUp | Phase::Closed => {}
            Phase::Closing { at_once } => {
                self.stop_next(self.up.last().copied(), at_once, orders);
                if self.members.is_empty() {
                    self.phase = Phase::Closed;
                    orders.push(Order::Closed);
                }
            }
        }
    }

    /// Stops the last of the children that are to be stopped, unless another one is still stopping.
    fn stop_next(&mut self, last: Option<u64>, at_once: bool, orders: &mut Vec<Order>) {
        if self.stopping != 0 {
            return;
        }
        let Some(at) = last else {
            return;
        };
        self.set(at, ChildStatus::Stopping);
        if let Some(member) = self.members.at(at) {
            orders.push(Order::Stop {
                child: member.id,
                at_once,
            });
        }
    }

    fn start_next(&mut self, orders: &mut Vec<Order>) {
        let alone = self.supervision.strategy == Strategy::OneForOne;
        let is_busy = !self.to_restart.is_empty()
            || self.stopping != 0
            || self.waiting != 0
            || self.starting != 0;
        if !alone && is_busy {
            return;
        }
        while let Some(at) = self.ready.first().copied() {
            self.set(at, ChildStatus::Starting);
            if let Some(member) = self.members.at(at) {
                member.restarts_of_child += 1;
                orders.push(Order::Start { child: member.id });
            }
            if !alone {
                return;
            }
        }
    }
}

fn change(set: &mut BTreeSet<u64>, at: u64, is_in: bool) {
    if is_in {
        set.insert(at);
    } else {
        set.remove(&at);
    }
}
