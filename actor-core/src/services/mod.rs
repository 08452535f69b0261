//! Built on actors, by what every program could use: [groups](group), [topics](topics), [pools](pool), [proxies](proxy),
//! [streams](stream) and [probes](probe).
//!
//! Nothing else in the crate knows of it.

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
