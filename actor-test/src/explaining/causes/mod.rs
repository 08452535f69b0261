//! Why an execution failed, found by running it otherwise.
//!
//! [`explain`] is called for the bugs of a report when they are minimised, and adds
//! [`Causes`](crate::data::causes::Causes) to them: data for whoever shows them. [`forks`] run the execution
//! again, otherwise from some step on, and pay for that from a budget of steps, so that what is found
//! does not depend on the machine. From where on it could not be helped is looked for in
//! [`transition`] for what is owed, and in [`curve`] for what is found at once; [`races`] turns
//! pairs of events round that [`order`] says are independent, each in executions that do
//! the same [but for that](turned). A debugger goes on from a step to where it [escapes](escape).

mod curve;
mod escape;
mod find;
mod forks;
pub(crate) mod order;
mod races;
mod transition;
pub(crate) mod turned;

pub(crate) use escape::{Escape, escape};
pub(crate) use find::explain;
