//! Two-phase commit: a value is written by all participants, or by none.
//!
//! A [`Client`] asks the [`Coordinator`] to write. The coordinator asks every
//! [`Participant`] to [`Prepare`], and starts its [`Clock`]. After a yes of all, the
//! coordinator writes its decision to its [`Log`], and then sends [`Commit`] to all. After a
//! single no, or when the time is over, it sends [`Abort`]. Then the coordinator stops the
//! clock. That may be too late: a [`Timeout`] may be in flight. A participant that has voted
//! yes may neither commit nor abort by itself; after a time without a decision, it asks.
//!
//! The coordinator may crash at any moment. Transactions in the log are then committed, and
//! all others are aborted (*presumed abort*). Participants in doubt get an answer as soon as
//! the coordinator has recovered. The crash is a message of an [`Injector`], and not the crash
//! of a node: after that, participants and clients would have to look up the new coordinator,
//! and the log would have to be a journal. `transaction_service` is such a program.
//!
//! **The bugs it teaches.** In each of the four, a message arrives at the wrong moment.
//! - [`Bug::StaleVote`]: the coordinator does not check the
//!   transaction of a vote. A late vote counts for the next transaction.
//! - [`Bug::TimerRace`]: the coordinator does not wait until its clock is
//!   stopped. A time-out in flight arrives in a state that does not expect it.
//! - [`Bug::UnilateralAbort`]: a participant without
//!   a decision aborts, while the coordinator commits.
//! - [`Bug::DecideUnlogged`]: to save time, the coordinator answers its
//!   client before the log has the decision. Then the coordinator crashes.

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

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// Votes are not matched to transactions.
    StaleVote,
    /// The coordinator continues while its clock may still run.
    TimerRace,
    /// A participant in doubt aborts.
    UnilateralAbort,
    /// The client learns of a decision that is not in the log yet.
    DecideUnlogged,
}

/// The size of the system, and the faults in a test.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Scenario {
    /// The number of participants.
    pub participants: usize,
    /// The number of clients, each with a key of its own.
    pub clients: u32,
    /// The number of values that each client writes.
    pub writes: u64,
    /// True if the coordinator crashes once.
    pub crash: bool,
}

/// Starts all actors, and returns the clients.
///
/// The monitor of progress is registered only if the coordinator does not crash.
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
