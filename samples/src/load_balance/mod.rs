//! Load balancing between servers, after the example of Killian et al., "Life, Death,
//! and the Critical Transition: Finding Liveness Bugs in Systems Code", section 2.
//!
//! A [`Dispatcher`] gives each [`Job`] to a [`Server`] that it picks at
//! random. A server takes some time for a job, and queues the others. At times
//! one of two servers has more work than the other, but that does not last.
//! The *liveness* property is that the loads are [`Balance`]d again and again.
//!
//! **The bug it teaches.** With [`Bug::Sticky`], the dispatcher gives all jobs to the first
//! server. No assertion fails, and no step is too late: the server could always be fast and finish
//! its jobs. The bug therefore has no *dead state*, unlike most liveness bugs, and no single step
//! is to blame. The tester reports a monitor that stays hot for longer than in any fair schedule.

use std::collections::BTreeMap;
use std::time::Duration;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The dispatcher always picks the first server.
    Sticky,
}

/// The time between two jobs.
const ARRIVAL: Duration = Duration::from_millis(10);
/// A job takes one to four times this: 12.5 ms on average, so that one server is not enough.
const WORK: Duration = Duration::from_millis(5);

/// Work for a server.
#[derive(Debug)]
pub struct Job {
    /// The dispatcher, which is notified when the job is done.
    pub dispatcher: ActorRef<Dispatcher>,
}

/// A job is done.
#[derive(Debug)]
pub struct Done {
    /// The server that did the job.
    pub server: ActorId,
}

/// A timer: the next job arrives.
#[derive(Clone, Debug)]
pub struct Arrival;

/// A timer: the server has finished its job.
#[derive(Debug)]
pub struct Finished;

/// Asks the dispatcher for the number of jobs of each server; answered when all jobs are done.
#[derive(Debug)]
pub struct WhoDidWhat;

// ANCHOR: dispatcher
/// Gives jobs to servers.
#[derive(Debug)]
pub struct Dispatcher {
    servers: Vec<ActorRef<Server>>,
    arrivals: Option<Timer>,
    jobs_left: u32,
    done: BTreeMap<ActorId, u32>,
    open: u32,
    bug: Option<Bug>,
}

#[actor(states(Dispatching(defer(WhoDidWhat)), Finishing(defer(WhoDidWhat)), Idle))]
impl Dispatcher {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.arrivals = Some(cx.every(ARRIVAL, Arrival));
    }

    #[on(Dispatching)]
    fn dispatch(&mut self, _: Arrival, cx: &mut Context<Self>) {
        let server = match self.bug {
            Some(Bug::Sticky) => 0,
            None => cx.choose(self.servers.len()),
        };
        let dispatcher = cx.me();
        self.servers[server].tell(Job { dispatcher });
        self.open += 1;
        self.jobs_left -= 1;
        if self.jobs_left == 0 {
            if let Some(arrivals) = self.arrivals.take() {
                cx.cancel(arrivals);
            }
            cx.goto(DispatcherState::Finishing);
        }
    }

    #[on(Dispatching, Finishing)]
    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        *self.done.entry(done.server).or_default() += 1;
        self.open -= 1;
        if self.open == 0 && cx.state() == DispatcherState::Finishing {
            cx.goto(DispatcherState::Idle);
        }
    }

    #[on(Idle)]
    fn who_did_what(&mut self, _: WhoDidWhat) -> Vec<u32> {
        self.done.values().copied().collect()
    }
}
// ANCHOR_END: dispatcher

// ANCHOR: server
/// Does one job after the other.
#[derive(Debug, Default)]
pub struct Server {
    dispatcher: Option<ActorRef<Dispatcher>>,
}

#[actor(states(Idle, Busy(defer(Job))))]
impl Server {
    #[on(Idle)]
    fn begin(&mut self, job: Job, cx: &mut Context<Self>) {
        self.dispatcher = Some(job.dispatcher);
        let work = WORK * (1 + cx.choose(4) as u32);
        cx.after(work, Finished);
        cx.goto(ServerState::Busy);
    }

    #[on(Busy)]
    fn finished(&mut self, _: Finished, cx: &mut Context<Self>) {
        if let Some(dispatcher) = &self.dispatcher {
            let server = cx.me().id();
            dispatcher.tell(Done { server });
        }
        cx.goto(ServerState::Idle);
    }
}
// ANCHOR_END: server

// ANCHOR: monitor
/// A liveness property: the loads of two servers differ by at most one, again and again.
#[derive(Debug)]
pub struct Balance {
    loads: BTreeMap<ActorId, u32>,
}

#[monitor(hot(Skewed), cold(Balanced))]
impl Balance {
    #[on]
    fn job(&mut self, _: &Job, cx: &mut MonitorContext<Self>) {
        if let Some(load) = cx.target().and_then(|server| self.loads.get_mut(&server)) {
            *load += 1;
        }
        self.judge(cx);
    }

    #[on]
    fn done(&mut self, done: &Done, cx: &mut MonitorContext<Self>) {
        if let Some(load) = self.loads.get_mut(&done.server) {
            *load -= 1;
        }
        self.judge(cx);
    }

    fn judge(&mut self, cx: &mut MonitorContext<Self>) {
        let most = self.loads.values().max();
        let least = self.loads.values().min();
        let skewed = most
            .zip(least)
            .is_some_and(|(most, least)| most - least > 1);
        cx.goto(if skewed {
            BalanceState::Skewed
        } else {
            BalanceState::Balanced
        });
    }
}
// ANCHOR_END: monitor

/// Starts two servers, and a dispatcher with this number of jobs.
pub fn set_up(sys: &System, jobs: u32, bug: Option<Bug>) -> ActorRef<Dispatcher> {
    let servers = vec![sys.spawn(Server::default()), sys.spawn(Server::default())];
    sys.monitor_with(Balance {
        loads: servers.iter().map(|server| (server.id(), 0)).collect(),
    });
    sys.spawn(Dispatcher {
        servers,
        arrivals: None,
        jobs_left: jobs,
        done: BTreeMap::new(),
        open: 0,
        bug,
    })
}
