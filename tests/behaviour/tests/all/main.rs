//! Behaviour across crates, in one executable: each links everything once more. What
//! counts allocations has one of its own, and so has what only reads the sources. Public are those that
//! have states that nothing enters.

mod asks;
mod auto_traits;
mod bugs;
mod causes;
mod clocks;
mod confirmation;
mod counts;
pub mod coverage;
mod decisions;
mod determinism;
mod differential;
mod disks;
mod dpor;
mod ends;
mod every_strategy;
mod fair_cycles;
mod faults;
mod following;
mod groups_and_pools;
mod identity;
mod journals;
mod lasso;
mod liveness;
mod local_steps;
mod mailboxes;
mod minimizing;
mod names;
mod nodes;
mod pinned;
mod portfolio;
mod probes;
mod protocols;
pub mod rules;
mod samplers;
mod shortest;
mod states;
mod stories;
mod strategies;
mod strategy_seam;
mod streams;
mod supervision;
mod system;
mod tasks;
mod threads;
mod timeouts;
