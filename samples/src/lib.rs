//! Complete actor programs, each with the bug that it teaches and the tests that find it.
//!
//! Every sample is a module with one function that starts its actors in a
//! [`System`](actor_core::System). The tests call that function with and without the bug. The
//! production program in `src/programs` calls it, too: `cargo run -p samples coffee_machine`.

pub mod ab_fairness;
pub mod berkeley_db;
pub mod boot_spin;
pub mod bounded_buffer;
pub mod chain_replication;
#[expect(missing_docs, reason = "its texts are the book's, which explains them")]
pub mod chapters;
pub mod chord;
pub mod coffee_machine;
#[cfg(test)]
mod crash_consistency;
pub mod failure_detector;
#[expect(missing_docs, reason = "its text is the README's, which is short")]
pub mod first_program;
pub mod german;
pub mod heisenbugs;
pub mod leases;
pub mod lite_event;
pub mod load_balance;
pub mod mace_transport;
pub mod mps_ballots;
pub mod multi_paxos;
pub mod pacifica;
pub mod pastry;
pub mod paxos;
pub mod ping_pong;
pub mod port_cancellation;
pub mod programs;
#[cfg(test)]
mod races;
pub mod raft;
pub mod read_lease;
pub mod replicated_counter;
pub mod status_reply;
#[cfg(test)]
mod supervised_log;
pub mod transaction_service;
pub mod two_phase_commit;
#[cfg(test)]
mod under_faults;
pub mod viewstamped_replication;
