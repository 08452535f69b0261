//! Services built on actors: groups and topics for broadcasts, pools of workers, and probes, which stand in
//! for actors in tests.

mod group;
mod outcome;
mod pool;
pub(crate) mod probe;
mod stream;
mod table;
mod topics;

pub use group::Group;
pub use pool::{Pool, PoolRef};
pub use probe::Probe;
pub use topics::Topics;
