//! The run loop: one execution, from the test body's first step to its verdict.
//!
//! Four types share the work, each calling only those below it:
//!
//! - [`Engine`](execution::Engine) runs executions: it has the strategy pick one step after the other, observes
//!   the steps, and judges.
//! - [`Executor`](executor::Executor) takes a step: it runs the code of the operations, whose values it owns,
//!   and has their effects carried out.
//! - [`Effects`](effects::Effects) and [`Network`](effects::network::Network) carry out the effects that run no
//!   actor's code: they change the world, and record what happened.
//! - [`Audience`](observing::Audience) shows events to monitors.
//!
//! The modules in the order of an execution:
//!
//! - [`execution`] begins an execution and ends it; [`outcome`] holds its result.
//! - [`stepping`] has the strategy pick one step after the other, and [`executor`] holds the program's values.
//! - [`handling`] runs a user's code, and [`effects`] carries out the effects in its outbox, with one
//!   file for each concern.
//! - [`supervision`] restarts failed actors. [`tasks`] are suspended in the middle of their code, on stacks
//!   of their own.
//! - [`nodes`] boots and crashes nodes, and [`fault_steps`] injects faults between two steps.
//! - [`observing`] shows events to monitors, [`predicates`] are evaluated after each step, and [`lasso`]
//!   searches for cycles while an obligation is pending.
//! - [`overdue`] reports [`waits`] that last too long. [`verdict`], [`finish`] and [`end_warnings`] judge the end.
//! - [`snapshot`] describes the execution between two steps, and [`own_thread`] runs one on a thread of its
//!   own.
//!
//! The engine is called by [`Engine::run`](execution::Engine::run). A user's code runs with nothing of the
//! engine borrowed: the world changes first and returns what is to be called or dropped, and the engine does
//! that afterwards.

pub(crate) mod effects;
pub(crate) mod end_warnings;
pub(crate) mod execution;
pub(crate) mod executor;
pub(crate) mod fault_steps;
pub(crate) mod finish;
pub(crate) mod handling;
pub(crate) mod lasso;
mod nodes;
pub(crate) mod observing;
pub(crate) mod outcome;
pub(crate) mod overdue;
pub(crate) mod own_thread;
pub(crate) mod predicates;
pub(crate) mod snapshot;
pub(crate) mod stepping;
pub(crate) mod supervision;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;
pub(crate) mod waits;
