//! Finds the causes of a failure by running other continuations of it.
//!
//! [`explain`] is called for the bugs of a report when they are minimised, and adds
//! [`Causes`](crate::data::causes::Causes) to them. [`continuations`] runs continuations from some step of the
//! execution, within a budget of steps, so that the result does not depend on the machine. [`transition`]
//! searches for the critical step of a liveness bug, and [`curve`] for that of a safety bug. [`races`]
//! reverses pairs of events that [`order`] finds independent, in executions that are [otherwise the
//! same](race_reversal). A debugger continues from a step until the execution [escapes](escape).

mod continuations;
mod curve;
mod escape;
mod find;
pub(crate) mod order;
pub(crate) mod race_reversal;
mod races;
mod transition;

pub(crate) use escape::{Escape, escape};
pub(crate) use find::explain;
