//! Production benchmark: prints the cost of our actors beside other frameworks, tokio's
//! channel and a hand-written mailbox, on one thread and on two workers, medians of five.
//!
//! `peers actor-core kameo tell` runs only these contenders and this scenario.

mod contender;
mod contenders;
mod entrant;
mod memory;
mod scenario;
mod selection;
mod table;

use std::env;
use std::process::ExitCode;

use selection::Selection;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // True in the process that `memory::weigh` starts.
    let (weighs, names) = match arguments.split_first() {
        Some((flag, names)) if flag == memory::FLAG => (true, names),
        _ => (false, arguments.as_slice()),
    };
    match Selection::of(names) {
        Ok(selection) if weighs => selection.weigh(),
        Ok(selection) => selection.print(),
        Err(mistake) => {
            eprintln!("{mistake}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
