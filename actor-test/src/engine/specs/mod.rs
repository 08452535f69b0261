//! Specifications and coverage: monitors, predicates, landmarks.
//!
//! [`specifications`] holds the monitors and predicates of an execution and sets their temperatures.
//! [`observers`] maps events to monitors, and [`cycle`] finds cycles of asks. [`landmarks`] and [`tally`]
//! count what an execution has covered, and [`observations`] has the sum over all executions. `running` shows
//! events and states, and takes the findings.

pub(crate) mod calls;
pub(crate) mod cycle;
pub(crate) mod landmarks;
pub(crate) mod observations;
pub(crate) mod observers;
pub(crate) mod specifications;
pub(crate) mod suspicion;
pub(crate) mod tally;
