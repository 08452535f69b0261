//! Runs one exhaustive search with one model checker, and prints `proved` or `cut`, the number of behaviours
//! or states, the CPU time in seconds, and the peak memory in kB: `.ci/checkers` makes a table of them.
//!
//! `checkers CHECKER PROGRAM SEARCH [SECONDS [MEGABYTES]]`, where `CHECKER` is `ours`, `stateright`, `model`
//! (a model written by hand, also in stateright) or `traceforge`, and the limits are none unless given.

mod limits;
mod ours;
mod programs;
mod stateright;
mod traceforge;

use std::process::ExitCode;

use cpu_time::ProcessTime;
use limits::Limits;
use programs::Program;

/// The result of a search that met no violation.
struct Explored {
    /// The number of behaviours or states.
    count: u64,
    /// True if all of them were visited, and false if a limit came first.
    is_proof: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let begun = ProcessTime::now();
    let Some(explored) = search(&arguments) else {
        eprintln!(
            "usage: checkers ours|stateright|model|traceforge PROGRAM SEARCH [SECONDS [MEGABYTES]]"
        );
        return ExitCode::FAILURE;
    };
    let took = begun.elapsed().as_secs_f64();
    let verdict = if explored.is_proof { "proved" } else { "cut" };
    let Explored { count, .. } = explored;
    println!(
        "{verdict} {count} {took:.3} {}",
        limits::memory_kb("VmHWM:")
    );
    ExitCode::SUCCESS
}

/// Runs the search; returns `None` for arguments that name none.
fn search(arguments: &[String]) -> Option<Explored> {
    let [checker, program, search, limits @ ..] = arguments else {
        return None;
    };
    let program = Program::named(program)?;
    let limits = Limits::of(limits)?;
    match checker.as_str() {
        "ours" => ours::explore(program, search, limits),
        "stateright" => stateright::explore(program, search, limits),
        "model" => stateright::explore_model(program, search, limits),
        "traceforge" => traceforge::explore(program),
        _ => None,
    }
}
