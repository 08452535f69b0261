//! The binary `cargo-actor-test`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_actor_test::main()
}
