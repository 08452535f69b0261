//! Services built on actors: groups and topics for broadcasts, pools of workers, leases and singletons, and
//! probes, which stand in for actors in tests.

mod group;
mod lease;
mod outcome;
mod pool;
pub(crate) mod probe;
mod singleton;
mod stream;
mod table;
mod topics;

pub use group::Group;
pub use lease::{
    AcquireLease, Fence, Lease, LeaseError, LeaseStore, LeaseTerms, Leases, LeasesRef,
    ReleaseLease, RenewLease,
};
pub use pool::{Pool, PoolRef};
pub use probe::Probe;
pub use singleton::Singleton;
pub use topics::Topics;
