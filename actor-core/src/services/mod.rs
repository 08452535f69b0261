//! Services built on actors: [groups](group), [topics](topics), [pools](pool), [proxies](proxy),
//! [streams](stream) and [probes](probe).
//!
//! Nothing else in the crate depends on this module.

mod group;
mod outcome;
mod pool;
mod probe;
mod proxy;
mod stream;
mod table;
mod topics;

pub use group::Group;
pub use pool::{Pool, PoolRef};
pub use probe::Probe;
pub use proxy::{Proxy, ProxyRef};
pub use topics::Topics;

pub use probe::Double;
