//! The children of one supervisor, and who of them is stopped and brought back when: [`Family`].
//!
//! Both executors keep one for each supervisor, tell it what has happened, and do what it orders; so
//! there is one place where it is decided. It knows neither actors nor clocks.

use std::collections::VecDeque;
use std::time::Duration;

use crate::supervision::{ChildOptions, Restart, Strategy, Supervision};
use crate::watch::StopReason;

/// What an executor is to do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Order {
    /// To stop a child, which then has [`ended`](Family::ended): ahead of what is in its inbox, or
    /// when it has handled that.
    Stop {
        /// Which.
        child: u64,
        /// Ahead of its inbox.
        at_once: bool,
    },
    /// To let time pass until a child has [`waited`](Family::waited).
    Wait {
        /// Which.
        child: u64,
        /// How long.
        delay: Duration,
        /// Which part of the delay is left to chance, to either side.
        jitter: f64,
    },
    /// To make a child anew and run its `#[start]` hook; it has [`started`](Family::started) when
    /// that has returned or waits, and has ended where it failed.
    Start {
        /// Which.
        child: u64,
    },
    /// To end a child that is down for good; it has [`left`](Family::left) then.
    Finish {
        /// Which.
        child: u64,
        /// Since its supervisor gives up.
        exhausted: bool,
    },
    /// To let the supervisor fail, which gives up.
    GiveUp,
    /// To go on with the end of the supervisor: no child is left.
    Closed,
}

/// The children of one supervisor.
#[derive(Clone, Debug)]
pub struct Family {
    supervision: Supervision,
    /// In the order of their spawns.
    members: Vec<Member>,
    /// When children were brought back lately.
    restarts: VecDeque<Duration>,
    phase: Phase,
}

/// How far a supervisor has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Open,
    /// It was told to fail.
    GivenUp,
    /// It ends, and its children before it.
    Closing {
        at_once: bool,
    },
    /// It knows that none is left.
    Closed,
}

#[derive(Clone, Debug)]
struct Member {
    id: u64,
    options: ChildOptions,
    status: Status,
    /// It is to be stopped and brought back with another.
    condemned: bool,
    /// How often it has ended in a row, and when it was started last.
    failures: u32,
    since: Duration,
    /// How often it was brought back.
    lives: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Running,
    /// It was told to stop.
    Stopping,
    /// It is down until time has passed.
    Waiting,
    /// It is down and may start.
    Ready,
    /// It was told to start.
    Starting,
    /// It was told to end for good.
    Leaving,
}

impl Member {
    fn is_up(&self) -> bool {
        matches!(self.status, Status::Running | Status::Starting)
    }

    fn is_down(&self) -> bool {
        matches!(self.status, Status::Waiting | Status::Ready)
    }
}

impl Family {
    /// Without children.
    #[must_use]
    pub fn new(supervision: Supervision) -> Self {
        Self {
            supervision,
            members: Vec::new(),
            restarts: VecDeque::new(),
            phase: Phase::Open,
        }
    }

    /// From now on.
    pub fn supervise(&mut self, supervision: Supervision) {
        self.supervision = supervision;
    }

    /// A child was spawned.
    pub fn add(&mut self, child: u64, options: ChildOptions, now: Duration) {
        self.members.push(Member {
            id: child,
            options,
            status: Status::Running,
            condemned: false,
            failures: 0,
            since: now,
            lives: 0,
        });
    }

    /// Nobody is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Why a supervisor gives up.
    #[must_use]
    pub fn limit(&self) -> String {
        let Supervision {
            max_restarts,
            within,
            ..
        } = self.supervision;
        let times = if max_restarts == 1 { "time" } else { "times" };
        format!("restarted {max_restarts} {times} within {within:?}, it has ended once more")
    }

    /// A child has ended, and its value is dropped. `told` says that somebody else has told it to
    /// stop, so that it stays down.
    pub fn ended(
        &mut self,
        child: u64,
        reason: StopReason,
        told: bool,
        now: Duration,
        orders: &mut Vec<Order>,
    ) {
        let Some(at) = self.position(child) else {
            return;
        };
        let member = &mut self.members[at];
        let ordered = member.condemned || member.status == Status::Stopping;
        member.condemned = false;
        let returns = match member.options.restart {
            _ if told || self.phase != Phase::Open => false,
            Restart::Temporary => false,
            _ if ordered => true,
            Restart::Permanent => reason != StopReason::Aborted,
            Restart::Transient => reason.is_failure(),
        };
        if !returns {
            self.finish(at, false, orders);
        } else if ordered {
            self.members[at].status = Status::Ready;
        } else if self.is_too_often(now) {
            self.phase = Phase::GivenUp;
            self.finish(at, true, orders);
            orders.push(Order::GiveUp);
        } else {
            self.bring_back(at, now, orders);
        }
        self.settle(orders);
    }

    /// The wait of a child is over.
    pub fn waited(&mut self, child: u64, orders: &mut Vec<Order>) {
        if let Some(at) = self.position(child)
            && self.members[at].status == Status::Waiting
        {
            self.members[at].status = Status::Ready;
            self.settle(orders);
        }
    }

    /// The start hook of a child has returned, or waits.
    pub fn started(&mut self, child: u64, now: Duration, orders: &mut Vec<Order>) {
        if let Some(at) = self.position(child)
            && self.members[at].status == Status::Starting
        {
            let member = &mut self.members[at];
            member.status = Status::Running;
            member.since = now;
            self.settle(orders);
        }
    }

    /// A child is gone for good.
    pub fn left(&mut self, child: u64, orders: &mut Vec<Order>) {
        if let Some(at) = self.position(child) {
            self.members.remove(at);
            self.settle(orders);
        }
    }

    /// The supervisor ends; it goes on when none is [left](Order::Closed).
    pub fn close(&mut self, at_once: bool, orders: &mut Vec<Order>) {
        self.phase = Phase::Closing { at_once };
        self.settle(orders);
    }

    /// What it comes to, for a fingerprint: times as distances from now.
    pub fn feed(&self, now: Duration, mut feed: impl FnMut(u64)) {
        for member in &self.members {
            feed(member.id);
            feed(member.status as u64 | u64::from(member.condemned) << 8);
            feed(u64::from(member.failures));
            // A factory may count: what it makes is told apart by how often it was called.
            feed(member.lives);
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
    }

    fn position(&self, child: u64) -> Option<usize> {
        self.members.iter().position(|member| member.id == child)
    }

    fn finish(&mut self, at: usize, exhausted: bool, orders: &mut Vec<Order>) {
        let member = &mut self.members[at];
        member.status = Status::Leaving;
        orders.push(Order::Finish {
            child: member.id,
            exhausted,
        });
    }

    /// Counts one more.
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

    fn bring_back(&mut self, at: usize, now: Duration, orders: &mut Vec<Order>) {
        let member = &mut self.members[at];
        member.status = Status::Ready;
        if let Some(backoff) = member.options.backoff {
            if now.saturating_sub(member.since) > backoff.longest() {
                member.failures = 0;
            }
            member.status = Status::Waiting;
            orders.push(Order::Wait {
                child: member.id,
                delay: backoff.after(member.failures),
                jitter: backoff.chance(),
            });
            member.failures = member.failures.saturating_add(1);
        }
        let group = match self.supervision.strategy {
            Strategy::OneForOne => at..at,
            Strategy::OneForAll => 0..self.members.len(),
            Strategy::RestForOne => at..self.members.len(),
        };
        for member in &mut self.members[group] {
            member.condemned |= member.is_up();
        }
    }

    /// Orders what is due by now.
    fn settle(&mut self, orders: &mut Vec<Order>) {
        match self.phase {
            Phase::Open => {
                self.stop_next(true, |member| member.condemned, orders);
                self.start_next(orders);
            }
            Phase::GivenUp | Phase::Closed => {}
            Phase::Closing { at_once } => {
                for at in 0..self.members.len() {
                    if self.members[at].is_down() {
                        self.finish(at, false, orders);
                    }
                }
                self.stop_next(at_once, |_| true, orders);
                if self.members.is_empty() {
                    self.phase = Phase::Closed;
                    orders.push(Order::Closed);
                }
            }
        }
    }

    /// Stops the last of those that are to be stopped, unless another still stops.
    fn stop_next(
        &mut self,
        at_once: bool,
        wanted: impl Fn(&Member) -> bool,
        orders: &mut Vec<Order>,
    ) {
        let stops = |member: &Member| member.status == Status::Stopping;
        if self.members.iter().any(stops) {
            return;
        }
        let mut members = self.members.iter_mut();
        if let Some(last) = members.rfind(|member| member.is_up() && wanted(member)) {
            last.status = Status::Stopping;
            orders.push(Order::Stop {
                child: last.id,
                at_once,
            });
        }
    }

    fn start_next(&mut self, orders: &mut Vec<Order>) {
        let alone = self.supervision.strategy == Strategy::OneForOne;
        let busy = |member: &Member| {
            member.condemned
                || matches!(
                    member.status,
                    Status::Stopping | Status::Waiting | Status::Starting
                )
        };
        if !alone && self.members.iter().any(busy) {
            return;
        }
        for member in &mut self.members {
            if member.status != Status::Ready {
                continue;
            }
            member.status = Status::Starting;
            member.lives += 1;
            orders.push(Order::Start { child: member.id });
            if !alone {
                return;
            }
        }
    }
}
