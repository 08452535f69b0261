//! Primary election with leases, and a reply that arrives too late.
//!
//! The authors of MODIST found this bug in a Paxos library. Each [`Replica`] has a log of
//! decrees. The others grant the primary a lease, which each [`CommittedHint`] renews. A replica
//! that learns from a hint that it lacks decrees is *learning*: it sends [`StatusQuery`] to the
//! others. Once the [`StatusReply`]s and the replica itself make a majority, it is *stable*
//! again. When the lease has expired, a stable replica waits for a random time, and learns
//! first, as others may know more. Then it is *preparing*: it asks the others to [`Promise`]
//! that they follow no older primary, which gives it a lease. With a majority of promises it is
//! the primary. A replica that has granted a lease to another one refuses.
//!
//! In short, a replica never goes from stable to preparing
//! directly. An [`Outage`] stops the first primary after some time.
//!
//! **The bug it teaches.** With [`Bug::NoStateCheck`], a replica handles a status reply without
//! checking that it is still learning. Most late replies are harmless: a stable replica with a
//! lease stays stable. But the lease may expire before the last reply arrives. Then the replica
//! takes that reply for the end of its learning, and goes from stable to preparing.

mod events;
mod observer;
mod outage;
mod replica;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use events::*;
pub use observer::{Observer, ObserverState};
pub use outage::Outage;
pub use replica::{Replica, ReplicaState};
pub use specifications::{Knowledge, KnowledgeState, Succession, SuccessionState};

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica accepts any status reply, even if it no longer waits for one.
    NoStateCheck,
}

/// Starts three replicas, and the outage that stops the primary. The third replica is the primary,
/// and the first one lacks two decrees. The returned observer is notified of the next primary.
pub fn set_up(sys: &System, bug: Option<Bug>) -> ActorRef<Observer> {
    sys.monitor::<Knowledge>();
    sys.monitor::<Succession>();
    let observer = sys.spawn(Observer::default());
    let logs = [vec![10], vec![10, 20, 30], vec![10, 20, 30]];
    let replicas: Vec<_> = (1..)
        .zip(logs)
        .map(|(number, log)| sys.spawn(Replica::new(number, log, observer.clone(), bug)))
        .collect();
    for replica in &replicas {
        let others = replicas.iter().filter(|other| *other != replica);
        replica.tell(Join {
            others: others.cloned().collect(),
            primary: 3,
        });
    }
    sys.spawn(Outage::new(replicas[2].clone()));
    observer
}
