//! Runs a sample in production: `cargo run -p samples coffee_machine`, or the name of another one.

use std::process::ExitCode;

fn main() -> ExitCode {
    samples::programs::run(&std::env::args().nth(1).unwrap_or_default())
}
