//! Replicas with a primary whose lease runs out, and a reply that comes too late.
//!
//! After a bug that the authors of MODIST found in a Paxos library. Each [`Replica`] has a log of
//! decrees. The primary has a lease of each of the others, which it renews with every
//! [`CommittedHint`]. A replica that sees from a hint that it misses something is *learning*: it
//! sends [`StatusQuery`] to the others, and with the [`StatusReply`] of as many as make a majority
//! with itself it is *stable* again. Where the lease has run out, a stable replica waits for a random
//! time, and learns before it does anything else, as others may know more. Then it is *preparing*: it
//! asks the others to [`Promise`] that they follow no older primary, which gives it a lease of each,
//! and with a majority it is the primary. Who has given another a lease refuses.
//!
//! In short, a replica never goes from stable to preparing. An [`Outage`] ends the first primary
//! after some time.
//!
//! **The bug it teaches.** With [`Bug::NoStateCheck`], a replica handles a status reply without asking
//! itself whether it is still learning. Most late replies do no harm: a stable replica with a lease
//! finds that it is stable. But the lease may run out before the last reply comes. Then the replica
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

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica takes any status reply for one that it waits for.
    NoStateCheck,
}

/// Starts three replicas, of which the third is the primary and the first misses two decrees, and the
/// outage that ends the primary. The observer hears of the next one.
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
