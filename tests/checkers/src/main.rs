//! Runs one exhaustive search with one model checker, and prints the number of behaviours or
//! states and the CPU time in seconds: `.ci/checkers` runs all of them and makes a table.
//!
//! `checkers CHECKER PROGRAM`, where `CHECKER` is `ours`, `stateright` or `traceforge`.

mod counters;
mod programs;
mod stateright;
mod traceforge;

use std::process::ExitCode;

use cpu_time::ProcessTime;
use programs::Program;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checker, program] = arguments.as_slice() else {
        return usage();
    };
    let Some(program) = Program::named(program) else {
        return usage();
    };
    let begun = ProcessTime::now();
    let explored = match checker.as_str() {
        "ours" => counters::ours(program),
        "stateright" => stateright::count(program),
        "traceforge" => traceforge::count(program),
        _ => return usage(),
    };
    let took = begun.elapsed().as_secs_f64();
    println!("{explored} {took:.3} {}", peak_memory());
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    let names: Vec<String> = programs::all().map(|program| program.name()).collect();
    eprintln!(
        "usage: checkers ours|stateright|traceforge {}",
        names.join("|")
    );
    ExitCode::FAILURE
}

/// Returns the peak memory of the process in kB; zero if the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
