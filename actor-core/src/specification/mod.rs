//! Specifications: [monitors](monitor) observe events, [predicates](predicate) inspect states.
//!
//! Both executors run monitors; only the tester evaluates predicates.

mod monitor;
mod predicate;

pub use monitor::{
    AnyMonitor, Moment, Monitor, MonitorContext, MonitorInfo, Observation, Temperature,
};
pub use predicate::{Answer, Expectation, Predicate, PredicateResult, Snapshot, World};

pub(crate) use monitor::MonitorInstance;
