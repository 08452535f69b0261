//! Many executions of one test: the plan, the workers, what they learn, and adding up what they found.

pub(crate) mod bandit;
pub(crate) mod behaviours;
pub(crate) mod calibration;
pub(crate) mod confirmation;
pub(crate) mod explorer;
pub(crate) mod merge;
pub(crate) mod partition;
pub(crate) mod plan;
pub(crate) mod summary;
pub(crate) mod workers;
