//! The production programs, one for each sample that runs to an end.

mod ab_fairness;
mod boot_spin;
mod bounded_buffer;
mod chain_replication;
mod chord;
mod coffee_machine;
mod failure_detector;
mod german;
mod lite_event;
mod load_balance;
mod mace_transport;
mod mps_ballots;
mod multi_paxos;
mod paxos;
mod ping_pong;
mod port_cancellation;
mod status_reply;
mod two_phase_commit;

use std::process::ExitCode;

type Program = fn() -> Result<(), actor_core::Error>;

const PROGRAMS: [(&str, Program); 18] = [
    ("ab_fairness", ab_fairness::main),
    ("boot_spin", boot_spin::main),
    ("bounded_buffer", bounded_buffer::main),
    ("chain_replication", chain_replication::main),
    ("chord", chord::main),
    ("coffee_machine", coffee_machine::main),
    ("failure_detector", failure_detector::main),
    ("german", german::main),
    ("lite_event", lite_event::main),
    ("load_balance", load_balance::main),
    ("mace_transport", mace_transport::main),
    ("mps_ballots", mps_ballots::main),
    ("multi_paxos", multi_paxos::main),
    ("paxos", paxos::main),
    ("ping_pong", ping_pong::main),
    ("port_cancellation", port_cancellation::main),
    ("status_reply", status_reply::main),
    ("two_phase_commit", two_phase_commit::main),
];

/// Runs the sample of that name in production, with exit code 2 if there is none of that name.
pub fn run(wanted: &str) -> ExitCode {
    let Some((_, program)) = PROGRAMS.iter().find(|(name, _)| *name == wanted) else {
        eprintln!("say which sample is to run, as in `cargo run -p samples coffee_machine`:");
        for (name, _) in PROGRAMS {
            eprintln!("    {name}");
        }
        return ExitCode::from(2);
    };
    match program() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{wanted}: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PROGRAMS;

    #[test]
    fn every_program_comes_to_its_end() {
        for (name, program) in PROGRAMS {
            let ended = program();
            assert!(ended.is_ok(), "{name}: {ended:?}");
        }
    }
}
