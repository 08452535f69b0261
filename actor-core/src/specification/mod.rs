//! What must hold: [monitors](monitor) observe what happens, [predicates](predicate) look at what is.
//!
//! Both executors run monitors; predicates are the tester's alone.

mod monitor;
mod predicate;

pub use monitor::{
    AnyMonitor, Moment, Monitor, MonitorContext, MonitorInfo, Observation, Temperature,
};
pub use predicate::{Answer, Answered, Expectation, Predicate, Snapshot, World};

pub(crate) use monitor::Watching;
