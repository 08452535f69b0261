//! Specifications: monitors observe events, and predicates inspect the states of all actors.
//!
//! Production and the tester run monitors, which [`macro@monitor`](crate::monitor) generates; only the tester
//! evaluates predicates, such as those of [`System::always`](crate::System::always).

pub(crate) mod monitor;
pub(crate) mod predicate;

pub use monitor::{Monitor, MonitorContext, Temperature};
pub use predicate::{Answer, World};

pub(crate) use monitor::{AnyMonitor, Moment, MonitorInstance};
pub(crate) use predicate::{Expectation, Predicate};
