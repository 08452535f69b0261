//! Two-phase commit: a value is written by all participants, or by none.
//!
//! A [`Client`] asks the [`Coordinator`] to write. The coordinator asks every [`Participant`] to
//! [`Prepare`], and starts its [`Clock`]. When all have voted yes, it writes its decision to its
//! [`Log`], and then tells everybody to [`Commit`]. After a single no, or when the time is over, it
//! tells them to [`Abort`]. Then it stops the clock, which may be too late: a [`Timeout`] may be on
//! its way. A participant that has voted yes may neither commit nor abort by itself; when it hears
//! nothing, it asks.
//!
//! The coordinator may crash, at any moment. What is in the log is committed then, and what is not
//! is aborted (*presumed abort*): so participants that are in doubt are told as soon as it has
//! recovered. The crash is a message of an [`Injector`], and not that of a node: after one, participants
//! and clients would have to look the coordinator up anew, and its log would have to be a journal.
//! `transaction_service` is such a program.
//!
//! **The bugs it teaches.** All four are a message that comes at the wrong moment.
//! - [`Bug::StaleVote`]: the coordinator does not look at what a vote is for. One that comes too
//!   late for its transaction counts for the next.
//! - [`Bug::TimerRace`]: the coordinator does not wait until its clock is stopped. The time-out was
//!   on its way, and arrives where nobody expects it.
//! - [`Bug::UnilateralAbort`]: a participant that hears nothing aborts, while the coordinator
//!   commits.
//! - [`Bug::DecideUnlogged`]: the coordinator saves some time, and tells its client before the log
//!   has the decision. Then it crashes.

mod client;
mod clock;
mod coordinator;
mod events;
mod injector;
mod log;
mod participant;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use client::{Client, ClientState};
pub use clock::{Clock, ClockState};
pub use coordinator::{Coordinator, CoordinatorState};
pub use events::*;
pub use injector::Injector;
pub use log::Log;
pub use participant::Participant;
pub use specifications::{
    Atomicity, AtomicityState, Certainty, CertaintyState, Progress, ProgressState,
};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// Votes are not matched to transactions.
    StaleVote,
    /// The coordinator goes on while its clock may still run.
    TimerRace,
    /// A participant that is in doubt aborts.
    UnilateralAbort,
    /// A client is told of a decision that is not in the log yet.
    DecideUnlogged,
}

/// Who takes part, and what happens.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Scenario {
    /// How many participants there are.
    pub participants: usize,
    /// How many clients there are, each with a key of its own.
    pub clients: u32,
    /// How many values each of them writes.
    pub writes: u64,
    /// The coordinator crashes, once.
    pub crash: bool,
}

/// Starts everybody, and returns the clients.
///
/// That clients are answered is expected only where the coordinator does not crash.
pub fn set_up(sys: &System, scenario: Scenario, bug: Option<Bug>) -> Vec<ActorRef<Client>> {
    sys.monitor::<Atomicity>();
    sys.monitor::<Certainty>();
    let participants = (0..scenario.participants)
        .map(|_| sys.spawn(Participant::new(bug)))
        .collect();
    let clock = sys.spawn(Clock::default());
    let log = sys.spawn(Log::default());
    let coordinator = sys.spawn(Coordinator::new(participants, clock, log.clone(), bug));
    if scenario.crash {
        sys.spawn(Injector::new(coordinator.clone(), log));
    } else {
        sys.monitor::<Progress>();
    }
    (0..scenario.clients)
        .map(|key| sys.spawn(Client::new(coordinator.clone(), key, scenario.writes)))
        .collect()
}
