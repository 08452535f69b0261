//! The run loop: one execution, from the test body's first step to its verdict.
//!
//! [`execution`] begins it and clears up after it; [`outcome`] is what it showed. In between [`stepping`]
//! has one step picked after the other and takes it: one of [`handling`] runs a user's code, one of
//! [`effects`] carries out what that has put into its outbox, [`disks`] what of it is for a disk,
//! [`supervision`] brings back what failed, and [`tasks`] are left in the middle of their code, on stacks
//! of their own. [`nodes`] boots and crashes what lives together, [`links`] carries what goes from one node to
//! another, and [`elsewhere`] runs an execution on a thread of its own. [`looking`] shows events and states to specifications; [`lasso`] goes along while something
//! is owed; [`overdue`] says who waits in vain; [`verdict`], [`finish`] and [`leftovers`] say how it
//! ends; a [`snapshot`] shows where it stands.
//!
//! Only `exploring` and `trace` call in here, by [`Engine::run`](execution::Engine::run). A user's code
//! runs with nothing of the engine borrowed: the world changes first and says what is to be called or
//! dropped, and that is done afterwards.

pub(crate) mod disks;
pub(crate) mod effects;
pub(crate) mod end_warnings;
pub(crate) mod execution;
pub(crate) mod fault_steps;
pub(crate) mod finish;
pub(crate) mod handling;
pub(crate) mod lasso;
mod links;
mod nodes;
pub(crate) mod observing;
pub(crate) mod outcome;
pub(crate) mod overdue;
pub(crate) mod own_thread;
pub(crate) mod snapshot;
pub(crate) mod stepping;
pub(crate) mod supervision;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;
