//! Built on actors, by what every program could use: [groups](group), [pools](pool), [streams](stream) and
//! [probes](probe).
//!
//! Nothing else in the crate knows of it.

mod group;
mod outcome;
mod pool;
mod probe;
mod stream;
mod table;

pub use group::Group;
pub use pool::{Pool, PoolRef};
pub use probe::Probe;

pub use probe::Double;
