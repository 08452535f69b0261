//! What must hold and what was reached: monitors, predicates, coverage.
//!
//! [`specifications`] holds the monitors and predicates of an execution and sets their temperatures;
//! [`observers`] knows which event concerns whom; [`cycle`] sees who awaits whom in a circle;
//! [`landmarks`] and [`tally`] count what the execution came through, and [`observations`] is what is
//! told of that over all executions. `running` shows events and states, and takes what is found.

pub(crate) mod calls;
pub(crate) mod cycle;
pub(crate) mod landmarks;
pub(crate) mod observations;
pub(crate) mod observers;
pub(crate) mod specifications;
pub(crate) mod suspicion;
pub(crate) mod tally;
