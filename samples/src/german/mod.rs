//! German's cache coherence protocol: caches of one memory cell, and the home that keeps them
//! coherent.
//!
//! After the protocol that Steven German posed as a verification challenge, and P's sample of it. A
//! [`Cpu`] reads and writes the cell through its [`Cache`]. A cache that may not do so yet asks the
//! [`Home`] for a shared copy, or for the only one. The home serves one request at a time: it sends
//! [`Invalidate`] to everybody whose copy is in the way, waits for an [`InvAck`] of each, and grants
//! the copy. Requests that come meanwhile wait.
//!
//! **The bugs it teaches.**
//! - [`Bug::ClearOnSend`]: the home takes copies for gone when it has *sent* the invalidations. It
//!   does not wait, and the new copy meets the old ones.
//! - [`Bug::CountAcks`]: to save a round trip, a cache that wants the only copy gives its shared one
//!   up at once, and says so; and the home counts acknowledgements, without a look at whose they are.
//!   Where an invalidation is on its way to that cache, it acknowledges twice, and the second time
//!   passes for somebody else's, in this request or the next.
//! - [`Bug::OneWaitingState`]: a cache that waits for the only copy is in the same state whether it
//!   has a shared one or none. A cache without a copy has no use for an invalidation, so that state
//!   has no handler for it.
//! - [`Bug::DropRequests`]: requests that come while the home invalidates are dropped, not deferred.
//!   Nothing breaks; a CPU just waits for ever.

mod cache;
mod cpu;
mod events;
mod home;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use cache::{Cache, CacheState};
pub use cpu::{Cpu, CpuState};
pub use events::*;
pub use home::{Home, HomeState};
pub use specifications::{
    Exclusion, ExclusionState, LastWrite, LastWriteState, Service, ServiceState,
};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// The home does not wait for acknowledgements.
    ClearOnSend,
    /// The home counts acknowledgements, of which a cache may send two.
    CountAcks,
    /// A cache that waits for the only copy is not prepared to lose a shared one.
    OneWaitingState,
    /// The home drops the requests that come while it invalidates.
    DropRequests,
}

/// Starts the home and `caches` caches, each with a CPU that reads or writes `operations` times.
pub fn set_up(
    sys: &System,
    caches: usize,
    operations: u32,
    bug: Option<Bug>,
) -> Vec<ActorRef<Cpu>> {
    sys.monitor::<Exclusion>();
    sys.monitor::<LastWrite>();
    sys.monitor::<Service>();
    let home = sys.spawn(Home::new(bug));
    (0..caches)
        .map(|_| {
            let cache = sys.spawn(Cache::new(home.clone(), bug));
            sys.spawn(Cpu::new(cache, operations))
        })
        .collect()
}
