//! `cargo actor-test`: explores the actor tests of a workspace.

use std::process::ExitCode;

fn main() -> ExitCode {
    actor_test::cli::main()
}
