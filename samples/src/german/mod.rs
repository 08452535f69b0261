//! German's cache coherence protocol: caches of one memory
//! cell, and the home node that keeps them coherent.
//!
//! Steven German posed the protocol as a verification challenge; P has a sample of it.
//! A [`Cpu`] reads and writes the cell through its [`Cache`]. A cache without the right
//! copy asks the [`Home`] for a shared copy, or for the exclusive one. The home serves
//! one request at a time: it sends [`Invalidate`] to each cache whose copy conflicts,
//! waits for an [`InvAck`] of each, and grants the copy. Other requests wait meanwhile.
//!
//! **The bugs it teaches.**
//! - [`Bug::ClearOnSend`]: the home regards copies as gone when it has *sent* the
//!   invalidations. The home does not wait, and the new copy coexists with the old ones.
//! - [`Bug::CountAcks`]: to save a round trip, a cache that wants the exclusive copy gives
//!   up its shared one at once. The home counts acknowledgements, and does not check their
//!   senders. If an invalidation is in flight to that cache, the cache acknowledges twice.
//!   The second acknowledgement then counts for another cache, in this request or the next.
//! - [`Bug::OneWaitingState`]: a cache that waits for the exclusive copy is
//!   in one and the same state with a shared copy and without. An invalidation
//!   makes no sense without a copy, so that state has no handler for one.
//! - [`Bug::DropRequests`]: requests that arrive during an invalidation are
//!   dropped, not deferred. No assertion fails, but a CPU waits for ever.

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

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// The home does not wait for acknowledgements.
    ClearOnSend,
    /// The home counts acknowledgements, of which a cache may send two.
    CountAcks,
    /// A cache that waits for the exclusive copy is not prepared to lose a shared one.
    OneWaitingState,
    /// The home drops the requests that arrive while it invalidates.
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
